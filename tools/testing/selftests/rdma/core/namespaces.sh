#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests devices in network namespaces: the modes, the visibility of a device, the right to change
# it, and devices that move and return to the initial namespace, with and without traffic. Data goes
# from siwa on va in a to siwb on vb in b; devices move to c.
#
#	namespace a                       namespace b            namespace c
#	   va 10.77.1.1/24  -----------  vb 10.77.1.2/24            lo
#
# timeout: 600
#
# expects: no use in its new network namespace

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_kscript.sh
. "$(dirname "$0")/../lib_kscript.sh"
# shellcheck source=../lib_kulp.sh
. "$(dirname "$0")/../lib_kulp.sh"

# Runs a command as root of a new user namespace, which owns a new network namespace.
as_root_apart() {
	unshare -Urn "$@"
}

in_c() {
	ip netns exec c "$@"
}

# devices [COMMAND...]: prints the devices that netlink shows here, or in the namespace that the
# prefix COMMAND enters. Prints the devices in sysfs as well if they differ.
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
	expect_output 'the module parameter is Y' Y cat /sys/module/ib_core/parameters/netns_mode
	check 'shared to exclusive' set_mode exclusive
	expect_output 'the mode is exclusive' 'netns exclusive' mode
	expect_output 'the module parameter is N' N cat /sys/module/ib_core/parameters/netns_mode
	check 'exclusive to exclusive' set_mode exclusive
	check 'exclusive to shared' set_mode shared
	expect_output 'the mode is shared' 'netns shared' mode
	check 'a namespace' ip netns add c
	check 'with another namespace: not to exclusive' fails_with 'beside the initial one' set_mode exclusive
	check 'with another namespace: shared to shared' set_mode shared
	check 'the namespace is deleted' ip netns del c
	check 'to exclusive after that' wait_for 10 set_mode exclusive
	check 'a namespace again' ip netns add c
	check 'with another namespace: not to shared' fails_with 'beside the initial one' set_mode shared
	ip netns del c
	check 'root of a user namespace cannot set the mode' fails_with 'not permitted' \
		as_root_apart rdma system set netns shared
	unload_krdma
	check 'exclusive by parameter' modprobe ib_core netns_mode=0
	expect_output 'the mode is exclusive from the start' 'netns exclusive' mode
}

# --- visibility of devices, and the right to change them ---

# Only processes in the device's namespace can open its node.
open_nodes() {
	local node
	check 'siwa has a node' wait_for 10 has_verbs_node siwa
	node=$(verbs_node siwa)
	check 'a opens the node' in_a bash -c ": < $node"
	check 'b does not' fails_with 'not permitted' in_b bash -c ": < $node"
	check 'the initial namespace does not' fails_with 'not permitted' bash -c ": < $node"
}

test_visibility() {
	local index
	check 'a device in a' add_device a
	check 'a device in b' add_device b
	expect_output 'a sees its own device' siwa devices in_a
	expect_output 'b sees its own device' siwb devices in_b
	expect_output 'the initial namespace sees no device' '' devices
	expect_output 'c sees no device' '' devices in_c
	index=$(in_a rdma -j dev | jq '.[0].ifindex')
	expect_output 'a finds its device by its index' iw in_a nlprobe protocol "$index"
	expect_output 'c does not find it' '' in_c nlprobe protocol "$index"
	open_nodes
	expect_output 'a sees its port' siwa \
		in_a bash -c 'rdma -j link | jq -r ".[].ifname"'
	expect_output 'b sees its resources' siwb \
		in_b bash -c 'rdma -j resource | jq -r ".[].ifname"'
	expect_output 'b sees its counters' siwb \
		in_b bash -c 'rdma -j statistic | jq -r ".[].ifname"'
	expect_output 'c sees no counters' '' in_c rdma statistic
	check 'a name of a device in another namespace is taken' \
		fails_with 'of this name exists' in_c rdma link add siwa type siw netdev lo
	check 'a device is not renamed to it' fails_with 'of this name exists' in_b rdma dev set siwb name siwa
	touch /run/netns/nothing
	check 'a device is not moved to a file that is no namespace' fails_with 'Not a file of a network namespace' \
		in_b rdma dev set siwb netns nothing
	rm /run/netns/nothing
	expect_output 'b still has its device' siwb devices in_b
}

