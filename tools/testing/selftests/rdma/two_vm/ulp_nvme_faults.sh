#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests that the kernel's NVMe over RDMA, unmodified, recovers on siw: controllers that are reset, targets and devices
# that are removed and come back, links that go down, a link with loss, delay and reordering; all while data is written,
# read and compared. No byte may be wrong, and no transfer may fail unless its controller is deleted.
#
#	machine a                        machine b
#	   path1 10.77.1.1  --------------  path1 10.77.1.2
#	   nvme_rdma                        nvmet_rdma: a disk of null_blk
#
# timeout: 300
#
#   two_vm/ulp_nvme_faults.sh [SECONDS]   how long the link is down; 5 by default

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ulp/lib_ulp.sh"
. "$(dirname "$0")/../lib_clients.sh"
. "$(dirname "$0")/../ulp/lib_nvme.sh"

down=${1:-5}
main=nqn.2026-01.krdma:main
# With multipath, lockdep finds a deadlock in nvme_core when a disk of a deleted controller is closed: it waits for the
# work item that scans for partitions, with the disk's open_mutex held. Without multipath, nvme_core sometimes frees a work
# item that is queued (nvme_requeue_work) if a controller without I/O is deleted.
nvme_core+=(multipath=N)
writers=()
work=(--rw=randrw --bsrange=4k-128k --iodepth=16 --size=4m --verify_backlog=16)

make_target() {
	make_disk 1 32 && make_subsystem "$main" /dev/nullb1 && make_port 1 10.77.1.2 "$main"
}

# nvmet_rdma has no listener any more after its device has gone, and makes another one only if it is told to.
renew() {
	withdraw 1 "$main" && offer 1 "$main"
}

# The controller notices within seconds that its target does not answer.
connect() {
	nvme_connect "$main" 10.77.1.2 keep_alive_tmo=$((2 * slow)) "$@" && wait_for 10 has_disk
}

has_disk() {
	nvme_disk "$main" 1
}

# with_io FUNCTION...: runs the function while data is transferred, which has to go on then.
with_io() {
	begin_io && "$@" && io_moves && stop_io
}

begin_io() {
	start_io "$(nvme_disk "$main" 1)" "${work[@]}"
}

# Eight processes write to the disk, each until one of its writes fails. A disk that is being deleted has a capacity of 0, and
# reads succeed then with 0 bytes.
begin_writes() {
	local i disk
	disk=$(nvme_disk "$main" 1) || return
	writers=()
	for i in {0..7}; do
		write_on "$disk" $((i * 32)) > "/tmp/writer.$i" 2>&1 &
		writers+=($!)
	done
	io_moves
}

# write_on DISK BLOCK: writes 32 blocks of 128 KiB from this one on, again and again.
write_on() {
	while dd if=/dev/zero of="$1" bs=128k seek="$2" count=32 oflag=direct conv=nocreat,notrunc status=none; do :; done
}

# Waits until all writers have failed.
writes_fail() {
	local i
	for i in {0..7}; do
		wait_for 40 has_ended "${writers[i]}" && cat "/tmp/writer.$i" && continue
		echo "writer $i goes on:"
		ps -o pid,ppid,stat,wchan:32,args -p "${writers[i]}" -C dd
		return 1
	done
	wait "${writers[@]}"
	[[ -s /tmp/writer.0 ]]
}

is() {
	nvme_is "$(nvme_controllers "$main")" "$1"
}

is_live() {
	wait_for 40 is live
}

resets() {
	local i controller
	controller=$(nvme_controllers "$main")
	for ((i = 0; i < $1; i++)); do
		echo 1 > "/sys/class/nvme/$controller/reset_controller" || return
		pause 0.2
	done
}

link_down() {
	ip link set path1 down && pause "$down" && ip link set path1 up
}

# The disk is opened, because the transfers do not have it open all the time.
still_in_use() {
	fails_with 'in use' modprobe -r nvme_rdma
} < "$(nvme_disk "$main" 1)"

netem() {
	tc qdisc replace dev path1 root netem "$@"
}

with_multipath() {
	unload_nvme && nvme_core+=(multipath=Y) && nvme_drivers
}

ktap_start
check 'krdma, NVMe, a siw device' nvme_hosts 1
step b 'a target' make_target

step a 'a connection' connect
step a 'the controller is reset 5 times' with_io resets 5

step a 'transfers' begin_io
step b 'the target goes' withdraw 1 "$main"
step a 'the controller notices' wait_for 40 is connecting
step b 'the target comes back' offer 1 "$main"
step a 'the controller reconnects' is_live
step a 'the transfers go on' io_moves

step a "the link is down for $down s" link_down
step a 'the controller is there' is_live
step a 'the transfers go on' io_moves

step b "the target's device goes" rdma link delete siw1
step a 'the controller notices' wait_for 40 is connecting
step b "the target's device comes back" rdma link add siw1 type siw netdev path1
step b 'its port listens again' renew
step a 'the controller reconnects' is_live
step a 'the transfers go on' io_moves

both 'loss, delay and reordering' netem delay 10ms 2ms loss 1% reorder 10%
step a 'the transfers are slow' io_moves
both 'no loss' tc qdisc del dev path1 root
step a 'the transfers end, and no byte was wrong' stop_io

step a 'writes' begin_writes
step a 'the host driver does not unload meanwhile' still_in_use
step a 'the controller is deleted' nvme_disconnect "$main"
step a 'the writes fail' writes_fail

step a 'a connection' connect
step a 'writes' begin_writes
step a "the controller's device goes" rdma link delete siw1
step a 'the writes fail' writes_fail
step a "the controller's device comes back" rdma link add siw1 type siw netdev path1

step a 'nvme_core with multipath' with_multipath
step a 'a connection' connect
step a 'the host driver unloads' unload_nvme
step a 'the host driver loads' nvme_drivers

step b 'the target ends' remove_target
both 'nothing is left' wait_for 10 nothing_left
both 'the drivers unload' unload_nvme
both 'everything unloads' unload_krdma
for ulp in nvme nvmet; do
	ulp_ran "$ulp" 'faults under I/O: resets, and links, devices, ports and drivers that go and come back, bad links'
done
ktap_end
