#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes allocations fail one after another while a fabric and its CAs are made, while a topology is set up
# in configfs, and while the tables of nodes are set for the first time. A CA or a node that is not made leaves nothing; an SMP is lost, or answered
# with "busy", and changes nothing.
#
#	sib0  port 1  ------  port 1
#	                              switch
#	sib1  port 1  ------  port 2
#
# timeout: 580

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_failures.sh
. "$(dirname "$0")/../lib_failures.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"

one_ca() {
	add_ca sib0
}

remove_ca() {
	[[ ! -d /sys/class/infiniband/sib0 ]] || rdma link delete sib0 || return
	! compgen -G '/sys/class/infiniband/*'
}

both_cas() {
	add_ca sib0 && add_ca sib1
}

set_tables() {
	python3 "$lib_dir/sib/cases.py" once
}

start_samples() {
	python3 "$lib_dir/sib/perf_cases.py" start
}

set_counters() {
	python3 "$lib_dir/sib/perf_cases.py" clear
}

# The fabric goes with its CAs, and the next one has no tables.
new_fabric() {
	both_cas && set_tables
}

remove_fabric() {
	local name
	for name in sib0 sib1; do
		[[ ! -d /sys/class/infiniband/$name ]] || rdma link delete "$name" || return
	done
}

# configfs allocates names of this length.
long=name_of_a_fabric_and_a_CA

# A node gets another one in its place, two times.
one_topology() {
	make_fabric "$long" && make_node "$long" "$long" && make_node "$long" s switch 4 && connect "$long" "$long:1" s:2
}

remove_topology() {
	drop_fabric "$long"
}

one_device() {
	make_device "$long" "$long"
}

remove_device() {
	configure "$long/$long/device" 0
	! compgen -G '/sys/class/infiniband/*'
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
failures_start
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'only in sib' fail_only_in sib
# Registration has its own tests, and most of the allocations.
every=29
sweep 'a fabric and a CA' one_ca remove_ca
# Each iteration of the following ones takes a second or more.
every=3
check 'configfs is mounted' mount_config
sweep 'a topology' one_topology remove_topology
check 'a topology' one_topology
every=29
sweep 'a device of a topology' one_device remove_device
every=3
check 'the topology goes' remove_topology
check 'registration succeeds' exempt ib_register_device
sweep 'tables' new_fabric remove_fabric
exempt_none
stop_failing
check 'a fabric' both_cas
check 'tables' set_tables
check 'ports are active' python3 "$lib_dir/sib/agents.py" quiet
check 'samples are to fail' fail_all_in sib_pma_set_samples
expect_output 'no memory for samples: busy' '1 0' start_samples
check 'no more' fail_none
expect_output 'memory for samples' '0 9' start_samples
check 'room for values of counters is to fail' fail_all_in sib_pma_prepare
expect_output 'no memory for values: busy, and nothing is set' '1 1 0 0' set_counters
check 'no more' fail_none
expect_output 'memory for values' '0 0 7 5' set_counters
check 'the fabric goes' remove_fabric
check 'everything unloads' unload_krdma
check 'no memory leaks' check_leaks
ktap_end
