#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Loads the modules, adds links, transfers data, and unloads the modules, in 50 rounds. In half of
# the rounds, siw is unloaded under traffic.
#
# timeout: 300

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_kulp.sh"

add_links() {
	load_krdma && add_siw a && add_siw b && modprobe kulp
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

rounds() {
	local i
	for ((i = 0; i < $2; i++)); do
		"$1" || { echo "round $i"; return 1; }
	done
}

ktap_start
check 'two hosts' two_hosts
count=$(fewer 25)
check "$count rounds" rounds round "$count"
check "$count rounds with traffic when siw is removed" rounds round_under_traffic "$count"
ktap_end
