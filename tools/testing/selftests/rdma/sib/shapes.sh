#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Fabrics of several shapes, made by configfs: what ibnetdiscover and its relatives find is the topology that was made, and
# OpenSM gives the nodes the LIDs and tables that it gives those of ibsim.
#
#	topology.py has the shapes; OpenSM is at ca1.
#
# timeout: 200

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=lib_topology.sh
. "$(dirname "$0")/lib_topology.sh"

# sees WHAT PROGRAM [OPTION...]: succeeds if the program, run at ca1, prints the topology of $shape.
sees() {
	local output
	output=$("${@:2}" -C ca1 -P 1) || return
	# shellcheck disable=SC2086 # words
	python3 "$topology" $1 $shape <<< "$output"
}

# sweep_once DIRECTORY COMMAND...: has OpenSM, run by the command, sweep once and dump its tables into the directory.
sweep_once() {
	mkdir "$1"
	OSM_CACHE_DIR=$1 OSM_TMP_DIR=$1 "${@:2}" -o -f "$1/log" -d 2 -D 0x43 --dump_files_dir "$1" > "$1/out" 2>&1 &&
		grep -q 'SUBNET UP' "$1/log"
}

same_tables() {
	python3 "$topology" tables "$work/real/opensm-lfts.dump" < "$work/simulated/opensm-lfts.dump"
}

# the_switches_have_them: what the switches have is what OpenSM says that it has set.
the_switches_have_them() {
	local output
	output=$(dump_fts -C ca1 -P 1) || return
	python3 "$topology" tables "$work/real/opensm-lfts.dump" <<< "$output"
}

same_lids() {
	diff "$work/simulated/guid2lid" "$work/real/guid2lid"
}

test_shape() {
	shape=$*
	work=$(mktemp -d)
	check "$shape" load_topology ca1 "$@"
	check "$shape: OpenSM sweeps" sweep_once "$work/real" opensm -g "$(port_guid ca1)"
	check "$shape: its port is active" wait_for 10 is_active ca1
	expect_output "$shape: no error" '' errors_of_sweep "$work/real/log"
	check "$shape: ibnetdiscover" sees map ibnetdiscover
	check "$shape: ibnetdiscover -p" sees links ibnetdiscover -p
	check "$shape: ibhosts" sees 'names ca' ibhosts
	check "$shape: ibswitches" sees 'names switch' ibswitches
	check "$shape: ibnodes" sees 'names all' ibnodes
	check "$shape: tables as set" the_switches_have_them
	check "$shape: ibsim" start_ibsim "$@"
	check "$shape: OpenSM sweeps ibsim" sweep_once "$work/simulated" simulated ca1 opensm
	check "$shape: same LIDs as over ibsim" same_lids
	check "$shape: same tables as over ibsim" same_tables
	check "$shape: ibsim ends" end_ibsim
	check "$shape: goes" unload_topology
	rm -rf "$work"
}

ktap_start
need_programs ibsim
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
test_shape line 3
test_shape ring 5
test_shape fat_tree 2 4 4
test_shape two_links
test_shape two_ports
check 'everything unloads' unload_krdma
ktap_end
