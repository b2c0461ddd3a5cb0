#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs other installed programs that use verbs: fio, qperf, libfabric's fi_pingpong and pyverbs.
# Programs that this guest lacks (see vm/run --with fio --with python) are skipped. fio and qperf
# resolve IPv4 addresses only.
#
#	namespace a                       namespace b
#	   va 10.77.1.1, fd77:1::1  ----  vb 10.77.1.2, fd77:1::2
#	   siwa: clients                  siwb: servers
#
# two_vm/clients_tools.sh runs this test between two machines.
#
# timeout: 150

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_clients.sh"

has() {
	type -P "$1" > /dev/null && return
	ktap_skip "$1" 'not installed'
	return 1
}

# --- fio ---

# fio_job OPTION...: prints fio's command for one side. The server's --iodepth must be at least that
# of the client, because the server needs a buffer for each outstanding request. --rw=read makes fio
# the server and --rw=write the client, whatever operation --verb selects.
fio_job() {
	echo fio --name=job --ioengine=rdma --port=7500 --bs=16k --size=1m "$@"
}

# fio_moves DEVICE COUNTER VERB: transfers 64 blocks to or from memory of the server.
fio_moves() {
	local server client
	read -ra server < <(fio_job --rw=read --iodepth=16)
	read -ra client < <(fio_job --rw=write --iodepth=8 --hostname="$server_v4" --verb="$3")
	counts "$1" "$2" 64 pair 7500 "${server[@]}" -- "${client[@]}" &&
		client_printed 1 '^ *WRITE: .*io=1024KiB' && client_printed 1 'err= 0: pid=' &&
		server_printed 1 'err= 0: pid='
}

# The client sends 64 messages. The server posts 64 receives, and verifies the checksums of the
# messages.
fio_verifies() {
	local server client
	read -ra server < <(fio_job --rw=read --iodepth=64 --verify=crc32c)
	read -ra client < <(fio_job --rw=write --iodepth=4 --verify=crc32c --do_verify=0 \
		--hostname="$server_v4" --verb=send)
	counts siwb rx_sends 64 pair 7500 "${server[@]}" -- "${client[@]}" &&
		client_printed 1 '^ *WRITE: .*io=1024KiB' && server_printed 1 '^ *READ: .*io=1024KiB' &&
		server_printed 0 'verify:'
}

test_fio() {
	has fio || return
	check 'fio: writes' fio_moves siwb rx_writes write
	check 'fio: reads' fio_moves siwa rx_read_responses read
	check 'fio: messages, verified' fio_verifies
}

# --- qperf ---

# qperf_moves DEVICE COUNTER TEST [OPTION...]: runs a test of qperf; the device must count one
# operation or more. -to raises the time that a side waits for the other side, 5 seconds by default.
# The server's process for a test crashes at the end of the test, on devices of other drivers as
# well, because the process destroys a QP that does not exist.
qperf_moves() {
	local dev=$1 name=$2 test=$3
	shift 3
	# shellcheck disable=SC2154 # set in lib.sh
	counts "$dev" "$name" 1 client qperf "$server_v4" -cm1 -to $((40 * slow)) "$@" "$test" && client_printed 1 "^$test:\$"
}

# Sends no more messages than the receives that the receiver posts at the start, because iWARP has
# no flow control for sends.
qperf_counts() {
	qperf_moves siwb rx_sends rc_bw -n 500 -m 16K -vvs && client_printed 1 '^ +recv_msgs += +500 $'
}

# The measured figures are not checked: qperf prints no figure that is zero, and a side measures zero if it is
# scheduled only after its time is over.
test_qperf() {
	has qperf || return
	check 'qperf: clients that connect early retry' hold_early_clients
	check 'qperf: a server' serve qperf 19765 qperf
	check 'qperf: latency of messages' qperf_moves siwa rx_sends rc_lat -t 2
	check 'qperf: messages' qperf_counts
	check 'qperf: latency of reads' qperf_moves siwa rx_read_responses rc_rdma_read_lat -t 2
	check 'qperf: reads' qperf_moves siwa rx_read_responses rc_rdma_read_bw -t 2 -m 16K
	check 'qperf: latency of writes' qperf_moves siwa rx_writes rc_rdma_write_poll_lat -t 2
	check 'qperf: the server ends' stop_server qperf
}

# --- pyverbs ---

# pyverbs_runs ADDRESS: runs verbs.py on both hosts, which prints KTAP on both.
pyverbs_runs() {
	pair 7600 python3 "$lib_dir/clients/verbs.py" server "$1" -- python3 "$lib_dir/clients/verbs.py" client "$1" "${devices[@]}"
}

test_pyverbs() {
	has python3 || return
	if ! python3 -c 'import pyverbs.device' 2> /dev/null; then
		ktap_skip pyverbs 'not installed'
		return
	fi
	check 'pyverbs, IPv6' pyverbs_runs "$server_v6"
	check 'pyverbs' pyverbs_runs "$server_v4"
	ktap_copy "$output_dir/client" 'pyverbs: '
	ktap_copy "$output_dir/pair" 'pyverbs server: '
}

# --- libfabric ---

# fi_pingpong_runs ENDPOINT ADDRESS [OPTION]: runs a server and a client, which compare every byte.
# The server binds to "localhost" to find the providers, and then sends the client its address.
#
# An endpoint of type "rdm" flushes its completions after it has freed the connection, and reposts
# the flushed receives to freed memory, which sometimes ends in signal 11 (libfabric's issues 5122,
# 11828). Therefore the exit status is ignored for "rdm"; both sides must still report the
# transfers.
fi_pingpong_runs() {
	local endpoint=$1 address=$2 size command
	shift 2
	for size in 1 4096 1000000; do
		command=(fi_pingpong -p verbs -e "$endpoint" -I 10 -S "$size" -c "$@")
		# shellcheck disable=SC2016 # for the inner shell
		[[ $endpoint != rdm ]] || command=(sh -c '"$@"; true' sh "${command[@]}")
		pair 47592 "${command[@]}" -- "${command[@]}" "$address" && client_printed 1 ' +10 +=10 ' &&
			server_printed 1 ' +10 +=10 ' || return
	done
}

test_libfabric() {
	has fi_pingpong || return
	check 'fi_pingpong: connected endpoints' fi_pingpong_runs msg "$server_v4"
	check 'fi_pingpong: connected endpoints, IPv6' fi_pingpong_runs msg "$server_v6" -6
	check 'fi_pingpong: reliable datagrams over connected endpoints' fi_pingpong_runs rdm "$server_v4"
}

ktap_start
check 'two hosts with siw' client_hosts
test_fio
test_qperf
test_libfabric
test_pyverbs
check 'siw has refused no connection' siw_refused_none
check 'nothing is left' wait_for 10 nothing_is_left
check 'everything unloads' unload_krdma
ktap_end
