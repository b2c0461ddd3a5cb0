#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the MPA handshake: the result for two sides with different settings, with verified data over
# each connection; rejected combinations; the timeout and the limits for peers that send no request.
#
# timeout: 300

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"
. "$(dirname "$0")/../lib_kscript.sh"

declare -A before=()

fresh_counters() {
	echo 0 > "/sys/class/infiniband/siwa/ports/1/hw_counters/lifespan" &&
		echo 0 > "/sys/class/infiniband/siwb/ports/1/hw_counters/lifespan"
}

# remember NAME...: stores the values of these counters of both devices.
remember() {
	local name
	for name; do
		before[siwa.$name]=$(counter siwa "$name")
		before[siwb.$name]=$(counter siwb "$name")
	done
}

# grown DEVICE NAME: prints by how much the counter has grown since the last call of `remember`.
grown() {
	echo $(($(counter "$1" "$2") - ${before[$1.$2]}))
}

# grew DEVICE NAME NUMBER: succeeds if the counter has grown by exactly NUMBER since remember.
grew() {
	[[ $(grown "$1" "$2") == "$3" ]] || { echo "$1 $2 grew by $(grown "$1" "$2"), not $3"; return 1; }
}

# traffic [OPTION...]: opens one connection with messages in both directions, and verifies every
# byte.
traffic() {
	serve traffic || return 1
	client --op ping --size 3001 --count 3 --verify "$@"
	local status=$?
	stop_server traffic && return "$status"
}

# opened_by KIND: opens a connection; succeeds if its only ready-to-receive message is of this kind,
# and consumed no receive.
opened_by() {
	local writes=0 reads=0
	case $1 in
	write) writes=1 ;;
	read) reads=1 ;;
	esac
	remember tx_writes tx_read_requests tx_read_responses tx_sends rx_sends
	traffic || return 1
	grew siwa tx_writes "$writes" && grew siwa tx_read_requests "$reads" &&
		grew siwb tx_read_responses "$reads" && grew siwb tx_writes 0 &&
		grew siwb tx_read_requests 0 && grew siwb rx_sends "$(grown siwa tx_sends)" || return 1
	sends=$(grown siwa tx_sends)
}

# Expects that with the kind "send", siwa sends one Send more than with the other kinds.
every_kind() {
	local with_send
	both rtr send && opened_by send || return 1
	with_send=$sends
	both rtr write && opened_by write || return 1
	((sends == with_send - 1)) || { echo "$sends Sends, with a Send first $with_send"; return 1; }
	both rtr read && opened_by read || return 1
	((sends == with_send - 1)) || { echo "$sends Sends, with a Send first $with_send"; return 1; }
}

# Expects that the ready-to-receive message is of the first of the kinds write, send, read that both
# sides have, whatever the order in their settings.
preferred() {
	setting siwa rtr 'read send write' && setting siwb rtr 'read write' && opened_by write &&
		setting siwa rtr 'read send' && setting siwb rtr 'send read' && opened_by send &&
		setting siwa rtr 'read' && setting siwb rtr 'write send read' && opened_by read
}

nothing_in_common() {
	remember rejects_received rejects_sent
	setting siwa rtr write && setting siwb rtr send && serve traffic || return 1
	! client --op ping --count 1 || return 1
	stop_server traffic && grew siwa rejects_received 1 && grew siwb rejects_sent 1 && both rtr 'write send read'
}

# every_combination REVISION [OPTION...]: tests CRC on and off on each side.
every_combination() {
	local revision=$1 a b
	shift
	both mpa_revision "$revision" || return 1
	for a in 0 1; do
		for b in 0 1; do
			echo "CRC $a and $b"
			setting siwa crc "$a" || return 1
			setting siwb crc "$b" || return 1
			traffic "$@" || return 1
		done
	done
	both mpa_revision 2 && both crc 1
}

# every_marker REVISION [OPTION...]: tests markers on and off in each direction, with and without
# CRC.
every_marker() {
	local revision=$1 a b crc
	shift
	both mpa_revision "$revision" || return 1
	for a in 0 1; do
		for b in 0 1; do
			for crc in 0 1; do
				echo "markers $a and $b, CRC $crc"
				setting siwa markers "$a" && setting siwb markers "$b" && both crc "$crc" || return 1
				marked_traffic "$a" "$b" "$@" || return 1
			done
		done
	done
	both mpa_revision 2 && both crc 1 && both markers 0
}

