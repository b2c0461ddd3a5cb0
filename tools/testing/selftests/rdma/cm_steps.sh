#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What happens to the system under a connection, at each step of it: the link is deleted, the netdev goes
# down, loses its address, is renamed, moved to another namespace; the module is unloaded. Each time either
# both sides hear of the end, or the connection goes on; nothing is left; the next step works.
#
#	namespace a                             namespace b
#	   siwa, session a, raw peers  -------  siwb, session b listens on 7000
#
# (What the ULP and the peer do at each step is in wire/cm, wire/mpa and wire/client.)
#
# timeout: 240

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_kscript.sh"

b_addr=10.77.1.2
raw_pid='' qp_options=()

# --- steps: both sessions are fresh ---

listen_b() {
	puppet b qp Q "${qp_options[@]}" && puppet b mr M size=4096 && puppet b listen L port=7000
}

connect_a() {
	puppet a qp Q "${qp_options[@]}" && puppet a mr M size=4096 fill=1 &&
		puppet a connect C qp=Q addr="${1:-$b_addr}" port=7000 pdata=0102
}

# raw_peer [BYTES]: a TCP connection from host a that sends this, and then neither speaks nor closes.
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
	listen_b && connect_a && told b 'event L CONNECT_REQUEST new=R1 *'
}

# The handler has not returned: 0.5 s.
step_in_handler() {
	puppet b on L CONNECT_REQUEST sleep ms=500 && step_pending
}

# A request that promises a ready-to-receive message.
step_accepted() {
	listen_b && raw_peer 'MPA ID Req Frame\x50\x02\x00\x04\x80\x08\x80\x08' &&
		told b 'event L CONNECT_REQUEST new=R1 *' && puppet b accept R1 qp=Q
}

step_established() {
	step_pending && puppet b accept R1 qp=Q && told b 'event R1 ESTABLISHED status=0*' &&
		told a 'event C CONNECT_REPLY status=0*'
}

# Each completion posts the next request. That work has a higher priority than processes, to which it would leave
# next to nothing of a single CPU.
traffic_queues() {
	echo 0 > /sys/devices/virtual/workqueue/ib-comp-unb-wq/nice &&
		puppet a cq U cqe=40 poll=unbound && puppet b cq U cqe=40 poll=unbound
}

step_traffic() {
	local qp_options=(cq=U)
	traffic_queues && step_established && puppet b mr W size=8192 qp=Q access=lw,rw && told b 'mr W *' &&
		puppet a write Q buf=M stag="$(word stag)" addr="$(word addr)" repeat id=9 || return 1
	puppet a mr W size=8192 qp=Q access=rr && told a 'mr W *' &&
		puppet b read Q buf=M stag="$(word stag)" addr="$(word addr)" repeat id=8
}

# The peer does not answer the end.
step_closing() {
	listen_b && raw_peer 'MPA ID Req Frame\x50\x02\x00\x04\x00\x08\x00\x08' &&
		told b 'event L CONNECT_REQUEST new=R1 *' && puppet b accept R1 qp=Q &&
		told b 'event R1 ESTABLISHED status=0*' && puppet b disconnect R1
}

steps=(listening half_open syn_sent pending in_handler accepted established traffic closing)

# --- and how they go on, if they do ---

good_end() {
	puppet a disconnect C && told a 'event C CLOSE status=0' && told b 'event R1 CLOSE status=0'
}

goes_on_listening() {
	connect_a && told b 'event L CONNECT_REQUEST new=R1 *' && goes_on_pending
}

goes_on_half_open() {
	end_raw_peer && goes_on_listening
}

# It ends in a time-out.
goes_on_syn_sent() {
	silent a 'event C *' 0
}

goes_on_pending() {
	puppet b accept R1 qp=Q && told b 'event R1 ESTABLISHED status=0*' &&
		told a 'event C CONNECT_REPLY status=0*' && goes_on_established
}

goes_on_in_handler() {
	told b 'did L CONNECT_REQUEST sleep ret=0' && goes_on_pending
}

# Nobody sends what was promised.
goes_on_accepted() {
	silent b 'event R1 *' 0 && end_raw_peer && told b 'event R1 ESTABLISHED status=-104*'
}

