#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Loads the modules, adds links, transfers data, and unloads the modules, again and again. In half of
# the rounds, siw is unloaded under traffic.
#
#   core/reload.sh [ROUNDS]     default: 50 (fewer on slow kernels)
#
# timeout: 300

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

add_links() {
	load_krdma && add_device a && add_device b && modprobe kulp
}

round() {
	add_links && serve round && client --op write --size 3000 --count 3 --verify &&
		stop_server round && unload_krdma
}

# Nothing holds a reference to siw, so rmmod removes it with its devices and their connections.
round_under_traffic() {
	add_links && serve round || return 1
	start_client --op read --size 10000
	traffic_flows || return 1
	timeout 30 rmmod siw || return 1
	stop_client || return 1
	stop_server round
	unload_krdma
}

# repeat FUNCTION FIRST LAST: calls the function for each of these rounds.
repeat() {
	local i
	for ((i = $2; i <= $3; i++)); do
		"$1" || { echo "round $i"; return 1; }
	done
}

# rounds NUMBER NAME FUNCTION: repeats the function NUMBER times, with a result for each 25 rounds.
rounds() {
	local from to
	for ((from = 1; from <= $1; from = to + 1)); do
		to=$((from + 24 < $1 ? from + 24 : $1))
		check "$2, rounds $from to $to" repeat "$3" "$from" "$to"
	done
}

ktap_start
check 'two hosts' two_hosts
count=${1:-$(fewer 50)}
rounds $((count - count / 2)) 'reload' round
rounds $((count / 2)) 'siw is removed under traffic' round_under_traffic
ktap_end
