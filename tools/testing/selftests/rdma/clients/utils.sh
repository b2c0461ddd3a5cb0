#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs the installed programs of ibverbs-utils and rdmacm-utils. Checks what they print about the
# devices, and that clients reach servers, over IPv6 too if the server supports it. Expects that
# programs for datagrams and multicast are refused, because iWARP has neither.
#
#	namespace a                       namespace b
#	   va 10.77.1.1, fd77:1::1  ----  vb 10.77.1.2, fd77:1::2
#	   siwa: clients                  siwb: servers
#
# two_vm/clients.sh runs this test between two machines, without the parts that look at one host
# only.
#
# timeout: 150
# needs: several processors

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_clients.sh"

# --- devices ---

# guid DEVICE: prints the node GUID of sysfs without the colons.
guid() {
	tr -d : < "/sys/class/infiniband/$1/node_guid"
}

both_are_listed() {
	client ibv_devices && client_printed 1 "^ +siwa\s+$(guid siwa)\$" && client_printed 1 "^ +siwb\s+$(guid siwb)\$"
}

# Limits of a device; Documentation/siw.rst has the same values.
limits=(
	'max_qp: 65536' 'max_qp_wr: 32768' 'max_cq: 131072' 'max_cqe: 1048576' 'max_mr: 524288'
	'max_pd: 65536' 'max_srq: 65536' 'max_srq_wr: 32768' 'max_sge: 6' 'max_qp_rd_atom: 128'
	'max_qp_init_rd_atom: 128' 'phys_port_cnt: 1'
)

devinfo_is_right() {
	local limit
	client ibv_devinfo -d siwa -v && client_printed 1 $'^hca_id:\tsiwa$' &&
		client_printed 1 $'^\ttransport:\t+iWARP \(1\)$' && client_printed 1 $'^\t+state:\t+PORT_ACTIVE \(4\)$' &&
		client_printed 1 $'^\t+link_layer:\t+Ethernet$' && client_printed 1 $'^\t+max_msg_sz:\t+0x[0-9a-f]+$' || return
	for limit in "${limits[@]}"; do
		client_printed 1 $'^\t'"${limit%: *}"$':\t+'"${limit#*: }\$" || return
	done
}

# `script` gives ibv_asyncwatch a terminal, so that its output is not buffered. The path of ip is
# complete, because the shell that `script` starts may find another ip in its PATH.
start_asyncwatch() {
	script -qfc "exec $(type -P ip) netns exec a ibv_asyncwatch -d siwa" "$output_dir/asyncwatch" \
		> /dev/null &
	server_pids[asyncwatch]=$!
	wait_for 10 grep -q 'async event FD' "$output_dir/asyncwatch"
}

# asyncwatch_printed TEXT: succeeds if ibv_asyncwatch has printed TEXT.
asyncwatch_printed() {
	grep -qF "$1" "$output_dir/asyncwatch"
}

test_devices() {
	check 'ibv_devices' both_are_listed
	check 'ibv_devinfo' devinfo_is_right
	check 'ibv_asyncwatch' start_asyncwatch
	check 'the port goes down' ip -n a link set va down
	check 'ibv_asyncwatch prints PORT_ERR' wait_for 10 asyncwatch_printed 'IBV_EVENT_PORT_ERR (10), port 1'
	check 'the port comes up' ip -n a link set va up
	check 'ibv_asyncwatch prints PORT_ACTIVE' wait_for 10 asyncwatch_printed 'IBV_EVENT_PORT_ACTIVE (9), port 1'
	check 'the IPv6 address is added again' ip -n a address replace fd77:1::1/64 dev va nodad
	check 'ibv_asyncwatch ends' stop_server asyncwatch
}

# --- rping ---

# pings ADDRESS SIZE: expects that both sides print the data that they received, and that the client
# finds no mismatch.
pings() {
	pair 7174 rping -s -a "$1" -C 10 -S "$2" -v -- rping -c -a "$1" -C 10 -S "$2" -v -V &&
		client_printed 10 '^ping data: rdma-ping-[0-9]: [A-z]+' &&
		server_printed 10 '^server ping data: rdma-ping-[0-9]: [A-z]+' &&
		client_printed 0 mismatch
}

