#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Loads the distribution's ib_core in place of ours. Expects that none of our other modules loads on
# top of it, and that the kernel log says why. The VM has a copy of that ib_core in
# /krdma/distribution/.
#
# timeout: 120
# needs: the distribution's kernel

. "$(dirname "$0")/../lib.sh"

distribution=${KRDMA:-/krdma}/distribution
guard=krdma_ib_core_is_required__rmmod_distro_ib_core

# Prints those of our modules that use others of them: all but ib_core, and tests that have nothing to do with RDMA.
our_modules() {
	local path
	for path in "$modules_dir"/*.ko; do
		[[ -z $(modinfo -F depends "$path") ]] || basename "$path" .ko
	done
}

# refuses_to_load MODULE: expects that MODULE does not load, and that the log names the guard symbol
# that MODULE lacks. insmod checks the symbols of MODULE itself, so a module is refused even if it
# uses only other modules of krdma.
refuses_to_load() {
	local why
	if insmod "$modules_dir/$1.ko"; then
		echo 'the module loads'
		rmmod "$1"
		return 1
	fi
	why=$(dmesg_since | grep -m 1 -E "$1: (Unknown symbol|disagrees)")
	echo "$why"
	[[ $why == *"$1: Unknown symbol $guard "* ]]
}

second_ib_core() {
	local output
	output=$(LC_ALL=C insmod "$1" 2>&1)
	echo "$output"
	[[ $output == *'File exists'* ]]
}

remove_ib_core() {
	[[ ! -d /sys/module/ib_core ]] || rmmod ib_core
}

ktap_start
theirs=$(compgen -G "$distribution/ib_core.ko*")
[[ -n $theirs ]] || ktap_skip_all "the distribution's ib_core is not in $distribution"
[[ ! -d /sys/module/ib_core ]] || ktap_skip_all 'an ib_core is loaded'
at_exit remove_ib_core
check "the distribution's ib_core" insmod "$theirs"
check 'ours does not load beside it' second_ib_core "$modules_dir/ib_core.ko"
for module in $(our_modules); do
	check "$module does not load, and the log names what to unload" refuses_to_load "$module"
done
check "the distribution's unloads" remove_ib_core
check 'ours loads' load_krdma
check "the distribution's does not load beside ours" second_ib_core "$theirs"
check 'everything unloads' unload_krdma
ktap_end
