#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Very many: connections of processes that are open at once, processes that are killed under traffic, threads on
# one device. All of it ends in time, nothing is left, and what comes after works.
#
#   uverbs_scale.sh [CONNECTIONS [DEATHS [THREADS]]]     200, 30 and 16 (fewer on slow kernels) without
#
#	namespace a                        namespace b
#	   va 10.77.1.1, fd77:1::1  ----  vb 10.77.1.2, fd77:1::2
#	   siwa: clients of verbs_test      siwb: verbs_test, and its servers
#
# timeout: 240
# needs: several processors

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_clients.sh"
. "$(dirname "$0")/lib_verbs_test.sh"

connections=${1:-$(fewer 200)}
deaths=${2:-$(fewer 30)}
threads=${3:-$(fewer 16)}
# verbs_test itself knows what each of its tests may take.
verbs_test_limit=$((600 + connections + 4 * deaths + 8 * threads))

# Where all begin at once, on a machine that has not the CPUs for it, the last have to wait for the first.
patient_devices() {
	local dev
	for dev in siwa siwb; do
		echo 60000 > "/sys/class/infiniband/$dev/siw/handshake_ms" || return
	done
}

ping_pong() {
	pair 7174 rping -s -a "$server_v4" -p 7174 -C 20 -V -- rping -c -a "$server_v4" -p 7174 -C 20 -V
}

ktap_start
need_verbs_test
need rping
check 'two hosts with siw' client_hosts
check 'devices are patient' patient_devices
group crowd "$server_v4" "$connections"
check 'rping works' ping_pong
group storm "$server_v4" "$deaths"
check 'rping works once more' ping_pong
group threads "$server_v4" "$threads"
check 'and at last' ping_pong
check 'everything unloads' unload_krdma
ktap_end