# Makes the changes that root of a user namespace may make to its own device, in its own network
# namespace.
own_device() {
	rdma link add mine type siw netdev lo && rdma dev set mine name still_mine &&
		rdma link | grep -q 'still_mine/1' && rdma link delete still_mine
}

foreign_namespace() {
	rdma link add mine type siw netdev lo || return 0
	rdma dev set mine netns c
}

# Runs a command as root of a new user namespace of an unprivileged user.
as_user_apart() {
	setpriv --reuid 65534 --clear-groups unshare -Urn "$@"
}

# add_devices FIRST LAST: adds a device on a netdev of its own for each number.
add_devices() {
	local i
	for ((i = $1; i <= $2; i++)); do
		ip link add "dummy$i" type dummy && rdma link add "mine$i" type siw netdev "dummy$i" || return 1
	done
}

# Adds as many devices as the limit, 4, allows, and expects that no more can be added, in a user
# namespace inside this one neither, until one is deleted.
reach_limit() {
	local error
	add_devices 1 4 && ip link add dummy5 type dummy || return 1
	error=$(rdma link add mine5 type siw netdev dummy5 2>&1) && { echo 'a fifth device'; return 1; }
	grep -q 'all RDMA devices that it may have' <<< "$error" || { echo "$error"; return 1; }
	error=$(unshare -Urn rdma link add mine5 type siw netdev lo 2>&1) && { echo 'nested'; return 1; }
	rdma link delete mine1 && rdma link add mine5 type siw netdev dummy5 || return 1
	grep -q uverbs256 <<< "$(ls /sys/class/infiniband_verbs)" || { ls /sys/class/infiniband_verbs; return 1; }
}

# Keeps a user namespace with 4 devices while each command runs: the same user cannot add a device
# in another user namespace, and the host can add one.
others_meanwhile() {
	local reply status=0
	coproc keeper { as_user_apart bash -c "$(declare -f add_devices); add_devices 1 4; echo \$?; read -r"; }
	# shellcheck disable=SC2154 # coproc sets it
	read -r reply <&"${keeper[0]}"
	[[ $reply == 0 ]] || { echo "the first namespace: $reply"; status=1; }
	fails_with 'all RDMA devices that it may have' \
		as_user_apart rdma link add mine9 type siw netdev lo || status=1
	as_root_apart bash -c "$(declare -f own_device); own_device" || status=1
	in_c rdma link add host type siw netdev lo && in_c rdma link delete host || status=1
	echo >&"${keeper[1]}"
	# shellcheck disable=SC2154 # coproc sets it
	wait "$keeper_PID"
	return "$status"
}

# Root of the host may have 4 devices in each of its user namespaces.
each_of_root() {
	local reply status=0
	coproc keeper { as_root_apart bash -c "$(declare -f add_devices); add_devices 1 4; echo \$?; read -r"; }
	read -r reply <&"${keeper[0]}"
	[[ $reply == 0 ]] || { echo "the first namespace: $reply"; status=1; }
	as_root_apart rdma link add mine9 type siw netdev lo || status=1
	echo >&"${keeper[1]}"
	wait "$keeper_PID"
	return "$status"
}

# Root of a user namespace adds a device, writes its settings, and keeps a settings file open; says "ready PID". When a
# line comes, writes to the open file, and says whether that was refused.
owner() {
	local dir=/sys/class/infiniband/mine
	rdma link add mine type siw netdev lo && mount -t sysfs sysfs /sys && echo 0 > "$dir/siw/large_fpdus" &&
		[[ $(< "$dir/siw/large_fpdus") == 0 ]] && echo send > "$dir/siw/rtr" && echo 4420:5000 > "$dir/siw/port_map" &&
		exec 3> "$dir/siw/markers" 4> "$dir/node_desc" && echo 1 >&3 || return
	! echo 5 2> /dev/null > "$dir/ports/1/hw_counters/lifespan" || { echo 'lifespan is writable'; return 1; }
	echo "ready $$"
	read -r
	if echo 0 2> /dev/null >&3; then echo written; else echo refused; fi
	echo text 2>&1 >&4 | grep -o 'Operation not .*'
	read -r
}

