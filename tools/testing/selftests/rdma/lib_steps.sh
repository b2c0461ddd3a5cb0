# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library brings a connection to each of its steps, with the sessions a and b of lib_kscript.sh, for tests that
# cause an event there.
#
#	namespace a                             namespace b
#	   siwa, session a, raw peers  -------  siwb, session b listens on 7000

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

# shellcheck disable=SC2034 # for those who source it
steps=(listening half_open syn_sent pending in_handler accepted established traffic closing)

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
	# shellcheck disable=SC2154 # from lib_kscript.sh
	late="$(printf '%s\n' "${unread_reports[@]}" | grep '^late')"
	[[ -z $late ]] || { echo "$late"; return 1; }
	kscript_reset a b || return 1
	wait_for 10 no_sockets a b || { in_a ss -tan; in_b ss -tan; return 1; }
	[[ $(objects) == "$objects_before" ]] || { objects; return 1; }
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
