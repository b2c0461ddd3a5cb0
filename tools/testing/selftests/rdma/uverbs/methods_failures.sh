#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes the allocations for a driver's own objects and methods of ioctl() fail, one after another: methods.py uses those
# of kt_method.ko. Also makes the allocations for a device with such objects fail. Expects that the operation succeeds or
# fails for lack of memory, and that nothing is left.
#
# timeout: 600

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_failures.sh
. "$(dirname "$0")/../lib_failures.sh"
# shellcheck source=lib_methods.sh
. "$(dirname "$0")/lib_methods.sh"

load_driver() {
	modprobe kt_method
}

unload_driver() {
	[[ ! -e /sys/module/kt_method ]] || rmmod kt_method
}

ktap_start
failures_start
methods_start
check 'a process runs' run_methods failures
ktap_copy "$methods_output"
check 'the driver unloads' unload_driver
# A device may have no node after a failure.
sweep 'a device with methods' load_driver unload_driver
check 'the driver loads' load_driver
check 'the device has a node' wait_for 10 has_verbs_node ktmethod
check 'modules unload' unload_methods
check 'no memory leaks' check_leaks
ktap_end
