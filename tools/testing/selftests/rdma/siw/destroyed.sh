#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Closes siw's sockets by `ss -K`, as an administrator can, at each step of a connection, on either side. Expects that
# both sides get an event or an errno, that the kernel log has a line, that the listener listens again, and that nothing
# is left. The steps are those of lib_steps.sh.
#
# timeout: 120

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kscript.sh"
. "$(dirname "$0")/../lib_steps.sh"

# The peer is refused and does not close, so siw waits for its FIN.
step_lingering() {
	listen_b && raw_peer 'MPA ID Req Frame\x50\x02\x00\x04\x00\x08\x00\x08' &&
		await b 'event L CONNECT_REQUEST new=R1 *' && kscript b reject R1
}

connecting_steps=(syn_sent pending in_handler established traffic)

# close_sockets HOST
close_sockets() {
	[[ $(ip netns exec "$1" ss -HKtan) ]] || { echo "$1 has no socket to close"; return 1; }
}

# Succeeds if this kernel can close sockets for an administrator (INET_DIAG_DESTROY).
can_close_sockets() {
	listen_b && in_b ss -HKtan | grep -q . && kscript_reset b
}

is_logged() {
	dmesg_since | grep "$1"
}

listens() {
	[[ $(in_b ss -Htln 'sport = :7000') ]]
}

listens_again() {
	wait_for 5 listens && wait_for 5 is_logged 'siwb: listens on .*7000 again'
}

# b_is_told STEP: expects the event of b about the end, or that b's answer to the request fails.
b_is_told() {
	case $1 in
	pending) kscript_fails 'Connection reset by peer' b accept R1 qp=Q ;;
	accepted) await b 'event R1 ESTABLISHED status=-*' ;;
	established | traffic | closing) await b 'event R1 CLOSE *' ;;
	esac
}

a_is_told() {
	case $1 in
	pending | in_handler) await a 'event C CONNECT_REPLY status=-*' ;;
	established | traffic) await a 'event C CLOSE *' ;;
	esac
}

# Also closes the listening socket.
closed_at_b() {
	mark_dmesg
	"step_$1" && close_sockets b && b_is_told "$1" && a_is_told "$1" && listens_again || return 1
	[[ $1 == listening ]] || is_logged 'siwb: connection with .* has closed its socket' || return 1
	nothing_left && step_established && nothing_left
}

closed_at_a() {
	mark_dmesg
	"step_$1" && close_sockets a || return 1
	case $1 in
	syn_sent)
		await a 'event C CONNECT_REPLY status=-103*' && is_logged 'siwa: connection with .* has closed its socket' ||
			return 1 ;;
	pending | in_handler) await a 'event C CONNECT_REPLY status=-103*' && b_is_told "$1" || return 1 ;;
	*) await a 'event C CLOSE *' && b_is_told "$1" || return 1 ;;
	esac
	nothing_left
}

# with_fallback COMMAND: runs it while a connects again, by revision 1 of MPA, if the peer closes the first connection.
with_fallback() {
	local status=0 setting=/sys/class/infiniband/siwa/siw/mpa_fallback
	mark_dmesg
	echo 1 > "$setting" && "$1" || status=1
	echo 0 > "$setting"
	return "$status"
}

# It is not the peer who has closed the connection, so a does not connect again.
closed_by_us() {
	step_pending && close_sockets a && await a 'event C CONNECT_REPLY status=-103*' && b_is_told pending
}

closed_with_fallback() {
	with_fallback closed_by_us && nothing_left
}

# The second connection of a fails at once, and iw_cm gets the error of the first one.
closed_by_peer() {
	local status=0
	step_pending && in_a ip route add unreachable "$b_addr/32" || return
	close_sockets b && await a 'event C CONNECT_REPLY status=-104*' || status=1
	in_a ip route del unreachable "$b_addr/32"
	((!status)) && b_is_told pending && listens_again
}

closed_and_unreachable() {
	with_fallback closed_by_peer && nothing_left
}

listens_no_more() {
	wait_for 5 is_logged 'siwb: does not listen on 10.77.1.2:7000 any more.*error -99'
}

# Another socket cannot have the address, which has gone. Expects that siw listens when the address is back.
closed_without_address() {
	mark_dmesg
	kscript b listen L addr="$b_addr" port=7000 && in_b ip address del "$b_addr/24" dev vb || return
	close_sockets b && listens_no_more
	local status=$?
	in_b ip address add "$b_addr/24" dev vb && ((!status)) && wait_for 5 listens && listens_again || return 1
	kscript_reset b && step_established && nothing_left
}

# Both namespaces end while there are a listener that could not be replaced and a connection.
closed_and_deleted() {
	mark_dmesg
	step_established && kscript b listen N addr="$b_addr" port=7001 && in_b ip address del "$b_addr/24" dev vb &&
		close_sockets b && wait_for 5 is_logged 'siwb: does not listen on 10.77.1.2:7001 any more' || return
	remove_two_hosts
}

unload_all() {
	close_sessions && unload_krdma
}

# Without the fallback, a lost connection is not tried again, so that a gets an event at once.
begin_here() {
	begin && echo 0 > /sys/class/infiniband/siwa/siw/mpa_fallback
}

ktap_start
check 'two hosts with siw' begin_here
if ! can_close_sockets > /dev/null; then
	ktap_skip 'sockets that somebody closes' 'this kernel has no INET_DIAG_DESTROY'
	steps=() connecting_steps=() others=()
else
	steps+=(lingering) others=(closed_with_fallback closed_and_unreachable closed_without_address closed_and_deleted)
fi
# The kernel logs no more than ten lines of a kind in 5 s, so that the lines of the last steps may be missing.
for step in "${steps[@]}"; do
	[[ $step == syn_sent ]] || check "$step: the accepting side's sockets are closed" isolated closed_at_b "$step"
done
for step in "${connecting_steps[@]}"; do
	check "$step: the connecting side's sockets are closed" isolated closed_at_a "$step"
done
for other in "${others[@]}"; do
	check "${other//_/ }" isolated "$other"
done
check 'everything unloads' unload_all
ktap_end
