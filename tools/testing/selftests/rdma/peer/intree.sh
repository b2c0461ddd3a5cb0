#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the interoperability of krdma with the kernel's own soft-iWARP and RDMA stack: every
# operation in both directions with verified content, CRC on and off, both MPA revisions, rejects,
# faults, and abrupt ends of either side.
#
#	machine a: krdma                 machine b: in-tree siw, the distribution's ib_core and iw_cm
#	   eth0 10.77.0.1, fd77::1  ------  eth0 10.77.0.2, fd77::2
#
# The test avoids these limits and bugs of the in-tree siw (see Documentation/siw.rst):
#   - siw sends no ready-to-receive message, so its clients have to send first;
#   - siw sometimes answers a READ of 0 bytes with a Terminate;
#   - siw takes a correct FPDU for one with a wrong CRC if a TCP segment ends between its pad bytes and its CRC, so the
#     messages of connections whose packets may be lost have lengths without pad bytes, which are multiples of 4;
#   - a region of siw has 256 pages at most, and a READ of siw has one SGE at most;
#   - siw ignores a SEND that invalidates an unknown STag;
#   - the ULP of siw sees our reject as a reset;
#   - the in-tree iw_cm hits a kernel BUG if a connection in peer-to-peer mode ends before siw has handled the first
#     message, so connections that end at once are made without that mode.
#
# timeout: 400

. "$(dirname "$0")/../lib.sh"

kulp=${KRDMA:-/krdma}/bin/kulp
server_pid='' client_pid='' server_addr=''
sizes=(1 3 4 1427 1428 1429 4097 65536 100001)
verified=0

# with_server NAME HOST FUNCTION [SERVER-OPTION...]: runs a server on HOST, and FUNCTION NAME on the
# other machine.
with_server() {
	local name=$1 host=$2 function=$3
	shift 3
	server_addr=${address[$host]}
	if [[ $HOST == "$host" ]]; then
		check "$name: a server" serve "$@"
		barrier "$name"
		barrier "$name.end" 120
		check "$name: the server saw no error" stop_server
	else
		barrier "$name"
		"$function" "$name"
		barrier "$name.end" 120
	fi
}

serve() {
	"$kulp" serve --dev siw0 --port 7000 --addr "$server_addr" "$@" > /tmp/server 2>&1 &
	server_pid=$!
	wait_for 10 grep -q listening /tmp/server || { cat /tmp/server; return 1; }
}

stop_server() {
	local status=0
	kill "$server_pid"
	wait "$server_pid" || status=$?
	cat /tmp/server
	return "$status"
}

client() {
	local first=()
	[[ $HOST == a ]] || first=(--client-first)
	timeout 60 "$kulp" run --dev siw0 --port 7000 --addr "$server_addr" --timeout 10000 \
		${first[@]+"${first[@]}"} "$@"
}

# each_size OP: transfers each size; prints the first one that fails.
each_size() {
	local size
	for size in "${sizes[@]}"; do
		client --op "$1" --size "$size" --count 3 --offset 3 --verify ||
			{ echo "at $size bytes"; return 1; }
	done
}

