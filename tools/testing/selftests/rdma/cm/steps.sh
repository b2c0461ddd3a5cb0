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

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kscript.sh"
. "$(dirname "$0")/../lib_steps.sh"

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
	add_device b && kscript b dev siwb
}

add_a() {
	add_device a && kscript a dev siwa
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

# --- who is told ---

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
