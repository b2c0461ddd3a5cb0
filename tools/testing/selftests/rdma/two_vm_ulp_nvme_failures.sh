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
#   two_vm_ulp_nvme_failures.sh [NUMBER]   how many allocations of each kind fail on each host; 5 by default

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_ulp.sh"
. "$(dirname "$0")/lib_clients.sh"
. "$(dirname "$0")/lib_nvme.sh"
. "$(dirname "$0")/lib_failures.sh"

number=${1:-5}
main=nqn.2026-01.krdma:main
nvme_core=(multipath=N)

make_target() {
	make_disk 1 32 && make_subsystem "$main" /dev/nullb1 && make_port 1 "$nvme_v4" "$main"
}

# Loads what krdma's modules and NVMe use first, so that krdma's modules lie together in memory.
load_others() {
	modprobe nvme_core "${nvme_core[@]}" && modprobe -a nvme_fabrics nvmet loop libcrc32c && modprobe null_blk nr_devices=0
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

# only_krdma: allocations fail only with code of krdma's modules on their stack.
only_krdma() {
	local name size address start='' end='' _
	while read -r name size _ _ _ address _; do
		[[ " ${krdma_modules[*]} " == *" $name "* ]] || continue
		[[ -n $start ]] && ((address > start)) || start=$address
		[[ -n $end ]] && ((address + size < end)) || end=$((address + size))
	done < /proc/modules
	set_failing require-start "$(printf '0x%x' "$start")" && set_failing require-end "$(printf '0x%x' "$end")" &&
		exempt_network
}

# fail_many WAIT...: makes allocations fail, one after another, and calls WAIT after each.
fail_many() {
	local kind i count=0
	for kind in "${failing[@]}"; do
		for ((i = 0; i < number; i++)); do
			fail_nth "$kind" $((1 + RANDOM % 60))
			pause 0.3
			"$@" || return
			stop_failing
			! has_failed "$kind" || count=$((count + 1))
		done
	done
	echo "$count allocations failed"
	((count))
}

# Makes allocations fail while the host connects. Connections that fail do so at once.
connect_many() {
	local kind i count=0 connected=0
	for kind in "${failing[@]}"; do
		for ((i = 0; i < number * 2; i++)); do
			fail_nth "$kind" $((1 + RANDOM % 150))
			! nvme_connect "$main" "$nvme_v4" || connected=$((connected + 1))
			stop_failing
			! has_failed "$kind" || count=$((count + 1))
			nvme_disconnect "$main" || return
		done
	done
	echo "$count allocations failed; $connected connections were made"
	((count && connected))
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
check 'modules that krdma uses' load_others
check 'krdma, NVMe, a siw device' nvme_hosts
check "failures are krdma's" only_krdma
step b 'a target' make_target
step a 'allocations fail while it connects' connect_many
step a 'a connection' connect
step a 'transfers' begin_io
step a 'allocations of the host fail' fail_many io_moves
step b 'allocations of the target fail' fail_many true
step a 'the transfers go on' io_moves
step a 'no byte was wrong' stop_io
step a 'the connection ends' nvme_disconnect "$main"
step b 'the target ends' remove_target
both 'nothing is left' nothing_left
both 'the drivers unload' unload_nvme
both 'everything unloads' unload_krdma
for ulp in nvme nvmet; do
	ulp_ran "$ulp" 'failed allocations under I/O'
done
ktap_end
