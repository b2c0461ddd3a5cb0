#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Traps about capabilities and wrong keys, and the M_Key: what a program that plays the subnet manager receives,
# and what OpenSM logs.
#
#	sib0  port 1  ------  port 1
#	                              switch
#	sib1  port 1  ------  port 2
#
# timeout: 300

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"

output=$(mktemp)
at_exit rm -f "$output"

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib kt_support
printf 'sib ud' > /sys/module/kt_support/parameters/suite
check 'two CAs' eval 'add_ca sib0 && add_ca sib1'
check 'nodes' wait_for 10 all_have_mad_nodes sib0 sib1
check 'the program ends' run_ktap "$output" python3 "$lib_dir/sib/trap_cases.py"
ktap_copy "$output" 'traps: '
check 'the fabric goes' eval 'rdma link delete sib0 && rdma link delete sib1'
check 'a new fabric' eval 'add_ca sib0 && add_ca sib1'
check 'nodes' wait_for 10 all_have_mad_nodes sib0 sib1
check 'OpenSM starts' start_opensm sib0
check 'OpenSM says SUBNET UP' wait_for $((30 * slow)) subnet_is_up
check 'the ports are active' wait_for $((10 * slow)) is_active sib0 sib1
check 'a Q_Key is violated' eval 'modprobe kt_sib && rmmod kt_sib'
check 'other keys are violated' python3 "$lib_dir/sib/trap_cases.py" provoke 1,2
for number in 256 257 258 259; do
	check "OpenSM hears of it by trap $number" wait_for $((5 * slow)) has_heard $number
done
check 'OpenSM has logged no error' no_errors
check 'OpenSM ends' end_opensm
check 'everything unloads' unload_krdma
ktap_end
