#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests objects and methods of ioctl() that a driver defines. kt_method.ko is the driver, methods.py the process. The
# device is removed while its objects are in use.
#
# timeout: 120

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_methods.sh
. "$(dirname "$0")/lib_methods.sh"

# Each wrong definition of kt_method.ko is logged.
each_is_logged() {
	local lines
	lines=$(dmesg | grep -c 'ktwrong: definition of ioctl() object')
	echo "$lines lines"
	((lines >= 20))
}

ktap_start
methods_start
check 'a process runs' run_methods
ktap_copy "$methods_output"
check 'wrong definitions are logged' each_is_logged
check 'modules unload' unload_methods
check 'no memory leaks' check_leaks
ktap_end
