#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes allocations fail one after another while the kernel makes objects that siw does not have, on
# a device of memdev: address handles, XRC domains and target QPs, memory windows, FMRs and their
# pool, regions with protection information, QPs with the regions of rdma_rw and transfers, multicast
# groups. Each failure is ENOMEM, and leaves nothing: the PD is not used any more, and no memory
# leaks. So it is if the table of objects has no memory. The GIDs of a RoCE device are complete in
# the end. The same of processes is part of uverbs/failures.sh and uverbs/methods_failures.sh.
#
# timeout: 400

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

# --- GIDs ---

roce=/sys/class/infiniband/roce0/ports/1/gids

# Each attempt to update the table that fails is repeated.
add_address() {
	ip address add 10.79.0.1/24 dev d0 && wait_for 10 has_gid ffff:0a4f:0001
}

remove_address() {
	ip address del 10.79.0.1/24 dev d0 2> /dev/null
	wait_for 10 has_no_gid ffff:0a4f:0001 && has_gid ffff:0a4f:0101 && has_gid ffff:0a4f:0201
}

has_gid() {
	cat "$roce"/* 2> /dev/null | grep -q ":$1\$"
}

has_no_gid() {
	! has_gid "$1"
}

# An interface with addresses of both kinds, and one above it.
roce_netdev() {
	ip link add d0 type dummy && ip link set d0 up && ip address add 10.79.1.1/24 dev d0 &&
		ip address add fd79::1/64 dev d0 nodad && ip link add link d0 d0v type macvlan && ip link set d0v up &&
		ip address add 10.79.2.1/24 dev d0v
}

# A device has all GIDs of its interface from the beginning.
cannot_have_gids() {
	fail_all_in ib_core_gids_from_netdev || return
	output=$(modprobe kt_memuser devices=0 netdevs=d0 2>&1) && { rmmod kt_memuser; fail_none; return 1; }
	fail_none
	grep -qE "$no_memory" <<< "$output"
}

sweep_gids() {
	check 'GIDs: an interface' roce_netdev
	at_exit ip link del d0
	check 'GIDs: no memory for those of a new device' cannot_have_gids
	check 'GIDs: a device' modprobe kt_memuser devices=0 netdevs=d0
	check 'GIDs: all of them' eval 'wait_for 10 has_gid ffff:0a4f:0101 && wait_for 10 has_gid ffff:0a4f:0201'
	check 'GIDs: only in ib_core' fail_only_in ib_core
	sweep 'GIDs: another address' add_address remove_address
	check 'GIDs: the device is removed' rmmod kt_memuser
	require_modules
}

ktap_start
modinfo kt_memuser > /dev/null 2>&1 || ktap_skip_all 'no kt_memuser.ko'
failures_start
check 'modules load' load_krdma ib_core ib_uverbs
check 'a device' modprobe kt_memuser devices=1
expect_failure 'an object of no kind' eval 'object=nothing make'
for object in ah cq polled_cq srq domain target mw fmr fmr_pool integrity qp group; do
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
sweep_gids
check 'everything unloads' unload_krdma
check 'no memory leaks' check_leaks
ktap_end
