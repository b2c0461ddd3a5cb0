#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# perftest, as it is installed, over the connection manager: all that it measures on iWARP, and the ways in
# which it can be told to. What it measures is not looked at: an emulated machine says nothing about that. With the
# connection manager it looks for IPv4 addresses only.
#
#	namespace a              namespace b
#	   va 10.77.1.1  -------  vb 10.77.1.2
#	   siwa: client           siwb: server
#
# Or, by two_vm_clients_perftest.sh, between two machines.
#
# timeout: 150

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_clients.sh"

# measure PROGRAM [OPTION...]: the older calls to post are those that libsiw has.
measure() {
	local program=$1 options=(-R -F --use_old_post_send)
	shift
	pair 18515 "$program" "${options[@]}" "$@" -- "$program" "${options[@]}" "$@" "$server_v4" &&
		client_printed 1 'Transport type : IW$' && server_printed 1 'Transport type : IW$'
}

# measured DEVICE COUNTER PROGRAM SIZE NUMBER QPS [OPTION...]: the device counts each message of each QP. The
# line of results may have their sum.
measured() {
	local dev=$1 name=$2 program=$3 size=$4 number=$5 qps=$6
	shift 6
	((qps == 1)) || set -- -q "$qps" "$@"
	counts "$dev" "$name" $((number * qps)) measure "$program" -s "$size" -n "$number" "$@" &&
		has_result client "$size" "$number|$((number * qps))"
}

# Both sides send and both receive.
both_ways() {
	measured siwa rx_sends ib_send_bw 4097 100 1 -b -c RC && has_result pair 4097 100
}

# Each size from 2 to 8388608 has a line.
all_sizes() {
	local size
	measure ib_write_bw -a -n 5 || return
	for ((size = 2; size <= 8388608; size *= 2)); do
		has_result client "$size" 5 || return
	done
}

# Not ib_send_bw with events or with several QPs: on iWARP its server writes to the client how many receives it
# has consumed, and the client sends no more than that allows. A client that sleeps until one of its own requests
# completes does not see it; and it takes the Nth connection of the one side for the Nth of the other.
# Writes are counted where they are sent, because a server knows of them only by a message on another connection: by
# then some may not have come, and its QPs go.
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
check 'early clients are held' hold_early_clients
test_bandwidth
test_latency
check 'no protocol error' no_protocol_errors
check 'siw has refused no connection' siw_refused_none
check 'nothing is left' wait_for 10 nothing_is_left
check 'everything unloads' unload_krdma
ktap_end
