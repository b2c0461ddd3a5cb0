#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests each call of rdma_cm with kscript: addresses, ports, devices and connections, and events
# that interrupt each step.
#
#   a: siwa on va 10.77.1.1 --- siwb on vb 10.77.1.2 :b
#   a: siwc on c0 10.77.2.1 (a dummy)
#
# timeout: 150
# needs: several processors

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kscript.sh"

# --- addresses and ports ---

binds() {
	kscript a rid I && kscript a rbind I addr=10.77.1.1,7000 &&
		await a 'rid I dev=siwa src=10.77.1.1:7000 *' &&
		kscript_fails 'Invalid argument' a rbind I addr=10.77.1.1,7001 &&
		kscript a rid J && kscript a rbind J addr=0.0.0.0 &&
		await a 'rid J dev=none src=0.0.0.0:[1-9]*' &&
		kscript a rid K && kscript a rbind K addr=fd77:1::1,7000 && await a 'rid K dev=siwa src=?fd77:1::1?:7000 *' &&
		kscript a rid M && kscript a rbind M addr=10.77.2.1 && await a 'rid M dev=siwc src=10.77.2.1:[1-9]*' &&
		kscript a rid N && kscript a rbind N addr=10.77.1.1,999 && await a 'rid N dev=siwa src=10.77.1.1:999 *'
}

# Expects that an identifier stays as it was after a bind that has failed.
bind_errors() {
	kscript_reset a || return 1
	kscript a rid I && kscript_fails 'Cannot assign requested address' a rbind I addr=192.0.2.1,7000 &&
		kscript_fails 'No such device' a rbind I addr=10.77.9.1,7000 &&
		kscript_fails 'Address family not supported by protocol' a rbind I &&
		kscript_fails 'Invalid argument' a rbind I addr=fe80::1,7000 &&
		kscript a rbind I addr=10.77.1.1,7000
}

# may_share yes|no ADDRESS OPTIONS ADDRESS OPTIONS: checks whether two identifiers with these addresses and options can
# be bound to one port.
may_share() {
	kscript_reset a && kscript a rid I && kscript a rid J || return 1
	[[ -z $3 ]] || kscript a rset I "$3" || return 1
	[[ -z $5 ]] || kscript a rset J "$5" || return 1
	kscript a rbind I addr="$2,7000" || return 1
	if [[ $1 == yes ]]; then
		kscript a rbind J addr="$4,7000"
	else
		kscript_fails 'Address already in use' a rbind J addr="$4,7000" &&
			kscript a destroy I && kscript a rbind J addr="$4,7000"
	fi
}

ports() {
	may_share no 10.77.1.1 '' 10.77.1.1 '' && may_share yes 10.77.1.1 '' 10.77.2.1 '' &&
		may_share no 0.0.0.0 '' 10.77.1.1 '' && may_share no 10.77.1.1 '' 0.0.0.0 '' &&
		may_share no :: '' 0.0.0.0 '' && may_share no 10.77.1.1 '' :: '' &&
		may_share yes :: afonly=1 0.0.0.0 '' && may_share yes fd77:1::1 '' 10.77.1.1 '' &&
		may_share no 10.77.1.1 reuse=1 10.77.1.1 '' && may_share no 10.77.1.1 '' 10.77.1.1 reuse=1 &&
		may_share yes 10.77.1.1 reuse=1 10.77.1.1 reuse=1 &&
		may_share yes 0.0.0.0 reuse=1 10.77.1.1 reuse=1
}

# Expects that, without the option afonly, the sysctl bindv6only decides whether an IPv6 wildcard
# covers IPv4, as for sockets.
wildcards_like_sockets() {
	local status
	in_a sysctl -qw net.ipv6.bindv6only=1
	may_share yes :: '' 0.0.0.0 '' && may_share no :: afonly=0 0.0.0.0 ''
	status=$?
	in_a sysctl -qw net.ipv6.bindv6only=0
	((status == 0)) && may_share no :: '' 0.0.0.0 ''
}

# An identifier of the port space of UDP binds, resolves and listens like one of TCP.
datagram_space() {
	kscript_reset a b && kscript a rid U ps=udp && kscript a rbind U addr=10.77.1.1,7000 &&
		await a 'rid U dev=siwa src=10.77.1.1:7000*' &&
		kscript a rresolve U addr=10.77.1.2,7001 && await a 'event U ADDR_RESOLVED status=0' &&
		kscript a rroute U && await a 'event U ROUTE_RESOLVED status=0' &&
		kscript b rid L ps=udp && kscript b rbind L addr=10.77.1.2,7001 && kscript b rlisten L
}

