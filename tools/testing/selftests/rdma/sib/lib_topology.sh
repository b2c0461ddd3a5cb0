# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library makes whole topologies (topology.py) by configfs, and gives the same ones to ibsim.
#
#	. "$(dirname "$0")/../lib.sh"
#	. "$(dirname "$0")/lib_sib.sh"
#	. "$(dirname "$0")/lib_topology.sh"
#	check 'a fat tree' load_topology ca1,ca16 fat_tree 2 4 4
#	check 'OpenSM' manage ca1
#	check 'the same fat tree' start_ibsim fat_tree 2 4 4
#	simulated ca1 ibnetdiscover

# shellcheck disable=SC2154 # lib_dir is of lib.sh
topology=$lib_dir/sib/topology.py

# load_topology DEVICES SHAPE...: makes the fabric "lab"; its CAs in the list DEVICES, such as ca1,ca6, are devices then, whose
# first ports have their nodes. DEVICES may be none.
load_topology() {
	local name names
	at_exit unload_topology
	mount_config && python3 "$topology" load lab "$@" || return
	[[ $1 != none ]] || return 0
	IFS=, read -ra names <<< "$1"
	for name in "${names[@]}"; do
		wait_for 10 has_mad_nodes "$name" || return
	done
}

unload_topology() {
	# shellcheck disable=SC2154 # of lib_sib.sh
	[[ ! -d $sib_config/lab ]] || python3 "$topology" unload lab
}

# need_programs [NAME...]: skips the test where one of these programs, OpenSM or Python is missing.
need_programs() {
	local name
	for name in python3 opensm "$@"; do
		type -P "$name" > /dev/null || ktap_skip_all "no $name"
	done
}

# manage NAME [OPTION...]: has OpenSM manage the fabric from this CA; all ports of devices are active then.
manage() {
	start_opensm "$@" && wait_for 60 subnet_is_up
}

# settles COMMAND...: succeeds if the command prints the same as a second before.
settles() {
	local before
	before=$("$@" 2>&1)
	pause 1
	[[ $before == "$("$@" 2>&1)" ]]
}

# umad_of DEVICE: prints the node of port 1, such as umad0.
umad_of() {
	mad_node umad "$1" 1
}

# --- ibsim, which answers for the nodes of a file in user space ---

umad2sim=/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so
# ibsim has room for so many nodes, switches and ports.
ibsim_room=(-N 12000 -S 400 -P 60000)

# start_ibsim SHAPE...: programs see this topology if they are run by simulated().
start_ibsim() {
	sim_file=$(mktemp)
	python3 "$topology" ibsim "$@" > "$sim_file" || return
	pause 0
	# shellcheck disable=SC2154 # pause_fd is of lib.sh: nothing is ever written there
	ibsim -s -n "${ibsim_room[@]}" "$sim_file" <&"$pause_fd" > "$sim_file.out" 2>&1 &
	sim_pid=$!
	at_exit end_ibsim
	wait_for 60 grep -q 'simulator ready' "$sim_file.out"
}

end_ibsim() {
	has_ended "$sim_pid" || kill "$sim_pid"
	wait_for 10 has_ended "$sim_pid"
}

# simulated NODE COMMAND...: runs the command as if on that CA.
simulated() {
	SIM_HOST=$1 LD_PRELOAD=$umad2sim "${@:2}"
}

# manage_ibsim NODE: has OpenSM manage ibsim from this CA.
manage_ibsim() {
	local dir
	dir=$(mktemp -d)
	at_exit rm -rf "$dir"
	SIM_HOST=$1 LD_PRELOAD=$umad2sim OSM_CACHE_DIR=$dir OSM_TMP_DIR=$dir opensm -f "$dir/log" -d 2 > "$dir/out" 2>&1 &
	sim_opensm=$!
	at_exit end_simulated_opensm
	wait_for 60 grep -q 'SUBNET UP' "$dir/log"
}

end_simulated_opensm() {
	has_ended "$sim_opensm" || kill "$sim_opensm"
	wait_for 20 has_ended "$sim_opensm"
}
