#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Replays recorded connections of the test ULP with mutations: as clients of its server, and as servers for its
# clients; with CRC and without. The kernel must not report anything, no connection may hang, no object may be left.
#
#   siw/wire_fuzz.sh [CONNECTIONS [SEED [FIRST]]]     default: 3000 (fewer on slow kernels), 1, 0;
#                                                     "1 SEED N" repeats connection N, which has failed
#
#	namespace a, siwa                             namespace b, siwb
#	   wire_fuzz client  ------------------------->   kulp serve, port 7000
#	   kulp run       -------> 7001 wire_fuzz record > kulp serve
#	   kulp run       --------------------------->   wire_fuzz server, port 7002
#
# timeout: 300
# needs: several processors

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"
. "$(dirname "$0")/lib_wire_fuzz.sh"

connections=${1:-$(fewer 3000)}
seed=${2:-1}
first=${3:-0}
batch=500
verbose=()
((connections > 1)) || verbose=(--verbose)

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
check 'counters without caching, MTU and ports' prepare a
check 'a server listens' serve main
baseline=$(left)
check 'each kind of connection is recorded, CRC off' record 0
check 'each kind of connection is recorded, CRC on' record 1
check 'nothing is left' good_state
play_all
stop_server main > /dev/null
check 'everything unloads' unload_krdma
ktap_end