# marked_traffic A B [OPTION...]: A and B are 1 if host a or b should get markers, else 0. Succeeds
# if only these sides get markers, and the receiver counts each marker that was sent.
marked_traffic() {
	local to_a=$1 to_b=$2
	shift 2
	remember tx_markers rx_markers
	traffic "$@" || return 1
	is_some "$(grown siwa rx_markers)" "$to_a" && is_some "$(grown siwb rx_markers)" "$to_b" &&
		grew siwa tx_markers "$(grown siwb rx_markers)" &&
		grew siwb tx_markers "$(grown siwa rx_markers)"
}

# is_some NUMBER 0|1: with 1, succeeds if NUMBER is above 0; with 0, succeeds if it is not.
is_some() {
	(($1 > 0 == $2)) || { echo "$1 markers"; return 1; }
}

# Tests each kind of first message with markers, because the stream starts with a marker before that
# message.
marked_openings() {
	local kind
	both markers 1 || return 1
	for kind in write send read; do
		both rtr "$kind" && opened_by "$kind" || return 1
	done
	both rtr 'write send read' && both markers 0
}

# every_size MTU: runs each operation with several sizes, with markers in both directions, at this
# MTU.
every_size() {
	local op size
	in_a ip link set va mtu "$1" && in_b ip link set vb mtu "$1" && both markers 1 && serve sizes || return 1
	for op in send write read; do
		for size in 1 3 488 511 "$1" 4097 300001; do
			client --op "$op" --size "$size" --count 3 --depth 3 --verify ||
				{ echo "$op $size"; return 1; }
		done
	done
	stop_server sizes && both markers 0
}

# large_fpdus A B FPDUS: sends three Writes, and answers three Reads, of 300001 bytes, with the setting large_fpdus of
# siwa and siwb at A and B. Expects that each side sends between FPDUS / 2 and FPDUS FPDUs.
large_fpdus() {
	local op sent
	setting siwa large_fpdus "$1" && setting siwb large_fpdus "$2" && serve large || return 1
	for op in write read; do
		remember tx_packets
		client --op "$op" --size 300001 --count 3 --depth 3 --verify || return 1
		[[ $op == write ]] && sent=$(grown siwa tx_packets) || sent=$(grown siwb tx_packets)
		((sent <= $3 && sent > $3 / 2)) || { echo "$op: $sent FPDUs"; return 1; }
	done
	stop_server large && both large_fpdus 1
}

# one_sided A B: expects that data moves if only one of siwa and siwb has peer-to-peer mode, to
# which A and B are set.
one_sided() {
	setting siwa peer_to_peer "$1" && setting siwb peer_to_peer "$2" && traffic --client-first &&
		both peer_to_peer 1
}

# --- peers of revision 1 ---

old_peer_port=7001

# old_peer HOW: acts as a peer of revision 1 on one connection, which is stdin and stdout. HOW is
# the peer's reaction to a request of revision 2: the peer closes (fin), resets (rst), or rejects in
# revision 1 (reject) the connection. The peer accepts a request of revision 1; the reply has the
# private data of the request.
old_peer() {
	local bytes
	read -ra bytes < <(head -c 20 | od -An -v -tu1 -w20)
	if ((bytes[17] != 1)); then
		# With rst, the rest of the request stays unread, so that close() sends a reset.
		[[ $1 == rst ]] || timeout 0.3 cat > /dev/null
		[[ $1 != reject ]] || printf 'MPA ID Rep Frame\x20\1\0\0'
		return
	fi
	printf 'MPA ID Rep Frame\0\1\0%b' "\\x$(printf %02x "${bytes[19]}")"
	cat
}

old_peer_listens() {
	[[ -n $(in_b ss -Hltn "sport = :$old_peer_port") ]]
}

