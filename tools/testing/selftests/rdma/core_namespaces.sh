#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Devices and network namespaces: the modes, who sees a device and who may change it, devices that move
# and come home, with and without traffic. Data goes from a to b, where a device siwa stands on va and a
# device siwb on vb; c is for what moves.
#
#	namespace a                       namespace b            namespace c
#	   va 10.77.1.1/24  -----------  vb 10.77.1.2/24            lo
#
# timeout: 600
#
# expects: no use in its new network namespace

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_kscript.sh
. "$(dirname "$0")/lib_kscript.sh"
# shellcheck source=lib_kulp.sh
. "$(dirname "$0")/lib_kulp.sh"

# Root of a user namespace, with a network namespace that it owns.
as_root_apart() {
	unshare -Urn "$@"
}

in_c() {
	ip netns exec c "$@"
}

# The names of the devices that are seen here, or by COMMAND: netlink and sysfs agree.
devices() {
	local netlink sysfs
	netlink=$("$@" rdma -j dev | jq -r '[.[].ifname] | sort | join(" ")')
	sysfs=$("$@" ls /sys/class/infiniband | xargs)
	echo "$netlink"
	[[ $netlink == "$sysfs" ]] || echo "in sysfs: $sysfs"
}

has_devices() {
	[[ $(devices) == "$1" ]]
}

mode() {
	rdma system | grep -o '^netns [a-z]*'
}

# --- the modes ---

set_mode() {
	rdma system set netns "$1"
}

test_modes() {
	expect_output 'the default is shared' 'netns shared' mode
	expect_output 'the parameter says so, too' Y cat /sys/module/ib_core/parameters/netns_mode
	check 'shared to exclusive' set_mode exclusive
	expect_output 'it is exclusive' 'netns exclusive' mode
	expect_output 'the parameter says so' N cat /sys/module/ib_core/parameters/netns_mode
	check 'exclusive to exclusive' set_mode exclusive
	check 'back to shared' set_mode shared
	expect_output 'it is shared' 'netns shared' mode
	check 'a namespace' ip netns add c
	check 'with it: not to exclusive' fails_with 'beside the initial one' set_mode exclusive
	check 'with it: shared to shared' set_mode shared
	check 'the namespace goes' ip netns del c
	check 'then to exclusive' wait_for 10 set_mode exclusive
	check 'a namespace again' ip netns add c
	check 'with it: not to shared' fails_with 'beside the initial one' set_mode shared
	ip netns del c
	check 'not by everyone' fails_with 'not permitted' as_root_apart rdma system set netns shared
	unload_krdma
	check 'exclusive by parameter' modprobe ib_core netns_mode=0
	expect_output 'is exclusive' 'netns exclusive' mode
}

# --- who sees a device, and who may change it ---

test_visibility() {
	check 'a device in a' in_a rdma link add siwa type siw netdev va
	check 'a device in b' in_b rdma link add siwb type siw netdev vb
	expect_output 'a sees its own' siwa devices in_a
	expect_output 'b sees its own' siwb devices in_b
	expect_output 'the initial namespace sees none' '' devices
	expect_output 'c sees none' '' devices in_c
	expect_output 'ports are seen by a' siwa \
		in_a bash -c 'rdma -j link | jq -r ".[].ifname"'
	expect_output 'resources are seen by b' siwb \
		in_b bash -c 'rdma -j resource | jq -r ".[].ifname"'
	expect_output 'counters are seen by b' siwb \
		in_b bash -c 'rdma -j statistic | jq -r ".[].ifname"'
	expect_output 'and not by c' '' in_c rdma statistic
	check 'a name is taken by whomever' \
		fails_with 'of this name exists' in_c rdma link add siwa type siw netdev lo
}

# What root of another user namespace can do to its own device, in its own network namespace.
own_device() {
	rdma link add mine type siw netdev lo && rdma dev set mine name still_mine &&
		rdma link | grep -q 'still_mine/1' && rdma link delete still_mine
}

foreign_namespace() {
	rdma link add mine type siw netdev lo || return 0
	rdma dev set mine netns c
}