spaces() {
	kscript_reset a b && kscript a rid I && kscript a rid U ps=udp && kscript b rid I &&
		kscript a rbind I addr=0.0.0.0,7000 && kscript a rbind U addr=0.0.0.0,7000 &&
		kscript b rbind I addr=0.0.0.0,7000
}

# Expects that only one of the identifiers that share a port can listen, and that no identifier can
# be bound to the port of a listener.
listeners_do_not_share() {
	kscript_reset a && kscript a rid I && kscript a rid J && kscript a rset I reuse=1 &&
		kscript a rset J reuse=1 && kscript a rbind I addr=10.77.1.1,7000 &&
		kscript a rbind J addr=10.77.1.1,7000 || return 1
	kscript a rlisten I && kscript_fails 'Address already in use' a rlisten J &&
		kscript a rid K && kscript a rset K reuse=1 &&
		kscript_fails 'Address already in use' a rbind K addr=10.77.1.1,7000 &&
		kscript_fails 'Invalid argument' a rset I reuse=0 && kscript_fails 'Invalid argument' a rset I afonly=1
}

# Succeeds if a TCP socket listens on port 40000, one of the two ports of the range of beside_tcp.
# rdma_cm can then choose only the other port.
tcp_listens() {
	in_a ss -Hltn 'sport = :40000' | grep -q .
}

beside_tcp() {
	wait_for 10 tcp_listens && kscript_reset a &&
		kscript a rid I && kscript a rbind I addr=0.0.0.0 && await a 'rid I dev=none src=0.0.0.0:40001 *' &&
		kscript a rid J && kscript_fails 'Cannot assign requested address' a rbind J addr=10.77.1.1 &&
		kscript a rbind J addr=10.77.1.1,40000 && kscript_fails 'Address already in use' a rlisten J
}

tcp_ports() {
	local server status
	ip netns exec a iperf3 -s -p 40000 > /dev/null &
	server=$!
	beside_tcp
	status=$?
	kill "$server"
	wait "$server"
	return "$status"
}

# Two identifiers that connect to different peers share the only port. Expects that neither can listen unless both reuse addresses.
sharers_do_not_listen() {
	kscript_reset a && kscript a rid I && kscript a rid J &&
		kscript a rresolve I addr=192.0.2.1,7000 && await a 'event I ADDR_ERROR *' &&
		kscript a rresolve J addr=192.0.2.2,7000 && await a 'event J ADDR_ERROR *' &&
		kscript a rset I reuse=1 && kscript_fails 'Address already in use' a rlisten I &&
		kscript_fails 'Address already in use' a rlisten J
}

