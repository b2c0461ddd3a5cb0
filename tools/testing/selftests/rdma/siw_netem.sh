#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Links that lose, reorder, double, delay and damage packets, windows down to one byte, links that go down
# and up: what arrives is what was sent, also when the sender overwrites its buffers the instant a
# completion lets it, and damage that TCP's checksum does not see is never delivered as data.
#
#	namespace a                            namespace b
#	   va 10.77.1.1/24  --[faults, both  --  vb 10.77.1.2/24
#	   client               ways]            server
#
# timeout: 150

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_kulp.sh"

# Packets as on a wire, so that each meets the fault alone; and a TCP that does not sleep over it.
wire() {
	local host dev
	for host in a b; do
		dev=v$host
		ip netns exec "$host" ethtool -K "$dev" tso off gso off gro off || return
		quick_retransmits "$host"
	done
}

# The route of the address goes with the link, and comes back without the option.
quick_retransmits() {
	ip -n "$1" route change 10.77.1.0/24 dev "v$1" scope link rto_min 20ms
}

# netem OPTION...: on both ends, so that data and acknowledgments meet it.
netem() {
	in_a tc qdisc replace dev va root netem "$@" && in_b tc qdisc replace dev vb root netem "$@"
}

no_netem() {
	in_a tc qdisc del dev va root && in_b tc qdisc del dev vb root
}

# Each byte of each operation is compared; with --scribble each buffer is overwritten at once.
traffic() {
	local few=(--qps 4 --count "$1" --size "$2" --depth 8 --verify)
	client --op write "${few[@]}" --scribble && client --op send "${few[@]}" --scribble &&
		client --op read "${few[@]}" && client --op ping "${few[@]}"
}

# faulty NAME NETEM-OPTION...
faulty() {
	local name=$1
	shift
	check "$name" netem "$@"
	check "$name: every byte is right" traffic 24 20000
}

set_crc() {
	setting siwa crc "$1" && setting siwb crc "$1"
}

# --- narrow windows ---

# set_buffers RECEIVE SEND SCALE: what the sockets of connections to come get. Of the receive buffer the
# peer is offered half with SCALE 1, and one part in 2^N with -N.
set_buffers() {
	local host
	for host in a b; do
		ip netns exec "$host" sysctl -qw "net.ipv4.tcp_rmem=$1 $1 $1" \
			"net.ipv4.tcp_wmem=$2 $2 $2" "net.ipv4.tcp_adv_win_scale=$3" || return
	done
}

# narrow WINDOW COUNT SIZE SCALE
narrow() {
	check "windows of $1 bytes" set_buffers 4096 8192 "$4"
	check "windows of $1 bytes: a server" serve narrow
	check "windows of $1 bytes: every byte is right" traffic "$2" "$3"
	check "windows of $1 bytes: the server saw no error" stop_server narrow
}

# Traffic without end from host a, for a fault that comes in the middle of it.
start_traffic() {
	serve traffic &&
		start_client --op "$1" --size 20000 --depth 8 --verify --timeout 30000 "${@:2}" && more_arrives
}

has_received() {
	(($(counter siwb rx_bytes) >= $1))
}

# More arrives, and as reads are asked for one by one, their data, too.
more_arrives() {
	wait_for 20 has_received $(($(counter siwb rx_bytes) + 1000))
}

# The traffic outlived the fault, goes on, and was right.
end_traffic() {
	local status=0
	more_arrives && kill -0 "$client_pid" || status=1
	stop_client
	cat "$server_dir/client"
	stop_server traffic || status=1
	! grep -q 'Bad message' "$server_dir/client" || status=1
	return "$status"
}

# Whatever the sockets would take, each segment of HOST says that one byte may come; how many of one byte
# come then is counted. Without a scale and beside time stamps.
one_byte_window() {
	ip netns exec "$1" nft -f - <<-EOF
		table inet window {
			chain out {
				type filter hook output priority 0
				tcp flags & (syn | rst) == 0 tcp window set 1
			}
			chain in {
				type filter hook input priority 0
				ip protocol tcp ip length 53 counter
			}
		}
	EOF
}

single_bytes() {
	local text
	text=$(ip netns exec "$1" nft list chain inet window in)
	[[ $text =~ packets\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= $2))
}

