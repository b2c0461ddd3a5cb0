#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Connects as fast as possible as peers that have to be refused: they send nothing, half a request, a wrong one, one
# that the ULP rejects, or much more than a request; they close, reset, or stay and never read. Expects that memory
# does not grow with the number of connections, that connections of another host work meanwhile, that the counters show
# the refusals, and that nothing is left.
#
#   siw/flood.sh [SECONDS [LIMIT [HELD]]]     default: 0, 64 and 200. It ends after SECONDS, but not before the second
#                                             round of all kinds; LIMIT is the value of the settings half_open and
#                                             lingering; HELD peers are opened to measure what each takes
#
#	namespace a                              namespace b, siwb
#	   10.77.1.1, siwa: kulp run ------------>  7000: kulp serve
#	   10.77.1.3: wire_fuzz flood, hold ----->  7000, and 7001: kulp serve --reject
#
# timeout: 120

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"
. "$(dirname "$0")/lib_wire_fuzz.sh"

seconds=${1:-0}
limit=${2:-64}
held=${3:-200}
flood_addr=10.77.1.3
# The most that a peer may take in bytes, with its own end, which is in this machine too. Debian's kernels, which
# are for several processors, take more; with lockdep and the checks of slabs, objects have up to three times their
# size.
held_max=20480
[[ $(uname -v) != *SMP* ]] || held_max=40960
[[ ! -e /proc/lockdep ]] || held_max=65536
# Memory in KiB that may be used for other purposes from one measurement to the next.
tolerance=2048
# More peers of a kind connect in a row than siw may keep; twice as many stay open at a time.
burst=$((limit * 5 / 4))
open_max=$((2 * burst))
declare -A before=()

# TIME-WAIT sockets use memory for a minute; a limit keeps that from looking like a leak.
flood_hosts() {
	ip -n a address add "$flood_addr/24" dev va && prepare a &&
		in_a sysctl -qw net.ipv4.tcp_max_tw_buckets=200 && in_b sysctl -qw net.ipv4.tcp_max_tw_buckets=200
}

flooder() {
	in_a "$wire_fuzz" "$1" --addr "$server_addr" --port 7000 --to-port 7001 --from "$flood_addr" "${@:2}" \
		> "$streams/report"
	local status=$?
	cat "$streams/report"
	return "$status"
}

# figure NAME: prints the number behind NAME= in the report.
figure() {
	sed -nE "s/.*\<$1=(-?[0-9]+).*/\1/p" "$streams/report"
}

# --- what a peer takes ---

# holds KIND ENDS: opens peers that stay. Expects that each takes little memory. If ENDS is 2, expects
# that siw's ends are there; on a slow machine, some have timed out when the last peer connects.
holds() {
	flooder hold --kind "$1" --count "$held" || return
	(($(figure bytes_each) <= held_max && $(figure sockets) >= held + ($2 - 1) * held / 10)) || return
	wait_for 40 nothing_left
}

# Only their own ends are left of peers with a wrong key, which are reset at once, and of those that send more than a
# request, which are reset when they have the answer.
measure() {
	local kind ends
	for kind in key silent half revision rejected excess; do
		[[ $kind == @(key|excess) ]] && ends=1 || ends=2
		check "a peer of kind $kind takes little memory" holds "$kind" "$ends"
		sed 's/^/# /' "$streams/report"
	done
}

# --- the flood ---

set_limits() {
	setting siwb half_open "$limit" && setting siwb lingering "$limit"
}

# Connects again and again until the file "enough" exists; prints how often. Memory is not measured during a
# connection, because the client would count.
good_connections() {
	local count=0
	exec 9> "$streams/apart"
	while [[ ! -e $streams/enough ]]; do
		flock --shared 9
		client --op ping --size 1000 --count 5 --verify > "$streams/good.last" 2>&1 ||
			{ cat "$streams/good.last"; return 1; }
		flock --unlock 9
		((++count))
	done
	echo "good=$count"
}

