#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the kernel's NVMe over RDMA, unmodified, with two paths to the same disk, each over a siw device of its own.
# While data is written, read and compared, one path fails, and then the other: no byte may be wrong, and no transfer
# may fail.
#
#	machine a                        machine b
#	   path1 10.77.1.1  --------------  path1 10.77.1.2
#	   path2 10.77.2.1  --------------  path2 10.77.2.2
#	   nvme_rdma                        nvmet_rdma: a disk of null_blk
#
# timeout: 200

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ulp/lib_ulp.sh"
. "$(dirname "$0")/../lib_clients.sh"
. "$(dirname "$0")/../ulp/lib_nvme.sh"

main=nqn.2026-01.krdma:main

# Both hosts ask, so that both skip the test.
has_multipath() {
	modprobe nvme_core "${nvme_core[@]}" && [[ $(cat /sys/module/nvme_core/parameters/multipath) == Y ]]
}

make_target() {
	make_disk 1 32 && make_subsystem "$main" /dev/nullb1 && make_port 1 10.77.1.2 "$main" && make_port 2 10.77.2.2 "$main"
}

# connect NUMBER: the controller notices within seconds that its path has failed.
connect() {
	nvme_connect "$main" "10.77.$1.2" keep_alive_tmo=$((2 * slow))
}

# Requests are to take turns between the paths.
one_disk() {
	local subsystem
	wait_for 10 nvme_disk "$main" 1 && [[ $(nvme_controllers "$main" | wc -l) == 2 ]] || return
	for subsystem in /sys/class/nvme-subsystem/*; do
		[[ $(< "$subsystem/subsysnqn") != "$main" ]] || echo round-robin > "$subsystem/iopolicy" || return
	done
}

begin_io() {
	start_io "$(nvme_disk "$main" 1)" --rw=randrw --bsrange=4k-128k --iodepth=16 --size=4m --verify_backlog=16
}

has_received() {
	(($(counter "$1" rx_bytes) > $2))
}

# path_is_used NUMBER: waits until more data has come by the path.
path_is_used() {
	wait_for 40 has_received "siw$1" $(($(counter "siw$1" rx_bytes) + 200000)) && return
	cat /tmp/io.log
	return 1
}

path_is() {
	nvme_is "$(nvme_controllers "$main" "10.77.$1.2")" "$2"
}

path_is_live() {
	wait_for 60 path_is "$1" live
}

ktap_start
check 'krdma, NVMe, two siw devices' nvme_hosts 1 2
has_multipath || ktap_skip_all 'the kernel has no multipath'
step b 'a target with two ports' make_target
step a 'a connection by path 1' connect 1
step a 'a connection by path 2' connect 2
step a 'one disk with two paths' one_disk
step a 'transfers' begin_io
step a 'path 1 is used' path_is_used 1
step a 'path 2 is used' path_is_used 2

step a 'the link of path 1 goes down' ip link set path1 down
step a 'its controller notices' wait_for 60 path_is 1 connecting
step a 'path 2 is used' path_is_used 2
step a 'the link of path 1 comes back' ip link set path1 up
step a 'path 1 comes back' path_is_live 1
step a 'path 1 is used' path_is_used 1

step b 'the port of path 2 goes' withdraw 2 "$main"
step a 'its controller notices' wait_for 60 path_is 2 connecting
step a 'path 1 is used' path_is_used 1
step b 'the port of path 2 comes back' offer 2 "$main"
step a 'path 2 comes back' path_is_live 2
step a 'path 2 is used' path_is_used 2

step a 'the device of path 1 goes' rdma link delete siw1
step a 'path 2 is used' path_is_used 2
step a 'the device of path 1 comes back' rdma link add siw1 type siw netdev path1
step a 'a connection by path 1' connect 1
step a 'path 1 is used' path_is_used 1

step a 'the transfers end, and no byte was wrong' stop_io
step a 'both connections end' nvme_disconnect "$main"
step b 'the target ends' remove_target
both 'nothing is left' wait_for 10 nothing_left
both 'the drivers unload' unload_nvme
both 'everything unloads' unload_krdma
for ulp in nvme nvmet; do
	ulp_ran "$ulp" 'two paths, of which one fails'
done
ktap_end
