#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs every operation with 0 bytes to 16 MiB at odd offsets, and verifies every byte: with CRC on
# and off, with both kinds of local memory, over IPv6, and with many QPs.
#
# timeout: 400
# needs: several processors

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

# Sizes in bytes, around the ends of segments at MTU 1500, and around SGE and page sizes.
small_sizes=(0 1 2 3 4 63 64 1400 1426 1427 1428 1429 1430 1432 1433 2863 4095 4096 4097 65535 65536)
big_sizes=(1048575 1m 4194305 16m)
# shellcheck disable=SC2154 # set in lib.sh
((slow == 1)) || big_sizes=(1048575)

# sizes OP COUNT SIZE...: transfers each size; prints the first one that fails.
sizes() {
	local op=$1 count=$2 size
	shift 2
	for size in "$@"; do
		client --op "$op" --size "$size" --count "$count" --offset 3 --seed 7 --verify ||
			{ echo "at $size bytes"; return 1; }
	done
}

operations() {
	local op
	for op in ping send write read read-inv; do
		check "$op, ${#small_sizes[@]} sizes up to 64 KiB$1" sizes "$op" 3 "${small_sizes[@]}"
	done
}

big_operations() {
	local op
	for op in ping send write read read-inv; do
		check "$op, ${#big_sizes[@]} sizes from 1 MiB" sizes "$op" 1 "${big_sizes[@]}"
	done
}

variants() {
	local op
	for op in write read send; do
		check "$op by local DMA lkey, several SGEs" client --op "$op" --size 5m --lkey --verify \
			--offset 4093
		check "$op streamed, 64 outstanding" client --op "$op" --size 10000 --count "$(fewer 500)" --depth 64 \
			--offset 5
		check "$op on 32 QPs at once" client --op "$op" --size 3000 --count 20 --qps 32 --offset 1 \
			--verify
	done
	check 'inline write' client --op write --size 90 --inline --verify --count 10
	check 'inline send' client --op send --size 96 --inline --verify --count 10
	check 'solicited sends' client --op send --size 100 --solicited --count 10
	check 'sends that invalidate' client --op send-inv --count 20
	check 'writes with immediate data' client --op write-imm --size 5000 --count 20
	check 'atomic operations, plain and masked' client --op atomic --size 4096 --count 600
	check 'atomic operations on 8 QPs at once' client --op atomic --size 64 --count 50 --qps 8
	check '300 reads, 64 outstanding' client --op read --size 100 --count 300 \
		--depth 64
}

set_crc() {
	setting siwa crc "$1" && setting siwb crc "$1"
}

ktap_start
check 'two hosts with siw' siw_hosts
check 'a server listens' serve main
operations ''
big_operations
variants
check 'the server saw no error' stop_server main

check 'CRC off' set_crc 0
check 'a server without CRC' serve nocrc
((slow == 1)) || small_sizes=(0 1430 65535)
operations ', CRC off'
check 'the server without CRC saw no error' stop_server nocrc
check 'CRC on' set_crc 1

server_addr=fd77:1::2
check 'a server on IPv6' serve six
for op in ping send write read read-inv; do
	check "$op over IPv6" client --op "$op" --size 70001 --count 3 --verify
done
check 'the IPv6 server saw no error' stop_server six

expect_output 'no CRC error counted' 0 counter siwb rx_crc_errors
expect_output 'no protocol error counted' 0 counter siwb rx_protocol_errors
check 'everything unloads' unload_krdma
ktap_end
