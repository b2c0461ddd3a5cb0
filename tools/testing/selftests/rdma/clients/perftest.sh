#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs the installed perftest over the connection manager: everything that it measures on iWARP,
# with the options that iWARP supports. The measured figures are not checked, because they mean
# nothing on an emulated machine. With the connection manager, perftest resolves IPv4 addresses
# only.
#
#	namespace a              namespace b
#	   va 10.77.1.1  -------  vb 10.77.1.2
#	   siwa: client           siwb: server
#
# two_vm/clients_perftest.sh runs this test between two machines.
#
# timeout: 150

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_clients.sh"

# measure PROGRAM [OPTION...]: runs a server and a client. Both post by ibv_post_send(), because
# libsiw has no newer call.
measure() {
	local program=$1 options=(-R -F --use_old_post_send)
	shift
	pair 18515 "$program" "${options[@]}" "$@" -- "$program" "${options[@]}" "$@" "$server_v4" &&
		client_printed 1 'Transport type : IW$' && server_printed 1 'Transport type : IW$'
}

# measured DEVICE COUNTER PROGRAM SIZE NUMBER QPS [OPTION...]: runs a measurement, and checks that
# the device counted each message of each QP. The result line has the number of messages of one QP,
# or the sum of all QPs.
measured() {
	local dev=$1 name=$2 program=$3 size=$4 number=$5 qps=$6
	shift 6
	((qps == 1)) || set -- -q "$qps" "$@"
	counts "$dev" "$name" $((number * qps)) measure "$program" -s "$size" -n "$number" "$@" &&
		has_result client "$size" "$number|$((number * qps))"
}

# Expects that sends in both directions at once are measured.
both_ways() {
	measured siwa rx_sends ib_send_bw 4097 100 1 -b -c RC && has_result pair 4097 100
}

# Checks the result lines of all sizes from 2 to 8388608.
all_sizes() {
	local size
	measure ib_write_bw -a -n 5 || return
	for ((size = 2; size <= 8388608; size *= 2)); do
		has_result client "$size" 5 || return
	done
}

# ib_send_bw runs neither with events nor with several QPs. On iWARP, its server writes the number
# of receives that it has consumed into the client's memory, and the client never sends more
# messages than the server has receives. With events, the client sleeps until one of its own
# requests completes, and misses the server's write. With several QPs, perftest assumes that the Nth
# connection of one side is the Nth of the other side, but the orders of the two sides may differ.
# The server learns by a message on another connection that the writes are done, and may destroy its
# QPs before the last writes have arrived. So writes are counted at the sender.
test_bandwidth() {
	check 'sends' measured siwb rx_sends ib_send_bw 4097 100 1
	check 'writes' measured siwa tx_writes ib_write_bw 77777 100 1
	check 'reads' measured siwa rx_read_responses ib_read_bw 77777 50 1
	check 'reads on 4 QPs' measured siwa rx_read_responses ib_read_bw 1001 100 4
	check 'writes on 4 QPs' measured siwa tx_writes ib_write_bw 10001 100 4
	check 'sends, both ways' both_ways
	check 'reads, with events' measured siwa rx_read_responses ib_read_bw 4097 100 1 -e
	check 'sends to a shared receive queue' measured siwb rx_sends ib_send_bw 4097 100 1 --use-srq
	check 'writes of all sizes' all_sizes
}

test_latency() {
	check 'latency of sends' measured siwb rx_sends ib_send_lat 1 100 1
	check 'latency of sends, with events' measured siwb rx_sends ib_send_lat 1001 100 1 -e
	check 'latency of writes' measured siwb rx_writes ib_write_lat 64 100 1
	check 'latency of reads' measured siwa rx_read_responses ib_read_lat 4097 50 1
}

ktap_start
need ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat
check 'two hosts with siw' client_hosts
check 'clients that connect early retry' hold_early_clients
test_bandwidth
test_latency
check 'no protocol error' no_protocol_errors
check 'siw has refused no connection' siw_refused_none
check 'nothing is left' wait_for 10 nothing_is_left
check 'everything unloads' unload_krdma
ktap_end