# Expects that identifiers of different addresses, for which rdma_cm chooses ports, do not share a port while another
# port of the two is free.
chosen_ports_differ() {
	local i port
	for ((i = 0; i < 10; i++)); do
		kscript_reset a && kscript a rid I && kscript a rbind I addr=10.77.1.1 && await a 'rid I dev=siwa *' &&
			port=$(field src) && port=${port##*:} && kscript a rid J && kscript a rbind J addr=10.77.2.1 &&
			await a "rid J dev=siwc src=10.77.2.1:$((80001 - port)) *" || return 1
	done
}

# Expects that no reserved port is chosen. Host a chooses from ports 40000 and 40001.
reserved_ports() {
	local status
	in_a sysctl -qw net.ipv4.ip_local_reserved_ports=40000
	kscript_reset a && kscript a rid I && kscript a rbind I addr=0.0.0.0 && await a 'rid I dev=none src=0.0.0.0:40001 *' &&
		kscript a rid J && kscript_fails 'Cannot assign requested address' a rbind J addr=10.77.1.1
	status=$?
	in_a sysctl -qw net.ipv4.ip_local_reserved_ports=
	return "$status"
}

# Host a has one port to choose. Expects that neither a listener nor a connection takes it from an identifier that was
# bound to it, and that an identifier without any port does not listen.
no_port_left() {
	kscript_reset a && kscript a rid I && kscript a rbind I addr=10.77.1.1,40000 && kscript a rid J &&
		kscript_fails 'Cannot assign requested address' a rresolve J addr=192.0.2.2,7000 src=10.77.1.1 &&
		kscript_fails 'Cannot assign requested address' a rlisten J &&
		kscript a destroy I && kscript a rlisten J && await a 'rid J dev=none src=0.0.0.0:40000 *'
}

# Expects that connections share the only port if they lead to different ports of one peer, but not to the same port.
one_peer() {
	kscript_reset a && kscript a rid I && kscript a rid J && kscript a rid K &&
		kscript a rresolve I addr=192.0.2.1,7000 && await a 'event I ADDR_ERROR *' &&
		kscript a rresolve J addr=192.0.2.1,7001 && await a 'event J ADDR_ERROR *' &&
		kscript_fails 'Cannot assign requested address' a rresolve K addr=192.0.2.1,7000
}

# with_ports RANGE COMMAND...: runs a command while host a chooses ports from this range.
with_ports() {
	local range=$1 before status
	shift
	before=$(in_a sysctl -n net.ipv4.ip_local_port_range)
	in_a sysctl -qw net.ipv4.ip_local_port_range="$range"
	"$@"
	status=$?
	in_a sysctl -qw net.ipv4.ip_local_port_range="$before"
	return "$status"
}

# --- resolution ---

resolves() {
	local src
	kscript_reset a && kscript a rid I && kscript_fails 'Invalid argument' a rroute I &&
		kscript a rresolve I addr=10.77.1.2,7000 && await a 'event I ADDR_RESOLVED status=0' &&
		kscript a rquery I && await a 'rid I dev=siwa src=10.77.1.1:[1-9]* dst=10.77.1.2:7000' &&
		src=$(field src) && kscript_fails 'Invalid argument' a rresolve I addr=10.77.1.3,7001 &&
		kscript a rquery I && await a "rid I dev=siwa src=$src dst=10.77.1.2:7000" &&
		kscript a rroute I && await a 'event I ROUTE_RESOLVED status=0' &&
		kscript a rid J && kscript a rresolve J addr=fd77:1::2,7000 &&
		await a 'event J ADDR_RESOLVED status=0' && kscript a rquery J &&
		await a 'rid J dev=siwa src=?fd77:1::1?:[1-9]* dst=?fd77:1::2?:7000'
}

# Resolves the address of a host that does not answer, of a network without a route, and of a netdev
# without an RDMA device. Expects that these fail, and that a resolution by the same identifier
# succeeds after them.
does_not_resolve() {
	kscript_reset a && kscript a rid I && kscript a rresolve I addr=10.77.1.99,7000 ms=300 &&
		await a 'event I ADDR_ERROR status=-110' &&
		kscript a rresolve I addr=192.0.2.1,7000 && await a 'event I ADDR_ERROR status=-101' &&
		kscript a rresolve I addr=127.0.0.1,7000 && await a 'event I ADDR_ERROR status=-19' &&
		kscript_fails 'Invalid argument' a rresolve I addr=fd77:1::2,7000 &&
		kscript_fails 'Address family not supported by protocol' a rresolve I &&
		kscript a rresolve I addr=10.77.1.2,7000 && await a 'event I ADDR_RESOLVED status=0' &&
		kscript a rid J && kscript_fails 'Invalid argument' a rresolve J addr=10.77.1.2,7000 src=fd77:1::1 &&
		kscript_fails 'Cannot assign requested address' a rresolve J addr=10.77.1.2,7000 src=10.77.1.9 &&
		kscript a rresolve J addr=10.77.1.2,7000 src=10.77.1.1,7777 &&
		await a 'event J ADDR_RESOLVED status=0' && kscript a rquery J && await a 'rid J * src=10.77.1.1:7777 *'
}

# Expects that a wildcard as destination stands for the source address, or for this host.
wildcard_destinations() {
	kscript_reset a && kscript a rid I && kscript a rbind I addr=10.77.1.1 && kscript a rresolve I addr=0.0.0.0,7000 &&
		await a 'event I ADDR_RESOLVED status=0' && kscript a rquery I && await a 'rid I dev=siwa * dst=10.77.1.1:7000' &&
		kscript a rid J && kscript a rresolve J addr=::,7000 && await a 'event J ADDR_ERROR status=-19' &&
		kscript a rquery J && await a 'rid J dev=none * dst=?::1?:7000' &&
		kscript a rid K && kscript a rresolve K addr=0.0.0.0,7000 && await a 'event K ADDR_ERROR status=-19' &&
		kscript a rquery K && await a 'rid K dev=none * dst=127.0.0.1:7000'
}

# Expects that a next hop that is not in the neighbour table is resolved at the first attempt, also with a limit of time
# that 32 bits do not hold.
asks_neighbour() {
	kscript_reset a && ip -n a neigh flush dev va && kscript a rid I &&
		kscript a rresolve I addr=10.77.1.2,7000 ms=4294967296 && await a 'event I ADDR_RESOLVED status=0' &&
		ip -n a neigh show 10.77.1.2 | grep -q lladdr
}

# Expects that a resolution fails if the neighbour table takes no more entries. The first attempts may make room in it.
no_neighbours() {
	local file=/proc/sys/net/ipv4/neigh/default/gc_thresh3 limit host status=1
	limit=$(< "$file")
	kscript_reset a && kscript a rid I && echo 0 > "$file" || return
	for host in 91 92 93 94 95; do
		if ! { kscript a rresolve I "addr=10.77.1.$host,7000" ms=100 && await a 'event I ADDR_ERROR *'; }; then
			break
		fi
		[[ $matched_report != *' status=-12'* ]] || status=0
		((status)) || break
	done
	echo "$limit" > "$file"
	return "$status"
}

# --- link-local addresses ---

# interface HOST NETDEV: prints the interface index of NETDEV on HOST.
interface() {
	ip -n "$1" -j link show dev "$2" | jq '.[0].ifindex'
}

# Sets $near and $far to the link-local addresses of a and b, and $via and $there to the interface
# indices of their netdevs.
link_local_hosts() {
	wait_for 10 link_local a va && wait_for 10 link_local b vb || return
	near=$(link_local a va) far=$(link_local b vb) via=$(interface a va) there=$(interface b vb)
}

# Expects that a link-local address can be bound only with an interface, which must be the one that
# has the address.
link_local_binds() {
	kscript_reset a && kscript a rid I && kscript_fails 'Invalid argument' a rbind I addr="$near,7000" &&
		kscript_fails 'No such device' a rbind I addr="$near%9999,7000" &&
		kscript_fails 'Cannot assign requested address' a rbind I addr="$near%$(interface a c0),7000" &&
		kscript a rbind I addr="$near%$via,7000" && await a "rid I dev=siwa src=?$near?:7000 *" &&
		kscript a rid J && kscript_fails 'Address already in use' a rbind J addr="$near%$via,7000"
}

link_local_resolves() {
	kscript_reset a && kscript a rid I && kscript_fails 'Invalid argument' a rresolve I addr="$far,7000" &&
		kscript_fails 'Invalid argument' a rresolve I addr="$far%$(interface a c0),7000" src="$near%$via" &&
		kscript a rresolve I addr="$far%$via,7000" && await a 'event I ADDR_RESOLVED status=0' &&
		kscript a rquery I && await a "rid I dev=siwa src=?$near?:[1-9]* dst=?$far?:7000" &&
		kscript a rid J && kscript a rresolve J addr="$far%$(interface a c0),7000" &&
		await a 'event J ADDR_RESOLVED status=0' && kscript a rquery J && await a 'rid J dev=siwc *'
}

# Expects that the interface of a link-local source is preferred for any destination: of two routes to fd77:9::2, that of c0
# needs no neighbour, and nobody answers on va.
link_local_sources() {
	kscript_reset a && wait_for 10 link_local a c0 && kscript a rid I &&
		kscript a rresolve I addr="$far%$via,7000" src="$near%$via" && await a 'event I ADDR_RESOLVED status=0' &&
		kscript a rid J && kscript a rresolve J addr=fd77:1::2,7000 src="$near%$via" &&
		await a 'event J ADDR_RESOLVED status=0' &&
		ip -n a route add fd77:9::/64 dev va && ip -n a route append fd77:9::/64 dev c0 && kscript a rid K &&
		kscript a rresolve K addr=fd77:9::2,7000 src="$(link_local a c0)%$(interface a c0)" &&
		await a 'event K ADDR_RESOLVED status=0' && ip -n a route del fd77:9::/64 dev va &&
		ip -n a route del fd77:9::/64 dev c0
}

link_local_connects() {
	connected "$far%$there" "$far%$via" && message_passes && ends &&
		connected :: "$far%$via" && message_passes && ends
}

# --- connections ---

# resolved ADDRESS: creates identifier C on a, and resolves ADDRESS and its route.
resolved() {
	kscript a rid C && kscript a rresolve C addr="$1",7000 && await a 'event C ADDR_RESOLVED status=0' &&
		kscript a rroute C && await a 'event C ROUTE_RESOLVED status=0'
}

# listening ADDRESS: creates identifier L on b, binds it to ADDRESS, and listens.
listening() {
	kscript b rid L && kscript b rbind L addr="$1",7000 && kscript b rlisten L && await b 'rid L * src=* *'
}

# connected LISTENER ADDRESS: connects C of a to ADDRESS. L of b listens on LISTENER, and R1 becomes
# b's identifier of the connection.
connected() {
	kscript_reset a b && kscript a qp Q && kscript b qp Q && listening "$1" && resolved "$2" &&
		kscript a rconnect C qp=Q ird=3 ord=2 pdata=0102ff || return 1
	await b 'event L CONNECT_REQUEST new=R1 status=0 ird=2 ord=3 pdata=0102ff' &&
		kscript b raccept R1 qp=Q pdata=aa && await b 'event R1 ESTABLISHED status=0*' &&
		await a 'event C ESTABLISHED status=0 ird=3 ord=2 pdata=aa' &&
		kscript a query Q && await a 'qp Q qpn=* state=RTS'
}

message_passes() {
	kscript b mr M size=5000 && kscript b recv Q id=7 buf=M && kscript a mr M size=4000 fill=3 &&
		kscript a send Q buf=M && await b 'wc Q id=7 op=RECV status=SUCCESS len=4000' &&
		kscript b check M len=4000 seed=3
}

# Expects that both sides get one DISCONNECTED event, and that the posted receive is flushed.
ends() {
	kscript b recv Q id=8 buf=M && kscript a rdisconnect C &&
		await a 'event C DISCONNECTED status=0' && await b 'event R1 DISCONNECTED status=0' &&
		await b 'wc Q id=8 op=RECV status=WR_FLUSH_ERR' &&
		kscript a rdisconnect C && kscript b rdisconnect R1 &&
		no_report a 'event *' 100 && no_report b 'event *' 100 && kscript a destroy C && kscript b destroy R1
}

connects() {
	connected 10.77.1.2 10.77.1.2 && message_passes && ends &&
		connected 0.0.0.0 10.77.1.2 && message_passes && ends &&
		connected fd77:1::2 fd77:1::2 && message_passes && ends &&
		connected :: fd77:1::2 && message_passes && ends &&
		connected :: 10.77.1.2 && message_passes && ends
}

to_itself() {
	kscript_reset b && kscript b qp Q && kscript b qp P && listening 0.0.0.0 && kscript b rid C &&
		kscript b rresolve C addr=10.77.1.2,7000 && await b 'event C ADDR_RESOLVED status=0' &&
		kscript b rroute C && await b 'event C ROUTE*' && kscript b on L CONNECT_REQUEST raccept . qp=P &&
		kscript b rconnect C qp=Q && await b 'event C ESTABLISHED status=0*' &&
		await b 'event R1 ESTABLISHED status=0*'
}

# Makes every call in an event handler.
in_handlers() {
	kscript_reset a b && kscript a qp Q && kscript b qp Q && kscript b on L CONNECT_REQUEST raccept . qp=Q &&
		listening 0.0.0.0 && kscript a on C ADDR_RESOLVED rroute . &&
		kscript a on C ROUTE_RESOLVED rconnect . qp=Q && kscript a on C ESTABLISHED rdisconnect . &&
		kscript a on C DISCONNECTED return && kscript a rid C && kscript a rresolve C addr=10.77.1.2,7000 &&
		await a 'event C DISCONNECTED status=0' && await b 'event R1 DISCONNECTED status=0' &&
		wait_for 5 is_gone a C
}

is_gone() {
	kscript_fails 'No such file or directory' "$1" rquery "$2"
}

# Expects a reject with private data, and one without; then that a request on the same identifier
# with a new QP is accepted; then a reject because there is no listener.
rejected() {
	kscript_reset a b && kscript a qp Q && kscript b qp Q && listening 0.0.0.0 && resolved 10.77.1.2 &&
		kscript b on L CONNECT_REQUEST rreject . pdata=445566 && kscript a rconnect C qp=Q &&
		await a 'event C REJECTED status=-111 * pdata=445566' &&
		kscript_fails 'Invalid argument' b raccept R1 qp=Q &&
		kscript b off L CONNECT_REQUEST && kscript b on L CONNECT_REQUEST return &&
		kscript a qp Q2 && kscript a rconnect C qp=Q2 && await a 'event C REJECTED status=-111*' &&
		kscript b off L CONNECT_REQUEST && kscript b on L CONNECT_REQUEST raccept . qp=Q &&
		kscript a qp Q3 && kscript a rconnect C qp=Q3 && await a 'event C ESTABLISHED status=0*' &&
		kscript b destroy L && kscript a rid D && kscript a rresolve D addr=10.77.1.2,7000 &&
		await a 'event D ADDR*' && kscript a rroute D && await a 'event D ROUTE*' && kscript a qp Q4 &&
		kscript a rconnect D qp=Q4 && await a 'event D REJECTED status=-111*'
}

# Expects that each wrong call fails, and that the identifier still works.
wrong_calls() {
	kscript_reset a b && kscript a qp Q && kscript b qp Q && listening 0.0.0.0 &&
		kscript_fails 'Invalid argument' b rlisten L && kscript_fails 'Invalid argument' b rconnect L qp=Q &&
		kscript_fails 'Invalid argument' b raccept L qp=Q && kscript_fails 'Invalid argument' b rdisconnect L &&
		kscript a rid C && kscript_fails 'Invalid argument' a rconnect C qp=Q &&
		kscript_fails 'Invalid argument' a rdisconnect C && kscript_fails 'Invalid argument' a rreject C &&
		kscript a destroy C && resolved 10.77.1.2 && kscript_fails 'Invalid argument' a rconnect C &&
		kscript a rconnect C qp=Q && kscript_fails 'Invalid argument' a rconnect C qp=Q &&
		kscript_fails 'Invalid argument' a rdisconnect C && await b 'event L CONNECT_REQUEST new=R1 *' &&
		kscript_fails 'Invalid argument' b raccept R1 && await a 'event C REJECTED *'
}

# --- ends in between ---

# Expects that the ULP can destroy an identifier after each step, and that no event is delivered
# after that.
destroyed_at_each_step() {
	kscript_reset a b || return 1
	kscript a rid I && kscript a destroy I && kscript a rid I && kscript a rbind I addr=10.77.1.1,7000 &&
		kscript a destroy I && kscript a rid I && kscript a rresolve I addr=10.77.1.99 ms=20000 &&
		kscript a destroy I && kscript a rid I && kscript a rresolve I addr=10.77.1.2,7000 &&
		kscript a destroy I && resolved 10.77.1.2 && kscript a destroy C &&
		connecting && kscript a destroy C && kscript_reset a b && connecting || return 1
	await b 'event L CONNECT_REQUEST *' && kscript b destroy "$(field new)" &&
		await a 'event C REJECTED *' && kscript_reset a b && connecting &&
		await b 'event L CONNECT_REQUEST *' && kscript b destroy L && kscript b raccept R1 qp=Q &&
		await a 'event C ESTABLISHED *' && kscript b destroy R1 && await a 'event C DISCONNECTED *' &&
		no_report a 'late *' 200 && no_report b 'late *' 1
}

# Makes C of a begin to connect to L of b.
connecting() {
	kscript a qp Q && kscript b qp Q && listening 0.0.0.0 && resolved 10.77.1.2 && kscript a rconnect C qp=Q
}

# returns_at EVENT: expects that C is destroyed if C's handler returns an error at EVENT.
returns_at() {
	kscript_reset a b && kscript a qp Q && kscript b qp Q && kscript b on L CONNECT_REQUEST raccept . qp=Q &&
		kscript a on C "$1" return && listening 0.0.0.0 && kscript a rid C &&
		{ [[ $1 == ADDR_RESOLVED ]] || kscript a on C ADDR_RESOLVED rroute .; } &&
		{ [[ $1 == ROUTE_RESOLVED ]] || kscript a on C ROUTE_RESOLVED rconnect . qp=Q; } &&
		kscript a rresolve C addr=10.77.1.2,7000 && await a "event C $1 *" && wait_for 5 is_gone a C &&
		no_report a 'late *' 50
}

handlers_give_up() {
	returns_at ADDR_RESOLVED && returns_at ROUTE_RESOLVED && returns_at ESTABLISHED
}

# --- devices ---

# Adds siwc on the dummy netdev c0, the dummy netdev c1, which has an address, but no device, and the dummy netdev c2, which
# is too small for IP.
add_siwc() {
	ip -n a link add c2 type dummy && ip -n a link set c2 mtu 60 && ip -n a link add c0 type dummy && ip -n a address add 10.77.2.1/24 dev c0 &&
		ip -n a link set c0 up && in_a rdma link add siwc type siw netdev c0 &&
		ip -n a link add c1 type dummy && ip -n a address add 10.77.9.1/24 dev c1 && ip -n a link set c1 up
}

# listens_on DEVICE [ADDRESS]: succeeds if the resource table of host b has exactly one listener of
# kscript on DEVICE with this address (default: 0.0.0.0) and port 7000.
listens_on() {
	in_b rdma -j resource show cm_id |
		jq -e --arg dev "$1" --arg addr "${2:-0.0.0.0}:7000" '[.[] | select(.ifname == $dev and
			.state == "LISTEN" and ."src-addr" == $addr and .comm == "kscript")] | length == 1'
}

