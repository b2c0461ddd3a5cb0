#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests ULPs of `make ulps` that cannot be used over krdma's siw, and reports why: RDS and SMC take no iWARP device, and
# Debian has no server of 9P over RDMA. Expects that they leave the device alone, and that a client of 9P without a server
# gives up.
#
# timeout: 60

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_ulp.sh"

# Prints the number of objects that ULPs have on the device, except listeners, which are on all devices.
objects() {
	rdma resource show -j | jq -r 'map(.qp, .mr, .pd) | add'
}

# takes_no_iwarp ULP MODULE
takes_no_iwarp() {
	if ! has_ulp "$2"; then
		ktap_skip "$1 loads" "$2 is not built"
		return
	fi
	check "$1 loads" modprobe "$2"
	expect_output "$1 does not use the device" 0 objects
	check "$1 unloads" modprobe -r "$2"
	ulp_says "$1" not 'it takes InfiniBand and RoCE devices only'
}

mount_9p() {
	timeout $((30 * slow)) mount -t 9p -o trans=rdma,port=5640 127.0.0.1 /tmp/9p
}

test_9p() {
	if ! has_ulp 9pnet_rdma || ! modinfo -n 9p > /dev/null 2>&1; then
		ktap_skip '9p loads' '9pnet_rdma or 9p is not there'
		return
	fi
	check '9p loads' modprobe -a 9pnet_rdma 9p
	mkdir -p /tmp/9p
	expect_failure 'a mount without a server fails' mount_9p
	check 'a mount that failed leaves nothing' wait_for 10 nothing_left
	check '9p unloads' modprobe -r 9pnet_rdma
	ulp_says 9p not 'Debian has no server for it; a client without a server gives up'
}

remove_device() {
	rdma link delete siw0
}

ktap_start
check 'siw is loaded' load_krdma
check 'a device' rdma link add siw0 type siw netdev lo
at_exit remove_device
takes_no_iwarp rds rds_rdma
takes_no_iwarp smc smc
test_9p
ktap_end
