#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# A port mapper daemon in namespace a does not answer, so that a wildcard of a waits while it begins
# to listen on siwa, and clients wait while they resolve the route. Expects that nothing else waits
# for that daemon: wildcards of namespace b begin and end to listen, devices are added and removed,
# also siwa itself, and processes and their identifiers end.
#
#	namespace a: siwa, siwc, iwpmfake             namespace b: siwb
#	   va 10.77.1.1/24, c0 (a dummy)  --------  vb 10.77.1.2/24
#
# timeout: 200

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kscript.sh"

fake=${KRDMA:-/krdma}/bin/iwpmfake
ucma_test=${KRDMA:-/krdma}/bin/ucma_test
fake_pid='' listen_pid='' client_pid=''

stop_fake() {
	[[ $fake_pid ]] || return 0
	kill -CONT "$fake_pid"
	kill "$fake_pid"
	wait "$fake_pid" 2> /dev/null
	fake_pid=''
}

# start_fake [FAULT OP TIMES]: starts a daemon that does not answer additions.
start_fake() {
	local fault=("$@")
	(($#)) || fault=(silent add 9)
	: > "$fake_log"
	ip netns exec a "$fake" "${fault[@]}" > "$fake_log" 2>&1 &
	fake_pid=$!
	wait_for 10 has_line "$fake_log" ready
}

# begin_listening COMMAND...: runs this command, which lets a wildcard of namespace a listen, in the
# background. Waits until the daemon is asked for siwa.
begin_listening() {
	start_fake || return 1
	"$@" &
	listen_pid=$!
	wait_for 10 has_line "$fake_log" '^add'
}

wildcard_of_a() {
	kscript_reset a b && kscript a rid L && kscript a rbind L addr=0.0.0.0,7000 && kscript a rlisten L
}

# while_asking COMMAND...: succeeds if the command succeeds, and the wildcard of a still waits for
# the daemon when the command has ended.
while_asking() {
	"$@" || return 1
	! has_ended "$listen_pid" || { echo 'the wildcard has begun to listen'; return 1; }
}

# end_asking: ends the daemon, which ends the request; expects that the wildcard listens.
end_asking() {
	stop_fake
	wait "$listen_pid"
}

listens_and_closes() {
	kscript b rid M && kscript b rbind M addr=0.0.0.0,7000 && kscript b rlisten M && kscript b destroy M
}

listens_on() {
	in_a rdma -j resource show cm_id |
		jq -e --arg dev "$1" '[.[] | select(.ifname == $dev and .state == "LISTEN")] | length == 1'
}

add_siwc() {
	in_a rdma link add siwc type siw netdev c0
}

delete_siwc() {
	in_a rdma link delete siwc
}

# The kernel asks for at most 6 s, so each step begins anew.
test_waiting() {
	check 'a wildcard asks a daemon that does not answer' begin_listening wildcard_of_a
	check 'a wildcard of another namespace listens and closes' while_asking listens_and_closes
	check 'the wildcard listens when the daemon has ended' end_asking
	check 'the wildcard listens on its device' listens_on siwa

	check 'a wildcard asks again' begin_listening wildcard_of_a
	check 'a device is added' while_asking add_siwc
	check 'the wildcard listens on the new device' while_asking listens_on siwc
	check 'the wildcard listens' end_asking

	check 'a wildcard asks once more' begin_listening wildcard_of_a
	check 'a device whose listener has not begun is removed' while_asking delete_siwc
	check 'the wildcard listens on what is left' end_asking
}

has_no_id() {
	kscript_fails 'No such file or directory' a rquery "$1"
}

# A handler lets another identifier listen, which is destroyed meanwhile.
listens_in_handler() {
	kscript_reset a && kscript a rid C && kscript a rid L && kscript a rbind L addr=0.0.0.0,7000 &&
		kscript a on C ADDR_RESOLVED rlisten L && kscript a rresolve C addr=10.77.1.2,7000 &&
		await a 'did C ADDR_RESOLVED rlisten ret=0'
}

test_handler() {
	local destruction
	check "an identifier begins to listen in another one's handler" begin_listening listens_in_handler
	kscript a destroy L &
	destruction=$!
	check 'the identifier is being destroyed' wait_for 10 has_no_id L
	check 'its destruction waits for the handler' kill -0 "$destruction"
	check 'the handler returns' end_asking
	check 'the identifier is destroyed' wait "$destruction"
}

# promptly COMMAND...: succeeds if the command succeeds long before the kernel gives the daemon up,
# which is after 6 s.
promptly() {
	local from=${EPOCHREALTIME/./} us
	"$@" || return 1
	us=$((${EPOCHREALTIME/./} - from))
	echo "# took $us us"
	((us < 3000000 * slow))
}

# check_time NAME COMMAND...: check, which also shows what the command prints about times.
check_time() {
	check "$@"
	sed -n 's/^\(# took\|ok\|not ok\)/#   &/p' "$ktap_output"
}

test_killed() {
	check 'a daemon that does not answer' start_fake
	check_time 'a process that waits for the wildcard can be killed' in_a env KRDMA_SLOW="$slow" "$ucma_test" \
		--waiting "$fake_log" 10.77.1.1
	stop_fake
	check 'a daemon that does not answer queries' start_fake silent query 9
	check_time 'nothing waits for it with an identifier' in_a env KRDMA_SLOW="$slow" "$ucma_test" \
		--asking "$fake_log" 10.77.1.2
	stop_fake
}

# The daemon answers a query with another peer. Expects an error, and that the route can be resolved after that.
route_is_refused_once() {
	kscript_reset a && kscript a rid C && kscript a rresolve C addr=10.77.1.2,7000 &&
		await a 'event C ADDR_RESOLVED status=0' && kscript a rroute C &&
		await a 'event C ROUTE_ERROR status=-71' && kscript a rroute C &&
		await a 'event C ROUTE_RESOLVED status=0'
}

test_wrong_answer() {
	check 'a daemon that answers one query wrongly' start_fake remote query
	check 'the route is refused, and then resolved' route_is_refused_once
	stop_fake
}

# The daemon maps the listener's port to 27000.
listens_mapped() {
	kscript_reset a b && kscript a qp Q && kscript b qp Q && kscript a rid L &&
		kscript a rbind L addr=10.77.1.1,7000 && kscript a rlisten L && wait_for 10 has_line "$fake_log" '^add'
}

# A peer without a port mapper connects to the mapped port.
request_comes() {
	kscript b rid C && kscript b rresolve C addr=10.77.1.1,27000 && await b 'event C ADDR_RESOLVED status=0' &&
		kscript b rroute C && await b 'event C ROUTE_RESOLVED status=0' && kscript b rconnect C qp=Q &&
		await a 'event L CONNECT_REQUEST new=R1 *'
}

accepts() {
	kscript a raccept R1 qp=Q && await a 'event R1 ESTABLISHED status=0*' &&
		await b 'event C ESTABLISHED status=0*'
}

server_ends() {
	kscript a destroy R1 && kscript a destroy Q && kscript a destroy L
}

# A client, which is to connect P in the handler of ROUTE_RESOLVED, waits for the daemon.
waits_with_qp() {
	kscript_reset a && kscript a qp P && kscript a rid D && kscript a on D ROUTE_RESOLVED rconnect . qp=P &&
		kscript a rresolve D addr=10.77.1.2,7000 && await a 'event D ADDR_RESOLVED status=0' &&
		kscript a rroute D && no_report a 'did D *' 200
}

test_connections() {
	check 'a daemon that answers' start_fake good
	check 'a server listens' listens_mapped
	check 'the daemon is stopped' kill -STOP "$fake_pid"
	check 'a request comes' request_comes
	check_time 'the request is accepted at once' promptly accepts
	check_time 'the server is destroyed at once' promptly server_ends
	check 'a client waits, and has a QP' waits_with_qp
	check_time 'the QP is destroyed at once' promptly kscript a destroy P
	check_time 'the client is destroyed at once' promptly kscript a destroy D
	stop_fake
}

delete_siwa() {
	in_a rdma link delete siwa
}

add_siwa() {
	add_device a && echo 1 > /sys/class/infiniband/siwa/siw/port_mapper
}

# Removes the device that the daemon is asked for. kscript would keep the device until its command
# returns, so processes listen and connect.
test_removal() {
	check 'the wildcard of a process asks' begin_listening ip netns exec a rping -s -p 7000
	check 'a wildcard of another namespace listens and closes' while_asking listens_and_closes
	check_time 'the device is removed at once' promptly delete_siwa
	expect_failure 'no listener is left' listens_on siwa
	kill "$listen_pid" 2> /dev/null
	check 'the process ends' wait_for 10 has_ended "$listen_pid"
	stop_fake

	check 'the device is added again' add_siwa
	check 'the listener of a process asks' begin_listening ip netns exec a rping -s -a 10.77.1.1 -p 7000
	check_time 'the device is removed at once' promptly delete_siwa
	kill -KILL "$listen_pid" 2> /dev/null
	check 'the process ends' wait_for 10 has_ended "$listen_pid"
	stop_fake
	check 'the device is added once more' add_siwa
}

# begin_connecting: starts a client whose route waits for the stopped daemon.
begin_connecting() {
	ip netns exec a rping -c -a 10.77.1.2 -p 7000 -C 1 > /dev/null 2>&1 &
	client_pid=$!
	wait_for 10 asks_for_route
}

asks_for_route() {
	in_a rdma -j resource show cm_id | jq -e '[.[] | select(.state == "ROUTE_QUERY")] | length == 1'
}

kill_client() {
	kill -KILL "$client_pid" && wait_for 60 has_ended "$client_pid"
}

no_client_left() {
	in_a rdma -j resource show cm_id | jq -e --argjson pid "$client_pid" 'all(.pid != $pid)'
}

test_stopped() {
	check 'a daemon that answers' start_fake good
	check 'the daemon is stopped' kill -STOP "$fake_pid"
	check 'a client asks' begin_connecting
	check_time 'the client is killed at once' promptly kill_client
	check 'nothing is left of the client' wait_for 5 no_client_left
	check 'a client asks again' begin_connecting
	check_time 'the device is removed at once' promptly delete_siwa
	kill -KILL "$client_pid" 2> /dev/null
	check 'the client ends' wait_for 10 has_ended "$client_pid"
	stop_fake
}

ktap_start
fake_log=$(mktemp)
at_exit rm -f "$fake_log"
at_exit stop_fake
check 'two hosts with siw' kscript_hosts
check 'a netdev for another device' eval 'ip -n a link add c0 type dummy && ip -n a link set c0 up'
check 'the port mapper is on for siwa' eval 'echo 1 > /sys/class/infiniband/siwa/siw/port_mapper'
test_waiting
test_handler
check 'rdma_ucm loads' modprobe rdma_ucm
test_connections
test_wrong_answer
test_killed
test_removal
test_stopped
check 'everything unloads' eval 'close_sessions && rmmod rdma_ucm && unload_krdma'
ktap_end
