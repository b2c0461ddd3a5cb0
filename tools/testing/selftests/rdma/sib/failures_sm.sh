#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes allocations fail under OpenSM: while a message of 1 MiB crosses the fabric, while OpenSM is asked for tables, and while it
# heals a link. What fails says so, or is lost; OpenSM goes on, and the fabric is in order each time.
#
#	ca1 (OpenSM)  sw1 ---- sw2 ---- sw3  ca3
#	                       ca2
#
# timeout: 200

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_failures.sh
. "$(dirname "$0")/../lib_failures.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=lib_topology.sh
. "$(dirname "$0")/lib_topology.sh"

# What a program says whose datagram was lost: its own words.
# shellcheck disable=SC2034 # for lib_failures.sh
also_says='lost|timed out|Query SA failed|query failed'

send_message() {
	python3 "$lib_dir/sib/rmpp.py" ca2 ca3 1048576
}

ask_for_tables() {
	saquery -C ca2 -P 1 -t $((500 * slow)) -N && saquery -C ca3 -P 1 -t $((500 * slow)) -p
}

flap() {
	plug lab sw2:1 down && plug lab sw2:1 up
}

answers() {
	[[ $(saquery -C ca2 -P 1 -N | grep -c NodeDescription) == 6 ]]
}

# OpenSM has not heard of a change whose trap was lost until it sweeps, each second.
in_order() {
	wait_for 20 all_active lab && wait_for 20 answers
}

# The cable is left pulled if the second half of flap() failed.
heal() {
	plug lab sw2:1 up && in_order
}

# Prints how many MADs OpenSM's port has dropped.
dropped() {
	local node
	node=$(grep -lx ca1 /sys/class/infiniband_mad/umad*/ibdev)
	cat "${node%/*}/dropped"
}

drops_more_than() {
	(($(dropped) > $1))
}

# OpenSM sweeps each second, and would wait for ever for a response that was dropped unless it is told.
no_memory_for_responses() {
	local before status=0
	before=$(dropped)
	fail_all_in umad_received || return
	wait_for 20 drops_more_than $((before + 4)) || status=1
	fail_none
	return "$status"
}

same_opensm() {
	! has_ended "$opensm_pid"
}

ktap_start
need_programs
failures_start
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'a fabric' load_topology ca1,ca2,ca3 line 3
check 'OpenSM says SUBNET UP' manage ca1 -s 1
check 'all is in order' in_order
check 'a message of 1 MiB' send_message
sample 'a message of 1 MiB' 6 send_message in_order
sample 'tables' 8 ask_for_tables in_order
sample 'a link goes down and up' 6 flap heal
stop_failing
check 'there is no memory for responses' no_memory_for_responses
check 'all is in order' in_order
check 'the link goes down and up' flap
check 'all is in order' in_order
check 'a message of 1 MiB' send_message
check 'OpenSM has gone on' same_opensm
check 'OpenSM ends' end_opensm
check 'the fabric goes' unload_topology
check 'everything unloads' unload_krdma
check 'no memory leaks' check_leaks
ktap_end