# at_owner PID COMMAND: runs the shell COMMAND as the host's root in the network namespace of PID.
at_owner() {
	nsenter -t "$1" -n unshare -m bash -c "mount -t sysfs sysfs /sys && $2"
}

# An unprivileged user owns the settings of a device in a network namespace of his own. Another user cannot write them;
# and when the host has taken the device, the owner cannot either, by a file that is open.
own_settings() {
	local reply pid status=0 file=/sys/class/infiniband/mine/siw/markers
	coproc keeper { as_user_apart unshare -m bash -c "$(declare -f owner); owner" 2>&1; }
	read -t 20 -r reply pid <&"${keeper[0]}"
	[[ $reply == ready ]] || { echo "the owner: $reply $pid"; return 1; }
	[[ $(at_owner "$pid" "stat -c %u $file") == 65534 ]] || { echo 'not his'; status=1; }
	! at_owner "$pid" "setpriv --reuid 65533 --clear-groups bash -c 'echo 0 > $file'" 2> /dev/null ||
		{ echo 'a stranger wrote'; status=1; }
	at_owner "$pid" "echo 1 > $file" || { echo 'the host cannot write'; status=1; }
	nsenter -t "$pid" -n rdma dev set mine netns c || status=1
	echo >&"${keeper[1]}"
	read -t 20 -r reply <&"${keeper[0]}"
	[[ $reply == refused ]] || { echo "after the move: $reply"; status=1; }
	read -t 20 -r reply <&"${keeper[0]}"
	[[ $reply == 'Operation not permitted' ]] || { echo "node_desc after the move: $reply"; status=1; }
	[[ $(in_c stat -c %u "$file" "${file%/siw/*}"/{uevent,node_desc} | sort -u) == 0 ]] || { echo 'still his'; status=1; }
	in_c rdma link delete mine || status=1
	echo >&"${keeper[1]}"
	wait "$keeper_PID" || status=1
	return "$status"
}

limit=/sys/module/ib_core/parameters/devices_per_userns

set_limit() {
	echo "$1" > "$limit"
}

test_rights() {
	expect_output 'owners of user namespaces may add no device' 0 cat $limit
	check 'root of a user namespace cannot add a device' fails_with 'cannot add devices' \
		as_root_apart rdma link add mine type siw netdev lo
	check 'the administrator allows 4 devices' set_limit 4
	check 'a device of a user namespace of its own' as_root_apart bash -c "$(declare -f own_device); own_device"
	check 'the settings of such a device are its owner'"'s, and nobody else's" own_settings
	check 'a device cannot move to a namespace where its owner has no rights' fails_with 'in that network namespace, too' \
		as_root_apart bash -c "$(declare -f foreign_namespace); foreign_namespace"
	check 'the device is deleted with its namespace, and its name is free' wait_for 10 name_is_free mine
	check 'a fifth device is refused' as_root_apart bash -c "$(declare -f add_devices reach_limit); reach_limit"
	check 'its devices are deleted with the namespace' wait_for 10 name_is_free mine5
	check 'all namespaces of an unprivileged user have 4 devices' others_meanwhile
	check 'these are deleted, too' wait_for 10 name_is_free mine4
	check 'each namespace of root has 4 devices' each_of_root
	check 'the devices of root are deleted' wait_for 10 name_is_free mine9
	check 'all of them' wait_for 10 name_is_free mine4
	check 'the administrator allows none' set_limit 0
	check 'root of a user namespace cannot add a device any more' fails_with 'cannot add devices' \
		as_root_apart rdma link add mine type siw netdev lo
	check 'an unprivileged user cannot move a device' fails_with 'not permitted' \
		in_a "${nobody[@]}" rdma dev set siwa netns c
	check 'root of a user namespace cannot move a device of a' fails_with 'not permitted' \
		in_a unshare -Ur rdma dev set siwa netns c
	expect_output 'nothing has changed' siwa devices in_a
}

# name_is_free NAME: succeeds if no device in any namespace has this name, because names are unique
# among all devices.
name_is_free() {
	in_c rdma link add "$1" type siw netdev lo && in_c rdma link delete "$1"
}

# --- data, and what ends it ---

transfers() {
	serve "$1" && client --op write --size 4k --count 20 --verify && stop_server "$1"
}

