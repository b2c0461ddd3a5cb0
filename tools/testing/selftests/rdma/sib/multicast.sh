#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Multicast: what a switch does with packets for groups, and a group that OpenSM has made: its members receive
# each datagram once, and nobody else does. Then a CA with two ports, whose QPs get what comes by their own port.
#
#	sib0  port 1  ------  port 1
#	sib1  port 1  ------  port 2
#	                              switch
#	sib2  port 1  ------  port 3
#	sib3  port 1  ------  port 4
#
# timeout: 300

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=lib_topology.sh
. "$(dirname "$0")/lib_topology.sh"

output=$(mktemp)
at_exit rm -f "$output"

# group COMMAND ARGUMENT: see mcast_cases.py.
group() {
	python3 "$lib_dir/sib/mcast_cases.py" "$@"
}

# has_ports PORTS: the switch's table has these ports for the group.
has_ports() {
	[[ $(group ports "$mlid") == "$1" ]]
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib kt_support
check 'three CAs' eval 'add_ca sib0 && add_ca sib1 && add_ca sib2'
check 'nodes' wait_for 10 all_have_mad_nodes sib0 sib1 sib2
check 'the program ends' run_ktap "$output" python3 "$lib_dir/sib/mcast_cases.py"
ktap_copy "$output" 'switch: '
# Otherwise OpenSM may hear that sib0 has become its port before it knows any port.
check 'no node knows an SM' python3 "$lib_dir/sib/agents.py" quiet
check 'a fourth CA' add_ca sib3
check 'OpenSM starts' start_opensm sib0
check 'OpenSM says SUBNET UP' wait_for $((30 * slow)) subnet_is_up
check 'the ports are active' wait_for $((10 * slow)) is_active sib0 sib1 sib2 sib3
mlid=$(group join sib0)
check 'a group is made' test $((mlid)) -ge $((0xc000))
expect_output 'its second member gets the same LID' "$mlid" group join sib1
expect_output 'so does the third one' "$mlid" group join sib2
check 'OpenSM sets the table of the switch' wait_for $((10 * slow)) has_ports '1 2 3'
run_suite 'sib multicast' "mlid=$mlid" mgid=ff12:5349:ffff::1
check 'a member leaves' group leave sib1
check 'its port leaves the table' wait_for $((10 * slow)) has_ports '1 3'
check 'OpenSM has logged no error' no_errors
check 'OpenSM ends' end_opensm
check 'a CA with two ports' load_topology ca3 two_ports
check 'OpenSM manages it' manage ca3
check 'its ports are active' wait_for $((10 * slow)) all_active lab
run_suite 'sib two ports'
check 'OpenSM ends' end_opensm
check 'the fabric goes' unload_topology
check 'everything unloads' unload_krdma
ktap_end
