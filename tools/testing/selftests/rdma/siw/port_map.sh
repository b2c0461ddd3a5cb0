#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the setting port_map. A TCP server holds port 7000 of host b, as the TCP portal of an iSCSI target holds the port
# of the target's iSER portal. An RDMA server on the same port uses the TCP port of the map instead.
#
#	namespace a: siwa                namespace b: siwb, a TCP server on port 7000
#	   va 10.77.1.1/24  -----------  vb 10.77.1.2/24
#	      fd77:1::1/64                  fd77:1::2/64
#
# timeout: 200

. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_kulp.sh
. "$(dirname "$0")/../lib_kulp.sh"
# shellcheck source=../lib_kscript.sh
. "$(dirname "$0")/../lib_kscript.sh"

holder_pid=''

# listens_on HOST PORT
listens_on() {
	ip netns exec "$1" ss -Htln "sport = $2" | grep -q .
}

# connected HOST PORT: succeeds if HOST has a connection to this port of the peer.
connected() {
	ip netns exec "$1" ss -Htn state established "dport = $2" | grep -q .
}

# Starts the TCP server, which listens on all addresses.
hold_port() {
	ip netns exec b iperf3 -s -p "$server_port" > /dev/null 2>&1 &
	holder_pid=$!
	wait_for 20 listens_on b "$server_port"
}

release_port() {
	[[ $holder_pid ]] || return 0
	kill "$holder_pid"
	wait "$holder_pid" 2> /dev/null
	holder_pid=''
}

# port_map DEVICE PAIRS
port_map() {
	setting "$1" port_map "$2"
}

port_map_of() {
	cat "/sys/class/infiniband/$1/siw/port_map"
}

port_map_refused() {
	fails_with 'Invalid argument' setting siwa port_map "$1" &&
		[[ $(port_map_of siwa) == '7000:17000 7001:17001' ]]
}

# many N: prints N pairs.
many() {
	local i
	for ((i = 1; i <= $1; i++)); do
		printf '%d:%d ' "$i" $((i + 20000))
	done
}

# A write() has one malformed byte.
has_null() {
	! printf '7000:17000\0 7001:x' > /sys/class/infiniband/siwa/siw/port_map
}

test_values() {
	local bad
	expect_output 'the map is empty at first' '' port_map_of siwa
	check 'a pair' port_map siwa 7000:17000
	expect_output 'the pair is shown' 7000:17000 port_map_of siwa
	check 'two pairs, any blanks' port_map siwa '  7000:17000   7001:17001 '
	for bad in x 7000 7000: :7000 0:1 1:0 65536:1 1:65536 -1:1 '1:2:3' '1 :2' '1,2' 1:0x10 +1:2 '1:2x' \
		'1:2 1:3' '1:3 2:3' '1:2 2' "$(many 17)"; do
		check "refused, and nothing is changed: '${bad:0:12}'" port_map_refused "$bad"
	done
	check 'refused: a null character' has_null
	check '16 pairs' port_map siwa "$(many 16)"
	expect_output '16 pairs are shown' "$(many 16 | sed 's/ $//')" port_map_of siwa
	check 'two ports change places' port_map siwa '1:2 2:1'
	check 'the map is emptied' port_map siwa ''
	expect_output 'the map is empty' '' port_map_of siwa
}

# lines TEXT: prints how many lines of the kernel log since this test began have the text.
lines() {
	dmesg | sed '0,\|test siw/port_map$|d' | grep -c "$1"
}

listen_fails() {
	! serve refused || { echo 'it listens'; return 1; }
	wait_for 10 has_line "$server_dir/refused" 'Address already in use'
}

# Without a map, the TCP server is in the way.
test_held() {
	check 'a TCP server holds the port' hold_port
	check 'no map: the port is in use' listen_fails
	stop_server refused > /dev/null
	expect_output 'no map: the log says what to do' 1 \
		lines "siw siwb: port $server_port is held by a TCP socket: .*port_map"
}

write_some() {
	client --op write --size 64k --count 5 --verify
}

# test_mapped NAME ADDRESS
test_mapped() {
	local name=$1 server_addr=$2 op
	check "$name: a server on the port that TCP holds" serve main
	check "$name: the TCP port of the map is listened on" listens_on b 17000
	for op in send write read; do
		check "$name: $op" client --op "$op" --size 64k --count 5 --verify
	done
	start_client --op ping
	check "$name: a connection goes to the TCP port of the map" wait_for 20 connected a 17000
	check "$name: the client ends" stop_client
	check "$name: the server ends" stop_server main
	expect_failure "$name: the TCP port is closed" listens_on b 17000
}

# lists_port HOST WHICH PORT: succeeds if an identifier of HOST is listed with PORT as its src or dst.
lists_port() {
	ip netns exec "$1" rdma -j resource show cm_id |
		jq -e --arg which "$2" --arg port ":$3" 'any(.[]; .[$which + "-addr"] // "" | endswith($port))'
}

# The ports of the map are nowhere but in the sockets.
ulps_see_their_ports() {
	kscript b listen L port=7000 && kscript a qp Q && kscript b qp Q &&
		kscript a connect C qp=Q addr="$server_addr" port=7000 &&
		await b 'event L CONNECT_REQUEST * local=10.77.1.2:7000 remote=10.77.1.1:*' &&
		kscript b accept R1 qp=Q && await b 'event R1 ESTABLISHED status=0*' &&
		await a 'event C CONNECT_REPLY status=0 * remote=10.77.1.2:7000*' && connected a 17000
}

