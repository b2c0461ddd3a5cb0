#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the ABI of /dev/infiniband/rdma_cm that librdmacm uses, command by command, with right and
# wrong use by processes (ucma_test). The QPs are kernel QPs, which kscript creates.
#
# timeout: 120
# needs: several processors

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kscript.sh"

ucma_test=${KRDMA:-/krdma}/bin/ucma_test

# make_qps NUMBER: creates QPs on host b, and adds their numbers to $qpns.
make_qps() {
	local i
	for ((i = 0; i < $1; i++)); do
		kscript b qp "Q$i" && await b "qp Q$i *" || return 1
		qpns+=("$(field qpn)")
	done
}

node_is() {
	[[ $(stat -c '%a %F' /dev/infiniband/rdma_cm) == '666 character special file' ]]
}

ucma_test_runs() {
	in_b "$ucma_test" 10.77.1.2 "${qpns[@]}" > "$report"
	[[ $(grep -c '^ok' "$report") -gt 0 ]]
}

nothing_is_left() {
	[[ $(in_b rdma -j resource show cm_id | jq length) == 0 ]]
}

ktap_start
[[ -x $ucma_test ]] || ktap_skip_all 'ucma_test was not built'
qpns=()
report=$(mktemp)
check 'two hosts with siw' kscript_hosts
check 'rdma_ucm loads' modprobe rdma_ucm
check 'the device node has its mode' node_is
check '40 QPs' make_qps 40
check 'another device' in_b rdma link add siwlo type siw netdev lo
check 'ucma_test runs' ucma_test_runs
ktap_copy "$report"
check 'nothing is left' wait_for 10 nothing_is_left
check 'the other device is deleted' in_b rdma link delete siwlo
check 'everything unloads' eval 'close_sessions && rmmod rdma_ucm && unload_krdma'
rm "$report"
ktap_end
