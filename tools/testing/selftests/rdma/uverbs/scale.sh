#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Opens many connections of processes, kills many processes under traffic, and runs many threads on
# one device. Expects that all groups end in time, that no object is left, and that rping works
# after each group.
#
#   uverbs/scale.sh [CONNECTIONS [KILLS [THREADS]]]     default: 200, 30 and 16 (fewer on slow kernels);
#                                                       0 leaves that group out
#
#	namespace a                        namespace b
#	   va 10.77.1.1, fd77:1::1  ----  vb 10.77.1.2, fd77:1::2
#	   siwa: clients of verbs_test      siwb: verbs_test, and its servers
#
# timeout: 240
# needs: several processors

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_clients.sh"
. "$(dirname "$0")/lib_verbs_test.sh"

connections=${1:-$(fewer 200)}
kills=${2:-$(fewer 30)}
threads=${3:-$(fewer 16)}
# The time limit is generous, because verbs_test itself limits the time of each of its tests.
verbs_test_limit=$((600 + connections + 4 * kills + 8 * threads))

# Handshakes get a minute, because the last ones have to wait for the first when all connections
# start at once on few CPUs.
set_handshake_timeouts() {
	local dev
	for dev in siwa siwb; do
		echo 60000 > "/sys/class/infiniband/$dev/siw/handshake_ms" || return
	done
}

ping_pong() {
	pair 7174 rping -s -a "$server_v4" -p 7174 -C 20 -V -- rping -c -a "$server_v4" -p 7174 -C 20 -V
}

# scale_group NAME NUMBER WHAT: runs a group, unless NUMBER is 0.
scale_group() {
	(($2)) || return
	group "$1" "$server_v4" "$2"
	check "rping works after many $3" ping_pong
}

ktap_start
need_verbs_test
need rping
check 'two hosts with siw' client_hosts
check 'handshakes may take a minute' set_handshake_timeouts
scale_group scale "$connections" connections
scale_group kill_stress "$kills" 'killed processes'
scale_group threads "$threads" threads
check 'everything unloads' unload_krdma
ktap_end
