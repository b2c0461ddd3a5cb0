#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes allocations fail one after another while the kernel makes objects that siw does not have, on
# a device of memdev: address handles, XRC domains, memory windows, FMRs and their pool, regions with
# protection information, QPs with the regions of rdma_rw, multicast groups. Each failure is ENOMEM,
# and leaves nothing: the PD is not used any more, and no memory leaks. The same of processes is part
# of uverbs/failures.sh.
#
# timeout: 300

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_failures.sh
. "$(dirname "$0")/../lib_failures.sh"

param=/sys/module/kt_memuser/parameters/make

make() {
	echo "$object" > "$param"
}

# What was made is destroyed by the same call.
made_nothing() {
	[[ $(rdma -j resource show | jq 'map(.pd + .cq + .qp + .mr + .srq) | add') == 0 ]]
}

ktap_start
modinfo kt_memuser > /dev/null 2>&1 || ktap_skip_all 'no kt_memuser.ko'
failures_start
check 'modules load' load_krdma ib_core ib_uverbs
check 'a device' modprobe kt_memuser devices=1
expect_failure 'an object of no kind' eval 'object=nothing make'
for object in ah domain mw fmr fmr_pool integrity qp group; do
	check "$object" make
	sweep "$object" make made_nothing
done
check 'the device is removed' rmmod kt_memuser
check 'everything unloads' unload_krdma
check 'no memory leaks' check_leaks
ktap_end