# Expects that a wildcard listener begins to listen on a device that is added later, and stops
# listening on a device that is removed.
listener_follows() {
	kscript_reset b && listening 0.0.0.0 && kscript b on L CONNECT_REQUEST raccept . qp=Q && kscript b qp Q &&
		ip -n b link add d0 type dummy && ip -n b address add 10.77.3.2/24 dev d0 && ip -n b link set d0 up &&
		kscript b rid C && kscript b rresolve C addr=10.77.3.2,7000 &&
		await b 'event C ADDR_ERROR status=-19' && in_b rdma link add siwd type siw netdev d0 &&
		kscript b rresolve C addr=10.77.3.2,7000 && await b 'event C ADDR_RESOLVED status=0' &&
		kscript b rroute C && await b 'event C ROUTE*' || return 1
	listens_on siwb && listens_on siwd || return 1
	in_b rdma link delete siwd &
	local deletion=$!
	await b 'event C DEVICE_REMOVAL status=0' &&
		kscript_fails 'No such device' b rconnect C qp=Q && no_report b 'event *' 50 &&
		[[ -d /proc/$deletion ]] && kscript b destroy C && wait "$deletion" && ip -n b link del d0
}

# Expects that only a loopback address can be bound without a device, and that its listener listens
# on a device that is added on lo, and on no other device.
loopback_without_device() {
	kscript_reset b && kscript b rid L && kscript b rbind L addr=127.0.0.1,7000 &&
		await b 'rid L dev=none src=127.0.0.1:7000 *' && kscript b rlisten L && kscript b rid K &&
		kscript b rbind K addr=::1,7000 && await b 'rid K dev=none *' && kscript b rid N &&
		kscript b rbind N addr=127.0.0.5 && await b 'rid N dev=none src=127.0.0.5:*' && kscript b rid M &&
		kscript b rresolve M src=127.0.0.1 addr=10.77.1.1,7000 && await b 'event M ADDR_ERROR *' &&
		! listens_on siwb 127.0.0.1 && in_b rdma link add siwlo type siw netdev lo || return
	listens_on siwlo 127.0.0.1 && ! listens_on siwb 127.0.0.1 && kscript b rid C &&
		kscript b rresolve C addr=127.0.0.1,7000 && await b 'event C ADDR_RESOLVED status=0' &&
		kscript b rquery C && await b 'rid C dev=siwlo src=127.0.0.1:* dst=127.0.0.1:7000' &&
		kscript b destroy C && in_b rdma link delete siwlo && ! listens_on siwlo 127.0.0.1
}