# Expects that the client ends by itself after its device or server has moved away.
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
	check 'a move to a namespace that does not exist fails' fails_with 'ot' in_a rdma dev set siwa netns nope
	check 'a move to the same namespace' move a siwa a
	check 'data after that' transfers same
	expect_output 'uevent in a: the device moves to c' 'remove siwa' udev_in a move a siwa c
	expect_output 'uevent in c: the device moves to a' 'remove siwa' udev_in c move c siwa a
	expect_output 'uevent in c: the device comes from a' 'add siwa' udev_in c move a siwa c
	expect_output 'c sees the device' siwa devices in_c
	check 'c sees its ports and settings' in_c cat /sys/class/infiniband/siwa/{ports/1/state,siw/crc}
	expect_output 'a no longer sees the device' '' devices in_a
	expect_output 'the port is down, because the netdev is in a' 'DOWN DISABLED' \
		in_c bash -c 'rdma -j link | jq -r ".[0] | .state + \" \" + .physical_state"'
	expect_output 'the netdev is not shown in c' null \
		in_c bash -c 'rdma -j link | jq -r ".[0].netdev"'
	check 'its sockets are in c' fails_with 'unreachable' \
		in_c "$kulp" run --dev siwa --addr "$server_addr" --port "$server_port" --op send --timeout 5000
	check 'the device moves back' move c siwa a
	expect_output 'the port is active' ACTIVE in_a bash -c 'rdma -j link | jq -r ".[0].state"'
	check 'data after the move back' transfers back
}

# start_traffic SERVER OP
start_traffic() {
	serve "$1" && start_client --op "$2" --size 20000 && traffic_flows
}

end_traffic() {
	client_ends && { stop_server "$1" || true; }
}

test_move_under_traffic() {
	check 'writes' start_traffic moved write
	check "the client's device moves to c" move a siwa c
	check 'the client whose device moved ends' end_traffic moved
	check "the client's device moves back" move c siwa a
	check "data after the move of the client's device" transfers after_client
	check 'reads' start_traffic moved read
	check "the server's device moves to c" move b siwb c
	check 'the client whose server moved ends' end_traffic moved
	check "the server's device moves back" move c siwb b
	check "data after the move of the server's device" transfers after_server
}

# move_often NUMBER: moves siwa to c and back, NUMBER times.
move_often() {
	local i
	for ((i = 0; i < $1; i++)); do
		in_a rdma dev set siwa netns c && in_c rdma dev set siwa netns a || return 1
	done
}

# query_succeeds COMMAND...: expects that the query succeeds. `rdma` requests a list of the devices,
# and then each device. A device may be moved between the two requests, so the error "no such
# device" is no failure.
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
	check 'many moves during queries' move_often "$(fewer 20)"
	rm "$flag"
	check 'no query has failed' wait $reader
}

# --- the netdev moves ---

move_va() {
	ip -n a link set va netns c
}

va_comes_back() {
	ip -n c link set va netns a && set_up_host a va 1
}

# Moves the device before its netdev; device_follows moves the netdev first.
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
	check 'writes before the netdev moves' start_traffic netdev write
	check 'the netdev moves' move_va
	check 'the client whose netdev moved ends' end_traffic netdev
	expect_output 'the device stays in a' siwa devices in_a
	expect_output 'its port is down' DOWN in_a bash -c 'rdma -j link | jq -r ".[0].state"'
	check 'the netdev moves back' va_comes_back
	expect_output 'its port is active' ACTIVE in_a bash -c 'rdma -j link | jq -r ".[0].state"'
	check 'data after the move of the netdev' transfers returned
	check 'the device moves to c, then the netdev' netdev_follows
	check 'data from c' transfers_from_c elsewhere
	check 'the netdev moves to a, then the device' device_follows
	check 'data from a' transfers together
}

listens_in_c() {
	in_c rdma -j resource show cm_id |
		jq -e '[.[] | select(.ifname == "siwa" and .state == "LISTEN")] | length == 1'
}

# Moves a device to a wildcard listener's namespace without its netdev, and back. Expects that the
# listener listens on the device only until it moves back.
wildcard_finds_device() {
	kscript c rid L && kscript c rbind L addr=0.0.0.0,7000 && kscript c rlisten L || return 1
	move a siwa c && listens_in_c && move c siwa a && ! listens_in_c
}

