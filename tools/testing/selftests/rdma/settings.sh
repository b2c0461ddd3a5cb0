#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# siw's settings: their values, and what connections make of them.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_kulp.sh"

value() {
	cat "/sys/class/infiniband/$1/siw/$2"
}

# setting_refused DEVICE NAME VALUE
setting_refused() {
	! echo "$3" 2> /dev/null > "/sys/class/infiniband/$1/siw/$2"
}

ping_works() {
	serve ping && client --op ping --size 1000 --count 5 --verify && stop_server ping
}

ktap_start
check 'two hosts with siw' siw_hosts
expect_output 'CRC is on' 1 value siwa crc
expect_output 'MPA revision 2' 2 value siwa mpa_revision
for bad in 2 -1 x ''; do
	check "crc cannot be '$bad'" setting_refused siwa crc "$bad"
done
for bad in 0 3 x; do
	check "mpa_revision cannot be '$bad'" setting_refused siwa mpa_revision "$bad"
done
check 'revision 1 requests' setting siwa mpa_revision 1
check 'connect' ping_works
check 'revision 2 again' setting siwa mpa_revision 2
check 'no peer-to-peer mode' setting siwa peer_to_peer 0
check 'peer-to-peer mode off: the initiator speaks first' setting siwa peer_to_peer 1
check 'CRC off on one side only' setting siwa crc 0
check 'is on for both' ping_works
check 'CRC on again' setting siwa crc 1
check 'everything unloads' unload_krdma
ktap_end