# Gives each address a zone, because the zone selects the netdev of a link-local address.
pings_link_local() {
	local address
	wait_for 10 link_local a va && wait_for 10 link_local b vb && address=$(link_local b vb) &&
		pair 7174 rping -s -a "$address%vb" -C 5 -v -- rping -c -a "$address%va" -C 5 -v -V &&
		client_printed 5 '^ping data: rdma-ping-[0-9]: [A-z]+'
}

# accepted NUMBER: succeeds if siwb has accepted at least NUMBER connections since it was added.
accepted() {
	(($(counter siwb accepts) >= $1))
}

# Runs several clients of one server, one after another and in parallel. The server stores only one
# pending request, so each parallel client starts after a server thread has taken over the request
# of the client before.
persistent_server() {
	local i pids=() status=0 before
	serve persistent 7174 rping -s -P -a "$server_v4" || return
	for i in 1 2; do
		client rping -c -a "$server_v4" -C 5 -v -V && client_printed 5 '^ping data: rdma-ping' || return
	done
	before=$(counter siwb accepts)
	for i in 1 2 3; do
		ip netns exec a timeout $((60 * slow)) rping -c -a "$server_v4" -C 100 -v -V \
			> "$output_dir/client$i" 2>&1 &
		pids+=($!)
		wait_for 10 accepted $((before + i)) || status=1
	done
	for i in 1 2 3; do
		wait "${pids[i - 1]}"
		judged "$?" "client$i" || { echo "client $i ended with $?"; status=1; }
		printed "client$i" 100 '^ping data: rdma-ping' || status=1
	done
	stop_server persistent
	return "$status"
}

test_rping() {
	check 'rping' pings "$server_v4" 100
	check 'rping, IPv6' pings "$server_v6" 100
	check 'rping, 20001 bytes' pings "$server_v4" 20001
	if ((!machines)); then
		check 'rping, link-local addresses' pings_link_local
		check 'rping, a persistent server' persistent_server
	fi
	expect_match 'rping, no listener' 'RDMA_CM_EVENT_REJECTED|RDMA_CM_EVENT_UNREACHABLE' \
		client rping -c -a "$server_v4" -p 7199 -C 1
}

# --- the other examples ---

# ucmatose_runs ADDRESS [OPTION...]: opens four connections, with messages in both directions on
# each.
ucmatose_runs() {
	local address=$1 what=(-c 4 -C 20 -S 5001)
	shift
	counts siwa rx_sends 80 pair 7471 ucmatose -b "$address" "${what[@]}" "$@" -- \
		ucmatose -s "$address" "${what[@]}" "$@" &&
		client_printed 1 '^data transfers complete$' && server_printed 1 '^data transfers complete$' &&
		client_printed 1 '^return status 0$' && server_printed 1 '^return status 0$'
}

ucmatose_migrates() {
	ucmatose_runs "$server_v4" -m && client_printed 1 '^migrating to new event channel$' &&
		server_printed 1 '^migrating to new event channel$'
}

# rdma_example ADDRESS: runs rdma_server and rdma_client, which send inline, and print "doesn't
# support" if the device has no inline data.
rdma_example() {
	pair 7471 rdma_server -s "$1" -- rdma_client -s "$1" && client_printed 1 '^rdma_client: end 0$' &&
		server_printed 1 '^rdma_server: end 0$' && client_printed 0 "doesn't support" &&
		server_printed 0 "doesn't support"
}

rdma_xexample() {
	pair 7471 rdma_xserver -c r -- rdma_xclient -s "$server_v4" -c r &&
		client_printed 1 '^rdma_xclient: end 0$' && server_printed 1 '^rdma_xserver: end 0$'
}

# cmtime_runs SERVER CLIENT: expects that the client prints a table with the time of each step of a
# connection. At its end, cmtime has the race of rping (see judged), which it reports but which does not change its
# status.
cmtime_runs() {
	local step race='failure in rdma_get_cm_event in process_server_events: Bad file descriptor'
	serve cmtime 7471 cmtime -b "$1" -c 20 || return
	client cmtime -b "$2" -s "$1" -c 20
	local status=$?
	stop_server cmtime
	for step in 'create id' 'bind addr' 'resolve addr' 'resolve route' 'create qp' connect disconnect destroy; do
		client_printed 1 "^$step *: +[0-9]+\.[0-9]+ +[0-9]+\.[0-9]+ +[0-9]+\.[0-9]+ +[0-9]+\.[0-9]+\$" || return
	done
	! grep -vxF "$race" "$output_dir/client" | grep -E 'error|failure' && return "$status"
}

