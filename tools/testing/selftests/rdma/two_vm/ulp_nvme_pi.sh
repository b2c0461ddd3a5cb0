#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the kernel's NVMe over RDMA, unmodified, with a disk that has protection information (T10-PI): each block of 512
# bytes goes over the wire with 8 bytes of it, which siw checks. Data that does not match them must not be read.
#
#	machine a                        machine b
#	   eth0 10.77.0.1  ---------------  eth0 10.77.0.2
#	   nvme_rdma                        nvmet_rdma: a disk of scsi_debug, and one of null_blk, which has none
#
# timeout: 120

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ulp/lib_ulp.sh"
. "$(dirname "$0")/../lib_clients.sh"
. "$(dirname "$0")/../ulp/lib_nvme.sh"

main=nqn.2026-01.krdma:main
unprotected=nqn.2026-01.krdma:unprotected

protected_disk() {
	local dir
	for dir in /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/sd*; do
		[[ -e $dir ]] && echo "/dev/${dir##*/}" && return
	done
	return 1
}

# Loads the driver of a disk of 32 MiB with T10-PI of type 1, whose guard is a CRC.
make_protected() {
	at_exit modprobe -r scsi_debug
	modprobe -a sd_mod crc_t10dif && modprobe scsi_debug dev_size_mb=32 sector_size=512 dif=1 dix=1 guard=0 &&
		wait_for 10 protected_disk && has_format "$(protected_disk)"
}

make_target() {
	make_protected && make_disk 1 32 && make_subsystem "$main" "$(protected_disk)" /dev/nullb1 attr_pi_enable=1 &&
		make_subsystem "$unprotected" "$(protected_disk)" &&
		make_port 1 "$nvme_v4" "$main" "$unprotected" param_pi_enable=1
}

# has_format DISK: the kernel makes and checks the protection information of its blocks.
has_format() {
	local dir=/sys/block/${1##*/}/integrity
	grep . "$dir"/*
	[[ $(< "$dir/format") == T10-DIF-TYPE1-CRC && $(< "$dir/read_verify") == 1 && $(< "$dir/write_generate") == 1 ]]
}

has_no_format() {
	[[ ! -e /sys/block/${1##*/}/integrity || $(< "/sys/block/${1##*/}/integrity/format") != T10* ]]
}

# disks NAME NUMBER...: the subsystem has these disks.
disks() {
	local number
	for number in "${@:2}"; do
		nvme_disk "$1" "$number" || return
	done
}

disk_is() {
	"$3" "$(nvme_disk "$1" "$2")"
}

# sizes NUMBER: writes and reads blocks of several sizes, 256 KiB of the small ones.
sizes() {
	local size jobs=()
	for size in 512 4k; do
		jobs+=("--name=$size" --rw=randwrite "--bs=$size" --iodepth=16 --size=256k)
	done
	for size in 64k 128k 1m; do
		jobs+=("--name=$size" --rw=randwrite "--bs=$size" --iodepth=16 --size=4m)
	done
	nvme_jobs "$(nvme_disk "$main" "$1")" "${jobs[@]}" \
		--name=mixed --rw=randrw --bsrange=4k-256k --iodepth=32 --size=4m --verify_backlog=32
}

protected_has_sum() {
	has_sum "$(protected_disk)" sum
}

# fill BYTE: writes this byte to the first MiB of the disk, and so to its protection information.
fill() {
	head -c 1M /dev/zero | tr '\0' "$1" | dd of="$(nvme_disk "$main" 1)" bs=64k oflag=direct iflag=fullblock status=none
}

# read_block NUMBER: reads a block of 512 bytes.
read_block() {
	dd if="$(nvme_disk "$main" 1)" of=/tmp/block bs=512 skip="$1" count=1 iflag=direct status=none
}

# has_byte BLOCK BYTE: the block has this byte only.
has_byte() {
	read_block "$1" && cmp /tmp/block <(head -c 512 /dev/zero | tr '\0' "$2")
}

# Changes the data of block 7, and not its protection information, where the target keeps both.
damage() {
	local disk integrity
	disk=$(protected_disk)
	integrity=/sys/block/${disk##*/}/integrity
	echo 0 > "$integrity/write_generate" &&
		head -c 512 /dev/zero | tr '\0' x | dd of="$disk" bs=512 seek=7 count=1 oflag=direct status=none &&
		echo 1 > "$integrity/write_generate"
}

refuses_to_read() {
	fails_with 'error' read_block "$1"
}

ktap_start
check 'krdma, NVMe, a siw device' nvme_hosts
step b 'a target with protection information' make_target
step a 'a connection' nvme_connect "$main" "$nvme_v4"
step a 'its disks' wait_for 10 disks "$main" 1 2
step a 'a disk has protection information' disk_is "$main" 1 has_format
step a 'the other disk has none' disk_is "$main" 2 has_no_format
step a 'blocks of 512 bytes to 1 MiB' sizes 1
step a 'the other disk' sizes 2
check 'a: the content of the disk' at a sum sum_of_namespace "$main" 1
step b 'the disk of the target has the same' protected_has_sum
step a 'a file of one byte' fill a
step b 'the target changes a block' damage
step a 'the block is not read' refuses_to_read 7
step a 'the block before it is' has_byte 6 a
step a 'the block after it is' has_byte 8 a
step a 'the block is written again' fill b
step a 'then it is read' has_byte 7 b
step a 'a connection to a subsystem without it' nvme_connect "$unprotected" "$nvme_v4"
step a 'its disk' wait_for 10 disks "$unprotected" 1
step a 'the disk has no protection information' disk_is "$unprotected" 1 has_no_format
step a 'end of the connections' nvme_disconnect_all
step b 'the target ends' remove_target
both 'nothing is left' wait_for 10 nothing_left
both 'the drivers unload' unload_nvme
both 'everything unloads' unload_krdma
for ulp in nvme nvmet; do
	ulp_ran "$ulp" 'protection information (T10-PI)'
done
ktap_end
