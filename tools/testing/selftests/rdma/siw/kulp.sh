#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the three transports of the test ULP kulp, with a server for each: RDMA connected by iw_cm,
# RDMA connected by rdma_cm, and a TCP socket. Verifies every byte, and that the times of single
# operations are complete and ordered. The values of these times are not checked.
#
#	host a: siwa                        host b: siwb
#	   va 10.77.1.1, fd77:1::1 -------- vb 10.77.1.2, fd77:1::2
#	                                       port 7000 iw_cm, 7001 rdma_cm, 7002 TCP
#
# timeout: 240

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

sizes=(1 3 64 1428 4096 65537)
declare -A ports=([iw]=7000 [rdma]=7001 [tcp]=7002)
ways=(iw rdma tcp)

# client_over WAY OPTION...: runs a client on this transport.
client_over() {
	local way=$1
	shift
	client --over "$way" --port "${ports[$way]}" "$@"
}

serve_all() {
	local way
	for way in "${ways[@]}"; do
		check "a server over $way$1" serve "$way" --over "$way" --port "${ports[$way]}" "${@:2}"
	done
}

stop_all() {
	local way
	for way in "${ways[@]}"; do
		check "the server over $way saw no error$1" stop_server "$way"
	done
}

# each_size WAY OP: transfers each size; prints the first one that fails.
each_size() {
	local size
	for size in "${sizes[@]}"; do
		client_over "$1" --op "$2" --size "$size" --count 5 --offset 3 --seed 7 --verify ||
			{ echo "at $size bytes"; return 1; }
	done
}

operations() {
	local way=$1 op
	for op in ping send write read; do
		check "$way: $op, ${#sizes[@]} sizes" each_size "$way" "$op"
		check "$way: $op, 5 MB" client_over "$way" --op "$op" --size 5000001 --count 2 --lkey --verify
		check "$way: $op, 500 on 8 connections" client_over "$way" --op "$op" --size 3000 --qps 8 --count 63 --verify
		check "$way: $op, 64 outstanding" client_over "$way" --op "$op" --size 10000 --count "$(fewer 500)" \
			--depth 64
	done
	for op in send write read; do
		check "$way: $op, 8 connections that begin together" client_over "$way" --op "$op" --size 3000 --qps 8 \
			--count 20 --together
	done
	check "$way: 40 connections" client_over "$way" --op connect --count 10 --qps 4
}

# Runs the operations that QPs have and TCP sockets lack.
verbs_operations() {
	local op size
	for op in read-inv send-inv write-imm atomic; do
		check "$1: $op" client_over "$1" --op "$op" --size 4096 --count 20 --verify
	done
	for size in 1 4096 65537; do
		check "$1: regions are mapped while they are valid, $size bytes" \
			client_over "$1" --op remap --size "$size" --offset 5 --qps 8 --count "$(fewer 50)" --verify
	done
	check "$1: registrations without data" client_over "$1" --op remap --size 65536 --count "$(fewer 5000)"
	check "$1: the client sends first" client_over "$1" --op write --client-first --verify
	check "$1: abrupt ends" client_over "$1" --op connect --count 10 --abrupt
	check "$1: abrupt ends while the server registers its region" \
		client_over "$1" --op connect --count 10 --abrupt --client-first
}

# timed COUNT OPTION...: runs a client; expects that its result has COUNT samples, and quantiles in
# ascending order.
timed() {
	local count=$1
	shift
	client_over "$@" --json > "$server_dir/json" || return
	cat "$server_dir/json"
	jq -e --argjson count "$count" '
		.samples == $count and .min_us > 0 and
		([.min_us, .p50_us, .p99_us, .p999_us, .max_us] | . == sort) and
		(.cdf_us | length == 101 and . == sort) and
		.cdf_us[0] == .min_us and .cdf_us[50] == .p50_us and .cdf_us[100] == .max_us' "$server_dir/json"
}

untimed() {
	client_over "$@" --json | jq -e 'has("p50_us") | not'
}

# spoiled WAY OP...: expects that checks of wrong bytes fail: those of the client, and in the end, at a send, those of the server.
spoiled() {
	local way=$1 op
	shift
	check "$way: a server of clients that expect other bytes" serve "$way" --over "$way" --port "${ports[$way]}"
	for op; do
		check "$way: $op, wrong bytes are noticed" \
			fails_with 'Bad message' client_over "$way" --op "$op" --size 4096 --count 3 --verify --spoil
	done
	client_over "$way" --op send --size 4096 --count 3 --verify --spoil > /dev/null 2>&1
	check "$way: the server notices wrong bytes" fails_with 'Bad message' stop_server "$way"
}

refused_by() {
	fails_with 'Connection refused' client_over "$1" --op connect
}

start_traffic() {
	start_client --over "$1" --port "${ports[$1]}" --op "$2" --size 20000 --qps 4
	traffic_flows
}

ktap_start
check 'two hosts with siw' siw_hosts
serve_all ''
for way in "${ways[@]}"; do
	operations "$way"
done
verbs_operations rdma

for way in "${ways[@]}"; do
	check "$way: times of 300 pings" timed 300 "$way" --op ping --size 64 --count 300
	check "$way: times of 20 connects, 2 in parallel" timed 20 "$way" --op connect --count 10 --qps 2
	check "$way: sends are not timed" untimed "$way" --op send --count 10
done
check 'rdma: from a local address' client_over rdma --op ping --from 10.77.1.1
check 'tcp: from a local address' client_over tcp --op ping --from 10.77.1.1
check 'rdma: not from a foreign address' fails_with 'kulp: run' client_over rdma --op ping --from 10.77.1.9
check 'tcp: not from a foreign address' fails_with 'Cannot assign' client_over tcp --op ping --from 10.77.1.9
check 'rdma: a file is not copied together' fails_with 'Invalid argument' client_over rdma --op get --together
check 'tcp: not too many together' fails_with 'Invalid argument' client_over tcp --op send --qps 257 --together
check 'tcp: has no atomic operations' fails_with 'not supported' client_over tcp --op atomic
check 'tcp: needs no device' in_a "$kulp" run --over tcp --addr "$server_addr" --port 7002 --op ping

for way in rdma tcp; do
	check "$way: a client runs again after a signal" client_over "$way" --op ping --interrupt 200
done
for op in ping send write read; do
	check "tcp: endless $op" start_traffic tcp "$op"
	check "tcp: endless $op is stopped" stop_client
done
for way in rdma tcp; do
	check "$way: traffic" start_traffic "$way" write
	stop_server "$way" > /dev/null
	check "$way: the client ends with the server" wait_for 20 has_ended "$client_pid"
	client_pid=''
done
check 'the server over iw saw no error' stop_server iw

serve_all ' that rejects' --reject
for way in "${ways[@]}"; do
	check "$way: rejected" refused_by "$way"
	check "$way: rejected, 8 connections that would begin together" fails_with 'Connection refused' \
		client_over "$way" --op send --qps 8 --together
done
stop_all ' it rejected'

spoiled iw ping write read
spoiled rdma ping write read read-inv write-imm atomic remap rw-read rw-write
spoiled tcp ping read write

# shellcheck disable=SC2034 # used by lib_kulp.sh
server_addr=fd77:1::2
serve_all ' on IPv6'
for way in "${ways[@]}"; do
	check "$way: over IPv6" client_over "$way" --op write --size 70001 --count 3 --verify
done
stop_all ' on IPv6'
check 'everything unloads' unload_krdma
ktap_end
