#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Removes devices and netdevs, takes them down or renames them, under traffic of a kernel ULP (for that of processes, see
# uverbs/verbs.sh, group removal). Expects that nothing hangs, that no object is left, and that the next connection works.
#
# timeout: 300
# needs: several processors

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

# start_traffic OP: starts endless traffic from a to b in the background.
start_traffic() {
	serve traffic || return 1
	start_client --op "$1" --size 20000 --depth 16 --qps 4
	traffic_flows
}

# The client has to end by itself within 20 s, because its connections are gone.
traffic_ends() {
	wait_for 20 has_ended "$client_pid" || return 1
	stop_server traffic
	return 0
}

no_device() {
	[[ ! -e /sys/class/infiniband/$1 ]]
}

works_again() {
	serve again && client --op write --size 5000 --count 5 --verify && stop_server again
}

delete_link() {
	timeout 20 rdma link delete "$1"
}

ktap_start
check 'two hosts with siw' siw_hosts

for op in write read send ping; do
	check "client's link, $op: traffic" start_traffic "$op"
	check "client's link, $op: rdma link delete" delete_link siwa
	check "client's link, $op: the traffic ends" traffic_ends
	check "client's link, $op: the link is added again" add_device a
	check "client's link, $op: the next connection works" works_again
done

check "server's link: traffic" start_traffic write
check "server's link: rdma link delete" delete_link siwb
check "server's link: the traffic ends" traffic_ends
check "server's link: the link is added again" add_device b
check "server's link: the next connection works" works_again

check 'netdev down: traffic' start_traffic read
check "netdev down: the client's netdev goes down" ip -n a link set va down
check "netdev down: the client's netdev goes up" ip -n a link set va up
check 'netdev down: the client is stopped' stop_client
check 'netdev down: the traffic ends' traffic_ends
check 'netdev down: the IPv6 address is added again' ip -n a address replace fd77:1::1/64 dev va nodad
check 'netdev down: the next connection works' works_again

check 'rename: traffic' start_traffic ping
check 'rename: rdma dev set name' rdma dev set siwa name siwx
check 'rename: the first name again' rdma dev set siwx name siwa
check 'rename: the client is stopped' stop_client
check 'rename: the traffic ends' traffic_ends

check 'netdevs: traffic' start_traffic send
check 'netdevs: both are deleted' ip -n a link delete va
check "netdevs: the client's device is removed" wait_for 20 no_device siwa
check "netdevs: the server's device is removed" wait_for 20 no_device siwb
check 'netdevs: the traffic ends' traffic_ends
check 'everything unloads' unload_krdma
ktap_end
