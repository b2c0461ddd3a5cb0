#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests transfers of scatter/gather lists by rdma_rw, verified by content: without memory regions, as
# siw needs none, and with them, by the parameter force_mr of ib_core.
#
#	host a: siwa                        host b: siwb
#	   va 10.77.1.1 ------------------- vb 10.77.1.2
#	                                       port 7000 iw_cm, 7001 rdma_cm
#
# timeout: 240

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

declare -A ports=([iw]=7000 [rdma]=7001)

# rw WAY OPTION...: runs a client that verifies each byte.
rw() {
	local way=$1
	shift
	client --over "$way" --port "${ports[$way]}" --verify "$@"
}

# Transfers lists of 1 to 256 pages, which begin anywhere in a page.
sizes() {
	local size offset
	for size in 1 4095 4096 20000 65537; do
		for offset in 0 1 2049 4096; do
			rw "$1" --op "$2" --size "$size" --offset "$offset" --depth 3 --count 4 --seed 9 ||
				{ echo "at $size bytes, offset $offset"; return 1; }
		done
	done
	rw "$1" --op "$2" --size 1048576 --depth 4 --count 4 && rw "$1" --op "$2" --size 1048000 --offset 333 --depth 2 --count 2
}

operations() {
	local way=$1 op
	for op in rw-read rw-write; do
		check "$2, $way: $op, 1 to 256 pages" sizes "$way" "$op"
		check "$2, $way: $op, 32 at once, 4 connections" rw "$way" --op "$op" --size 10000 --offset 7 --depth 32 \
			--qps 4 --count "$(fewer 128)"
		check "$2, $way: $op, few contexts" rw "$way" --op "$op" --size 300000 --offset 7 --depth 8 --few \
			--count "$(fewer 32)"
	done
}

# A client loses its server while many contexts are in use. If the flushed transfers did not return
# their regions, the client would say "Bad message".
loses_server() {
	start_client --over rdma --port "${ports[rdma]}" --op "$1" --size 100000 --depth 16 --qps 2 --count 64 &&
		traffic_flows || return 1
	stop_server rdma > /dev/null
	wait_for 20 has_ended "$client_pid" || return 1
	cat "$server_dir/client"
	! grep -q 'Bad message' "$server_dir/client"
}

no_regions_left() {
	[[ $(rdma resource show mr) == '' ]]
}

# all_with NAME: runs all tests.
all_with() {
	local way op
	check "$1: two hosts with siw" siw_hosts
	for way in iw rdma; do
		check "$1: a server over $way" serve "$way" --over "$way" --port "${ports[$way]}"
		operations "$way" "$1"
	done
	check "$1: the server over iw saw no error" stop_server iw
	check "$1: the server over rdma saw no error" stop_server rdma
	for op in rw-read rw-write; do
		check "$1: a server over rdma" serve rdma --over rdma --port "${ports[rdma]}"
		check "$1: $op, the server ends" loses_server "$op"
	done
	check "$1: no region is left" wait_for 10 no_regions_left
}

# with_gaps OP: transfers a list whose elements begin and end within pages.
with_gaps() {
	rw iw --op "$1" --lkey --size 100000 --offset 99 --depth 4 --count 12
}

ktap_start
all_with plain
check 'plain: a server' serve iw --over iw --port 7000
check 'plain: reads into a list with gaps' with_gaps rw-read
check 'plain: writes of a list with gaps' with_gaps rw-write
check 'plain: the server saw no error' stop_server iw
check 'everything unloads' unload_krdma
remove_two_hosts

check 'regions are forced' modprobe ib_core force_mr=1
all_with regions
check 'regions: a server' serve iw --over iw --port 7000
check 'regions: a list with gaps is refused' fails_with 'Invalid argument' with_gaps rw-read
stop_server iw > /dev/null
check 'everything unloads again' unload_krdma
ktap_end
