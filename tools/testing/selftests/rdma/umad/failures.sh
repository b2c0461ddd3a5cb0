#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes allocations of ib_umad fail one after another while a process registers agents, exchanges a
# request and a response of several segments, and sets IsSM; and while nodes are made. Each failure
# is ENOMEM, or a lost MAD, and leaves nothing.
#
# timeout: 400

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_failures.sh
. "$(dirname "$0")/../lib_failures.sh"
# shellcheck source=lib_umad.sh
. "$(dirname "$0")/lib_umad.sh"

once() {
	python3 "$lib_dir/umad/cases.py" once
}

# A failed operation leaves the port free: the next process does all of it.
unmodified() {
	[[ $(< /sys/class/infiniband/mem0/ports/1/cap_mask) == 0x00000000 ]]
}

# A client whose add() fails is skipped, so that the device comes without nodes.
add_third() {
	echo 'mem2 ca 2' > "$umad_param/add"
}

remove_third() {
	# shellcheck disable=SC2154 # from lib_failures.sh
	((did)) || echo mem2 > "$umad_param/remove" || return
	! compgen -G '/sys/class/infiniband_mad/*[3-9]'
}

# The IDA of the numbers tries an allocation twice, and allocates for the numbers of user namespaces' devices only.
add_without_number() {
	fail_all_in umad_number_alloc && echo 'mem2 userns 1' > "$umad_param/add"
}

has_no_nodes() {
	! grep -x "$1" /sys/class/infiniband_mad/*/ibdev
}

ktap_start
failures_start
start_umad
check 'only in ib_umad' fail_only_in ib_umad
check 'all operations' once
sweep 'a process' once unmodified
sweep 'a device with two ports' add_third remove_third
check 'all operations again' once
check 'a device without a number' add_without_number
fail_none
check 'the device has no nodes' has_no_nodes mem2
check 'the device is removed' eval "echo mem2 > $umad_param/remove"
stop_failing
check 'the devices are removed' rmmod kt_umad
check 'everything unloads' unload_krdma
check 'no memory leaks' check_leaks
ktap_end
