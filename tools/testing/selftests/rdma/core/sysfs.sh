#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests devices in sysfs: formats, permissions, counters and their lifespan, names, and removal
# while files are read; the core's workqueues; and the core's warnings about leaked objects. kt_device.ko has the device
# kt0, with two ports. The provider has a file for the device, one in each port, and three counters;
# the last counter is optional. The counter "reads" has the number of calls of the provider.
#
# timeout: 180
#
# expects: kt_device ktleak: .* leaked

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

class=/sys/class/infiniband
dev=$class/kt0
workqueues=/sys/bus/workqueue/devices

test_device_files() {
	expect_output 'node_type' '4: RNIC' cat $dev/node_type
	expect_output 'node_guid' '8899:aabb:ccdd:eeff' cat $dev/node_guid
	expect_output 'sys_image_guid' '0011:2233:4455:6677' cat $dev/sys_image_guid
	expect_output 'fw_ver' '1.2.3' cat $dev/fw_ver
	expect_output 'hca_type, which the provider adds' 'kt' cat $dev/hca_type
	expect_output 'node_desc' 'kt' cat $dev/node_desc
	check 'node_desc can be written without a line feed' eval "printf 'no line feed' > $dev/node_desc"
	expect_output 'node_desc is all of it' 'no line feed' cat $dev/node_desc
	check 'node_desc can be written with more than fits' eval "printf '%070d' 1 > $dev/node_desc"
	expect_output 'node_desc is what fits' "$(printf '%064d' 0)" cat $dev/node_desc
	check 'node_desc can be written' eval "echo 'a node' > $dev/node_desc"
	expect_output 'node_desc is what was written' 'a node' cat $dev/node_desc
	expect_output 'files for all to read, node_desc for root to write' \
		'444 444 444 644 444' stat_modes node_type node_guid sys_image_guid node_desc fw_ver
}

stat_modes() {
	(cd "$dev" && stat -c %a "$@") | xargs
}

test_port_files() {
	local file want
	while read -r file want; do
		expect_output "ports/1/$file" "$want" cat "$dev/ports/1/$file"
	done <<-'END'
		state 4: ACTIVE
		phys_state 5: LinkUp
		rate 10 Gb/sec (4X)
		lid 0x0
		lid_mask_count 0
		sm_lid 0x0
		sm_sl 0
		cap_mask 0x00010000
		link_layer Ethernet
		kt/number 1
	END
	expect_output 'two ports' '1 2' eval "ls $dev/ports | xargs"
	expect_output 'the provider has a file in each port' 2 cat $dev/ports/2/kt/number
}

# reads_with_lifespan DIR MS: prints how often the provider is called for a read of another counter,
# with a lifespan of MS milliseconds.
reads_with_lifespan() {
	local dir=$1 first
	echo "$2" > "$dir/lifespan"
	# Waits until values read with the former lifespan have expired.
	sleep 0.1
	first=$(< "$dir/reads")
	cat "$dir/port" > /dev/null
	echo $(($(< "$dir/reads") - first))
}

test_counters() {
	local dir
	check 'the driver cannot enable optional counters' \
		fails_with 'could not enable' rdma statistic set link kt0/1 optional-counters hidden
	for dir in hw_counters ports/1/hw_counters ports/2/hw_counters; do
		expect_output "$dir: the optional counter is hidden" 'lifespan port reads' \
			eval "ls $dev/$dir | xargs"
		expect_match "$dir: default lifespan" '^1[0-2]$' cat "$dev/$dir/lifespan"
		expect_output "$dir: only root may write lifespan" 644 stat_modes "$dir/lifespan"
		expect_failure "$dir: lifespan cannot be above 10000" eval "echo 10001 > $dev/$dir/lifespan"
		expect_failure "$dir: lifespan cannot be negative" eval "echo -1 > $dev/$dir/lifespan"
		expect_output "$dir: with lifespan 0 each read calls the provider" 2 \
			reads_with_lifespan "$dev/$dir" 0
		expect_output "$dir: with a long lifespan values are cached" 0 \
			reads_with_lifespan "$dev/$dir" 10000
		expect_output "$dir: lifespan is what was written" 10000 cat "$dev/$dir/lifespan"
	done
	expect_output 'the counters of port 2 are its own' 2 cat $dev/ports/2/hw_counters/port
	expect_output 'the counters of the device are its own' 0 cat $dev/hw_counters/port
}

