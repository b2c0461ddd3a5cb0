#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Storms: the description of a node changes a hundred thousand times, a link goes down and up a thousand times, and a program
# sends queries, twenty thousand to an OpenSM that answers, and a hundred thousand to one that is stopped. OpenSM hears of few of
# the changes, and of the last one; the memory of the kernel does not grow beyond its limits, and is free again in the end, when
# the fabric works as before.
#
#	ca1 (OpenSM)  sw1 ---- sw2  ca2
#
# timeout: 200

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=lib_topology.sh
. "$(dirname "$0")/lib_topology.sh"

# Memory that the kernel may have more than before: what its caches keep, in KiB.
allowance=4096
# MADs that wait for OpenSM to read them may take so much.
queue_limit=16384

# kernel_memory: prints how much memory the kernel has that it cannot take back, in KiB.
kernel_memory() {
	awk '/^(SUnreclaim|VmallocUsed|Percpu|PageTables|KernelStack):/ { sum += $2 } END { print sum }' /proc/meminfo
}

# grown_below KIB: the kernel has at most so much more memory than before.
grown_below() {
	local now
	now=$(kernel_memory)
	echo "$before KiB before, $now KiB now"
	((now < before + $1))
}

# heard NUMBER: prints how many traps of this number OpenSM has received.
heard() {
	grep -c "Received Generic Notice .*num:$1 " "$opensm_log"
}

# heard_few SINCE NUMBER MOST: OpenSM has received at least one more trap of this number than SINCE, and not more than MOST.
heard_few() {
	local count=$(($(heard "$2") - $1))
	echo "$count traps"
	((count >= 1 && count <= $3))
}

# timed COMMAND...: runs the command, and sets $took to its microseconds.
timed() {
	local start=${EPOCHREALTIME/./} status=0
	"$@" || status=$?
	took=$((${EPOCHREALTIME/./} - start))
	return "$status"
}

description_is() {
	saquery -C ca1 -P 1 -N | grep -q "NodeDescription\.*$1\$"
}

works() {
	is_active ca1 ca2 && prints 'Node Description:\.+quiet' smpquery -C ca1 -P 1 nodedesc "$(lid_of ca2)"
}

ktap_start
need_programs
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'a fabric' load_topology ca1,ca2 line 2
check 'OpenSM says SUBNET UP' manage ca1
check 'the ports are active' wait_for 10 is_active ca1 ca2

# The first of a kind fills caches.
check 'some changes' python3 "$lib_dir/sib/storms.py" changes "$sib_config/lab/ca2/node_desc" 1000
check 'some queries' python3 "$lib_dir/sib/storms.py" queries ca2 1000
check 'OpenSM answers' wait_for 20 description_is quiet
before=$(kernel_memory)

since=$(heard 144)
check 'descriptions' timed python3 "$lib_dir/sib/storms.py" changes "$sib_config/lab/ca2/node_desc" "$(fewer 100000)"
check 'OpenSM has the last description' wait_for 30 description_is quiet
# After 20, 80, 320, 1280 and 5120 ms, and then each 12 s.
check 'OpenSM has heard of few' heard_few "$since" 144 $((6 + took / 12000000 + 1))
check 'no memory is lost' wait_for 10 grown_below "$allowance"

since=$(heard 128)
check 'a link goes down and up' timed python3 "$lib_dir/sib/storms.py" links "$sib_config/lab/sw1/port1/state" "$(fewer 1000)"
check 'the fabric works' wait_for 20 works
# Both switches tell of it: after 20, 80 and 320 ms, and then each second.
check 'OpenSM has heard of few' heard_few "$since" 128 $((2 * (4 + took / 1000000 + 1)))
check 'no memory is lost' wait_for 10 grown_below "$allowance"

check 'queries that OpenSM answers, and nobody reads' python3 "$lib_dir/sib/storms.py" queries ca2 "$(fewer 20000)"
check 'memory of what waits is bounded' grown_below $((queue_limit + allowance))
check 'OpenSM answers others' wait_for 60 description_is quiet
check 'no memory is lost' wait_for 10 grown_below "$allowance"

check 'OpenSM is stopped' kill -STOP "$opensm_pid"
check 'queries' python3 "$lib_dir/sib/storms.py" queries ca2 "$(fewer 100000)"
check 'memory of what waits is bounded' grown_below $((queue_limit + allowance))
check 'OpenSM continues' kill -CONT "$opensm_pid"
check 'OpenSM answers' wait_for 60 description_is quiet
check 'no memory is lost' wait_for 10 grown_below "$allowance"
check 'the fabric works' works
check 'OpenSM ends' end_opensm
check 'the fabric goes' unload_topology
check 'everything unloads' unload_krdma
ktap_end
