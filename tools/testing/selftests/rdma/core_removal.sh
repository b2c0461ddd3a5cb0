#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Devices and netdevs that are removed, taken down or renamed under traffic: nothing hangs, nothing is left, the next
# connection works.
#
# timeout: 300
# needs: several processors

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_kulp.sh"

# start_traffic OP: endless traffic from a to b in the background.
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
	check "$op traffic" start_traffic "$op"
	check "rdma link delete on the client's side, under $op traffic" delete_link siwa
	check 'the traffic ends' traffic_ends
	check 'the link is added again' add_siw a
	check 'it works again' works_again
done

check 'traffic' start_traffic write
check "rdma link delete on the server's side" delete_link siwb
check 'the traffic ends' traffic_ends
check 'the link is added again' add_siw b
check 'it works again' works_again

check 'traffic' start_traffic read
check 'the netdev of one side goes down and up' ip -n a link set va down
check 'it comes back' ip -n a link set va up
check 'the client is stopped' stop_client
check 'the traffic ends' traffic_ends
check 'the address is there again' ip -n a address replace fd77:1::1/64 dev va nodad
check 'it works again' works_again

check 'a device is renamed under traffic' start_traffic ping
check 'rdma dev set name' rdma dev set siwa name siwx
check 'and back' rdma dev set siwx name siwa
check 'the client is stopped' stop_client
check 'the traffic ends' traffic_ends

check 'traffic' start_traffic send
check 'the netdevs are removed' ip -n a link delete va
check 'the devices go with them' wait_for 20 no_device siwa
check 'on both sides' wait_for 20 no_device siwb
check 'the traffic ends' traffic_ends
check 'everything unloads' unload_krdma
ktap_end