# The handler of DEVICE_REMOVAL returns an error, which destroys the identifier. Expects that the
# removal of the device does not wait for the ULP.
removal_without_waiting() {
	kscript_reset a && kscript a rid I && kscript a on I DEVICE_REMOVAL return &&
		kscript a rbind I addr=10.77.2.1,7000 && kscript a rlisten I && in_a rdma link delete siwc &&
		await a 'event I DEVICE_REMOVAL status=0' && wait_for 5 is_gone a I &&
		in_a rdma link add siwc type siw netdev c0
}

address_changes() {
	kscript_reset a && kscript a rid I && kscript a rbind I addr=10.77.2.1,7000 &&
		ip -n a link set c0 address 02:00:00:00:00:77 && await a 'event I ADDR_CHANGE status=0'
}

# Expects that an identifier can create a QP only after it was bound to a device.
has_qp() {
	kscript_reset a && kscript a rid I && kscript_fails 'Invalid argument' a rqp I &&
		kscript a rbind I addr=10.77.1.1 && kscript a rqp I && await a 'rqp I state=INIT port=1' &&
		kscript a rqp I && await a 'rqp I state=INIT port=1' && kscript a rid J &&
		kscript a rbind J addr=10.77.2.1 && kscript_fails 'Invalid argument' a rqp J
}

