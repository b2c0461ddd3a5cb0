#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# OpenSM's ways of routing, each on a topology that suits it: the subnet comes up, the log has no error but those that are listed
# here, and the switches have the tables that OpenSM has computed.
#
#	fat_tree 2 4 4, torus 3 3, torus 3 3 3 (topology.py); OpenSM is at ca1.
#
# timeout: 200

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=lib_topology.sh
. "$(dirname "$0")/lib_topology.sh"

work=$(mktemp -d)
at_exit rm -rf "$work"

# sweep_by [OPTION...]: has OpenSM sweep once. Its log is $work/log, and begins anew.
sweep_by() {
	rm -f "$work"/*
	OSM_CACHE_DIR=$work OSM_TMP_DIR=$work opensm -g "$(port_guid ca1)" -o -f "$work/log" -d 2 -D 0x43 \
		--dump_files_dir "$work" "$@" > "$work/out" 2>&1 || return
	cat "$work/out"
	grep -q 'SUBNET UP' "$work/log"
}

tables_as_set() {
	local output
	output=$(dump_fts -C ca1 -P 1) || return
	python3 "$topology" tables "$work/opensm-lfts.dump" <<< "$output"
}

# routes ENGINE [OPTION...]: tests a way of routing, and that OpenSM does not fall back to another one.
routes() {
	local name=$*
	check "$name: SUBNET UP" sweep_by -R "$1,no_fallback" "${@:2}"
	check "$name: tables configured" grep -q "osm_ucast_mgr_process: $1 tables configured" "$work/log"
	expect_output "$name: no error" '' errors_of_sweep "$work/log"
	check "$name: the switches have its tables" tables_as_set
}

# reaches_every_lid FIRST COUNT: the node at ca16 answers by each of its LIDs.
reaches_each_lid() {
	local lid
	for ((lid = $1; lid < $1 + $2; lid++)); do
		prints 'Node Description:\.+ca16' smpquery -C ca1 -P 1 nodedesc "$lid" || return
	done
}

ktap_start
need_programs
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'a fat tree' load_topology ca1,ca16 fat_tree 2 4 4
routes minhop -l 0
routes updn
routes dnup
routes ftree
routes minhop -l 2
expect_output 'LMC 2' 2 port_file ca16 lid_mask_count
check 'each LID' reaches_each_lid "$(lid_of ca16)" 4
routes minhop -l 0
expect_output 'LMC 0 again' 0 port_file ca16 lid_mask_count
check 'the fat tree goes' unload_topology

check 'a torus' load_topology ca1 torus 3 3
routes dor
routes lash
routes dfsssp
routes nue
check 'the torus goes' unload_topology

check 'a torus of three dimensions' load_topology ca1 torus 3 3 3
cat > "$work.torus" <<'END'
torus 3 3 3
xp_link 0x0002c90002000001 0x0002c9000200000a
yp_link 0x0002c90002000001 0x0002c90002000004
zp_link 0x0002c90002000001 0x0002c90002000002
END
at_exit rm -f "$work.torus"
routes torus-2QoS -Q --torus_config "$work.torus"
check 'the torus goes' unload_topology
check 'everything unloads' unload_krdma
ktap_end
