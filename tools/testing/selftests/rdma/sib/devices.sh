#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# CAs of a topology as devices: with one to eight ports, in network namespaces, and under programs that
# use them when they go.
#
#	ca8  ports 1 to 8  ------  ports 1 to 8
#	                                         sw
#	ca2  ports 1, 2  --------  ports 9, 10
#
# timeout: 300

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"

make_topology() {
	local i
	make_fabric lab && make_node lab sw switch 16 && make_node lab ca8 ca 8 && make_node lab ca2 ca 2 || return
	for i in 1 2 3 4 5 6 7 8; do
		connect lab "ca8:$i" "sw:$i" || return
	done
	connect lab ca2:1 sw:9 && connect lab ca2:2 sw:10
}

device_of() {
	cat "$sib_config/lab/$1/device"
}

# guid_digits: turns the 0xN of configfs into the form of sysfs.
guid_digits() {
	sed -E 's/^0x(.{4})(.{4})(.{4})(.{4})$/\1:\2:\3:\4/'
}

ports_are_right() {
	local i guid gid
	for i in 1 2 3 4 5 6 7 8; do
		guid=$(guid_digits < "$sib_config/lab/ca8/port$i/guid")
		gid=$(cat "/sys/class/infiniband/ca8/ports/$i/gids/0")
		[[ ${gid#fe80:0000:0000:0000:} == "$guid" ]] || { echo "port $i: $gid, not $guid"; return 1; }
		smpquery -C ca8 -P "$i" -D portinfo 0,1 "$i" | grep -q 'LinkState:\.*Initialize' || return
		smpquery -C ca8 -P "$i" -D nodeinfo 0 | grep -q "LocalPort:\.*$i\$" || { echo "port $i"; return 1; }
	done
}

# --- devices that are busy ---

# Asks for the neighbour by a device, again and again, whether or not it is there.
ask_on() {
	while :; do
		smpquery -C "$1" -P 1 -t 50 -D nodeinfo 0,1 > /dev/null 2>&1
	done &
	askers+=($!)
	at_exit stop_asking
}

stop_asking() {
	((!${#askers[@]})) || kill "${askers[@]}"
	wait "${askers[@]}" 2> /dev/null
	askers=()
}

goes_and_comes() {
	local i
	for ((i = 0; i < $(fewer 10); i++)); do
		make_device lab ca2 && configure lab/ca2/device 0 || return
		make_device lab ca2 && rdma link delete ca2 || return
	done
}

node_goes_and_comes() {
	local i
	for ((i = 0; i < $(fewer 10); i++)); do
		drop_node lab ca2 && make_node lab ca2 ca 2 && connect lab ca2:1 sw:9 && make_device lab ca2 || return
	done
}

# hold_open DEVICE: keeps a file of its port 1 open, with an agent.
hold_open() {
	coproc holder { exec python3 -c '
import sys
sys.path.insert(0, sys.argv[1] + "/umad")
from umad import Port
port = Port(sys.argv[2])
port.register(qpn=0)
print("open", flush=True)
sys.stdin.readline()' "$lib_dir" "$1"; }
	# shellcheck disable=SC2154 # coproc sets it
	read -t $((10 * slow)) -r reply <&"${holder[0]}"
	[[ $reply == open ]]
}

let_go() {
	echo >&"${holder[1]}"
	# shellcheck disable=SC2154 # coproc sets it
	wait "$holder_PID" || :
}

test_busy() {
	check 'a program holds a port open' hold_open ca8
	check 'the device goes nevertheless' configure lab/ca8/device 0
	let_go
	check 'it comes again' make_device lab ca8
	check 'nodes' wait_for 10 has_mad_nodes ca8 1 8
	check 'a program holds a port open' hold_open ca8
	check 'the node goes nevertheless' drop_node lab ca8
	let_go
	check 'its device is gone' eval '[[ ! -d /sys/class/infiniband/ca8 ]]'
	check 'it is made again' eval 'make_node lab ca8 ca 8 && connect lab ca8:1 sw:1 && make_device lab ca8'
	check 'nodes' wait_for 10 has_mad_nodes ca8
	ask_on ca8
	ask_on ca2
	check 'a device goes and comes under programs' goes_and_comes
	check 'a node goes and comes under programs' node_goes_and_comes
	stop_asking
	check 'the neighbour answers' wait_for 10 prints 'Switch' smpquery -C ca8 -P 1 -D nodeinfo 0,1
}

# The default fabric goes with the module while a program asks.
test_unload() {
	local i
	for ((i = 0; i < 2; i++)); do
		check 'two CAs of a default fabric' eval 'add_ca sib0 && add_ca sib1'
		check 'nodes' wait_for 10 has_mad_nodes sib0
		ask_on sib0
		check 'the CA answers' wait_for 10 prints 'Adapter' smpquery -C sib0 -P 1 -D nodeinfo 0,1,2
		check 'the module unloads under a program' rmmod sib
		stop_asking
		expect_output 'no device is left' '' ls /sys/class/infiniband
		check 'the module loads' modprobe sib
	done
}

# --- network namespaces ---

# in_net NAMESPACE COMMAND...: runs a command in the namespace, where configfs is still mounted.
in_net() {
	nsenter "--net=/run/netns/$1" "${@:2}"
}

# devices [NAMESPACE]: prints the devices that netlink shows, here or there.
devices() {
	if [[ ${1:-} ]]; then in_net "$1" rdma -j dev; else rdma -j dev; fi | jq -r '[.[].ifname] | sort | join(" ")'
}

sees() {
	[[ $(devices "${@:2}") == "$1" ]]
}

make_device_in() {
	in_net "$1" bash -c "echo 1 > $sib_config/lab/$2/device"
}

test_shared() {
	check 'a namespace' ip netns add c
	at_exit eval '! ip netns pids c > /dev/null 2>&1 || ip netns del c'
	check 'a device of the namespace' make_device_in c ca2
	expect_output 'all namespaces see it' ca2 devices
	check 'the namespace ends' ip netns del c
	check 'the namespace is gone' wait_for 20 no_namespaces
	expect_output 'the device stays' ca2 devices
	expect_output 'the node is still a device' ca2 device_of ca2
	check 'it goes' rdma link delete ca2
}

# no_namespaces: no namespace is being deleted any more, because the mode can be changed.
no_namespaces() {
	rdma system set netns exclusive && rdma system set netns shared
}

limit=/sys/module/ib_core/parameters/devices_per_userns

set_limit() {
	[[ ! -e $limit ]] || echo "$1" > "$limit"
}

# Runs a command as root of a new user namespace, which owns a new network namespace.
as_root_apart() {
	unshare -Urn "$@"
}

two_cas() {
	rdma link add mine0 type sib netdev lo && rdma link add mine1 type sib netdev lo
}

test_exclusive() {
	check 'exclusive mode' rdma system set netns exclusive
	at_exit wait_for 20 rdma system set netns shared
	check 'two namespaces' eval 'ip netns add c && ip netns add d'
	at_exit eval '! ip netns pids c > /dev/null 2>&1 || ip netns del c; ! ip netns pids d > /dev/null 2>&1 || ip netns del d'
	check 'a device of a namespace' make_device_in c ca2
	expect_output 'it is there' ca2 devices c
	expect_output 'and not here' '' devices
	expect_output 'configfs has its name' ca2 device_of ca2
	check 'another device, here' make_device lab ca8
	expect_output 'it is not there' ca2 devices c
	check 'it sees the fabric' wait_for 10 prints 'Node Description:\.+ca2' smpquery -C ca8 -P 1 -D nodedesc 0,1,9
	check 'a device moves' in_net c rdma dev set ca2 netns d
	expect_output 'to the other namespace' ca2 devices d
	expect_output 'away from the first one' '' devices c
	check 'its namespace ends' ip netns del d
	check 'the device returns' wait_for 20 sees 'ca2 ca8'
	expect_output 'the node is still a device' ca2 device_of ca2
	check 'CAs of the default fabric of a namespace' eval \
		'in_net c ip link set lo up && in_net c rdma link add x0 type sib netdev lo && in_net c rdma link add x1 type sib netdev lo'
	expect_output 'they are there' 'x0 x1' devices c
	expect_output 'they are not here' 'ca2 ca8' devices
	check 'a name of this namespace' ip netns attach here $$
	check 'one comes here' in_net c rdma dev set x1 netns here
	ip netns del here
	expect_output 'it is here' 'ca2 ca8 x1' devices
	check 'its namespace ends' ip netns del c
	check 'all of its fabric goes' wait_for 20 sees 'ca2 ca8'
	check 'owners of user namespaces make no CAs' fails_with 'cannot add devices' \
		as_root_apart rdma link add mine type sib netdev lo
	check 'the administrator allows one' set_limit 1
	at_exit set_limit 0
	check 'an owner makes one' as_root_apart rdma link add mine type sib netdev lo
	check 'an owner does not make two' fails_with 'all RDMA devices that it may have' \
		as_root_apart bash -c "$(declare -f two_cas); two_cas"
	check 'an owner removes no device by configfs' fails_with 'not permitted' \
		as_root_apart bash -c "echo 0 > $sib_config/lab/ca2/device"
	check 'they are gone' wait_for 20 sees 'ca2 ca8'
	check 'no limit again' set_limit 0
	check 'shared mode' wait_for 20 rdma system set netns shared
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
askers=()
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'configfs is mounted' mount_config
check 'a topology' make_topology
expect_output 'no device yet' '' ls /sys/class/infiniband
check 'a device' make_device lab ca8
check 'nodes of all ports' wait_for 10 has_mad_nodes ca8 1 2 3 4 5 6 7 8
expect_output 'rdma shows eight links' 8 eval 'rdma link | grep -c "^link ca8/[1-8] "'
expect_output 'its GUID' "$(guid_digits < "$sib_config/lab/ca8/guid")" cat /sys/class/infiniband/ca8/node_guid
check 'its ports' ports_are_right
expect_output 'QPs of all ports' 16 eval 'rdma -j resource show qp | jq length'
check 'another device' make_device lab ca2
check 'nodes of both ports' wait_for 10 has_mad_nodes ca2 1 2
check 'it is reached by the other one' prints 'Node Description:\.+ca2' smpquery -C ca8 -P 3 -D nodedesc 0,3,10
expect_output 'its description' ca2 cat /sys/class/infiniband/ca2/node_desc
check 'the description changes in configfs' configure lab/ca2/node_desc first
expect_output 'and in sysfs' first cat /sys/class/infiniband/ca2/node_desc
check 'the description changes in sysfs' eval 'echo second > /sys/class/infiniband/ca2/node_desc'
expect_output 'and in configfs' second cat "$sib_config/lab/ca2/node_desc"
check 'a device is renamed' rdma dev set ca2 name renamed
expect_output 'configfs has the new name' renamed device_of ca2
expect_output 'the node has its own name' 'ca2:1' cat "$(port_dir lab sw:9)/peer"
check 'a device is deleted' rdma link delete renamed
expect_output 'configfs has none' '' device_of ca2
check 'the node stays' prints 'Node Description:\.+second' smpquery -C ca8 -P 1 -D nodedesc 0,1,9
check 'a CA of the default fabric' add_ca sib0
expect_output 'its fabric is another one' '5: LinkUp' port_file sib0 phys_state
check 'a name that is taken' eval '! make_device lab ca2 sib0'
check 'it goes' rdma link delete sib0
test_busy
check 'all devices go' eval 'configure lab/ca8/device 0 && configure lab/ca2/device 0'
test_shared
test_exclusive
check 'the fabric goes' drop_fabric lab
expect_output 'no device is left' '' ls /sys/class/infiniband
test_unload
check 'everything unloads' unload_krdma
ktap_end