test_rights() {
	check 'a device of a user namespace of its own' as_root_apart bash -c "$(declare -f own_device); own_device"
	check 'it cannot go where its owner is nobody' fails_with 'in that network namespace, too' \
		as_root_apart bash -c "$(declare -f foreign_namespace); foreign_namespace"
	check 'it has gone with its namespace, and its name is free' wait_for 10 name_is_free mine
	check 'nobody cannot move a device' fails_with 'not permitted' \
		in_a setpriv --reuid 65534 --clear-groups --bounding-set=-all --inh-caps=-all \
		rdma dev set siwa netns c
	check 'root of a user namespace cannot, in a' fails_with 'not permitted' \
		in_a unshare -Ur rdma dev set siwa netns c
	expect_output 'nothing has changed' siwa devices in_a
}

# Names are unique among all devices, whatever their namespaces.
name_is_free() {
	in_c rdma link add "$1" type siw netdev lo && in_c rdma link delete "$1"
}

# --- data, and what ends it ---

transfers() {
	serve "$1" && client --op write --size 4k --count 20 --verify && stop_server "$1"
}

# The client notices, rather than to wait for ever.
client_ends() {
	wait_for 20 has_ended "$client_pid" && cat "$server_dir/client"
}

test_data() {
	check 'data from a to b' transfers data
}

# move FROM DEVICE TO
move() {
	ip netns exec "$1" rdma dev set "$2" netns "$3"
}

test_move() {
	check 'not to what is no namespace' fails_with 'ot' in_a rdma dev set siwa netns nope
	check 'to where it is' move a siwa a
	check 'data still' transfers same
	expect_output 'udev in a: the device goes' 'remove siwa' udev_in a move a siwa c
	expect_output 'udev in c: it goes' 'remove siwa' udev_in c move c siwa a
	expect_output 'udev in c: it comes' 'add siwa' udev_in c move a siwa c
	expect_output 'c has it' siwa devices in_c
	check 'with its ports and settings' in_c cat /sys/class/infiniband/siwa/{ports/1/state,siw/crc}
	expect_output 'a has it no more' '' devices in_a
	expect_output 'its netdev is not with it: no link' DOWN \
		in_c bash -c 'rdma -j link | jq -r ".[0].state"'
	expect_output 'and the netdev is not told there' null \
		in_c bash -c 'rdma -j link | jq -r ".[0].netdev"'
	check 'its sockets live in c' fails_with 'unreachable' \
		in_c "$kulp" run --dev siwa --addr "$server_addr" --port "$server_port" --op send --timeout 5000
	check 'it comes back' move c siwa a
	expect_output 'with a link' ACTIVE in_a bash -c 'rdma -j link | jq -r ".[0].state"'
	check 'and data' transfers back
}

# A port with traffic of its own is in each direction.
start_traffic() {
	serve "$1" && start_client --op "$2" --size 20000 && traffic_flows
}

end_traffic() {
	client_ends && { stop_server "$1" || true; }
}

test_move_under_traffic() {
	check 'traffic' start_traffic moved write
	check 'its device moves to c' move a siwa c
	check 'the client ends' end_traffic moved
	check 'and back' move c siwa a
	check 'data' transfers after_client
	check 'traffic again' start_traffic moved read
	check "the server's device moves to c" move b siwb c
	check 'the client ends once more' end_traffic moved
	check 'and back again' move c siwb b
	check 'data again' transfers after_server
}

# Back and forth, while others ask for the devices.
move_often() {
	local i
	for ((i = 0; i < $1; i++)); do
		in_a rdma dev set siwa netns c && in_c rdma dev set siwa netns a || return 1
	done
}

# `rdma` asks for a list, and then for each device: that one may have gone meanwhile.
query_succeeds() {
	local output
	output=$("$@" 2>&1) || grep -qi 'no such .*device' <<< "$output" || { echo "$output"; return 1; }
}

query_meanwhile() {
	while [[ -e $1 ]]; do
		for namespace in a c; do
			query_succeeds ip netns exec $namespace rdma link || return 1
			query_succeeds ip netns exec $namespace rdma resource || return 1
		done
	done
}

test_move_often() {
	local flag reader
	flag=$(mktemp)
	query_meanwhile "$flag" &
	reader=$!
	check 'many moves while others look' move_often "$(fewer 20)"
	rm "$flag"
	check 'who looked had no trouble' wait $reader
}

# --- the netdev moves ---

move_va() {
	ip -n a link set va netns c
}

va_comes_back() {
	ip -n c link set va netns a && set_up_host a va 1
}

# Both orders: who was first has to wait for the other.
netdev_follows() {
	move a siwa c && move_va && set_up_host c va 1 &&
		wait_for 5 ip netns exec c ping -c 1 -W 1 "$server_addr"
}