goes_on_established() {
	puppet b recv Q id=1 buf=M && puppet a send Q id=2 buf=M &&
		told b 'wc Q id=1 op=RECV status=SUCCESS len=4096' && puppet b check M seed=1 && good_end
}

# TCP repeats what was lost, after a while.
goes_on_traffic() {
	puppet a disconnect C abrupt && told a 'wc Q id=9 * n=[1-9]*' && told b 'wc Q id=8 * n=[1-9]*' &&
		told b 'event R1 CLOSE*'
}

goes_on_closing() {
	told b 'event R1 CLOSE*'
}

# --- what happens ---

delete_b() {
	timeout 20 rdma link delete siwb
}

delete_a() {
	timeout 20 rdma link delete siwa
}

add_b() {
	add_siw b && puppet b dev siwb
}

add_a() {
	add_siw a && puppet a dev siwa
}

down_and_up() {
	ip -n b link set vb down && told b 'async PORT_ERR dev=siwb port=1' && ip -n b link set vb up &&
		told b 'async PORT_ACTIVE dev=siwb port=1'
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

# But for those that TCP keeps for a minute, and those of the raw peers.
no_sockets() {
	local host
	for host; do
		[[ -z $(ip netns exec "$host" ss -Htan exclude time-wait) ]] || return 1
	done
}

objects() {
	rdma resource show | sed 's/^[0-9]*: //' | sort
}

# nothing_left: as many objects as in the beginning, no socket, no event too late.
nothing_left() {
	local late
	end_raw_peer
	late="$(printf '%s\n' "${puppet_unread[@]}" | grep '^late')"
	[[ -z $late ]] || { echo "$late"; return 1; }
	puppet_reset a b || return 1
	wait_for 10 no_sockets a b || { in_a ss -tan; in_b ss -tan; return 1; }
	[[ $(objects) == "$objects_before" ]] || { objects; return 1; }
}

# A side that has a connection, or begins one, hears that it is over.
a_hears() {
	case $1 in
	pending | in_handler) told a 'event C CONNECT_REPLY status=-*' ;;
	established | traffic) told a 'event C CLOSE *' ;;
	esac
}

b_hears() {
	case $1 in
	pending | in_handler) puppet_fails 'Connection reset by peer' b accept R1 qp=Q ;;
	established | traffic) told b 'event R1 CLOSE *' ;;
	esac
}

# The connection outlives it all.
survives() {
	"step_$1" && down_and_up && address_away && rename && "goes_on_$1" && nothing_left
}

b_is_removed() {
	told b 'removed siwb' && puppet_fails 'No such device' b qp X && wait_for 5 no_sockets b
}

ends_with_b() {
	"step_$1" && delete_b && b_is_removed && a_hears "$1" && add_b && nothing_left
}

# The peer is not told: a netdev that moves has gone down first.
ends_with_move() {
	"step_$1" && move_away && b_is_removed && move_back && nothing_left
}

ends_with_a() {
	"step_$1" && delete_a && told a 'removed siwa' || return 1
	[[ $1 == in_handler ]] || b_hears "$1" || return 1
	add_a && nothing_left
}

ends_with_all() {
	"step_$1" && unload && told a 'removed siwa' && told b 'removed siwb' && load_again && nothing_left
}

begin() {
	puppet_hosts && objects_before=$(objects)
}

# at FUNCTION...: what a failure leaves behind is not the next one's.
at() {
	"$@" && return
	{
		end_raw_peer
		close_puppets
		unload_krdma
		remove_two_hosts
		begin
	} > /dev/null 2>&1
	return 1
}

unload_all() {
	close_puppets && unload_krdma
}

ktap_start
check 'a third host' ip netns add c
at_exit ip netns del c
check 'two hosts with siw' begin
for step in "${steps[@]}"; do
	check "$step: the netdev goes down and up, its address away and back, names change" \
		at survives "$step"
	check "$step: the link is deleted" at ends_with_b "$step"
	check "$step: the peer's link is deleted" at ends_with_a "$step"
	check "$step: the netdev moves to another namespace" at ends_with_move "$step"
	check "$step: the module is unloaded" at ends_with_all "$step"
done
check 'everything unloads' unload_all
ktap_end
