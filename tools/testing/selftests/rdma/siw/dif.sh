#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests siw's regions with protection information (T10 DIF), by the cases of kt_siw_dif.ko: with the
# CRC of MPA, so that FPDUs are placed as a whole, and without, so that they are placed in the pieces
# that TCP delivers; and with FPDUs that are shorter than an interval.
#
#	host a: siwa                        host b: siwb
#	   va 10.77.1.1 ------------------- vb 10.77.1.2
#	                                       port 7100
#
# timeout: 500

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

run_cases() {
	modprobe kt_siw_dif
}

# cases NAME: runs the cases of the module.
cases() {
	check "$1: kt_siw_dif runs" run_cases
	ktap_copy /sys/kernel/debug/krdma/kt_siw_dif "$1: "
	check "$1: kt_siw_dif unloads" rmmod kt_siw_dif
}

crc() {
	setting siwa crc "$1" && setting siwb crc "$1"
}

short_packets() {
	in_a ip link set va mtu 300 && in_b ip link set vb mtu 300 && both large_fpdus 0
}

no_regions_left() {
	[[ $(rdma resource show mr) == '' ]]
}

ktap_start
check 'two hosts with siw' siw_hosts
check 'what the test module depends on' modprobe kt_siw_link
cases 'with CRC'
check 'no CRC' crc 0
cases 'no CRC'
check 'short packets' short_packets
cases 'short packets, no CRC'
check 'CRC again' crc 1
cases 'short packets, CRC'
check 'no region is left' wait_for 10 no_regions_left
check 'everything unloads' unload_krdma
ktap_end