flooding() {
	local pid name status=0
	for name in handshake_errors handshake_timeouts rejects_sent backlog_drops linger_drops accepts; do
		before[$name]=$(counter siwb "$name")
	done
	good_connections > "$streams/good" &
	pid=$!
	flooder flood --seconds "$seconds" --count "$burst" --flight "$open_max" \
		--apart "$streams/apart" || status=1
	touch "$streams/enough"
	wait "$pid" || status=1
	tee -a "$streams/report" < "$streams/good"
	((!status && $(figure connected) > 0 && $(figure good) > 0))
}

# grown NAME: prints by how much a counter has grown since the flood began.
grown() {
	echo $(($(counter siwb "$1") - ${before[$1]}))
}

# Prints by how much each counter has grown.
counters() {
	local name
	for name in "${!before[@]}"; do
		printf '%s %s  ' "$name" "$(grown "$name")"
	done
}

# A peer that has sent no valid request is counted as an error, a timeout, or pushed out by the limit.
# On a slow machine, refused peers time out before they are pushed out, so linger_drops may be 0.
refusals_are_counted() {
	local wrong
	counters
	wrong=$(($(grown handshake_errors) + $(grown handshake_timeouts) + $(grown backlog_drops)))
	((wrong >= $(figure wrong) && $(grown rejects_sent) > 0 && $(grown backlog_drops) > 0 &&
		$(grown accepts) >= $(figure good)))
}

# line_of WHAT: reads the three numbers of WHAT in the report into $at_first, $half and $other_half.
line_of() {
	read -r at_first half other_half < <(grep "^$1" "$streams/report" | sed -E 's/[^0-9]+/ /g')
}

# growth_of WHAT: prints the three numbers, and stores in $growth how much more the second half has used, at least 0.
growth_of() {
	local at_first half other_half
	line_of "$1"
	echo "$1: $at_first before, $half in the first half, $other_half in the second half"
	growth=$((other_half > half ? other_half - half : 0))
}

# On a busy machine, the tables are full only in the second half. So the second half may use more memory for the sockets
# and queues that it has more; what it used besides would grow without a limit. Queues may be empty in one half: what is
# in them depends on how far TCP is when memory is measured. They are part of the memory that is_bounded() judges.
does_not_grow() {
	local growth allowed sockets queues memory
	growth_of sockets && sockets=$growth
	growth_of queues && queues=$growth
	growth_of memory && memory=$growth
	allowed=$((tolerance + sockets * (held_max / 1024) + queues))
	echo "memory may grow by $allowed KiB"
	((memory <= allowed))
}

# siw keeps no more ends of peers than its two limits, and no more than $open_max peers are open. The servers and the
# good connections have a few sockets, too.
sockets_are_bounded() {
	local at_first half other_half bound=$((2 * limit + open_max + 32))
	line_of sockets
	echo "$half and $other_half sockets, bound $bound"
	((half <= bound && other_half <= bound))
}

# siw keeps no more ends of peers than its two limits, and no more than $open_max peers are open.
is_bounded() {
	local at_first half other_half bound=$(((2 * limit + open_max) * (held_max / 1024) + tolerance))
	line_of memory
	echo "$half and $other_half KiB, $at_first before, bound $bound"
	((half <= at_first + bound && other_half <= at_first + bound))
}

# memory_is_back KIB: expects that no more than that is used.
memory_is_back() {
	flooder hold --kind key --count 1 && (($(figure used) <= $1 + tolerance))
}

ktap_start
check 'two hosts with siw' siw_hosts
check 'addresses, counters without caching, and ports' flood_hosts
check 'a server listens' serve main --backlog 4096
check 'a server that rejects listens' serve rejecting --port 7001 --reject --backlog 4096
baseline=$(left)
measure
check 'limits are low' set_limits
check 'good connections work beside the flood' flooding
sed 's/^/# /' "$streams/report"
check 'refusals are counted' refusals_are_counted
echo "# counters: $(counters)"
check 'the number of sockets is bounded by the limits' sockets_are_bounded
check 'memory does not grow with the number of connections' does_not_grow
check 'memory is bounded by the limits' is_bounded
line_of memory
check 'nothing is left, and a good connection works' good_state
check 'memory is as before' wait_for 10 memory_is_back "$at_first"
echo "# $(figure used) KiB afterwards"
stop_server rejecting > /dev/null
stop_server main > /dev/null
check 'everything unloads' unload_krdma
ktap_end
