#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Forwarding tables that lead in a circle: the work for a packet is bounded, and a counter tells of its loss.
#
#	ca1  ----  sw1  ====  sw2  ----  ca2
#
# timeout: 150

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"

output=$(mktemp)
at_exit rm -f "$output"

# make_lab: two switches with two links between them, and a CA at each.
make_lab() {
	make_fabric lab && make_node lab ca1 && make_node lab ca2 || return
	make_node lab sw1 switch 3 && make_node lab sw2 switch 3 || return
	connect lab ca1:1 sw1:1 && connect lab ca2:1 sw2:3 || return
	connect lab sw1:2 sw2:1 && connect lab sw1:3 sw2:2 || return
	make_device lab ca1
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'configfs is mounted' mount_config
check 'a topology' make_lab
check 'a node' wait_for 10 has_mad_nodes ca1
check 'the program ends' run_ktap "$output" python3 "$lib_dir/sib/circle_cases.py"
ktap_copy "$output" 'circles: '
check 'the topology goes' drop_fabric lab
check 'everything unloads' unload_krdma
ktap_end
