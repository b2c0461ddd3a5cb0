#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs many connections on one SRQ on both sides, and verifies every byte. Expects that an abrupt
# end of one connection does not affect the receives of the others.
#
# timeout: 120
# needs: several processors

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

# on_srq OPTION...: runs a client whose QPs receive from an SRQ, as those of the server do.
on_srq() {
	client --srq "$@"
}

# Ends connections by a reset while others continue.
resets_beside() {
	serve beside --srq --qps 16 --depth 8 --size 5000 || return 1
	start_client --op ping --size 5000 --depth 8 --qps 4 --srq
	client --op send --size 5000 --depth 8 --qps 8 --count 20 --abrupt || return 1
	client --op send --size 5000 --depth 8 --qps 8 --count 20 --abrupt || return 1
	kill -0 "$client_pid" || { cat "$server_dir/client"; return 1; }
	stop_client
}

srqs() {
	rdma resource show siwb | grep -oE 'srq [0-9]+'
}

ktap_start
check 'two hosts with siw' siw_hosts
check 'a server with an SRQ' serve main --srq --qps 32 --depth 16 --size 70001
expect_output 'the SRQ is counted' 'srq 1' srqs
for op in ping send write read read-inv; do
	check "$op on 32 QPs at once" on_srq --op "$op" --size 4097 --count 10 --qps 32 --offset 1 --verify
	check "$op of 70001 bytes on 4 QPs" on_srq --op "$op" --size 70001 --count 3 --qps 4 --verify
done
check 'sends streamed on 16 QPs' on_srq --op send --size 3000 --count 100 --qps 16
check 'sends that invalidate' on_srq --op send-inv --count 10 --qps 8
check 'the server saw no error' stop_server main
expect_output 'the SRQ is gone' 'srq 0' srqs

check 'resets beside connections that continue' resets_beside
stop_server beside > /dev/null
expect_output 'no protocol error counted' 0 counter siwb rx_protocol_errors
check 'everything unloads' unload_krdma
ktap_end
