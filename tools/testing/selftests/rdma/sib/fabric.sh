#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The default fabrics of network namespaces: CAs that come and go, limits, refusals; and what the agents
# of the nodes answer to datagrams of a program, without a subnet manager.
#
#	sib0  port 1  ------  port 1
#	                              switch
#	sib1  port 1  ------  port 2
#
# timeout: 300

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"

output=$(mktemp)
at_exit rm -f "$output"

# add_cas FIRST LAST: adds CAs sibFIRST to sibLAST.
add_cas() {
	local i
	for ((i = $1; i <= $2; i++)); do
		add_ca "sib$i" || return
	done
}

delete_cas() {
	local i
	for ((i = $1; i <= $2; i++)); do
		rdma link delete "sib$i" || return
	done
}

number_of_devices() {
	find /sys/class/infiniband -mindepth 1 | wc -l
}

in_c() {
	ip netns exec c "$@"
}

no_devices() {
	[[ $(number_of_devices) == 0 ]]
}

# churn: CAs come and go while a program asks for the node one hop away.
churn() {
	local i
	while :; do
		smpquery -C sib0 -P 1 -t 100 -D nodeinfo 0,1 > /dev/null 2>&1
	done &
	asker=$!
	for i in 1 2 3 4 5 6 7 8 9 10; do
		add_cas 2 5 && delete_cas 2 5 || return
	done
	kill "$asker"
	wait "$asker" 2> /dev/null || :
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'an interface' ip link add dm0 type dummy
at_exit ip link delete dm0
check 'only lo stands for a fabric' fails_with 'cannot stand on this netdev' rdma link add x type sib netdev dm0
check 'a CA' add_ca sib0
check 'a name that is taken' fails_with 'device of this name exists' add_ca sib0
check 'another CA' add_ca sib1
check 'nodes' wait_for 10 all_have_mad_nodes sib0 sib1
expect_output 'a channel adapter' '1: CA' cat /sys/class/infiniband/sib0/node_type
expect_output 'InfiniBand' InfiniBand port_file sib0 link_layer
expect_output 'the link is up' '5: LinkUp' port_file sib0 phys_state
expect_output 'not active yet' '2: INIT' port_file sib0 state
expect_output 'rate' '40 Gb/sec (4X QDR)' port_file sib0 rate
expect_output 'the P_Key' 0xffff port_file sib0 pkeys/0
expect_output 'the description' sib0 cat /sys/class/infiniband/sib0/node_desc
check 'the description is changed' eval 'echo "a host" > /sys/class/infiniband/sib1/node_desc'
check 'the agent has the new description' prints 'a host' smpquery -C sib0 -P 1 -D nodedesc 0,1,2
check 'the description is changed back' eval 'echo sib1 > /sys/class/infiniband/sib1/node_desc'
check 'two QPs of ib_mad' prints '"type": *"GSI"' rdma -jp resource show qp link sib0
check 'attributes of the driver' prints 'pkey_index 0' rdma resource show qp link sib0 -dd
check 'counters' prints 'tx_datagrams [1-9]' rdma statistic show link sib0/1
check 'the program ends' run_ktap "$output" python3 "$lib_dir/sib/cases.py"
ktap_copy "$output" 'agents: '

check '36 CAs' add_cas 2 35
expect_output 'number of devices' 36 number_of_devices
check 'no more than 36' fails_with 'has no free port' add_ca sib36
check 'the last CA is reached' prints 'Node Description:\.+sib35' smpquery -C sib0 -P 1 -D nodedesc 0,1,36
check 'one goes' rdma link delete sib17
check 'its port is down' prints 'LinkState:\.+Down' smpquery -C sib0 -P 1 -D portinfo 0,1 18
check 'another takes the port' add_ca other
check 'the new one is reached' prints 'Node Description:\.+other' smpquery -C sib0 -P 1 -D nodedesc 0,1,18
check 'it goes' rdma link delete other
check 'most go' eval 'delete_cas 2 16 && delete_cas 18 35'
check 'CAs come and go under a program' churn

check 'a namespace' ip netns add c
at_exit eval '! ip netns pids c > /dev/null 2>&1 || ip netns del c'
check 'its interface is up' in_c ip link set lo up
check 'a CA in the namespace' in_c rdma link add sibc type sib netdev lo
check 'its fabric has no other CA' prints 'LinkState:\.+Down' smpquery -C sibc -P 1 -D portinfo 0,1 2
check 'the namespace ends' ip netns del c
check 'its CA is gone' wait_for 20 eval '[[ ! -d /sys/class/infiniband/sibc ]]'

check 'all CAs go' eval 'rdma link delete sib0 && rdma link delete sib1'
check 'no device is left' no_devices
check 'a new fabric' add_cas 0 3
expect_output 'a new fabric begins anew' '2: INIT' port_file sib3 state
check 'the module unloads with its devices' rmmod sib
check 'no device is left' no_devices
check 'everything unloads' unload_krdma
ktap_end
