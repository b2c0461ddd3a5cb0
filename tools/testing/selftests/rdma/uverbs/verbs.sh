#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests verbs for processes, used rightly and wrongly, over libibverbs and librdmacm: runs the
# groups of tools/testing/verbs_test. Expects that no object of a group is left, however its
# processes have ended.
#
#	namespace a                        namespace b
#	   va 10.77.1.1, fd77:1::1  ----  vb 10.77.1.2, fd77:1::2
#	   siwa: clients of verbs_test      siwb: verbs_test, and its servers
#
# timeout: 180
# needs: several processors

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_clients.sh"
. "$(dirname "$0")/lib_verbs_test.sh"

# Turns off segmentation offload, so that single packets are lost, and shortens TCP's retransmission timeout.
wire() {
	local host
	for host in a b; do
		ip netns exec "$host" ethtool -K "v$host" tso off gso off gro off || return
		ip -n "$host" route change 10.77.1.0/24 dev "v$host" scope link rto_min 20ms || return
	done
}

no_device() {
	[[ ! -e /sys/class/infiniband/$1 ]]
}

ktap_start
need_verbs_test
check 'two hosts with siw' client_hosts
group reject
group reject "$server_v6"
group order
group order "$server_v6"
group access
group limits
group footprint
group events
group raw
if modinfo kt_link > /dev/null 2>&1; then
	check 'a device of kt_link' rdma link add ktuser type user netdev lo
	group ports
	check 'the device of kt_link is deleted' rdma link delete ktuser
	check 'a device that has no operations for processes' rdma link add ktbare type fake netdev lo
	expect_output 'the device has no node' '' verbs_node ktbare
	check 'the device without operations is deleted' rdma link delete ktbare
	check 'kt_link unloads' rmmod kt_link
fi
group refusals
if modinfo kt_user > /dev/null 2>&1; then
	check 'a device of kt_user' modprobe kt_user
	group commands
	check 'kt_user unloads' rmmod kt_user kt_support
fi
group rereg
group mw
group fork
group threads "$server_v4" 6
group kill

check 'single packets, quick retransmissions' wire
check 'packets are lost and delayed' netem delay 2ms 1ms loss 2% reorder 10%
group reuse
check 'no faults' no_netem
group reuse

check 'removal runs' verbs_test_runs removal "$server_v4"
ktap_copy "$output_dir/report" 'removal: '
check 'removal: the device is gone' no_device siwb
check 'removal: the device is added again' add_device b
check 'removal: nothing is left' wait_for 10 nothing_is_left
group reject

check 'unread runs' verbs_test_runs unread "$server_v4"
ktap_copy "$output_dir/report" 'unread: '
check 'unread: the device is gone with its events' no_device siwb
check 'unread: the device is added again' add_device b
check 'unread: nothing is left' wait_for 10 nothing_is_left
check 'everything unloads' unload_krdma
ktap_end