say_connections_per_second() {
	awk '$1 == "connect" && $NF > 0 { printf "# cmtime: %.0f connections per second\n", 1000000 / $NF }' \
		"$output_dir/client"
}

test_examples() {
	check 'ucmatose, four connections' ucmatose_runs "$server_v4"
	check 'ucmatose, IPv6' ucmatose_runs "$server_v6" -f ipv6
	check 'ucmatose moves identifiers' ucmatose_migrates
	check 'rdma_server, rdma_client' rdma_example "$server_v4"
	check 'rdma_server, rdma_client, IPv6' rdma_example "$server_v6"
	check 'rdma_xserver, rdma_xclient' rdma_xexample
	check 'cmtime, 20 connections' cmtime_runs "$server_v4" "$client_v4"
	say_connections_per_second
	check 'cmtime, IPv6' cmtime_runs "$server_v6" "$client_v6"
	check 'udaddy: no datagrams' refused udaddy -s "$server_v4"
	check 'mckey: no multicast' refused mckey -m 239.1.1.1 -b "$client_v4"
}

# --- rsockets ---

# The length of the file that is copied, by default no multiple of the page size.
copy_size=${KRDMA_COPY_SIZE:-3000017}

# Writes a file of random data.
make_source() {
	head -c "$copy_size" /dev/urandom > "$output_dir/source"
}

# Writes the path of the copy on the server's host to a file, which `at` passes to the client's machine.
name_copy() {
	echo "$output_dir/copy" > "$output_dir/copy_name"
}

same_as_source() {
	[[ $(sha256sum < "$output_dir/source") == "$(sha256sum < "$output_dir/copy")" ]]
}

copied() {
	at a source make_source
	at b copy_name name_copy
	serve rcopy 7427 rcopy || return
	client rcopy "$output_dir/source" "$server_v4:$(< "$output_dir/copy_name")"
	local status=$?
	client_printed 1 "$copy_size bytes in" || status=1
	stop_server rcopy
	at b none same_as_source && return "$status"
}

# The beginning of a result line of rstream: size, transfers, iterations.
result='^custom +[0-9.]+k? +10 +5 '
stream=(-S 5003 -C 10 -I 5 -T verify)

stream_is_verified() {
	client_printed 1 "$result" && client_printed 0 'verification failed' && server_printed 0 'verification failed'
}

# streamed PROGRAM ADDRESS [OPTION...]: runs a server and a client, which both verify the data.
streamed() {
	local program=$1 address=$2
	shift 2
	pair 7471 "$program" -b "$address" "${stream[@]}" "$@" -- "$program" -s "$address" "${stream[@]}" "$@" &&
		stream_is_verified
}

# rstream treats POLLHUP as an error even if there is still data to read. So a polling client that is scheduled only
# after the server's last message and close ends without a result. A polling server cannot miss data this way, because
# the client does not close before the server has sent everything. Therefore only the server polls.
streamed_polling() {
	pair 7471 rstream -b "$server_v4" "${stream[@]}" -T async -- rstream -s "$server_v4" "${stream[@]}" &&
		stream_is_verified
}

# polled ADDRESS: runs rspoll, whose clients poll as well, and read the data that arrived before
# POLLHUP.
polled() {
	pair 7471 rspoll serve "$1" 7471 -- rspoll "$1" 7471 && client_printed 1 '^visited$' && server_printed 1 '^served$'
}

test_rsockets() {
	check 'rcopy' copied
	check 'rstream' streamed rstream "$server_v4"
	check 'rstream, IPv6' streamed rstream "$server_v6" -f ipv6
	check 'rstream, blocking' streamed rstream "$server_v4" -T blocking
	check 'rstream, its server with poll()' streamed_polling
	check 'riostream' streamed riostream "$server_v4"
	check 'riostream, IPv6' streamed riostream "$server_v6" -f ipv6
	check 'data before POLLHUP' polled "$server_v4"
	check 'data before POLLHUP, IPv6' polled "$server_v6"
}

ktap_start
need ibv_devices rping script
check 'two hosts with siw' client_hosts
((machines)) || test_devices
test_rping
test_examples
test_rsockets
check 'no protocol error' no_protocol_errors
check 'nothing is left' wait_for 10 nothing_is_left
check 'everything unloads' unload_krdma
ktap_end