# The same by rdma_cm, and in the list of identifiers.
rdma_cm_sees_its_ports() {
	kscript_reset a b && kscript a qp Q && kscript b qp Q && kscript b rid L &&
		kscript b rbind L addr=0.0.0.0,7000 && kscript b rlisten L && kscript a rid C &&
		kscript a rresolve C addr="$server_addr",7000 && await a 'event C ADDR_RESOLVED status=0*' &&
		kscript a rroute C && await a 'event C ROUTE_RESOLVED status=0*' && kscript a rconnect C qp=Q &&
		await b 'event L CONNECT_REQUEST *' && kscript b raccept R1 qp=Q &&
		await b 'event R1 ESTABLISHED status=0*' && await a 'event C ESTABLISHED status=0*' &&
		kscript b rquery R1 && await b 'rid R1 * src=10.77.1.2:7000 dst=10.77.1.1:*' &&
		kscript a rquery C && await a 'rid C * dst=10.77.1.2:7000' &&
		lists_port b src 7000 && lists_port a dst 7000 &&
		! lists_port b src 17000 && ! lists_port a dst 17000 && connected a 17000
}

test_addresses() {
	check 'the test ULP for single steps' modprobe kscript
	check 'a session on each device' eval 'open_session a siwa && open_session b siwb'
	check 'iw_cm: ULPs see the ports that they asked for' ulps_see_their_ports
	check 'rdma_cm: ULPs see the ports that they asked for' rdma_cm_sees_its_ports
}

wildcard_fails() {
	kscript_reset b && kscript b rid L && kscript b rbind L addr=0.0.0.0,7000 &&
		kscript_fails 'Address already in use' b rlisten L
}

# A wildcard of rdma_cm listens on both devices of host b, each of which has its own map.
test_two_devices() {
	check 'two devices: another one' eval 'in_b ip link add c0 type dummy && in_b rdma link add siwc type siw netdev c0'
	check 'two devices: one has no map, so a wildcard cannot listen' wildcard_fails
	check 'two devices: the other one has the map, too' port_map siwc 7000:17000
	check 'two devices: a wildcard listens' rdma_cm_sees_its_ports
	check 'two devices: one is removed' in_b rdma link delete siwc
}

# connect_fails: the client reaches a TCP server that does not speak iWARP, or nobody.
connect_fails() {
	! timeout $((30 * slow)) "$kulp" run --netns a --dev siwa --addr "$server_addr" --port "$server_port" \
		--timeout 5000 --op write --size 4k > "$server_dir/one_side" 2>&1 && cat "$server_dir/one_side"
}

refused() {
	connect_fails && has_line "$server_dir/one_side" 'refused|CONNECT_ERROR|REJECTED'
}

test_one_side() {
	check 'one side: a server with the map' serve main
	check "one side: the client's map is emptied" port_map siwa ''
	check 'one side: a client without the map reaches the TCP server and fails' connect_fails
	release_port
	check 'one side: without the TCP server the connection is refused' refused
	check 'one side: the server ends' stop_server main
	check "one side: the client has the map again" port_map siwa 7000:17000
	check "one side: the server's map is emptied" port_map siwb ''
	check 'one side: a server without the map' serve main
	check 'one side: a client with the map is refused' refused
	check 'one side: the client without the map' port_map siwa ''
	check 'one side: a connection without maps' write_some
	check 'one side: the server without the map ends' stop_server main
}

# A change of the map leaves listeners and connections alone.
test_changes() {
	check 'change: the maps' eval 'port_map siwa 7000:17000 && port_map siwb 7000:17000'
	check 'change: a server' serve main
	start_client --op ping
	check 'change: a connection' wait_for 20 connected a 17000
	check "change: the server's map" port_map siwb 7000:17001
	check 'change: the connection stays' traffic_flows
	check 'change: the listener keeps its TCP port' write_some
	check 'change: the client ends' stop_client
	check 'change: the device is renamed' in_b rdma dev set siwb name other
	expect_output 'change: the renamed device has its map' 7000:17001 port_map_of other
	check 'change: the device has its name again' in_b rdma dev set other name siwb
	check 'change: the server ends' stop_server main
	check 'change: a server that uses the new map' serve main
	check 'change: a client that does not is refused' refused
	check "change: the client's map" port_map siwa 7000:17001
	check 'change: a connection by the new map' write_some
	check 'change: the server of the new map ends' stop_server main
}

# listens_as_nobody PORT: a process without any right listens on this port; ends after some seconds.
listens_as_nobody() {
	in_b "${nobody[@]}" timeout 5 rping -s -a 10.77.1.2 -p "$1"
}

# A map does not give away a port that a process may not listen on.
test_privileged() {
	check 'privileged: device nodes' eval 'modprobe rdma_ucm && wait_for 10 test -c /dev/infiniband/rdma_cm'
	check 'privileged: a map to a privileged port' port_map siwb 7000:80
	check 'privileged: a process without the right cannot listen' fails_with 'rdma_listen: Permission denied' \
		listens_as_nobody 7000
	check 'privileged: a map to another port' port_map siwb 7000:17000
	expect_status 'privileged: the process listens, until its time is over' 124 listens_as_nobody 7000
	check 'privileged: the process cannot bind to a privileged port' fails_with 'rdma_bind_addr: Permission denied' \
		listens_as_nobody 1023
	expect_status 'privileged: the first port that is not privileged' 124 listens_as_nobody 1024
}

ktap_start
at_exit release_port
siw_hosts || ktap_skip_all 'no siw devices'
make_server_dir
mark_dmesg
test_values
test_held
check 'the map of siwa' port_map siwa 7000:17000
check 'the map of siwb' port_map siwb 7000:17000
test_mapped IPv4 10.77.1.2
test_mapped IPv6 fd77:1::2
test_addresses
test_two_devices
close_sessions
test_one_side
test_changes
test_privileged
check 'everything unloads' unload_krdma
ktap_end
