#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes allocations fail one after another while the kernel makes objects that siw does not have, on
# a device of memdev: address handles, XRC domains and target QPs, memory windows, FMRs and their
# pool, regions with protection information, QPs with the regions of rdma_rw and transfers, multicast
# groups. Each failure is ENOMEM, and leaves nothing: the PD is not used any more, and no memory
# leaks. So it is if the table of objects has no memory. The same of processes is part of
# uverbs/failures.sh and uverbs/methods_failures.sh.
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

# The table of objects needs memory for each 64th number: making the object fails by then, and works when there is memory.
cannot_be_listed() {
	local i output=''
	fail_all_in rdma_restrack_add || return
	for ((i = 0; i < 130; i++)); do
		output=$(make 2>&1) || break
	done
	fail_none
	echo "$i were made"
	((i < 130)) && grep -qE "$no_memory" <<< "$output" && made_nothing && make && made_nothing
}

ktap_start
modinfo kt_memuser > /dev/null 2>&1 || ktap_skip_all 'no kt_memuser.ko'
failures_start
check 'modules load' load_krdma ib_core ib_uverbs
check 'a device' modprobe kt_memuser devices=1
expect_failure 'an object of no kind' eval 'object=nothing make'
for object in ah cq srq domain target mw fmr fmr_pool integrity qp group; do
	check "$object" make
	sweep "$object" make made_nothing
done
# A window is not listed, but its PD is.
object=mw
check 'no memory to list a PD' cannot_be_listed
exempt __ib_alloc_pd
for object in cq srq integrity; do
	check "no memory to list: $object" cannot_be_listed
done
exempt_none
check 'the device is removed' rmmod kt_memuser
check 'everything unloads' unload_krdma
check 'no memory leaks' check_leaks
ktap_end
