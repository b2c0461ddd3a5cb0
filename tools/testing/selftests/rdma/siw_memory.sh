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

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_failures.sh"

siw_host() {
	load_krdma && two_hosts && add_siw a && modprobe kscript &&
		echo 0 > /sys/class/infiniband/siwa/ports/1/hw_counters/lifespan
}

ktap_start
failures_start
# Fails every allocation, but only those that may not wait, as the streams make them.
set_failing ignore-gfp-wait Y
set_failing times -1
set_failing interval 1
set_failing verbose 0
check 'a host with siw, and a peer' siw_host
# shellcheck disable=SC2154 # of lib.sh
ktap_copy <(nsenter --net=/run/netns/b "${KRDMA:-/krdma}/bin/iwscript" --dev siwa --addr 10.77.1.1 \
	--netns /run/netns/a --macros "$(dirname "$0")/wire/lib" --wait $((10000 * slow)) \
	"$(dirname "$0")"/wire/memory/*.iw) 'memory: '
check 'everything unloads' unload_krdma
ktap_end
