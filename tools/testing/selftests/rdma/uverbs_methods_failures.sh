#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes the allocations for a driver's own objects and methods of ioctl() fail, one after another: methods.py uses those
# of kt_method.ko. Also makes the allocations for a device with such objects fail. Expects that the operation succeeds or
# fails for lack of memory, and that nothing is left.
#
# timeout: 600

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_failures.sh
. "$(dirname "$0")/lib_failures.sh"
# shellcheck source=lib_methods.sh
. "$(dirname "$0")/lib_methods.sh"

ktap_start
failures_start
methods_start
check 'a process runs' run_methods failures
ktap_copy "$methods_output"
check 'the driver unloads' rmmod kt_method
# A device whose node could not be made has none.
sweep 'a device with methods' 'modprobe kt_method' 'rmmod kt_method'
check 'the driver loads' modprobe kt_method
check 'the device has a node' wait_for 10 has_node
check 'modules unload' unload_methods
check 'no memory leaks' check_leaks
ktap_end
