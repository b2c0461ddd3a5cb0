#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes the allocations for operations of processes fail, one after another: for each object of
# libibverbs, each step of librdmacm, and data with each setting of CRC and markers. fault_test runs
# these operations in one process, which plays both sides. Expects each time that the operation
# succeeds or fails with an error that lack of memory explains, that no object is left, and that the
# next attempt works. The objects that siw does not have are made on the device of kt_user.ko.
#
# timeout: 1500
#
#	namespace a: siwa, client       namespace b: siwb, server
#	   va 10.77.1.1/24  -----------  vb 10.77.1.2/24

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"
. "$(dirname "$0")/../lib_failures.sh"

report=$(mktemp)
driver_parameters=/sys/module/kt_driver/parameters

# fault_test NAME GROUP: runs a group of operations.
fault_test() {
	local status=0
	"${KRDMA:-/krdma}/bin/fault_test" "$2" siwa "$server_addr" a b $((5000 * slow)) > "$report" 2>&1 || status=$?
	stop_failing
	ktap_copy "$report" "$1: "
	check "$1: fault_test ends" has_total "$status"
	grep '^# total' "$report"
}

# has_total STATUS: fails, and prints the end of the report, if fault_test ended with STATUS other
# than 0.
has_total() {
	(($1)) || return 0
	tail -n 5 "$report"
	return 1
}

# with_settings CRC MARKERS: sets both on each device.
with_settings() {
	setting siwa crc "$1" && setting siwb crc "$1" && setting siwa markers "$2" && setting siwb markers "$2"
}

use_driver() {
	python3 "$lib_dir/uverbs/driver.py" "$(verbs_node ktdriver)" use
}

# Succeeds if no context and no area is left, each context that was made has freed its entry, and the next process succeeds.
driver_is_unused() {
	local made contexts freed used late wrong
	use_driver || return 1
	read -r _ contexts _ freed _ made < "$driver_parameters/state"
	read -r _ used _ _ _ late _ wrong < "$driver_parameters/areas"
	((!contexts && freed == made)) || { echo "contexts $contexts, entries $made, freed $freed"; return 1; }
	((!used && !late && !wrong)) || { echo "areas in use $used, late $late, wrong $wrong"; return 1; }
}

# Expects that a process gets no second handle, for which the list of handles needs memory. Contexts are listed nevertheless.
use_driver_without_handles() {
	local output
	exempt rdma_restrack_add
	fail_all_in __xa_alloc || return
	output=$(use_driver 2>&1) && { fail_none; return 1; }
	fail_none
	exempt_none
	grep -qE "$no_memory" <<< "$output" && driver_is_unused
}

no_objects() {
	[[ $(rdma -j resource show | jq 'map(.pd + .cq + .qp + .cm_id + .mr + .ctx) | add') == 0 ]]
}

ktap_start
at_exit rm -f "$report"
failures_start
check 'two hosts with siw' siw_hosts
check 'modules of processes' modprobe -a ib_uverbs rdma_ucm
check 'handshakes are short' eval 'setting siwa handshake_ms 2000 && setting siwb handshake_ms 2000'
fault_test objects objects
check 'without CRC and markers' with_settings 0 0
fault_test 'connections, plain' connections
check 'with CRC and markers' with_settings 1 1
fault_test 'connections, CRC and markers' connections
if modinfo kt_user > /dev/null 2>&1; then
	check 'a device of kt_user' modprobe kt_user
	fault_test 'commands' commands
	fault_test 'methods' methods
	check 'kt_user unloads' rmmod kt_user kt_support
fi
if modinfo kt_driver > /dev/null 2>&1 && type -P python3 > /dev/null; then
	check 'a device of kt_driver' modprobe kt_driver
	check 'it has a node' wait_for 10 has_verbs_node ktdriver
	sweep 'a process with kt_driver' use_driver driver_is_unused
	check 'entries are left to ib_uverbs' eval "echo Y > $driver_parameters/leave"
	sweep 'a process with kt_driver, entries left' use_driver driver_is_unused
	check 'no memory for handles' use_driver_without_handles
	check 'kt_driver unloads' rmmod kt_driver kt_support
fi
check 'no object is left' no_objects
check 'everything unloads' unload_krdma
check 'no memory leaks' check_leaks
ktap_end