# fallback HOW: connects to `old_peer HOW`, which refuses revision 2. Expects that the second attempt,
# with revision 1, succeeds.
fallback() {
	local peer status=0
	remember mpa_fallbacks connects connect_errors
	ip netns exec b busybox nc -ll -p "$old_peer_port" -e "$0" old_peer "$1" &
	peer=$!
	wait_for 10 old_peer_listens
	server_port="$old_peer_port" client --op connect --count 1 || status=1
	kill "$peer"
	wait "$peer"
	grew siwa mpa_fallbacks 1 && grew siwa connects 1 && grew siwa connect_errors 0 && return "$status"
}

no_fallback() {
	setting siwa mpa_fallback 0 || return 1
	! fallback fin
	local status=$?
	grew siwa mpa_fallbacks 0 && grew siwa connect_errors 1 && setting siwa mpa_fallback 1 &&
		return "$status"
}

if [[ ${1:-} == old_peer ]]; then
	old_peer "$2"
	exit
fi

# --- peers that are silent ---

# start_silent_peers NUMBER [PORT]: starts the process $silent_pid, which opens TCP connections and
# never sends anything.
start_silent_peers() {
	{ close_sessions; exec ip netns exec a bash -c "for ((i = 0; i < $1; i++)); do
		exec {fd}<> /dev/tcp/$server_addr/${2:-$server_port} || exit 1; done; sleep 60"; } &
	silent_pid=$!
}

end_silent_peers() {
	kill "$silent_pid" 2> /dev/null
	wait "$silent_pid"
	true
}

timeouts_are() {
	grew siwb handshake_timeouts "$1"
}

deadline() {
	remember handshake_timeouts
	setting siwb handshake_ms 500 && serve traffic || return 1
	start_silent_peers 3
	wait_for 5 timeouts_are 3
	local status=$?
	end_silent_peers
	setting siwb handshake_ms 10000 && stop_server traffic && return "$status"
}

drops_are() {
	grew siwb backlog_drops "$1"
}

# Opens five half-open connections with a limit of two. Expects that a connection with a request
# still succeeds.
half_open() {
	local status=0
	remember backlog_drops
	setting siwb half_open 2 && serve traffic || return 1
	start_silent_peers 5
	wait_for 5 drops_are 3 || status=1
	client --op ping --count 1 --verify || status=1
	drops_are 4 || status=1
	end_silent_peers
	setting siwb half_open 8192 && stop_server traffic && return "$status"
}

# Expects that each listener may have at least 64 half-open connections, however small its backlog
# is.
half_open_each() {
	local status=0
	remember backlog_drops
	serve tight --backlog 1 || return 1
	start_silent_peers 67
	wait_for 10 drops_are 3 || status=1
	end_silent_peers
	stop_server tight && return "$status"
}

# Fills the device's limit with connections to another port. Expects that a connection still succeeds.
half_open_ports() {
	local status=0
	remember backlog_drops
	setting siwb half_open 4 && serve traffic && serve other --port 7001 || return 1
	start_silent_peers 5 7001
	wait_for 5 drops_are 1 || status=1
	client --op ping --count 1 --verify || status=1
	drops_are 2 || status=1
	end_silent_peers
	setting siwb half_open 8192 && stop_server other && stop_server traffic && return "$status"
}

# --- the order of requests ---

# request NUMBER: prints an MPA request of revision 1 with this private data, of two bytes.
request() {
	local bytes
	printf -v bytes '\\x%02x\\x%02x' $(($1 >> 8)) $(($1 & 255))
	# shellcheck disable=SC2059 # the format has the bytes
	printf "MPA ID Req Frame\\x40\\1\\0\\2$bytes"
}

# requests NUMBER: opens so many connections to $server_addr, and sends a request on each but the
# first. Sends the request of the first when a line comes.
requests() {
	local fd first i
	exec {first}<> "/dev/tcp/$server_addr/$server_port" || return
	for ((i = 2; i <= $1; i++)); do
		exec {fd}<> "/dev/tcp/$server_addr/$server_port" && request "$i" >&"$fd" || return
	done
	echo sent
	read -r _ && request 1 >&"$first" && read -r _
}

in_order() {
	local i
	for ((i = 1; i <= $1; i++)); do
		await b 'event L CONNECT_REQUEST *' || return
		[[ $(field pdata) == "$(printf %04x "$i")" ]] || { echo "number $i: $matched_report"; return 1; }
	done
}

# Host a's first connection is silent, and 300 others wait for it. Expects that a request from
# another address is delivered meanwhile, and that the requests of host a come in order. A silent
# connection has a minute, because a busy machine needs long for the others.
requests_of_two_hosts() {
	local status=0 other many_pid
	modprobe kscript && open_session b siwb && setting siwb order_ms 10000 && setting siwb handshake_ms 60000 &&
		ip -n a address add 10.77.2.3/24 dev va && ip -n b address add 10.77.2.2/24 dev vb &&
		kscript b listen L port="$server_port" backlog=400 || return
	# The peers must not have the session's file, which would keep kscript in use as long as one of their children lives.
	coproc many { close_sessions; in_a "$0" requests "$server_addr" 301; }
	many_pid=$!
	read -r -t $((30 * slow)) _ <&"${many[0]}" || return
	exec {other}> >(close_sessions; in_a "$0" requests 10.77.2.2 1)
	echo >&"$other"
	await b 'event L CONNECT_REQUEST * remote=10.77.2.3:*' || status=1
	no_report b 'event L *' 100 || status=1
	echo >&"${many[1]}"
	((status)) || in_order 301 || status=1
	exec {other}>&-
	kill "$many_pid"
	kscript_reset b && close_session b && setting siwb order_ms 50 && setting siwb handshake_ms 10000 && return "$status"
}

# A peer from another address connects, then host a fills the limit. Expects that host a's own
# connections are reset, and that the request of the first peer is delivered when it comes.
half_open_hosts() {
	local status=0 slow_pid
	modprobe kscript && open_session b siwb && setting siwb half_open 4 && setting siwb handshake_ms 60000 &&
		remember backlog_drops handshake_timeouts && kscript b listen L port="$server_port" || return
	coproc slow_peer { close_sessions; in_a "$0" requests 10.77.2.2 1; }
	slow_pid=$!
	read -r -t $((30 * slow)) _ <&"${slow_peer[0]}" || return
	start_silent_peers 10
	wait_for 5 drops_are 7 || status=1
	echo >&"${slow_peer[1]}"
	await b 'event L CONNECT_REQUEST * remote=10.77.2.3:*' || status=1
	timeouts_are 0 || status=1
	end_silent_peers
	kill "$slow_pid"
	kscript_reset b && close_session b && setting siwb half_open 8192 && setting siwb handshake_ms 10000 &&
		return "$status"
}

# --- sockets that belong to somebody else ---

# foreign [PARAMETER]: expects that connections whose sockets somebody else has taken are reset, counted and logged, and
# that connections work afterwards.
foreign() {
	local status=0
	mark_dmesg
	remember foreign_sockets
	modprobe kt_foreign port="$server_port" "$@" && serve main || return
	! client --op ping --count 1 || { echo 'the connection was not refused'; status=1; }
	(($(grown siwb foreign_sockets) >= 1)) || { echo 'not counted'; status=1; }
	dmesg_since | grep 'siwb: connection from 10.77.1.1:.* reset: its socket belongs to somebody else' || status=1
	wait_for 10 rmmod kt_foreign || return
	client --op ping --count 1 --verify && stop_server main && return "$status"
}

# --- what peers can make a socket hold ---

# held NAME: prints a value of the only open connection of host b's port: r, the received bytes that
# the socket holds, with TCP's overhead; or rb, the limit of r.
held() {
	in_b ss -Htnm state established "sport = :$server_port" | sed -n "s/.*[(,]$1\([0-9]*\),.*/\1/p"
}

holds() {
	[[ $(held r) -gt $1 ]]
}

# early_bytes: opens a connection to $server_addr and sends a request. When a line comes on stdin,
# also sends 300 kB without waiting for the reply. The protocol forbids sending data before the
# reply.
early_bytes() {
	local fd
	exec {fd}<> "/dev/tcp/$server_addr/$server_port" && request 1 >&"$fd" && read -r _ &&
		head -c 300000 /dev/zero >&"$fd"
	read -r _
}

# Expects that an endpoint takes at most 16 KiB and a last segment before the reply.
early_bytes_are_bounded() {
	local status=0 peer_pid
	modprobe kscript && open_session b siwb && kscript b listen L port="$server_port" || return
	coproc peer { close_sessions; in_a "$0" early_bytes "$server_addr"; }
	peer_pid=$!
	await b 'event L CONNECT_REQUEST *' && echo >&"${peer[1]}" && wait_for 10 holds 10000 || status=1
	no_report b 'event *' 300 || status=1
	echo "holds $(held r) of $(held rb) bytes"
	! holds 24000 || status=1
	kill "$peer_pid"
	kscript_reset b && close_session b && return "$status"
}

has_no_connection() {
	[[ -z $(in_b ss -Htn "sport = :$server_port") ]]
}

# The peer does not close after the reject, but sends. Expects that the connection is reset before the time for its FIN is
# over.
refused_bytes_are_reset() {
	local status=0 peer_pid
	modprobe kscript && open_session b siwb && kscript b listen L port="$server_port" || return
	coproc peer { close_sessions; in_a "$0" early_bytes "$server_addr" 2>&1; }
	peer_pid=$!
	await b 'event L CONNECT_REQUEST new=R1 *' && kscript b reject R1 || status=1
	! has_no_connection || { echo 'the connection ended too early'; status=1; }
	echo >&"${peer[1]}"
	wait_for 3 has_no_connection || { in_b ss -tnoi; status=1; }
	has_ended "$peer_pid" && { echo 'the peer has closed'; status=1; }
	kill "$peer_pid"
	kscript_reset b && close_session b && return "$status"
}

# Expects that an open connection has a receive buffer of the size that TCP chooses.
stream_has_usual_buffer() {
	local usual buffer
	serve usual && start_client --op send --size 100000 && traffic_flows || return
	usual=$(in_b sysctl -n net.ipv4.tcp_rmem | cut -f 2)
	buffer=$(held rb)
	stop_client && stop_server usual || return
	echo "buffer of $buffer bytes, usual are $usual"
	((buffer >= usual))
}

case ${1:-} in
requests)
	server_addr=$2 requests "$3"
	exit ;;
