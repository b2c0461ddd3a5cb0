#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Causes events of devices and netdevs at each step of a connection: the link is deleted; the netdev
# goes down, loses its address, is renamed, or is moved to another namespace; the module is
# unloaded. Expects each time that both sides get an event about the end, or that the connection
# continues; that no object is left; and that the next step works.
#
#	namespace a                             namespace b
#	   siwa, session a, raw peers  -------  siwb, session b listens on 7000
#
# (wire/cm, wire/mpa and wire/client test what the ULP and the peer may do at each step.)
#
# timeout: 240

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_kscript.sh"

b_addr=10.77.1.2
raw_pid='' qp_options=()

# --- steps: each begins with sessions without objects ---

listen_b() {
	kscript b qp Q "${qp_options[@]}" && kscript b mr M size=4096 && kscript b listen L port=7000
}

connect_a() {
	kscript a qp Q "${qp_options[@]}" && kscript a mr M size=4096 fill=1 &&
		kscript a connect C qp=Q addr="${1:-$b_addr}" port=7000 pdata=0102
}

# raw_peer [BYTES]: opens a TCP connection from host a that sends BYTES, and then neither sends nor closes.
raw_peer() {
	ip netns exec a bash -c "exec 3<> /dev/tcp/$b_addr/7000; printf '$*' >&3; exec sleep 60" &
	raw_pid=$!
}

end_raw_peer() {
	[[ $raw_pid ]] || return 0
	kill "$raw_pid" 2> /dev/null
	wait "$raw_pid" 2> /dev/null
	raw_pid=''
}

step_listening() {
	listen_b
}

step_half_open() {
	listen_b && raw_peer MPA && wait_for 5 has_socket b
}

step_syn_sent() {
	connect_a 10.77.1.99
}

step_pending() {
	listen_b && connect_a && await b 'event L CONNECT_REQUEST new=R1 *'
}

# The handler of the request sleeps for 0.5 s, and the step ends before the handler returns.
step_in_handler() {
	kscript b on L CONNECT_REQUEST sleep ms=500 && step_pending
}

# The raw peer sends a request that announces a ready-to-receive message, but does not send this
# message.
step_accepted() {
	listen_b && raw_peer 'MPA ID Req Frame\x50\x02\x00\x04\x80\x08\x80\x08' &&
		await b 'event L CONNECT_REQUEST new=R1 *' && kscript b accept R1 qp=Q
}

step_established() {
	step_pending && kscript b accept R1 qp=Q && await b 'event R1 ESTABLISHED status=0*' &&
		await a 'event C CONNECT_REPLY status=0*'
}

# Each completion posts the next request, so the completions never end.
traffic_queues() {
	kscript a cq U cqe=40 poll=unbound && kscript b cq U cqe=40 poll=unbound
}

step_traffic() {
	local qp_options=(cq=U)
	traffic_queues && step_established && kscript b mr W size=8192 qp=Q access=lw,rw && await b 'mr W *' &&
		kscript a write Q buf=M stag="$(field stag)" addr="$(field addr)" repeat id=9 || return 1
	kscript a mr W size=8192 qp=Q access=rr && await a 'mr W *' &&
		kscript b read Q buf=M stag="$(field stag)" addr="$(field addr)" repeat id=8
}

# The raw peer does not close its side.
step_closing() {
	listen_b && raw_peer 'MPA ID Req Frame\x50\x02\x00\x04\x00\x08\x00\x08' &&
		await b 'event L CONNECT_REQUEST new=R1 *' && kscript b accept R1 qp=Q &&
		await b 'event R1 ESTABLISHED status=0*' && kscript b disconnect R1
}

steps=(listening half_open syn_sent pending in_handler accepted established traffic closing)

# --- how each step continues after an event that does not end the connection ---

good_end() {
	kscript a disconnect C && await a 'event C CLOSE status=0' && await b 'event R1 CLOSE status=0'
}

continues_listening() {
	connect_a && await b 'event L CONNECT_REQUEST new=R1 *' && continues_pending
}

continues_half_open() {
	end_raw_peer && continues_listening
}

# Expects no event yet, because the attempt ends only by its timeout.
continues_syn_sent() {
	no_report a 'event C *' 0
}

continues_pending() {
	kscript b accept R1 qp=Q && await b 'event R1 ESTABLISHED status=0*' &&
		await a 'event C CONNECT_REPLY status=0*' && continues_established
}

continues_in_handler() {
	await b 'did L CONNECT_REQUEST sleep ret=0' && continues_pending
}

# The peer never sends the ready-to-receive message. Expects an event only when the peer has closed.
continues_accepted() {
	no_report b 'event R1 *' 0 && end_raw_peer && await b 'event R1 ESTABLISHED status=-104*'
}

continues_established() {
	kscript b recv Q id=1 buf=M && kscript a send Q id=2 buf=M &&
		await b 'wc Q id=1 op=RECV status=SUCCESS len=4096' && kscript b check M seed=1 && good_end
}

# Expects that the transfers continue when TCP has retransmitted the lost segments.
continues_traffic() {
	kscript a disconnect C abrupt && await a 'wc Q id=9 * n=[1-9]*' && await b 'wc Q id=8 * n=[1-9]*' &&
		await b 'event R1 CLOSE*'
}

