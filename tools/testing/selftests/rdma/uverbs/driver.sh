#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests what drivers of real devices need of ib_uverbs: registers that a process has mapped, and pinned memory in blocks.
# kt_driver.ko is the driver, driver.py the process. The device is removed while its registers are mapped; in the end the
# driver is unloaded, too, while a process lives that has its memory.
#
# timeout: 120

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

output=$(mktemp)
at_exit rm -f "$output"

unload() {
	rmmod kt_driver kt_support
}

# Starts a process that maps memory of the driver.
process_stays() {
	local said
	coproc stayer { exec python3 "$lib_dir/uverbs/driver.py" "$(verbs_node ktdriver)" stay 2>&1; }
	# shellcheck disable=SC2154 # coproc sets it
	exec {to_stayer}>&"${stayer[1]}" {from_stayer}<&"${stayer[0]}"
	# shellcheck disable=SC2154 # coproc sets it
	stayer_pid=$stayer_PID
	read -r -t $((20 * slow)) -u "$from_stayer" said
	[[ $said == mapped ]] || { echo "the process said: $said"; return 1; }
}

# The process uses its memory, and ends.
process_ends() {
	local status=0
	has_ended "$stayer_pid" || echo >&"$to_stayer"
	exec {to_stayer}>&-
	wait_for 20 has_ended "$stayer_pid" || kill -KILL "$stayer_pid"
	cat <&"$from_stayer"
	wait "$stayer_pid" || status=$?
	return "$status"
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_uverbs kt_support kt_driver
check 'the device has a node' wait_for 10 has_verbs_node ktdriver
check 'a process runs' run_ktap "$output" python3 "$lib_dir/uverbs/driver.py" "$(verbs_node ktdriver)"
ktap_copy "$output"
check 'modules unload' unload
check 'the driver is loaded again' modprobe kt_driver
check 'its device has a node' wait_for 10 has_verbs_node ktdriver
check 'a process has memory of the driver' process_stays
check 'the driver unloads' unload
check 'the process ends' process_ends
ktap_end