early_bytes)
	server_addr=$2 early_bytes
	exit ;;
esac

ktap_start
check 'two hosts with siw' siw_hosts
check 'counters without caching' fresh_counters
check 'each kind of ready-to-receive message' every_kind
check 'the preferred kind of both sides' preferred
check 'no kind in common is a reject' nothing_in_common
check 'revision 2, CRC on either side' every_combination 2
check 'revision 1, CRC on either side' every_combination 1 --client-first
check 'markers in each direction' every_marker 2
check 'markers in each direction in revision 1' every_marker 1 --client-first
check 'a marker before each ready-to-receive message' marked_openings
check 'large FPDUs if both sides want them' large_fpdus 1 1 80
check 'no large FPDUs if the accepting side alone wants them' large_fpdus 0 1 720
check 'no large FPDUs if the connecting side alone wants them' large_fpdus 1 0 720
for mtu in 576 1499 9001; do
	check "markers, all sizes, an MTU of $mtu" every_size "$mtu"
done
check 'peer-to-peer mode on the accepting side only' one_sided 0 1
check 'peer-to-peer mode on the connecting side only' one_sided 1 0
check 'a peer of revision 1 that closes' fallback fin
check 'a peer of revision 1 that resets' fallback rst
check 'a peer of revision 1 that rejects' fallback reject
check 'no fallback when it is off' no_fallback
check 'silent peers time out' deadline
check 'half-open connections are bounded' half_open
check 'half-open connections of a listener are bounded' half_open_each
check 'half-open connections of a port do not shut out another port' half_open_ports
check 'requests of one host come in order, and do not hold up other hosts' requests_of_two_hosts
check 'half-open connections of a host do not shut out another host' half_open_hosts
check 'a socket with data of somebody else is refused' foreign
check 'a socket with an upper layer protocol is refused' foreign ulp=1
check 'a peer that does not wait for the reply fills no large buffer' early_bytes_are_bounded
check 'a refused peer that sends is reset' refused_bytes_are_reset
check 'the buffer of an open connection is as large as usual' stream_has_usual_buffer
check 'everything unloads' unload_krdma
ktap_end
