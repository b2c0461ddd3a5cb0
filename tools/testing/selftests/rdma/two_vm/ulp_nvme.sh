#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the kernel's NVMe over RDMA, unmodified, on siw: discovery, all sizes and depths of I/O with verified content,
# data in capsules, several queues, keep-alive, several controllers, IPv4 and IPv6.
#
#	machine a                        machine b
#	   eth0 10.77.0.1, fd77::1  ------  eth0 10.77.0.2, fd77::2
#	   nvme_rdma                        nvmet_rdma: disks of null_blk, and a file
#
# timeout: 400
#
#   two_vm/ulp_nvme.sh [MIB]   more data with a larger MIB; 1 by default

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ulp/lib_ulp.sh"
. "$(dirname "$0")/../lib_clients.sh"
. "$(dirname "$0")/../ulp/lib_nvme.sh"

mib=${1:-1}
main=nqn.2026-01.krdma:main
second=nqn.2026-01.krdma:second

# A disk with blocks of 512 bytes, one with blocks of 4096, and a file.
# nvmet_rdma uses the same size of capsules for all ports of a device, so that different ones do not work.
make_target() {
	truncate -s 32M /tmp/file &&
		make_disk 1 64 blocksize=512 && make_disk 2 64 blocksize=4096 && make_disk 3 64 blocksize=512 &&
		make_subsystem "$main" /dev/nullb1 /dev/nullb2 /tmp/file && make_subsystem "$second" /dev/nullb3 &&
		make_port 1 "$nvme_v4" "$main" "$second" param_inline_data_size=16384 &&
		make_port 2 "$nvme_v6" "$main" "$second" param_inline_data_size=16384
}

has_disks() {
	nvme_disk "$main" 1 && nvme_disk "$main" 2 && nvme_disk "$main" 3
}

# discovered ADDRESS: the discovery service at the address names both subsystems.
discovered() {
	local log id=6c1d7a50-2f3e-4b8a-9d14-7702000000aa
	# Newer kernels refuse the default name of a host with the number of another one.
	log=$(nvme discover -t rdma -a "$1" -s 4420 -q "nqn.2014-08.org.nvmexpress:uuid:$id" -I "$id") && echo "$log" &&
		[[ $log == *"$main"* && $log == *"$second"* && $log == *"$1"* ]]
}

# sizes_and_depths NUMBER SIZE...: writes and reads blocks of each size, in KiB, at depths of 1 to 128.
sizes_and_depths() {
	local size depth jobs=()
	for size in "${@:2}"; do
		for depth in 1 8 32 128; do
			jobs+=("--name=$size-$depth" --rw=randwrite "--bs=${size}k" "--iodepth=$depth"
				"--size=$((mib * 512 + size * 8))k")
		done
	done
	nvme_jobs "$(nvme_disk "$main" "$1")" "${jobs[@]}"
}

# mixed NUMBER: reads and writes of 4 KiB to 1 MiB at the same time.
mixed() {
	local depth jobs=()
	for depth in 1 16 128; do
		jobs+=("--name=$depth" --rw=randrw --bsrange=4k-1m "--iodepth=$depth" "--size=$((mib * 8))m" --verify_backlog=32)
	done
	nvme_jobs "$(nvme_disk "$main" "$1")" "${jobs[@]}"
}

count_reads() {
	counter siwb tx_read_requests > "$output_dir/reads"
}

# reads_since MINIMUM MAXIMUM: compares the number of reads since count_reads.
reads_since() {
	local number=$(($(counter siwb tx_read_requests) - $(< "$output_dir/reads")))
	echo "$number reads by the target"
	((number >= $1 && number <= $2))
}

# write_blocks BYTES
write_blocks() {
	nvme_data "$(nvme_disk "$main" 1)" --rw=randwrite "--bs=$1" --size=1m --iodepth=8
}

capsules() {
	local size
	step b 'reads of the target are counted' count_reads
	for size in 4k 16k; do
		step a "blocks of $size" write_blocks "$size"
	done
	step b 'their data came in capsules' reads_since 0 0
	step a 'blocks of 32 KiB' write_blocks 32k
	step b 'the target has read their data' reads_since 32 1000
}

# has_queues NUMBER: the controller has so many, with the queue for administration.
has_queues() {
	[[ $(< "/sys/class/nvme/$(nvme_controllers "$main")/queue_count") == "$1" ]]
}

# Reads and writes, and then waits for completions by polling.
all_queues() {
	local device
	device=$(nvme_disk "$main" 1)
	nvme_data "$device" --rw=randrw --bsrange=4k-256k --iodepth=16 --size=8m &&
		nvme_data "$device" --rw=randrw --bsrange=4k-256k --size=4m --ioengine=pvsync2 --hipri
}

both_disks() {
	local device
	device=$(nvme_disk "$second" 1)
	start_io "$(nvme_disk "$main" 1)" --rw=randrw --bsrange=4k-128k --iodepth=16 --size=4m &&
		nvme_data "$device" --rw=randrw --bsrange=4k-128k --iodepth=16 --size=16m && stop_io
}

# stays_alive NAME: the controller, which is idle for longer than its time limit, does not reconnect.
stays_alive() {
	local controller
	controller=$(nvme_controllers "$1")
	pause $((5 * slow)) && nvme_is "$controller" live && ! dmesg | grep "$controller.*reconnect"
}

refused() {
	! nvme_connect "$@" && [[ -z $(nvme_controllers "$1") ]]
}

ktap_start
check 'krdma, NVMe, a siw device' nvme_hosts
step b 'a target' make_target
step a 'discovery, IPv4' discovered "$nvme_v4"
step a 'discovery, IPv6' discovered "$nvme_v6"
step a 'a connection' nvme_connect "$main" "$nvme_v4"
step a 'its disks' wait_for 10 has_disks
capsules
step a 'blocks of 4 to 60 KiB, depths 1 to 128' sizes_and_depths 1 4 16 60
step a 'blocks of 128 KiB and 1 MiB, depths 1 to 128' sizes_and_depths 1 128 1024
step a 'a disk with blocks of 4 KiB' sizes_and_depths 2 4 64 1024
step a 'a file' sizes_and_depths 3 4 64
step a 'reads and writes' mixed 1
same_content "$main" 1 /dev/nullb1
same_content "$main" 2 /dev/nullb2
step a 'end of the connection' nvme_disconnect "$main"

step a 'one queue each for reads, writes and polling' \
	nvme_connect "$main" "$nvme_v6" nr_io_queues=1 nr_write_queues=1 nr_poll_queues=1
step a 'these queues' has_queues 4
step a 'all are used' all_queues
step a 'a second controller, IPv4' nvme_connect "$second" "$nvme_v4" keep_alive_tmo=2 queue_size=16
step a 'its disk' wait_for 10 nvme_disk "$second" 1
step a 'both at once' both_disks
step a 'the second one is kept alive' stays_alive "$second"
same_content "$main" 1 /dev/nullb1
same_content "$second" 1 /dev/nullb3
step a 'end of both connections' nvme_disconnect_all

step a 'a connection to nothing is refused' refused "$main" 10.77.0.3
step a 'a subsystem that is not there is refused' refused nqn.none "$nvme_v4"
step b 'the target ends' remove_target
both 'nothing is left' wait_for 10 nothing_left
both 'the drivers unload' unload_nvme
both 'everything unloads' unload_krdma
for ulp in nvme nvmet; do
	ulp_ran "$ulp" 'discovery, IPv4 and IPv6, 4 KiB to 1 MiB at depths 1 to 128, data in capsules, several queues and controllers, polling'
done
ktap_end
