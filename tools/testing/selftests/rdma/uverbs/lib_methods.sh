# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library runs methods.py on the device of kt_method.ko, ktmethod.

methods_output=$(mktemp)
at_exit rm -f "$methods_output"

# Loads the driver; skips the test without Python.
methods_start() {
	type -P python3 > /dev/null || ktap_skip_all 'no python3'
	check 'modules load' load_krdma ib_core ib_uverbs kt_support kt_method
	check 'the device has a node' wait_for 10 has_verbs_node ktmethod
}

unload_methods() {
	rmmod kt_method kt_support
}

# run_methods [GROUP]: leaves KTAP in $methods_output.
run_methods() {
	# shellcheck disable=SC2154 # lib.sh sets lib_dir
	run_ktap "$methods_output" env KRDMA_SLOW="${slow:-1}" python3 "$lib_dir/uverbs/methods.py" "$(verbs_node ktmethod)" "$@"
}
