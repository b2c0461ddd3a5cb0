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

# run_methods [GROUP]: leaves KTAP in $methods_output, so that the results are counted; status 1 of methods.py means that
# one of them is bad.
run_methods() {
	local status=0
	# shellcheck disable=SC2154 # lib.sh sets lib_dir
	KRDMA_SLOW=${slow:-1} python3 "$lib_dir/methods.py" "$(verbs_node ktmethod)" "$@" > "$methods_output" || status=$?
	cat "$methods_output"
	((status <= 1))
}
