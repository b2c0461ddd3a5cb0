#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes the allocations of each module's initialization fail one after another: without a device, and beside a device of
# memdev, which the clients of ib_core have to add. Expects each time that the module is loaded, or is not because of lack
# of memory, that it can be unloaded, and that the next attempt works.
#
# timeout: 900

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_failures.sh
. "$(dirname "$0")/../lib_failures.sh"

# sweep_loading WHERE MODULE...: loads each module after the modules that it uses.
sweep_loading() {
	local module where=$1
	shift
	for module; do
		sweep "loading $module $where" load_module unload_module
		check "$module loads" modprobe "$module"
	done
}

ktap_start
failures_start
# The allocations of the kernel's own modules are not to fail.
modprobe -qa libcrc32c crc_t10dif
sweep_loading 'without a device' "${krdma_modules[@]}" rdma_ucm kulp
check 'all unload' unload_krdma
if modinfo kt_memuser > /dev/null 2>&1; then
	check 'a device' eval 'load_krdma ib_core ib_uverbs && modprobe kt_memuser devices=1'
	sweep_loading 'beside a device' iw_portmap iw_cm rdma_cm rdma_ucm
	# failures_mad.sh tests the loading of ib_mad.
	check 'ib_mad loads' modprobe ib_mad
	sweep_loading 'beside a device' ib_umad
	check 'the device is removed' rmmod kt_memuser
	check 'everything unloads' unload_krdma
else
	ktap_skip 'loading beside a device' 'no kt_memuser.ko'
fi
if modinfo kt_link > /dev/null 2>&1; then
	check 'a device that processes can open' eval \
		'load_krdma ib_core && modprobe kt_link && rdma link add f0 type user netdev lo'
	sweep_loading 'beside a device' ib_uverbs
	check 'its link type is unloaded' rmmod kt_link
	check 'everything unloads again' unload_krdma
else
	ktap_skip 'loading ib_uverbs beside a device' 'no kt_link.ko'
fi
check 'no memory leaks' check_leaks
ktap_end