# through_one_byte_window SINK OP [OPTION...]: the data go to the host SINK.
through_one_byte_window() {
	local sink=$1 status=0
	start_traffic "${@:2}" || return
	one_byte_window "$sink" && wait_for 20 single_bytes "$sink" 5 || status=1
	ip netns exec "$sink" nft delete table inet window
	end_traffic && return "$status"
}

no_window_scaling() {
	in_a sysctl -qw net.ipv4.tcp_window_scaling=0 && in_b sysctl -qw net.ipv4.tcp_window_scaling=0
}

# --- damage that TCP does not see ---

# Between these hosts TCP computes no checksum. damage HOST: now and then four bytes of a packet that goes
# out there, well within the data, become others.
damage() {
	local port=dport
	[[ $1 == a ]] || port=sport
	ip netns exec "$1" nft -f - <<-EOF
		table inet faults {
			chain out {
				type filter hook output priority 0
				tcp $port $server_port meta length > 1000 limit rate 2/second burst 1 packets \
					@th,1600,32 set 0xdeadbeef counter
			}
		}
	EOF
}

stop_damage() {
	ip netns exec "$1" nft delete table inet faults
}

# damage_detected HOST SINK OP: traffic from HOST, damaged, ends with a CRC error on the other side.
damage_detected() {
	local host=$1 sink=$2 errors status=0
	errors=$(counter "$sink" rx_crc_errors)
	serve damaged || return
	start_client --op "$3" --size 20000 --depth 8 --verify
	traffic_flows && damage "$host" && wait_for 20 has_ended "$client_pid" || status=1
	stop_damage "$host"
	stop_client
	cat "$server_dir/client"
	stop_server damaged || { echo 'the server was given wrong data'; return 1; }
	! grep -q 'Bad message' "$server_dir/client" || { echo 'the client was given wrong data'; return 1; }
	(($(counter "$sink" rx_crc_errors) > errors)) || { echo 'no CRC error counted'; return 1; }
	return "$status"
}

# --- a link that goes down and up ---

flaps() {
	local i
	for i in 1 2 3; do
		ip -n "$1" link set "v$1" down
		sleep 0.1
		ip -n "$1" link set "v$1" up && quick_retransmits "$1"
		sleep 0.3
	done
}

# flapping HOST OP [OPTION...]: the link of that end.
flapping() {
	start_traffic "${@:2}" || return
	flaps "$1" && end_traffic
}

fresh_counters() {
	echo 0 | tee /sys/class/infiniband/siw[ab]/ports/1/hw_counters/lifespan
}

ktap_start
check 'two hosts with siw' siw_hosts
check 'a wire' wire
check 'counters that are read anew' fresh_counters
check 'a server' serve main
faulty 'packets are lost' loss 2%
faulty 'packets overtake each other' delay 3ms reorder 50%
faulty 'packets come twice' duplicate 20%
faulty 'headers are damaged' corrupt 2%
faulty 'all of it, and late' delay 2ms 2ms loss 1% duplicate 5% reorder 20%
check 'the server saw no error' stop_server main

check 'CRC off' set_crc 0
check 'a server without CRC' serve nocrc
faulty 'all of it, CRC off' delay 2ms 2ms loss 1% duplicate 5% reorder 20% corrupt 1%
check 'the server without CRC saw no error' stop_server nocrc
check 'CRC on' set_crc 1
check 'a good link' no_netem

narrow 2048 8 5000 1
narrow 256 8 2000 -4
check 'windows as usual' set_buffers 131072 65536 1
check 'windows in bytes' no_window_scaling
check 'writes into windows of one byte' through_one_byte_window b write --scribble
check 'reads into windows of one byte' through_one_byte_window a read

for op in write send; do
	check "damaged data of $op is found out" damage_detected a siwb "$op"
done
check 'damaged data of read is found out' damage_detected b siwa read

check 'the link goes down and up under writes' flapping a write --scribble
check 'the link goes down and up under reads' flapping b read

check 'a server in the end' serve last
check 'all is well' traffic 8 20000
check 'it saw no error' stop_server last
expect_output 'no protocol error' 0 counter siwb rx_protocol_errors
check 'everything unloads' unload_krdma
ktap_end