device_follows() {
	ip -n c link set va netns a && move c siwa a && set_up_host a va 1 &&
		wait_for 5 ip netns exec a ping -c 1 -W 1 "$server_addr"
}

transfers_from_c() {
	serve "$1" && in_c timeout $((60 * slow)) "$kulp" run --dev siwa --addr "$server_addr" \
		--port "$server_port" --op send --count 5 --verify && stop_server "$1"
}

test_netdev_moves() {
	check 'traffic' start_traffic netdev write
	check 'the netdev moves' move_va
	check 'the client ends' end_traffic netdev
	expect_output 'the device stays' siwa devices in_a
	expect_output 'without a link' DOWN in_a bash -c 'rdma -j link | jq -r ".[0].state"'
	check 'the netdev comes back' va_comes_back
	expect_output 'there is a link' ACTIVE in_a bash -c 'rdma -j link | jq -r ".[0].state"'
	check 'and data' transfers returned
	check 'the device goes to c, then the netdev' netdev_follows
	check 'data from c' transfers_from_c elsewhere
	check 'the netdev goes to a, then the device' device_follows
	check 'data from a' transfers together
}

listens_in_c() {
	in_c rdma -j resource show cm_id |
		jq -e '[.[] | select(.ifname == "siwa" and .state == "LISTEN")] | length == 1'
}

# A device comes to a wildcard's namespace, and its netdev has not come yet; then both are back.
wildcard_finds_device() {
	kscript c rid L && kscript c rbind L addr=0.0.0.0,7000 && kscript c rlisten L || return 1
	move a siwa c && listens_in_c && move c siwa a && ! listens_in_c
}

test_wildcard() {
	check 'a device in c' ip -n c link add d0 type dummy
	check 'of siw' in_c rdma link add siwd type siw netdev d0
	check 'a ULP there' eval 'modprobe kscript && open_session c siwd'
	check 'a wildcard listens on a device without its netdev' wildcard_finds_device
	close_sessions
	check 'its device goes' eval 'in_c rdma link delete siwd && ip -n c link del d0'
}

# --- the namespace goes ---

test_return_to_init_net() {
	check 'a netdev here' ip link add d0 type dummy
	at_exit ip link del d0
	check 'a device on it' rdma link add siwd type siw netdev d0
	check 'and one without data' rdma link add fake0 type fake netdev d0
	check 'they move to d' ip netns add d
	check 'the one' rdma dev set siwd netns d
	check 'the other' rdma dev set fake0 netns d
	expect_output 'there are none here' '' devices
	check 'd goes' ip netns del d
	check 'they come home' wait_for 20 has_devices 'fake0 siwd'
	check 'one can be renamed here' rdma dev set siwd name siwe
	check 'a device that cannot be used where it goes' eval \
		'echo -12 > /sys/module/kt_link/parameters/enable_error'
	check 'moves, and is gone' fails_with 'could not be used there' rdma dev set fake0 netns c
	expect_output 'from here' siwe devices
	expect_output 'and from there' '' devices in_c
	check 'nor can it be added' fails_with 'memory' rdma link add fake0 type fake netdev d0
	echo 0 > /sys/module/kt_link/parameters/enable_error
	check 'its name is free' rdma link add fake0 type fake netdev d0
	check 'it is deleted' rdma link delete fake0
	check 'and the other' rdma link delete siwe
}

test_removal_under_traffic() {
	check 'traffic' start_traffic removed write
	# The processes in it do not keep it: their sockets are not the test ULP's.
	check 'the namespace of the server goes' ip netns del b
	kill "${server_pids[removed]}"
	check 'the client ends' end_traffic removed
	check 'the device goes with its netdev' wait_for 20 name_is_free siwb
	check "the client's device goes with the other end" wait_for 20 name_is_free siwa
}

ktap_start
command -v jq > /dev/null || ktap_skip_all 'no jq'
check 'krdma' load_krdma
test_modes
check 'two hosts' two_hosts
at_exit ip netns del c
check 'a third' ip netns add c
check 'modules' modprobe -a siw kulp kt_link
test_visibility
test_rights
test_data
test_move
test_move_under_traffic
test_move_often
test_netdev_moves
test_wildcard
test_return_to_init_net
test_removal_under_traffic
remove_two_hosts
ip netns del c
ip netns add c
check 'all modules go' unload_krdma
ktap_end
