# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library of the tests that replay connections records one connection of each kind, between
# the two hosts and the server of lib_kulp.sh, and checks that nothing is left of what was replayed.
#
#	. "$(dirname "$0")/../lib.sh"
#	. "$(dirname "$0")/../lib_kulp.sh"
#	. "$(dirname "$0")/lib_wire_fuzz.sh"
#	siw_hosts && prepare a && serve main
#	baseline=$(left)
#	record 1                            # into $streams/1, with CRC
#	good_state

wire_fuzz=${KRDMA:-/krdma}/bin/wire_fuzz
streams=$(mktemp -d)
baseline=''
at_exit rm -rf "$streams"

# kulp's options for the recorded connections: each kind of message, in a few segments.
kinds=(
	'ping --size 100 --count 2'
	'send --size 3001 --count 3'
	'send --size 99 --count 2 --solicited'
	'write --size 3002 --count 1 --verify'
	'write --size 40 --count 3 --depth 3'
	'read --size 3003 --count 1 --verify'
	'read --size 50 --count 3 --depth 3'
	'read-inv --size 100 --count 2'
	'send-inv --count 2'
	'write-imm --size 3002 --count 2'
	'atomic --size 64 --count 1'
)

# kind NUMBER: sets $options to the options of this kind of message.
kind() {
	read -r -a options <<< "${kinds[$1]}"
	options=(--op "${options[@]}")
	[[ " ${options[*]} " == *' --depth '* ]] || options+=(--depth 1)
}

set_crc() {
	setting siwa crc "$1" && setting siwb crc "$1"
}

record_one() {
	local file=$1 pid
	shift
	# Empty the log of the last recorder: wait_for would find "listening" in it.
	: > "$streams/log"
	# shellcheck disable=SC2154 # of lib_kulp.sh
	ip netns exec b "$wire_fuzz" record --addr "$server_addr" --port 7001 --to-port 7000 \
		--out "$file" > "$streams/log" 2>&1 &
	pid=$!
	wait_for 10 has_line "$streams/log" listening || { cat "$streams/log"; return 1; }
	server_port=7001 client "$@" && wait "$pid" && return
	cat "$streams/log"
	return 1
}

# record CRC: records one connection of each kind into $streams/CRC.
record() {
	local i
	mkdir "$streams/$1"
	set_crc "$1" || return
	for i in "${!kinds[@]}"; do
		kind "$i"
		record_one "$streams/$1/$i-${options[1]}.stream" "${options[@]}" || return
	done
}

# prepare HOST: turns off the caching of counters, sets loopback to the MTU of the wire, and provides
# enough ports for clients on HOST. A client that has closed its socket is in FIN-WAIT-2 for tcp_fin_timeout if it
# never sees siw's reset, because TCP drops a reset that another processor handles while the socket enters that state.
prepare() {
	local dev host=$1
	for dev in siwa siwb; do
		echo 0 > "/sys/class/infiniband/$dev/ports/1/hw_counters/lifespan"
	done
	ip -n a link set lo mtu 1500 && ip -n b link set lo mtu 1500 &&
		ip netns exec "$host" sysctl -qw net.ipv4.ip_local_port_range='1024 65535' net.ipv4.tcp_tw_reuse=1 \
			net.ipv4.tcp_max_tw_buckets=20000 net.ipv4.tcp_fin_timeout=10
}

# Prints the objects of the two devices, and the sockets.
left() {
	rdma resource show siwa
	rdma resource show siwb
	in_a ss -Htan state connected exclude time-wait
	in_b ss -Htan state connected exclude time-wait
}

nothing_left() {
	[[ $(left) == "$baseline" ]]
}

total() {
	local name sum=0
	for name in "$@"; do
		sum=$((sum + $(counter siwa "$name") + $(counter siwb "$name")))
	done
	echo "$sum"
}

# Checks that no object and no connection is left beyond $baseline, that no CQ has overflowed, and that
# a correct connection works.
good_state() {
	wait_for 40 nothing_left || { echo "left: $(left)"; echo "at first: $baseline"; return 1; }
	echo "accepts $(total accepts) connects $(total connects) disconnects $(total disconnects)" \
		"terminates $(total tx_terminates) CRC errors $(total rx_crc_errors)" \
		"protocol errors $(total rx_protocol_errors) handshake errors $(total handshake_errors)" \
		"timeouts $(total handshake_timeouts) backlog $(total backlog_drops)"
	(($(total cq_overflows) == 0)) || { echo 'a CQ overflowed'; return 1; }
	client --op write --size 10000 --count 2 --verify && client --op read --size 10000 --count 2 --verify
}
