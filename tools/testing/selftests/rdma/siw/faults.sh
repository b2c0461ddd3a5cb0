#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# A peer violates the protocol. Expects that each fault causes a Terminate, counters on both sides
# and a line in the log, and that the next connection works. Then functions of the kernel fail, by
# kt_siw_faults.ko, with CRC and without.
#
# timeout: 200
# needs: the distribution's kernel

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

# The index of an entry is the number of the fault in the test ULP.
faults=(
	'a write with the key of an older registration'
	'a write to an unknown STag'
	'a write beyond the region'
	'a write ahead of the region'
	'a read with the key of an older registration'
	'a read from an unknown STag'
	'a read beyond the region'
	'a send longer than its receive'
	'an invalidation of an unknown STag'
)

# terminated FAULT: causes the fault; succeeds if both devices have counted one Terminate more, and
# the server's device one protocol error more.
terminated() {
	local sent received errors
	sent=$(counter siwb tx_terminates) received=$(counter siwa rx_terminates)
	errors=$(counter siwb rx_protocol_errors)
	serve fault || return 1
	client --op fault --seed "$1" --size 4096 --timeout 10000 || return 1
	stop_server fault
	(($(counter siwb tx_terminates) == sent + 1)) || { echo 'no Terminate sent'; return 1; }
	(($(counter siwa rx_terminates) == received + 1)) || { echo 'no Terminate received'; return 1; }
	(($(counter siwb rx_protocol_errors) == errors + 1)) || { echo 'no error counted'; return 1; }
	dmesg_since | grep -q 'siwb: QP .* stream terminated' || { echo 'no line in the log'; return 1; }
}

good_connection() {
	serve good && client --op write --size 10000 --count 3 --verify && stop_server good
}

fresh_counters() {
	echo 0 > "/sys/class/infiniband/$1/ports/1/hw_counters/lifespan"
}

run_cases() {
	modprobe kt_siw_faults
}

# kernel_faults NAME: runs the cases of the module.
kernel_faults() {
	check "$1: kt_siw_faults runs" run_cases
	ktap_copy /sys/kernel/debug/krdma/kt_siw_faults "$1: "
	check "$1: kt_siw_faults unloads" rmmod kt_siw_faults
}

without_crc() {
	setting siwa crc 0 && setting siwb crc 0
}

ktap_start
check 'two hosts with siw' siw_hosts
check 'counters of siwa without caching' fresh_counters siwa
check 'counters of siwb without caching' fresh_counters siwb
for i in "${!faults[@]}"; do
	check "${faults[i]}" terminated "$i"
done
check 'a good connection works' good_connection
kernel_faults 'with CRC'
check 'no CRC' without_crc
kernel_faults 'without CRC'
check 'everything unloads' unload_krdma
ktap_end