all_sizes() {
	local op
	for op in ping send write read read-inv; do
		check "$1: $op, ${#sizes[@]} sizes" each_size "$op"
		verified=$((verified + ${#sizes[@]} * 3))
	done
	for op in ping send; do
		check "$1: $op, empty" client --op "$op" --size 0 --count 3 --verify
	done
	check "$1: write, empty" client --op write --size 0 --count 3 --verify
	check "$1: send, 5 MB" client --op send --size 5000001 --lkey --verify
}

operations() {
	local op
	for op in ping send write read read-inv; do
		check "$1: $op, 500 on 4 connections" client --op "$op" --size 2000 --count 125 --qps 4 \
			--verify
		check "$1: $op, 1 MiB" client --op "$op" --size 1m --verify
		verified=$((verified + 501))
	done
	check "$1: send-inv" client --op send-inv --count 20
	check "$1: write, a stream" client --op write --size 10000 --count 500 --depth 32 --offset 5
}

few_operations() {
	local op
	for op in ping send write read read-inv; do
		check "$1: $op" client --op "$op" --size 5000 --count 10 --verify --client-first
	done
}

# Runs only with a server on krdma's side, because only there can a region be large enough.
big_transfers() {
	check "$1: write, 8 MB" client --op write --size 8000001 --lkey --verify
	check "$1: read, 4 MiB" client --op read --size 4m --lkey --verify
}

both_ways() {
	with_server "$1, ours connects" b "$2"
	with_server "$1, in-tree connects" a "$2"
}

# --- ends ---

rejected() {
	expect_match "$1" 'Connection (refused|reset)' client --op connect
}

# Runs the faults of the test ULP, by their numbers; each fault makes the other side close the
# connection. The last fault is an invalidation. The in-tree siw ignores this fault, so the fault
# runs only if the server is krdma.
faults() {
	local i last=7
	[[ $HOST == a ]] || last=8
	for ((i = 0; i <= last; i++)); do
		check "$1: fault $i" client --op fault --seed "$i"
	done
}

short_lives() {
	check "$1: 50 connections" client --op connect --count 10 --qps 5
	check "$1: 20 resets" client --op connect --count 10 --qps 2 --abrupt
}

traffic() {
	"$kulp" run --dev siw0 --port 7000 --addr "$server_addr" --client-first --endless --op write \
		--size 20000 --qps 4 > /tmp/client 2>&1 &
	client_pid=$!
	check "$1: traffic" wait_for 20 has_sent $(($(sent_bytes) + 100000))
	check "$1: the traffic continues" kill -0 "$client_pid"
}

sent_bytes() {
	echo "$(< /sys/class/net/eth0/statistics/tx_bytes)"
}

has_sent() {
	(($(sent_bytes) >= $1))
}

traffic_that_stops() {
	traffic "$1"
	kill "$client_pid"
	check "$1: the client stops" wait_for 20 has_ended
}

has_ended() {
	! kill -0 "$client_pid"
}

# server_leaves NAME HOST: stops the server on HOST under traffic. Expects that the client ends by
# itself.
server_leaves() {
	with_server "$1" "$2" traffic
	[[ $HOST == "$2" ]] || check "$1: the traffic ends" wait_for 20 has_ended
}

# --- our side ---

on_a() {
	[[ $HOST != a ]] || "$@"
}

setting() {
	echo "$2" > "/sys/class/infiniband/siw0/siw/$1"
}

counter() {
	cat "/sys/class/infiniband/siw0/ports/1/hw_counters/$1"
}

counters_anew() {
	echo 0 > /sys/class/infiniband/siw0/ports/1/hw_counters/lifespan
}

is_intree() {
	grep -q SoftiWARP <(dmesg) && [[ ! -e /sys/class/infiniband/siw0/siw ]]
}

declare -A address=([a]=10.77.0.1 [b]=10.77.0.2)

ktap_start
check 'modules' load_krdma siw
check 'the test ULP' modprobe kulp
check 'a siw device' rdma link add siw0 type siw netdev eth0
[[ $HOST != b ]] || check "the siw is the kernel's own" is_intree
on_a check 'counters without caching' counters_anew
both_ways 'sizes' all_sizes
for crc in 1 0; do
	on_a check "CRC $crc" setting crc "$crc"
	both_ways "CRC $crc" operations
done
with_server 'in-tree connects, big' a big_transfers
on_a expect_output 'no CRC error' 0 counter rx_crc_errors
on_a expect_output 'no protocol error' 0 counter rx_protocol_errors
both_ways 'faults' faults
on_a check 'probes without an agreement' setting probe 2
on_a check 'peer-to-peer mode off' setting peer_to_peer 0
both_ways 'short lives' short_lives
on_a check 'peer-to-peer mode on' setting peer_to_peer 1
on_a check 'probes as agreed on' setting probe 1
both_ways 'client leaves' traffic_that_stops
server_leaves 'in-tree server leaves' b
server_leaves 'our server leaves' a
with_server 'rejected, ours connects' b rejected --reject
with_server 'rejected, in-tree connects' a rejected --reject
on_a expect_output 'one reject received' 1 counter rejects_received
on_a expect_output 'one reject sent' 1 counter rejects_sent
address=([a]=fd77::1 [b]=fd77::2)
both_ways 'IPv6' few_operations
on_a setting mpa_revision 1
on_a setting probe 2
both_ways 'revision 1' few_operations
on_a setting mpa_revision 2
on_a setting probe 1
check 'everything unloads' unload_krdma
echo "# $HOST: $verified operations verified"
ktap_end
