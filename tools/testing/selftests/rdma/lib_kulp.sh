# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library of the tests that move data sets up siw devices on the two hosts, and runs the test
# ULP kulp between the devices.
#
#	. "$(dirname "$0")/lib.sh"
#	. "$(dirname "$0")/lib_kulp.sh"
#	siw_hosts
#	serve main                          # on host b: 10.77.1.2, port 7000
#	check 'a write' client --op write --size 4k --verify
#	stop_server main

kulp=${KRDMA:-/krdma}/bin/kulp
server_addr=10.77.1.2
server_port=7000
server_dir=''
client_pid=''
declare -A server_pids=()

# siw_hosts [MTU]: sets up two hosts with a siw device each, siwa and siwb, and loads the test ULP.
siw_hosts() {
	load_krdma && two_hosts "${1:-1500}" && add_device a && add_device b && modprobe kulp
}

make_server_dir() {
	[[ -z $server_dir ]] || return 0
	server_dir=$(mktemp -d)
	at_exit stop_all_servers
}

# serve NAME [OPTION...]: starts a server on host b. Fails unless it listens within a minute, which the
# start of a program may take on a machine that is busy with other things.
serve() {
	local name=$1
	shift
	make_server_dir
	# Removes the output of an earlier server of this name: has_decided would find
	# "listening" in it.
	rm -f "$server_dir/$name"
	"$kulp" serve --netns b --dev siwb --addr "$server_addr" --port "$server_port" "$@" \
		> "$server_dir/$name" 2>&1 &
	server_pids[$name]=$!
	wait_for 60 has_decided "$name"
	! has_line "$server_dir/$name" listening || return 0
	cat "$server_dir/$name"
	return 1
}

has_decided() {
	has_line "$server_dir/$1" listening || has_ended "${server_pids[$1]}"
}

# stop_server NAME: stops a server, and prints its output. Returns 0 if no connection of the server
# failed before it was stopped.
stop_server() {
	local pid=${server_pids[$1]} status=0
	unset "server_pids[$1]"
	kill "$pid" 2> /dev/null
	wait "$pid" || status=$?
	cat "$server_dir/$1"
	return "$status"
}

stop_all_servers() {
	local name
	for name in "${!server_pids[@]}"; do
		stop_server "$name" > /dev/null
	done
	[[ -z $client_pid ]] || stop_client
	rm -rf "$server_dir"
}

# client OPTION...: runs a client on host a.
client() {
	# shellcheck disable=SC2154 # set in lib.sh
	"$kulp" run --netns a --limit $((120 * slow)) --dev siwa --addr "$server_addr" --port "$server_port" \
		--timeout $((30000 * slow)) "$@"
}

# start_client OPTION...: starts an endless client on host a in the background, as $client_pid.
start_client() {
	make_server_dir
	"$kulp" run --netns a --dev siwa --addr "$server_addr" --port "$server_port" --endless \
		--timeout $((30000 * slow)) "$@" > "$server_dir/client" 2>&1 &
	client_pid=$!
}

# Prints the number of bytes, of any protocol, that host b's netdev has received.
received_bytes() {
	in_b cat /sys/class/net/vb/statistics/rx_bytes
}

has_received_bytes() {
	(($(received_bytes) >= $1))
}

# traffic_flows: waits until host b has received 20000 more bytes, which are more than a handshake
# has; fails if the client of start_client has ended.
traffic_flows() {
	wait_for 20 has_received_bytes $(($(received_bytes) + 20000)) && ! has_ended "$client_pid"
}

# stop_client: stops the client of start_client; fails if the client does not end within 20 s.
stop_client() {
	kill "$client_pid" 2> /dev/null
	wait_for 20 has_ended "$client_pid"
}

# setting DEVICE NAME VALUE: writes a setting of the device, in its sysfs folder "siw".
setting() {
	echo "$3" > "/sys/class/infiniband/$1/siw/$2"
}

# both NAME VALUE: writes a setting of siwa and siwb.
both() {
	setting siwa "$1" "$2" && setting siwb "$1" "$2"
}
