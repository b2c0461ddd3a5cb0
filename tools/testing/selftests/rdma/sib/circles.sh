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
lab=/sys/kernel/config/sib/lab

# make_lab: two switches with two links between them, and a CA at each.
make_lab() {
	mkdir "$lab" "$lab"/{ca1,ca2,sw1,sw2} || return
	echo switch > "$lab/sw1/kind" && echo switch > "$lab/sw2/kind" || return
	echo 3 > "$lab/sw1/num_ports" && echo 3 > "$lab/sw2/num_ports" || return
	mkdir "$lab"/sw{1,2}/port{2,3} || return
	echo sw1:1 > "$lab/ca1/port1/peer" && echo sw2:3 > "$lab/ca2/port1/peer" || return
	echo sw2:1 > "$lab/sw1/port2/peer" && echo sw2:2 > "$lab/sw1/port3/peer" || return
	echo 1 > "$lab/ca1/device"
}

remove_lab() {
	[[ ! -d $lab ]] || rmdir "$lab"/sw{1,2}/port{2,3} "$lab"/{ca1,ca2,sw1,sw2} "$lab"
}

node_is_there() {
	[[ -c /dev/infiniband/umad0 ]]
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
mountpoint -q /sys/kernel/config || check 'configfs' mount -t configfs configfs /sys/kernel/config
check 'a topology' make_lab
at_exit remove_lab
check 'a node' wait_for 10 node_is_there
check 'the program ends' run_ktap "$output" python3 "$lib_dir/sib/circle_cases.py"
ktap_copy "$output" 'circles: '
check 'the topology goes' remove_lab
check 'everything unloads' unload_krdma
ktap_end