# Expects that an identifier gets no QP while its connection ends, and that none is left.
has_no_qp_at_the_end() {
	local before
	connected 0.0.0.0 10.77.1.2 && before=$(rdma -j resource show qp | jq length) &&
		kscript a on C DISCONNECTED rqp C && kscript b rdisconnect R1 &&
		await a 'did C DISCONNECTED rqp ret=-22' && [[ $(rdma -j resource show qp | jq length) == "$before" ]]
}

# Adds a bond of two links. With fail_over_mac, the bond has the MAC address of the active link.
add_bond() {
	modprobe bonding max_bonds=0 && ip -n a link add bd type bond mode active-backup fail_over_mac active &&
		add_link 1 && add_link 2 && ip -n a link set bd up && ip -n a address add 10.77.4.1/24 dev bd &&
		in_a rdma link add siwbd type siw netdev bd
}

# add_link NUMBER: adds a dummy netdev to the bond.
add_link() {
	ip -n a link add "bd$1" address "02:00:00:00:0b:0$1" type dummy && ip -n a link set "bd$1" master bd
}

bond_changes_over() {
	kscript_reset a && kscript a rid I && kscript a rbind I addr=10.77.4.1,7000 &&
		await a 'rid I dev=siwbd *' && kscript a rlisten I &&
		ip -n a link set bd type bond active_slave bd2 && await a 'event I ADDR_CHANGE status=0' &&
		no_report a 'event *' 50 && ip -n a link set bd type bond active_slave bd1 &&
		await a 'event I ADDR_CHANGE status=0' && kscript_reset a &&
		in_a rdma link delete siwbd && ip -n a link del bd
}

