#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Captures the packets of siw, which tools/testing/decode checks with tshark. /out/decode gets
#   crc_on, crc_off     each kind of message
#   markers             the same with markers in both directions
#   markers_no_crc      the same with markers, without CRC
#   handshakes          both revisions, with private data; each kind of first message; a reject
#   faults              Terminates of DDP and RDMAP
#   damage              a Terminate of MPA
#   terminate           a Terminate to a peer of revision 1
#
# timeout: 180

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

captures=/out/decode
capture_pid=''

# Turns off segmentation offload, so that each segment is a packet, and has one CPU receive all packets, because
# packets from two CPUs could overtake each other on the way to the capture.
wire() {
	local cpus=/sys/class/net/$1/queues/rx-0/rps_cpus
	ethtool -K "$1" tso off gso off gro off || return
	# A kernel that was built for one CPU has no such file.
	[[ ! -e $cpus ]] || echo 1 > "$cpus"
}

as_on_a_wire() {
	local wire
	wire=$(declare -f wire)
	in_a bash -c "$wire; wire va" && in_b bash -c "$wire; wire vb"
}

capture() {
	ip netns exec a dumpcap -q -B 32 -i va -f 'tcp port 7000 or udp port 7001' -w "/tmp/$1.pcap" \
		2> "/tmp/$1.log" &
	capture_pid=$!
	wait_for 20 test -s "/tmp/$1.pcap"
}

# Ends the capture; fails if dumpcap dropped packets. Sends a last datagram: when dumpcap has
# written this datagram, it has written all packets.
stop_capture() {
	local status=0
	in_a bash -c "echo 'end of capture' > /dev/udp/$server_addr/7001"
	wait_for 20 grep -q 'end of capture' "/tmp/$1.pcap" || status=1
	kill -INT "$capture_pid"
	wait "$capture_pid"
	cat "/tmp/$1.log"
	cp "/tmp/$1.pcap" "$captures/$1.pcap" && grep -q 'dropped.*/0 (' "/tmp/$1.log" || status=1
	return "$status"
}

# captured FILE NAME COMMAND...: captures into FILE while the command runs.
captured() {
	check "$1: capturing" capture "$1"
	check "$2" "${@:3}"
	check "$1: the capture is whole" stop_capture "$1"
}

# Each message of several segments gets a connection of its own. On a shared connection, when TCP
# has to wait, for example after a retransmission on a busy machine, the end of one message and the
# start of the next would share a segment, which tshark cannot decode.
long_messages() {
	local op size
	for op in send write read; do
		for size in 5001 8190; do
			client --op "$op" --size "$size" --count 1 || return 1
		done
	done
}

# A write with immediate data is two FPDUs in one segment. tshark finds markers only in segments
# with one FPDU, so these two FPDUs end before the first marker of the stream.
messages() {
	serve main || return 1
	long_messages && client --op send --size 99 --solicited &&
		client --op read-inv --size 100 && client --op send-inv --count 2 &&
		client --op send-inv --count 2 --solicited &&
		client --op write-imm --size 70 --count 2 &&
		client --op write-imm --size 7 --count 3 --solicited &&
		client --op atomic --size 8 --count 1 || return 1
	stop_server main
}

# connecting SETTING VALUE [OPTION...]: connects from host a while this setting of siwa has another
# value.
connecting() {
	local before status=0
	before=$(cat "/sys/class/infiniband/siwa/siw/$1")
	setting siwa "$1" "$2"
	client --op connect "${@:3}" || status=1
	setting siwa "$1" "$before"
	return "$status"
}

# The test ULP's hello is 32 bytes of private data; --pdata pads the hello to the given number of
# bytes.
handshakes() {
	local kind
	serve handshakes || return 1
	connecting mpa_revision 1 --client-first --pdata 512 || return 1
	for kind in write send read; do
		connecting rtr "$kind" --pdata 508 || return 1
	done
	connecting peer_to_peer 0 --client-first || return 1
	stop_server handshakes
	serve rejecting --reject || return 1
	! client --op connect || return 1
	stop_server rejecting
}

# Expects that each fault is answered with a Terminate. `decode` expects their codes in this order.
faults() {
	local i
	serve faults || return 1
	for i in 0 1 2 3 4 5 6 7 8; do
		client --op fault --seed "$i" --timeout 10000 || { echo "fault $i"; return 1; }
	done
	stop_server faults
}

# Changes a byte in the payload of one FPDU. TCP does not notice, because a veth computes no checksum.
damage() {
	serve damage || return 1
	in_a nft -f - <<-EOF
		table inet damage {
			chain out {
				type filter hook output priority 0
				tcp dport $server_port meta length > 1000 \
					limit rate 1/hour burst 1 packets @th,1600,8 set 0x5a
			}
		}
	EOF
	! client --op write --size 1200 --timeout 10000 || return 1
	in_a nft delete table inet damage
	stop_server damage
}

set_crc() {
	setting siwa crc "$1" && setting siwb crc "$1"
}

set_markers() {
	setting siwa markers "$1" && setting siwb markers "$1"
}

# Sends the test ULP's hello in an MPA request of revision 1, and then an RDMA Write to an unknown STag. The answers are
# the MPA reply, which returns the hello, and a Terminate.
raw_write() {
	local fd
	exec {fd}<> "/dev/tcp/$server_addr/$server_port"
	printf '%b' 'MPA ID Req Frame\0\x01\0\x20' \
		'kulp\0\0\0\x02\0\0\0\0\0\0\x10\0\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0' >&"$fd"
	timeout 10 head -c 52 <&"$fd" > /dev/null || return
	printf '\0\x12\xc1\x40\xde\xad\xbe\xef\0\0\0\0\0\0\0\0data\0\0\0\0' >&"$fd"
	(($(timeout 10 cat <&"$fd" | wc -c) > 20))
}

if [[ ${1:-} == raw_write ]]; then
	raw_write
	exit
fi

ktap_start
mountpoint -q /out || ktap_skip_all 'no /out for the captures'
type -P dumpcap > /dev/null || ktap_skip_all 'no dumpcap'
rm -rf "$captures"
mkdir -p "$captures"
check 'two hosts with siw' siw_hosts
check 'segments as on a wire' as_on_a_wire

captured handshakes 'each kind of handshake' handshakes
# tshark takes each segment by itself.
check 'FPDUs as long as segments' both large_fpdus 0
captured crc_on 'each kind of message' messages
captured faults 'each fault of the test ULP' faults
captured damage 'damaged data' damage
check 'markers on' set_markers 1
captured markers 'each kind of message, with markers' messages
check 'CRC off' set_crc 0
captured markers_no_crc 'each kind of message, with markers, CRC off' messages
check 'markers off' set_markers 0
captured crc_off 'each kind of message, CRC off' messages

check 'terminate: capturing' capture terminate
check 'a server' serve raw
check 'a write to an unknown STag is answered' in_a "$0" raw_write
stop_server raw > /dev/null
check 'terminate: the capture is whole' stop_capture terminate
check 'everything unloads' unload_krdma
ktap_end
