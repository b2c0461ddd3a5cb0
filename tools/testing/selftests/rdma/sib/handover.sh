#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Two OpenSMs, of priorities 5 and 14, are stopped, continued and killed in turn. The other one takes over in a bounded time,
# the one with the higher priority is master again when it is back, and no LID changes.
#
#	ca1 (priority 5)  sw1 ---- sw2 ---- sw3  ca3 (priority 14)
#	                           ca2
#
# timeout: 200

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=lib_topology.sh
. "$(dirname "$0")/lib_topology.sh"

config=$(mktemp)
at_exit rm -f "$config"
# The standby SM asks each half second, and two times in vain before it takes over. The master sweeps each 2 seconds.
cat > "$config" <<END
sminfo_polling_timeout $((500 * slow))
polling_retry_number 2
sweep_interval 2
END
declare -A pid=()

end_at_once() {
	has_ended "$1" || kill -KILL "$1"
}

# start_sm NAME PRIORITY
start_sm() {
	start_opensm "$1" -F "$config" -p "$2"
	pid[$1]=$opensm_pid
	at_exit end_at_once "$opensm_pid"
}

# is_master NAME: succeeds if the SM at this CA says so itself, and the port of a third CA knows it.
is_master() {
	[[ $(port_file ca2 sm_lid) == "$(port_file "$1" lid)" ]] &&
		sminfo -C ca2 -P 1 | grep -q "sm lid $(lid_of "$1") .* SMINFO_MASTER"
}

# is_standby NAME
is_standby() {
	sminfo -C ca2 -P 1 "$(lid_of "$1")" | grep -q SMINFO_STANDBY
}

lids() {
	local name
	for name in ca1 ca2 ca3; do
		lid_of "$name"
	done
}

# works: the fabric is in order for users: the ports are active, and the SM answers queries.
works() {
	is_active ca1 ca2 ca3 && saquery -C ca2 -P 1 -N | grep -q 'NodeDescription.*ca3'
}

ktap_start
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'a fabric' load_topology ca1,ca2,ca3 line 3
check 'an SM of priority 5' start_sm ca1 5
check 'it is the master' wait_for 20 is_master ca1
before=$(lids)
check 'an SM of priority 14' start_sm ca3 14
check 'it is the master now' wait_for 10 is_master ca3
check 'the other one is standby' wait_for 10 is_standby ca1
expect_output 'LIDs stay' "$before" lids

check 'the master is stopped' kill -STOP "${pid[ca3]}"
check 'the other one takes over' wait_for 10 is_master ca1
check 'queries are answered' wait_for 5 works
expect_output 'LIDs stay' "$before" lids
check 'the stopped one continues' kill -CONT "${pid[ca3]}"
check 'it is the master again' wait_for 10 is_master ca3
check 'the other one is standby' wait_for 10 is_standby ca1
expect_output 'LIDs stay' "$before" lids

check 'the standby SM is stopped' kill -STOP "${pid[ca1]}"
check 'the master goes on' wait_for 5 works
check 'it continues' kill -CONT "${pid[ca1]}"
check 'it is standby still' wait_for 10 is_standby ca1
check 'the master is the same' is_master ca3

check 'the master is killed' kill -KILL "${pid[ca3]}"
check 'the other one takes over' wait_for 10 is_master ca1
check 'queries are answered' wait_for 5 works
expect_output 'LIDs stay' "$before" lids
check 'the SM of priority 14 comes back' start_sm ca3 14
check 'it is the master again' wait_for 10 is_master ca3
check 'the standby SM is killed' kill -KILL "${pid[ca1]}"
check 'the master goes on' wait_for 5 works
expect_output 'LIDs stay' "$before" lids
check 'OpenSM ends' end_opensm
check 'the fabric goes' unload_topology
check 'everything unloads' unload_krdma
ktap_end
