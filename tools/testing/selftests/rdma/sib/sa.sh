#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What the subnet administration of OpenSM answers, asked from another CA than OpenSM's: tables of more than 200 records by
# RMPP, and osmtest, a program of OpenSM that asks what it may and may not.
#
#	star 220: ca1 (OpenSM), ca2 (asks), ..., ca220 at one switch; then fat_tree 2 2 2: ca1 (OpenSM), ca4 (asks)
#
# timeout: 200

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=lib_topology.sh
. "$(dirname "$0")/lib_topology.sh"

# The verdict on each flow of osmtest. Over ibsim, flows c, e and q pass, s and m fail, a, v and f do not end.
declare -A verdict=(
	[c]='Create Inventory" PASS'
	[v]='Validate Inventory" PASS'
	[a]='All Validations" PASS'
	[e]='Event Forwarding" PASS'
	[q]='QoS: VLArb and SLtoVL" PASS'
	[s]='Services Registration" PASS'
	[m]='Multicast" PASS'
	[f]='Stress SA" PASS'
)

ask() {
	saquery -C "$asker" -P 1 "$@"
}

# count PATTERN OPTION...: prints how many lines of the answer match.
count() {
	ask "${@:2}" | grep -c "$1"
}

# run_flow FLOW [OPTION...]: runs a flow of osmtest, which tries each query four times.
run_flow() {
	timeout $((60 * slow)) osmtest -f "$@" -g "$(port_guid "$asker")" -i "$inventory" -l "$inventory.$1" -t $((300 * slow)) \
		> "$inventory.$1.out" 2>&1
}

# verdict_on FLOW: succeeds if the verdict is as expected.
verdict_on() {
	cat "$inventory.$1.out"
	grep -E 'ERR|FAIL' "$inventory.$1" | tail -n 5
	grep -q "OSMTEST: TEST \"${verdict[$1]}" "$inventory.$1.out"
}

# has_subscriber DEVICE: a record says that the device is informed of trap 144.
has_subscriber() {
	local records gid
	records=$(ask -I)
	gid=$(< "/sys/class/infiniband/$1/ports/1/gids/0")
	echo "$records"
	grep -q 'trap_num\.*144' <<< "$records" && (($(grep -c SubscriberGID <<< "$records") == 1)) &&
		[[ $(python3 -c 'import ipaddress, sys; print(ipaddress.ip_address(sys.argv[1]))' "$gid") == \
		   $(awk -F'\\.\\.+' '/SubscriberGID/ { print $2 }' <<< "$records") ]]
}

remove_inventory() {
	rm -f "$inventory"*
}

inventory=$(mktemp)
at_exit remove_inventory

ktap_start
need_programs
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
asker=ca2
check '221 nodes' load_topology ca1,ca2 star 220
check 'OpenSM says SUBNET UP' manage ca1
check 'the ports are active' wait_for 10 is_active ca1 ca2
expect_output 'saquery -N: a record for each node' 221 count 'NodeRecord dump' -N
check 'saquery -N: the last one' prints 'NodeDescription\.+ca220' ask -N
expect_output 'saquery PIR: a record for each port' 441 count 'PortInfoRecord dump' PIR
check 'OpenSM ends' end_opensm
check 'the fabric goes' unload_topology

asker=ca4
check 'a fat tree' load_topology ca1,ca4 fat_tree 2 2 2
check 'OpenSM says SUBNET UP' manage ca1
check 'the ports are active' wait_for 10 is_active ca1 ca4
check 'sminfo' prints "sm lid $(lid_of ca1) .* SMINFO_MASTER" sminfo -C ca4 -P 1
expect_output 'saquery -N: a record for each node' 8 count 'NodeRecord dump' -N
expect_output 'saquery -p: a record for each pair' $((8 * 8)) count 'PathRecord dump' -p
check 'saquery -p: a path' prints "dlid\.+$(lid_of ca1)\$" ask -p --src-to-dst "$(lid_of ca4):$(lid_of ca1)"
check 'saquery -g: the group of broadcasts' prints 'MGID\.+ff12:401b:ffff::ffff:ffff' ask -g
check 'saquery -s: the port with an SM' prints "base_lid\.+$(lid_of ca1)\$" ask -s
check 'saquery -m' prints 'Mlid\.+0xC000' ask -m
expect_output 'saquery -I: nobody is informed' 0 count SubscriberGID -I
python3 "$lib_dir/sib/inform.py" ca4 144 > "$inventory.inform" 2>&1 &
informed=$!
check 'a program subscribes to a trap' wait_for $((10 * slow)) grep -q subscribed "$inventory.inform"
check 'saquery -I: it is informed' has_subscriber ca4
check 'a description changes' configure lab/ca2/node_desc other
check 'the program ends' wait "$informed"
expect_output 'it was informed of the node' "$(($(lid_at lab ca2:1)))" tail -n 1 "$inventory.inform"
expect_output 'saquery -I: nobody is informed' 0 count SubscriberGID -I
check 'osmtest: an inventory' run_flow c
# Most of flows s and a is to wait for a lease of 10 seconds that ends.
run_flow s &
slow_flow=$!
for flow in a v e q m; do
	check "osmtest -f $flow ends" run_flow $flow
done
check 'osmtest -f s ends' wait "$slow_flow"
# Thousands of queries for tables, until 100,000 records have come.
check 'osmtest -f f ends' run_flow f -s 2
for flow in c v a e q s m f; do
	check "osmtest -f $flow" verdict_on $flow
done
check 'OpenSM ends' end_opensm
check 'the fabric goes' unload_topology
check 'everything unloads' unload_krdma
ktap_end
