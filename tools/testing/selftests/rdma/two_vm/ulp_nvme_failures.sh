#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes single allocations of krdma fail, below the kernel's unmodified NVMe over RDMA, on either host: while it
# connects, and while data is written, read and compared. NVMe reconnects, or fails the connection or the transfer; no
# byte may be wrong, nothing may hang, and nothing may be left.
#
#	machine a                        machine b
#	   eth0 10.77.0.1  ---------------  eth0 10.77.0.2
#	   nvme_rdma                        nvmet_rdma: a disk of null_blk
#
# timeout: 200
#
#   two_vm/ulp_nvme_failures.sh [NUMBER]   how many allocations of each kind fail on each host; 5 by default

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ulp/lib_ulp.sh"
. "$(dirname "$0")/../lib_clients.sh"
. "$(dirname "$0")/../ulp/lib_nvme.sh"
. "$(dirname "$0")/../lib_failures.sh"

number=${1:-5}
main=nqn.2026-01.krdma:main
# Allocations fail only with code of one of these modules on their stack, a different one each time.
modules='siw rdma_cm ib_core iw_cm'

make_target() {
	make_disk 1 32 && make_subsystem "$main" /dev/nullb1 && make_port 1 "$nvme_v4" "$main"
}

# exempt_network: allocations of the network driver of a user-mode kernel succeed, because it stops if one fails.
exempt_network() {
	local addresses
	mapfile -t addresses < <(
		sed -nE 's/^([0-9a-f]+) t vector_(net|rx|tx|poll|mmsg|reset)[a-z_]*$/\1/p' /proc/kallsyms | sort)
	((${#addresses[@]})) || return 0
	set_failing reject-start "0x${addresses[0]}" &&
		set_failing reject-end "$(printf '0x%x' $((0x${addresses[-1]} + 4096)))"
}

# fail_one KIND MODULE COMMAND...: lets one allocation fail while the command runs. Counts in $count if one has failed.
fail_one() {
	local kind=$1 status=0
	fail_only_in "$2" && fail_nth "$kind" $((1 + RANDOM % 40)) || return
	shift 2
	"$@" || status=1
	stop_failing
	! has_failed "$kind" || count=$((count + 1))
	return "$status"
}

# fail_many COMMAND...: makes allocations fail, one after another, and runs the command for each.
fail_many() {
	local kind i count=0 list
	read -r -a list <<< "$modules"
	for kind in "${failing[@]}"; do
		for ((i = 0; i < number; i++)); do
			fail_one "$kind" "${list[i % ${#list[@]}]}" "$@" || return
		done
	done
	echo "$count allocations failed"
	((count))
}

# Makes allocations fail while the host connects. Connections that fail do so at once.
connect_many() {
	local connected=0
	number=$((number * 2)) fail_many try_to_connect && echo "$connected connections were made" && ((connected))
}

try_to_connect() {
	! nvme_connect "$main" "$nvme_v4" || connected=$((connected + 1))
	nvme_disconnect "$main"
}

# Waits until the allocation has failed. Some wait in vain, because transfers take few pages.
failure_comes() {
	wait_for 1 has_failed "$failing_kind" || true
}

io_goes_on() {
	failure_comes
	io_moves
}

under_io() {
	modules=siw fail_many "$@"
}

connect() {
	! nvme_connect "$main" "$nvme_v4" || connected=$((connected + 1))
	nvme_disconnect "$main"
}

io_goes_on() {
	pause 0.3
	io_moves
}

connect() {
	nvme_connect "$main" "$nvme_v4" keep_alive_tmo=$((2 * slow)) && wait_for 10 nvme_disk "$main" 1
}

# Transfers that fail are repeated, but wrong data ends them.
begin_io() {
	may_fail=1 start_io "$(nvme_disk "$main" 1)" --rw=randrw --bsrange=4k-128k --iodepth=16 --size=2m --verify_backlog=16
}

ktap_start
failures_start
check 'krdma, NVMe, a siw device' nvme_hosts
check "the network's allocations succeed" exempt_network
step b 'a target' make_target
step a 'allocations fail while it connects' connect_many
step a 'a connection' connect
step a 'transfers' begin_io
step a 'allocations of the host fail' under_io io_goes_on
step b 'allocations of the target fail' under_io failure_comes
step a 'the transfers go on' io_moves
step a 'no byte was wrong' stop_io
step a 'the connection ends' nvme_disconnect "$main"
step b 'the target ends' remove_target
both 'nothing is left' wait_for 10 nothing_left
both 'the drivers unload' unload_nvme
both 'everything unloads' unload_krdma
for ulp in nvme nvmet; do
	ulp_ran "$ulp" 'failed allocations under I/O'
done
ktap_end