# Moves siwa's netdev to the namespace of a wildcard, where siwa is not. Expects that the wildcard does not listen on siwa.
netdev_alone_does_not_count() {
	local listeners
	move_va && kscript c rid M && kscript c rbind M addr=0.0.0.0,7001 && kscript c rlisten M || return 1
	listeners=$(in_a rdma -j resource show cm_id |
		jq '[.[] | select(.ifname == "siwa" and .state == "LISTEN")] | length')
	kscript c destroy M && va_comes_back && [[ $listeners == 0 ]]
}

has_reset() {
	dmesg_since | grep "to 127.0.0.1:7000 reset: no listening device"
}

# Moves a device on a's lo to the listener's namespace. Expects that a connection by c's lo, which has the same index and
# address, is not of this device.
namesake_is_no_owner() {
	mark_dmesg
	in_a rdma link add siwl type siw netdev lo && move a siwl c && ip -n c link set lo up || return 1
	! in_c timeout $((10 * slow)) bash -c 'exec 3<> /dev/tcp/127.0.0.1/7000 && cat <&3' 2> /dev/null || return 1
	wait_for 10 has_reset && in_c rdma link delete siwl
}

test_wildcard() {
	check 'a netdev in c' ip -n c link add d0 type dummy
	check 'a siw device on it' in_c rdma link add siwd type siw netdev d0
	check 'a ULP in c' eval 'modprobe kscript && open_session c siwd'
	check 'a wildcard listens on a device without its netdev' wildcard_finds_device
	check 'a netdev of the same index and address is not that of a device from elsewhere' namesake_is_no_owner
	check 'a wildcard does not listen on a device of which only the netdev is there' netdev_alone_does_not_count
	close_sessions
	check 'the siw device in c is deleted' eval 'in_c rdma link delete siwd && ip -n c link del d0'
}

# --- a namespace is deleted ---

test_return_to_init_net() {
	check 'a netdev in the initial namespace' ip link add d0 type dummy
	at_exit ip link del d0
	check 'a siw device on d0' rdma link add siwd type siw netdev d0
	check 'a device of kt_link on d0' rdma link add fake0 type fake netdev d0
	check 'a namespace d' ip netns add d
	check 'the siw device moves to d' rdma dev set siwd netns d
	check 'the device of kt_link moves to d' rdma dev set fake0 netns d
	expect_output 'the initial namespace has no device' '' devices
	check 'd is deleted' ip netns del d
	check 'both devices return to the initial namespace' wait_for 20 has_devices 'fake0 siwd'
	check 'a returned device can be renamed' rdma dev set siwd name siwe
	check 'kt_link fails to enable devices' eval \
		'echo -12 > /sys/module/kt_link/parameters/enable_error'
	check 'a device that cannot be enabled after a move is unregistered' \
		fails_with 'could not be used there' rdma dev set fake0 netns c
	expect_output 'the old namespace does not have it' siwe devices
	expect_output 'the new namespace does not have it' '' devices in_c
	check 'a device that cannot be enabled cannot be added' fails_with 'memory' rdma link add fake0 type fake netdev d0
	echo 0 > /sys/module/kt_link/parameters/enable_error
	check 'the name is free' rdma link add fake0 type fake netdev d0
	check 'the device of kt_link is deleted' rdma link delete fake0
	check 'the siw device is deleted' rdma link delete siwe
}

test_removal_under_traffic() {
	check 'writes before a namespace is deleted' start_traffic removed write
	# The sockets of the server belong to kernel modules, and hold no reference to the
	# namespace. So the namespace is deleted while the server runs.
	check 'the namespace of the server is deleted' ip netns del b
	kill "${server_pids[removed]}"
	check 'the client of the deleted namespace ends' end_traffic removed
	check "the server's device is removed with its netdev" wait_for 20 name_is_free siwb
	check "the client's device is removed with the other end of the veth" wait_for 20 name_is_free siwa
}

ktap_start
command -v jq > /dev/null || ktap_skip_all 'no jq'
check 'krdma' load_krdma
test_modes
check 'two hosts' two_hosts
at_exit ip netns del c
check 'a third namespace' ip netns add c
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
check 'everything unloads' unload_krdma
ktap_end
