#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests siw on links that lose, reorder, duplicate, delay and damage packets; with receive windows
# down to one byte; and on links that go down and up. Expects that the received data is the sent
# data, even if the sender overwrites each buffer right after its completion, and that damage that
# TCP's checksum does not detect is never delivered as data.
#
#	namespace a                            namespace b
#	   va 10.77.1.1/24  --[faults, both  --  vb 10.77.1.2/24
#	   client               ways]            server
#
# timeout: 150

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

# Turns off segmentation offload, so that a fault hits single packets, and shortens TCP's retransmission timeout.
wire() {
	local host dev
	for host in a b; do
		dev=v$host
		ip netns exec "$host" ethtool -K "$dev" tso off gso off gro off || return
		quick_retransmits "$host"
	done
}

# quick_retransmits HOST: shortens TCP's retransmission timeout. The timeout is an option of the
# route. When the link goes down, the route is removed, and comes back without the option. So this
# function has to be called again when the link has been down.
quick_retransmits() {
	ip -n "$1" route change 10.77.1.0/24 dev "v$1" scope link rto_min 20ms
}

# traffic COUNT SIZE: runs each operation, and verifies every byte; --scribble overwrites each
# buffer right after its completion.
traffic() {
	local few=(--qps 4 --count "$1" --size "$2" --depth 8 --verify)
	client --op write "${few[@]}" --scribble && client --op send "${few[@]}" --scribble &&
		client --op read "${few[@]}" && client --op ping "${few[@]}"
}

# faulty NAME NETEM-OPTION...: expects that every byte is right with these faults on the link.
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

# set_buffers RECEIVE SEND SCALE: sets the buffers of new sockets to RECEIVE and SEND bytes. TCP
# offers the peer half of the receive buffer with SCALE 1, and 1/2^N of it with SCALE -N.
set_buffers() {
	local host
	for host in a b; do
		ip netns exec "$host" sysctl -qw "net.ipv4.tcp_rmem=$1 $1 $1" \
			"net.ipv4.tcp_wmem=$2 $2 $2" "net.ipv4.tcp_adv_win_scale=$3" || return
	done
}

# narrow WINDOW COUNT SIZE SCALE: transfers COUNT messages of SIZE bytes through receive windows of
# WINDOW bytes. SCALE is the tcp_adv_win_scale that gives such windows.
narrow() {
	check "windows of $1 bytes" set_buffers 4096 8192 "$4"
	check "windows of $1 bytes: a server" serve narrow
	check "windows of $1 bytes: every byte is right" traffic "$2" "$3"
	check "windows of $1 bytes: the server saw no error" stop_server narrow
}

# start_traffic OP [OPTION...]: starts endless traffic from host a, during which a fault happens.
start_traffic() {
	serve traffic &&
		start_client --op "$1" --size 20000 --depth 8 --verify --timeout 30000 "${@:2}" && more_arrives
}

has_received() {
	(($(counter siwb rx_bytes) >= $1))
}

# Waits until siwb has received 1000 bytes more. For reads, siwb receives the read requests, which
# follow each other only when data has arrived at siwa.
more_arrives() {
	wait_for 20 has_received $(($(counter siwb rx_bytes) + 1000))
}

# Stops the traffic; fails if it had ended, or if data was wrong.
end_traffic() {
	local status=0
	more_arrives && kill -0 "$client_pid" || status=1
	stop_client
	cat "$server_dir/client"
	stop_server traffic || status=1
	! grep -q 'Bad message' "$server_dir/client" || status=1
	return "$status"
}

# one_byte_window HOST: rewrites the window in each segment that HOST sends to one byte, and counts
# the segments with one byte of payload that arrive (53 bytes with IP and TCP headers and
# timestamps). Window scaling must be off.
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

# through_one_byte_window SINK OP [OPTION...]: runs OP while host SINK, which receives the data,
# offers a window of one byte.
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

# --- damage that TCP does not detect ---

# damage HOST: changes four bytes in the payload of some packets that HOST sends. TCP does not detect that, because a
# veth computes no checksum.
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

# damage_detected HOST SINK OP: expects that damaged traffic from HOST ends with a CRC error of the
# device SINK.
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

# flapping HOST OP [OPTION...]: takes the link of HOST down and up repeatedly under traffic.
flapping() {
	start_traffic "${@:2}" || return
	flaps "$1" && end_traffic
}

fresh_counters() {
	echo 0 | tee /sys/class/infiniband/siw[ab]/ports/1/hw_counters/lifespan
}

ktap_start
check 'two hosts with siw' siw_hosts
check 'single packets, quick retransmissions' wire
check 'counters without caching' fresh_counters
check 'a server' serve main
faulty 'packets are lost' loss 2%
faulty 'packets are reordered' delay 3ms reorder 50%
faulty 'packets are duplicated' duplicate 20%
faulty 'packets are damaged' corrupt 2%
faulty 'loss, duplicates, reordering and delay' delay 2ms 2ms loss 1% duplicate 5% reorder 20%
check 'FPDUs as long as segments' both large_fpdus 0
faulty 'loss, duplicates, reordering and delay, short FPDUs' delay 2ms 2ms loss 1% duplicate 5% reorder 20%
check 'large FPDUs' both large_fpdus 1
check 'the server saw no error' stop_server main

check 'CRC off' set_crc 0
check 'a server without CRC' serve nocrc
faulty 'loss, duplicates, reordering, delay and damage, CRC off' \
	delay 2ms 2ms loss 1% duplicate 5% reorder 20% corrupt 1%
check 'the server without CRC saw no error' stop_server nocrc
check 'CRC on' set_crc 1
check 'no faults' no_netem

narrow 2048 8 5000 1
narrow 256 8 2000 -4
check 'windows of usual size' set_buffers 131072 65536 1
check 'window scaling off' no_window_scaling
check 'writes into windows of one byte' through_one_byte_window b write --scribble
check 'reads into windows of one byte' through_one_byte_window a read

for op in write send; do
	check "damaged data of $op is detected" damage_detected a siwb "$op"
done
check 'damaged data of read is detected' damage_detected b siwa read

check 'the link goes down and up under writes' flapping a write --scribble
check 'the link goes down and up under reads' flapping b read

check 'a last server' serve last
check 'traffic without faults' traffic 8 20000
check 'the last server saw no error' stop_server last
expect_output 'no protocol error' 0 counter siwb rx_protocol_errors
check 'everything unloads' unload_krdma
ktap_end