# --- resource table ---

in_the_table() {
	connected 0.0.0.0 10.77.1.2 || return 1
	in_a rdma -j resource show cm_id |
		jq -e '[.[] | select(.comm == "kscript" and .state == "CONNECT" and .ps == "TCP" and
			.ifname == "siwa" and .port == 1 and ."dst-addr" == "10.77.1.2:7000")] | length == 1' &&
		in_b rdma -j resource show cm_id |
		jq -e '[.[] | select(.comm == "kscript" and .state == "CONNECT" and .lqpn > 0 and
			."src-addr" == "10.77.1.2:7000")] | length == 1' && listens_on siwb
}

# qpns: prints the QP numbers of both ends of the connection.
qpns() {
	rdma -j resource show cm_id | jq -c '[.[] | select(.comm == "kscript" and .state == "CONNECT") | .lqpn]'
}

# Expects that a second connect or accept with another QP fails, and leaves the QP of the connection
# as it is.
keeps_its_qp() {
	local before
	connected 0.0.0.0 10.77.1.2 && kscript a qp P && kscript b qp P || return 1
	before=$(qpns)
	kscript_fails 'Invalid argument' a rconnect C qp=P && kscript_fails 'Invalid argument' b raccept R1 qp=P &&
		jq -e 'length == 2 and all(.[]; . > 0)' <<< "$before" && [[ $(qpns) == "$before" ]]
}

