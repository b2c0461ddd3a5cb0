#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the connection manager with real connections: many in parallel, private data, rejects,
# timeouts, the backlog, and orderly and abrupt ends.
#
# timeout: 300
# needs: several processors

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

# client_prints NAME REGEX OPTION...: expects that a client prints an error that matches REGEX.
client_prints() {
	local name=$1 text=$2
	shift 2
	expect_match "$name" "$text" client "$@"
}

no_sockets_left() {
	local host
	for host in a b; do
		[[ -z $(ip netns exec "$host" ss -Htan state established) ]] || return 1
	done
}

expect_rejects() {
	local i
	for ((i = 0; i < $1; i++)); do
		! client --op connect --count 1 || return 1
	done
}

# Opens many connections at once to a listener with a backlog of one. Some connections are refused,
# but none may hang.
overload() {
	client --op connect --qps 40 --count 2
	client --op connect --qps 1 --count 5
}

# Kills both ends of connections at the same time, while traffic flows in both directions.
end_together() {
	local i
	for i in 1 2 3 4 5 6 7 8; do
		serve "pair$i" || return 1
		start_client --op ping --size 1000 --qps 4
		traffic_flows || return 1
		kill "${server_pids[pair$i]}" "$client_pid"
		stop_client || return 1
		stop_server "pair$i" > /dev/null
	done
}

ktap_start
check 'two hosts with siw' siw_hosts
check 'a server listens' serve main
each=$(fewer 16)
check "$((64 * each)) connections, 64 in flight" client --op connect --qps 64 --count "$each"
check "$((64 * each)) abrupt ends, 64 in flight" client --op connect --qps 64 --count "$each" --abrupt
check "$((64 * each)) abrupt ends, 64 in flight, while the server registers its region" \
	client --op connect --qps 64 --count "$each" --abrupt --client-first
check 'private data of 200 bytes' client --op ping --pdata 200 --count 1
check 'private data of 508 bytes' client --op ping --pdata 508 --count 1
client_prints 'private data of 509 bytes does not fit beside IRD and ORD' 'Invalid argument' \
	--op ping --pdata 509 --count 1
check 'the server saw no error' stop_server main

client_prints 'no listener' 'Connection refused' --op connect --count 1
check 'a server that rejects' serve no --reject
client_prints 'a reject' 'Connection refused' --op connect --count 1
check 'many rejects' expect_rejects "$(fewer 200)"
check 'the rejecting server ends' stop_server no

server_addr=10.77.1.77
client_prints 'an address without a host' 'No route to host|timed out' --op connect --count 1 --timeout 25000
server_addr=10.77.1.2

check 'a server with a backlog of 1' serve tight --backlog 1
check 'connections beyond the backlog end with an errno' overload
check 'the server with a backlog still works' client --op ping --count 10
check 'the server with a backlog ends' stop_server tight

check 'both sides end at once' end_together
check 'no connection is left' wait_for 20 no_sockets_left
check 'everything unloads' unload_krdma
ktap_end
