#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Replays recorded connections of the test ULP with mutations: as clients of its server, and as servers for its
# clients; with CRC and without. The kernel must not report anything, no connection may hang, no object may be left.
#
#   siw_wire_fuzz.sh [CONNECTIONS [SEED [FIRST]]]     default: 3000 (fewer on slow kernels), 1, 0;
#                                                     "1 SEED N" repeats connection N, which has failed
#
#	namespace a, siwa                             namespace b, siwb
#	   wire_fuzz client  ------------------------->   kulp serve, port 7000
#	   kulp run       -------> 7001 wire_fuzz record > kulp serve
#	   kulp run       --------------------------->   wire_fuzz server, port 7002
#
# timeout: 300
# needs: several processors

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_kulp.sh"

wire_fuzz=${KRDMA:-/krdma}/bin/wire_fuzz
connections=${1:-$(fewer 3000)}
seed=${2:-1}
first=${3:-0}
batch=500
verbose=()
((connections > 1)) || verbose=(--verbose)
streams=$(mktemp -d)
at_exit rm -rf "$streams"

# kulp's options for the recorded connections: each kind of message, in a few segments.
kinds=(
	'ping --size 100 --count 2'
	'send --size 3001 --count 3'
	'send --size 99 --count 2 --solicited'
	'write --size 3002 --count 1 --verify'
	'write --size 40 --count 3 --depth 3'
	'read --size 3003 --count 1 --verify'
	'read --size 50 --count 3 --depth 3'
	'read-inv --size 100 --count 2'
	'send-inv --count 2'
	'write-imm --size 3002 --count 2'
	'atomic --size 64 --count 1'
)

# kind NUMBER: sets $options to the options of this kind of message.
kind() {
	read -r -a options <<< "${kinds[$1]}"
	options=(--op "${options[@]}")
	[[ " ${options[*]} " == *' --depth '* ]] || options+=(--depth 1)
}

# Turns off the caching of counters, sets loopback to the MTU of the wire, and provides enough ports.
prepare() {
	local dev
	for dev in siwa siwb; do
		echo 0 > "/sys/class/infiniband/$dev/ports/1/hw_counters/lifespan"
	done
	ip -n a link set lo mtu 1500 && ip -n b link set lo mtu 1500 &&
		in_a sysctl -qw net.ipv4.ip_local_port_range='1024 65535' net.ipv4.tcp_tw_reuse=1 \
			net.ipv4.tcp_max_tw_buckets=20000
}

set_crc() {
	setting siwa crc "$1" && setting siwb crc "$1"
}

record_one() {
	local file=$1 pid
	shift
	# Empty the log of the last recorder, in which wait_for would find "listening".
	: > "$streams/log"
	ip netns exec b "$wire_fuzz" record --addr "$server_addr" --port 7001 --to-port 7000 \
		--out "$file" > "$streams/log" 2>&1 &
	pid=$!
	wait_for 10 has_line "$streams/log" listening || { cat "$streams/log"; return 1; }
	server_port=7001 client "$@" && wait "$pid" && return
	cat "$streams/log"
	return 1
}

# record CRC: records one connection of each kind into $streams/CRC.
record() {
	local i
	mkdir "$streams/$1"
	set_crc "$1" || return
	for i in "${!kinds[@]}"; do
		kind "$i"
		record_one "$streams/$1/$i-${options[1]}.stream" "${options[@]}" || return
	done
}

# Prints the objects of the two devices, and the sockets.
left() {
	rdma resource show siwa
	rdma resource show siwb
	in_a ss -Htan state connected exclude time-wait
	in_b ss -Htan state connected exclude time-wait
}

nothing_left() {
	[[ $(left) == "$baseline" ]]
}

total() {
	local name sum=0
	for name in "$@"; do
		sum=$((sum + $(counter siwa "$name") + $(counter siwb "$name")))
	done
	echo "$sum"
}

# Checks, after each batch, that no object and no connection is left, that no CQ has overflowed, and
# that a correct connection works.
good_state() {
	wait_for 40 nothing_left || { echo "left: $(left)"; echo "at first: $baseline"; return 1; }
	echo "accepts $(total accepts) connects $(total connects) disconnects $(total disconnects)" \
		"terminates $(total tx_terminates) CRC errors $(total rx_crc_errors)" \
		"protocol errors $(total rx_protocol_errors) handshake errors $(total handshake_errors)" \
		"timeouts $(total handshake_timeouts) backlog $(total backlog_drops)"
	(($(total cq_overflows) == 0)) || { echo 'a CQ overflowed'; return 1; }
	client --op write --size 10000 --count 2 --verify && client --op read --size 10000 --count 2 --verify
}

# announce SIDE FIRST COUNT CRC: prints which connections the batch has, also to the kernel log,
# which shows them if the machine crashes.
announce() {
	echo "wire_fuzz: mutated $1 $2 to $(($2 + $3 - 1)) of seed $seed, CRC $4" | tee /dev/kmsg
}

play_clients() {
	announce clients "$@"
	set_crc "$3" || return
	in_a "$wire_fuzz" client --addr "$server_addr" --port 7000 --dir "$streams/$3" --seed "$seed" \
		--first "$1" --count "$2" --flight 48 "${verbose[@]}" || return
	good_state
}

# connect_to_servers KIND: connects repeatedly to the replayed servers, until the file "enough" exists.
connect_to_servers() {
	local i=$1
	while [[ ! -e $streams/enough ]]; do
		kind $((i++ % ${#kinds[@]}))
		"$kulp" run --limit $((60 * slow)) --dev siwa --addr "$server_addr" --port 7002 --qps 16 \
			--timeout $((20000 * slow)) "${options[@]}" > /dev/null 2>&1
	done
}

play_servers() {
	local i pids=() status=0
	announce servers "$@"
	set_crc "$3" || return
	rm -f "$streams/enough"
	for i in 0 2 4 6; do
		connect_to_servers "$i" &
		pids+=($!)
	done
	in_b "$wire_fuzz" server --addr "$server_addr" --port 7002 --dir "$streams/$3" --seed "$seed" \
		--first "$1" --count "$2" --flight 96 "${verbose[@]}" || status=1
	touch "$streams/enough"
	wait "${pids[@]}"
	((!status)) && good_state
}

# Two of three batches act as clients, because servers are more exposed to unknown peers than
# clients are. The number of a connection alone determines its batch, side and CRC.
play_all() {
	local sides=(clients servers clients clients servers clients) crcs=(1 1 0 1 0 0)
	local i from n end=$((first + connections))
	for ((from = first; from < end; from += n)); do
		i=$((from / batch % 6))
		n=$((batch - from % batch))
		((n <= end - from)) || n=$((end - from))
		check "mutated ${sides[i]} $from to $((from + n - 1)), CRC ${crcs[i]}" \
			"play_${sides[i]}" "$from" "$n" "${crcs[i]}"
	done
}

ktap_start
check 'two hosts with siw' siw_hosts
check 'counters without caching, MTU and ports' prepare
check 'a server listens' serve main
baseline=$(left)
check 'each kind of connection is recorded, CRC off' record 0
check 'each kind of connection is recorded, CRC on' record 1
check 'nothing is left' good_state
play_all
stop_server main > /dev/null
check 'everything unloads' unload_krdma
ktap_end
