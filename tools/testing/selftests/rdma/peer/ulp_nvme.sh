#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the kernel's NVMe over RDMA, unmodified, between krdma and the kernel's own soft-iWARP and RDMA stack, each as
# the target and as the host: I/O of all sizes with verified content, resets of the controller, and targets that go and
# come back.
#
#	machine a: krdma                 machine b: in-tree siw, the distribution's ib_core and iw_cm
#	   eth0 10.77.0.1, fd77::1  ------  eth0 10.77.0.2, fd77::2
#
# The target on the in-tree siw is not removed under I/O: it loses a request then, and waits for it forever.
#
# timeout: 200

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ulp/lib_ulp.sh"
. "$(dirname "$0")/../lib_clients.sh"
. "$(dirname "$0")/../ulp/lib_nvme.sh"

main=nqn.2026-01.krdma:main

make_target() {
	make_disk 1 64 && make_subsystem "$main" /dev/nullb1 && make_port 1 "$1" "$main" && make_port 2 "$2" "$main"
}

sizes() {
	local size jobs=()
	for size in 4 60 128 1024; do
		jobs+=("--name=$size" --rw=randwrite "--bs=${size}k" --iodepth=32 "--size=$((512 + size * 8))k")
	done
	nvme_jobs "$(nvme_disk "$main" 1)" "${jobs[@]}" --name=mixed --rw=randrw --bsrange=4k-256k --iodepth=16 --size=8m \
		--verify_backlog=32
}

begin_io() {
	start_io "$(nvme_disk "$main" 1)" --rw=randrw --bsrange=4k-128k --iodepth=16 --size=4m --verify_backlog=16
}

controller_is() {
	nvme_is "$(nvme_controllers "$main")" "$1"
}

reset_controller() {
	echo 1 > "/sys/class/nvme/$(nvme_controllers "$main")/reset_controller"
}

# between TARGET HOST IPV4 IPV6: TARGET has these addresses.
between() {
	local target=$1 host=$2
	target_host=$target
	both "target on $target: the drivers" nvme_drivers
	step "$target" 'a target' make_target "$3" "$4"
	step "$host" 'a connection' nvme_connect "$main" "$3" keep_alive_tmo=5
	step "$host" 'its disk' wait_for 10 nvme_disk "$main" 1
	step "$host" 'all sizes' sizes
	same_content "$main" 1 /dev/nullb1
	step "$host" 'transfers' begin_io
	step "$host" 'the controller is reset' reset_controller
	step "$host" 'the transfers go on' io_moves
	[[ $target == a ]] || step "$host" 'the transfers end, and no byte was wrong' stop_io
	step "$target" 'the target goes' withdraw 1 "$main"
	step "$host" 'the controller notices' wait_for 40 controller_is connecting
	step "$target" 'the target comes back' offer 1 "$main"
	step "$host" 'the controller reconnects' wait_for 40 controller_is live
	[[ $target == a ]] || step "$host" 'transfers' begin_io
	step "$host" 'the transfers go on' io_moves
	step "$host" 'the transfers end, and no byte was wrong' stop_io
	step "$host" 'the connection ends' nvme_disconnect "$main"
	step "$host" 'a connection, IPv6' nvme_connect "$main" "$4"
	step "$host" 'its disk' wait_for 10 nvme_disk "$main" 1
	step "$host" 'all sizes' sizes
	step "$host" 'the connection ends' nvme_disconnect "$main"
	step "$target" 'the target ends' remove_target
	both 'the drivers unload' unload_nvme
}

ktap_start
check 'the RDMA stack, a siw device' nvme_hosts
between b a 10.77.0.2 fd77::2
between a b 10.77.0.1 fd77::1
[[ $HOST == b ]] || check 'nothing is left' wait_for 10 nothing_left
check 'everything unloads' unload_krdma
for ulp in nvme nvmet; do
	ulp_ran "$ulp" 'with the kernel'\''s own stack at the other end'
done
ktap_end