# Only workqueues that are not bound to CPUs have these files.
unbound() {
	[[ -e $workqueues/$1/cpumask && -e $workqueues/$1/nice ]]
}

# more_active QUEUE OTHER: more work items of QUEUE may run than of OTHER.
more_active() {
	(($(< "$workqueues/$1/max_active") > $(< "$workqueues/$2/max_active")))
}

# The workqueues that handle completions.
test_workqueues() {
	local kind
	for kind in wq normal-wq; do
		expect_failure "ib-comp-$kind is bound to CPUs" unbound ib-comp-$kind
		check "ib-comp-unb-$kind is not bound" unbound ib-comp-unb-$kind
		check "ib-comp-unb-$kind runs more work items at a time" \
			more_active ib-comp-unb-$kind ib-comp-$kind
	done
}

renames() {
	cat /sys/module/kt_device/parameters/renames
}

test_rename() {
	check 'a new name' rdma dev set kt0 name kt_renamed
	check 'sysfs has the new name' test -e $class/kt_renamed/node_type
	expect_failure 'sysfs does not have the old name' test -e $dev
	expect_output 'clients are notified of the new name' 1 renames
	check 'a rename to the same name' rdma dev set kt_renamed name kt_renamed
	expect_output 'clients are not notified of the same name' 1 renames
	expect_failure 'a name with a slash is refused' rdma dev set kt_renamed name 'a/b'
	expect_failure 'a name with %d is refused' rdma dev set kt_renamed name 'kt%d'
	check 'the first name again' rdma dev set kt_renamed name kt0
	check 'the files have the first name again' test -e $dev/ports/2/hw_counters/reads
}

read_all_the_time() {
	while :; do
		cat "$dev"/node_* "$dev"/ports/*/* "$dev"/ports/*/hw_counters/* "$dev"/hw_counters/*
	done > /dev/null 2>&1
}

# Removes and adds the device repeatedly while its files are read.
reload_device() {
	local i status=0 reader
	read_all_the_time &
	reader=$!
	for ((i = 0; i < 5 && !status; i++)); do
		rmmod kt_device && modprobe kt_device tests=0 || status=1
	done
	kill "$reader"
	wait "$reader" 2> /dev/null
	return "$status"
}

test_removal() {
	check 'the device is removed and added while its files are read' reload_device
	check 'the device is removed' rmmod kt_device
	expect_output 'sysfs has no device' '' ls $class
}

# Provokes the warnings about leaked objects, and keeps them off the console, where `vm/run` looks
# for reports.
leak() {
	dmesg -n 1
	modprobe kt_device leak=1
	rmmod kt_device
	dmesg -n 8
	dmesg_since
}

test_leaks() {
	local log
	log=$(leak)
	expect_match 'leaks: one line for each kind and owner' 'kt_device ktleak: kt_one leaked 2 x PD' \
		echo "$log"
	expect_match 'leaks: a line for the other owner' 'kt_device ktleak: kt_two leaked 1 x PD' \
		echo "$log"
	expect_match 'leaks: a process by name and number' \
		'kt_device ktleak: modprobe \(pid [0-9]+\) leaked 1 x MR' echo "$log"
}

ktap_start
load_krdma ib_core || ktap_skip_all 'no ib_core.ko'
modprobe kt_device tests=0 || ktap_skip_all 'no kt_device.ko'
test_device_files
test_port_files
test_counters
test_workqueues
test_rename
test_removal
test_leaks
ktap_end