unload_all() {
	close_sessions && unload_krdma
}

ktap_start
[[ -e $modules_dir/kscript.ko ]] || ktap_skip_all 'no kscript.ko'
check 'two hosts with siw' kscript_hosts
check 'another device' add_siwc
check 'bind' binds
check 'bind: errors' bind_errors
check 'bind: which identifiers may share a port' ports
check 'bind: a wildcard covers the same addresses as a socket' wildcards_like_sockets
check 'bind: an identifier for datagrams' datagram_space
check 'bind: ports of port spaces and namespaces are independent' spaces
check 'listeners do not share a port' listeners_do_not_share
check 'ports in use by TCP' with_ports '40000 40001' tcp_ports
check 'chosen ports differ' with_ports '40000 40001' chosen_ports_differ
check 'identifiers that share a port do not listen' with_ports '40000 40000' sharers_do_not_listen
check 'reserved ports' with_ports '40000 40001' reserved_ports
check 'no port is left' with_ports '40000 40000' no_port_left
check 'connections to one peer share a port' with_ports '40000 40000' one_peer
check 'resolution' resolves
check 'resolution: errors' does_not_resolve
check 'resolution: the next hop is resolved' asks_neighbour
check 'resolution: no room for the next hop' no_neighbours
check 'resolution: wildcards' wildcard_destinations
check 'link-local addresses' link_local_hosts
check 'link-local: bind' link_local_binds
check 'link-local: resolution' link_local_resolves
check 'link-local: sources' link_local_sources
check 'link-local: connections' link_local_connects
check 'connections' connects
check 'a connection to itself' to_itself
check 'all calls from handlers' in_handlers
check 'rejections' rejected
check 'calls at the wrong time' wrong_calls
check 'destroyed at each step' destroyed_at_each_step
check 'handlers that return an error' handlers_give_up
check 'a wildcard follows devices' listener_follows
check 'a loopback address without a device' loopback_without_device
check 'removal does not wait for a handler that returns an error' removal_without_waiting
check 'the MAC address of a netdev changes' address_changes
check 'a bond' add_bond
check 'a bond changes its active link' bond_changes_over
check 'a QP of an identifier' has_qp
check 'a QP of an identifier whose connection ends' has_no_qp_at_the_end
check 'the resource table' in_the_table
check 'a connection keeps its QP' keeps_its_qp
check 'everything unloads' unload_all
ktap_end
