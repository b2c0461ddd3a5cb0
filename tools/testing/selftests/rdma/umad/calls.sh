#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests umadN and issmN: each command and refusal, datagrams and messages of RMPP whose contents are
# compared, files that threads share, limits, and devices that are removed under open files. cases.py
# is the process, kt_umad.ko has the devices.
#
#	mem0  port 1  ----------  port 1  mem1
#	      port 2
#
# timeout: 300

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_umad.sh
. "$(dirname "$0")/lib_umad.sh"

output=$(mktemp)
at_exit rm -f "$output"

group() {
	check "$1: the process ends" run_ktap "$output" python3 "$lib_dir/umad/cases.py" "$1"
	ktap_copy "$output" "$1: "
}

ktap_start
start_umad
for name in calls datagrams rmpp limits threads issm removal; do
	group "$name"
done
check 'an interface' ip link add dm0 type dummy
at_exit ip link delete dm0
check 'the interface is up' ip link set dm0 up
group others
check 'the devices are removed' rmmod kt_umad
check 'everything unloads' unload_krdma
ktap_end
