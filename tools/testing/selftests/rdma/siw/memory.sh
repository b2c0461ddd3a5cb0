#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests siw while memory is short: the scripts of wire/memory make allocations of siw fail.
#
#	namespace a                       namespace b
#	   siwa on va 10.77.1.1  ------  vb 10.77.1.2  iwscript
#	   kscript
#
# timeout: 200

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_failures.sh"

tracing=/sys/kernel/tracing

siw_host() {
	load_krdma && two_hosts && add_device a && modprobe kscript &&
		echo 0 > /sys/class/infiniband/siwa/ports/1/hw_counters/lifespan
}

# Without memory for a socket buffer, transmit tries again every 10 ms, in the tasklet. In the second
# of no_skb.iw it must not run in the work item all the time.
rarely_worked() {
	local count
	count=$(grep -c 'function stream_work' "$tracing/trace")
	echo "the streams' work item ran $count times"
	((count < 150))
}

ktap_start
failures_start
# Fails every allocation, but only those that may not wait, as the streams make them.
set_failing ignore-gfp-wait Y
set_failing times -1
set_failing interval 1
set_failing verbose 0
check 'a host with siw, and a peer' siw_host
echo 1 > $tracing/events/workqueue/workqueue_execute_start/enable
# shellcheck disable=SC2154 # of lib.sh
ktap_copy <(nsenter --net=/run/netns/b "${KRDMA:-/krdma}/bin/iwscript" --dev siwa --addr 10.77.1.1 \
	--netns /run/netns/a --macros "$lib_dir/wire/lib" --wait $((10000 * slow)) \
	"$lib_dir"/wire/memory/*.iw) 'memory: '
check 'without memory, transmit does not spin' rarely_worked
check 'everything unloads' unload_krdma
ktap_end
