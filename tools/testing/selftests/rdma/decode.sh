#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Captures what siw puts on the wire, each kind of message with CRC on and off and with markers, and a
# Terminate: /out/decode/crc_on.pcap, crc_off.pcap, markers.pcap and terminate.pcap, for
# tools/testing/decode to judge.
#
# timeout: 180

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_kulp.sh"

captures=/out/decode
capture_pid=''

# Segments as the wire has them, one packet each.
no_offloads() {
	in_a ethtool -K va tso off gso off gro off && in_b ethtool -K vb tso off gso off gro off
}

capture() {
	ip netns exec a dumpcap -q -B 32 -i va -f 'tcp port 7000' -w "/tmp/$1.pcap" \
		2> "/tmp/$1.log" &
	capture_pid=$!
	wait_for 20 test -s "/tmp/$1.pcap"
}

# Fails if dumpcap saw more than it could keep.
stop_capture() {
	sleep 0.5
	kill -INT "$capture_pid"
	wait "$capture_pid"
	cat "/tmp/$1.log"
	cp "/tmp/$1.pcap" "$captures/$1.pcap" && grep -q 'dropped.*/0 (' "/tmp/$1.log"
}

messages() {
	serve main || return 1
	client --op send --size 5001 --count 2 && client --op send --size 99 --solicited &&
		client --op write --size 5002 --count 2 && client --op read --size 5003 --count 2 &&
		client --op read-inv --size 100 && client --op send-inv --count 2 || return 1
	stop_server main
}

set_crc() {
	setting siwa crc "$1" && setting siwb crc "$1"
}

set_markers() {
	setting siwa markers "$1" && setting siwb markers "$1"
}

# The test ULP's hello in an MPA request of revision 1, then an RDMA Write to an STag that is not
# there. The answers are the MPA reply, which returns the hello, and a Terminate.
stranger() {
	local fd
	exec {fd}<> "/dev/tcp/$server_addr/$server_port"
	printf '%b' 'MPA ID Req Frame\0\x01\0\x20' \
		'kulp\0\0\0\x02\0\0\0\0\0\0\x10\0\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0' >&"$fd"
	timeout 10 head -c 52 <&"$fd" > /dev/null || return
	printf '\0\x12\xc1\x40\xde\xad\xbe\xef\0\0\0\0\0\0\0\0data\0\0\0\0' >&"$fd"
	(($(timeout 10 cat <&"$fd" | wc -c) > 20))
}

if [[ ${1:-} == stranger ]]; then
	stranger
	exit
fi

ktap_start
mountpoint -q /out || ktap_skip_all 'no /out for the captures'
type -P dumpcap > /dev/null || ktap_skip_all 'no dumpcap'
rm -rf "$captures"
mkdir -p "$captures"
check 'two hosts with siw' siw_hosts
check 'segments as on a wire' no_offloads

check 'capturing' capture crc_on
check 'each kind of message' messages
check 'the capture is whole' stop_capture crc_on

check 'markers on' set_markers 1
check 'capturing' capture markers
check 'each kind of message, with markers' messages
check 'the capture is whole' stop_capture markers
check 'markers off' set_markers 0

check 'CRC off' set_crc 0
check 'capturing' capture crc_off
check 'each kind of message, CRC off' messages
check 'the capture is whole' stop_capture crc_off

check 'capturing' capture terminate
check 'a server' serve badly
check 'a write to a foreign STag is answered' in_a "$0" stranger
stop_server badly > /dev/null
check 'the capture is whole' stop_capture terminate
check 'everything unloads' unload_krdma
ktap_end
