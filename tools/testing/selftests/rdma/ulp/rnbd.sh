#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests how far the kernel's rnbd, a disk over rtrs, gets with krdma's siw (`make ulps`). Its server listens, and the first
# connection of a client is established. rtrs gives the next connection the same addresses and ports, which TCP does not
# allow. Expects that client and server report the error, and leave nothing. rtrs has no network namespaces, so both are on
# one host.
#
#	siw0 on lo: client --- server, with a disk in memory
#
# timeout: 90

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_ulp.sh"

modules=(rnbd-client rnbd-server rtrs-client rtrs-server rtrs-core)

load_rnbd() {
	load_krdma && rdma link add siw0 type siw netdev lo && at_exit unload_rnbd && modprobe brd rd_nr=1 rd_size=8192 &&
		modprobe rnbd-server dev_search_path=/dev && modprobe rnbd-client
}

unload_rnbd() {
	local module
	for module in "${modules[@]}" brd; do
		[[ ! -d /sys/module/${module//-/_} ]] || rmmod "$module"
	done
	[[ ! -e /sys/class/infiniband/siw0 ]] || rdma link delete siw0
}

server_listens() {
	[[ $(rdma resource show cm_id link siw0/1) == *LISTEN*:1234* ]]
}

map_disk() {
	echo 'sessname=krdma path=ip:127.0.0.1 device_path=ram0' > /sys/devices/virtual/rnbd-client/ctl/map_device
}

# rtrs waits 30 s for the end of a connection of which it does not hear if it has destroyed the identifier meanwhile. Lets it,
# without a report of a hung task.
allow_wait() {
	local file=/proc/sys/kernel/hung_task_timeout_secs limit
	[[ -e $file ]] || return 0
	limit=$(< "$file")
	echo $((2 * limit)) > "$file" && at_exit eval "echo $limit > $file"
}

accepted() {
	counter siw0 accepts
}

ktap_start
need_ulps rtrs-core rtrs-client rtrs-server rnbd-client rnbd-server
modinfo -n brd > /dev/null 2>&1 || ktap_skip_all 'no module brd (vm/run --with storage)'
check 'client and server' load_rnbd
check 'the server listens' server_listens
check 'waits of rtrs are no hangs' allow_wait
check 'the second connection of a client is refused' fails_with 'Cannot assign requested address' map_disk
expect_output 'the first was established' 1 accepted
check 'no connection is left' wait_for 10 no_connections
check 'the modules are unloaded' unload_rnbd
for ulp in rtrs rnbd; do
	ulp_says "$ulp" not 'all connections of a client have one local port, which TCP does not allow'
done
ktap_end
