#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests what drivers of real devices need of ib_uverbs: registers that a process has mapped, and pinned memory in blocks.
# kt_driver.ko is the driver, driver.py the process. The device is removed while its registers are mapped.
#
# timeout: 120

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

output=$(mktemp)
at_exit rm -f "$output"

unload() {
	rmmod kt_driver kt_support
}

# Prints KTAP, so that the results are counted; status 1 means that one of them is bad.
run_process() {
	local status=0
	python3 "$lib_dir/driver.py" "$(verbs_node ktdriver)" > "$output" || status=$?
	cat "$output"
	((status <= 1))
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_uverbs kt_support kt_driver
check 'the device has a node' wait_for 10 has_verbs_node ktdriver
check 'a process runs' run_process
ktap_copy "$output"
check 'modules unload' unload
ktap_end