continues_closing() {
	await b 'event R1 CLOSE*'
}

# --- events ---

delete_b() {
	timeout 20 rdma link delete siwb
}

delete_a() {
	timeout 20 rdma link delete siwa
}

add_b() {
	add_siw b && kscript b dev siwb
}

add_a() {
	add_siw a && kscript a dev siwa
}

down_and_up() {
	ip -n b link set vb down && await b 'async PORT_ERR dev=siwb port=1' && ip -n b link set vb up &&
		await b 'async PORT_ACTIVE dev=siwb port=1'
}

address_away() {
	ip -n b address del 10.77.1.2/24 dev vb && sleep 0.2 && ip -n b address add 10.77.1.2/24 dev vb
}

rename() {
	ip -n b link set vb down && ip -n b link set vb name vbx && ip -n b link set vbx up &&
		in_b rdma link show siwb/1 | grep -q 'netdev vbx' && rdma dev set siwb name siwx &&
		rdma dev set siwx name siwb && ip -n b link set vbx down && ip -n b link set vbx name vb &&
		ip -n b link set vb up
}

move_away() {
	ip -n b link set vb netns c && wait_for 20 no_device siwb
}

move_back() {
	ip -n c link set vb netns b && set_up_host b vb 2 && add_b
}

unload() {
	timeout 20 rmmod siw
}

load_again() {
	modprobe siw && add_a && add_b
}

no_device() {
	[[ ! -e /sys/class/infiniband/$1 ]]
}

# --- afterwards ---

has_socket() {
	[[ $(ip netns exec "$1" ss -Htn state established) ]]
}

# no_sockets HOST...: succeeds if these hosts have no TCP socket, except those in TIME-WAIT.
no_sockets() {
	local host
	for host; do
		[[ -z $(ip netns exec "$host" ss -Htan exclude time-wait) ]] || return 1
	done
}

objects() {
	rdma resource show | sed 's/^[0-9]*: //' | sort
}

# nothing_left: expects that the objects are those of the beginning, and that there is no socket and
# no late event.
nothing_left() {
	local late
	end_raw_peer
	late="$(printf '%s\n' "${unread_reports[@]}" | grep '^late')"
	[[ -z $late ]] || { echo "$late"; return 1; }
	kscript_reset a b || return 1
	wait_for 10 no_sockets a b || { in_a ss -tan; in_b ss -tan; return 1; }
	[[ $(objects) == "$objects_before" ]] || { objects; return 1; }
}

# a_is_notified STEP: expects that a gets an event about the end if it has a connection, or is
# connecting, at this step.
a_is_notified() {
	case $1 in
	pending | in_handler) await a 'event C CONNECT_REPLY status=-*' ;;
	established | traffic) await a 'event C CLOSE *' ;;
	esac
}

# b_is_notified STEP: expects that b gets an event about the end if it has a connection at this
# step, and an error from accept if it has a request.
b_is_notified() {
	case $1 in
	pending | in_handler) kscript_fails 'Connection reset by peer' b accept R1 qp=Q ;;
	established | traffic) await b 'event R1 CLOSE *' ;;
	esac
}

# survives STEP: expects that the connection continues after changes of the netdev.
survives() {
	"step_$1" && down_and_up && address_away && rename && "continues_$1" && nothing_left
}

b_is_removed() {
	await b 'removed siwb' && kscript_fails 'No such device' b qp X && wait_for 5 no_sockets b
}

ends_with_b() {
	"step_$1" && delete_b && b_is_removed && a_is_notified "$1" && add_b && nothing_left
}

# Moves b's netdev to another namespace. a gets no event, because the netdev goes down before it is
# moved: b can send nothing.
ends_with_move() {
	"step_$1" && move_away && b_is_removed && move_back && nothing_left
}

ends_with_a() {
	"step_$1" && delete_a && await a 'removed siwa' || return 1
	[[ $1 == in_handler ]] || b_is_notified "$1" || return 1
	add_a && nothing_left
}

ends_with_all() {
	"step_$1" && unload && await a 'removed siwa' && await b 'removed siwb' && load_again && nothing_left
}

begin() {
	kscript_hosts && objects_before=$(objects)
}

# isolated FUNCTION...: runs the function. If it fails, sets up hosts, modules and sessions again
# for the next test.
isolated() {
	"$@" && return
	{
		end_raw_peer
		close_sessions
		unload_krdma
		remove_two_hosts
		begin
	} > /dev/null 2>&1
	return 1
}

unload_all() {
	close_sessions && unload_krdma
}

ktap_start
check 'a third host' ip netns add c
at_exit ip netns del c
check 'two hosts with siw' begin
for step in "${steps[@]}"; do
	check "$step: the netdev goes down and up, loses its address for a while, and is renamed" \
		isolated survives "$step"
	check "$step: the link is deleted" isolated ends_with_b "$step"
	check "$step: the peer's link is deleted" isolated ends_with_a "$step"
	check "$step: the netdev moves to another namespace" isolated ends_with_move "$step"
	check "$step: the module is unloaded" isolated ends_with_all "$step"
done
check 'everything unloads' unload_all
ktap_end
