#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# OpenSM with a file of options: partitions, quality of service, a management key, and its performance manager, whose counters are
# compared with those that perfquery reads.
#
#	ca1 (OpenSM), ca2   sw3 ---- sw1, sw2 ---- sw4   ca3, ca4
#
# timeout: 120

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=lib_topology.sh
. "$(dirname "$0")/lib_topology.sh"
# shellcheck source=../lib_ibping.sh
. "$(dirname "$0")/../lib_ibping.sh"

key=0x1234567890abcdef
work=$(mktemp -d)
at_exit rm -rf "$work"
cat > "$work/partitions" <<END
Default=0x7fff : ALL=limited, SELF=full ;
storage=0x8001 : 0x0002c90001000011=full, 0x0002c90001000041=full, 0x0002c90001000031=limited ;
END
cat > "$work/options" <<END
partition_config_file $work/partitions
qos TRUE
max_op_vls 3
qos_high_limit 3
qos_vlarb_high 0:4,1:8
qos_vlarb_low 0:1,1:2,2:3
qos_sl2vl 0,1,2,2,0,0,0,0,1,1,1,1,2,2,2,15
perfmgr TRUE
perfmgr_sweep_time_s 1
console loopback
m_key $key
m_key_protection_level 2
m_key_lookup FALSE
END

# query OPTION...: asks by smpquery, with the management key.
query() {
	smpquery -C ca1 -P 1 -y "$key" "$@"
}

pkeys_of() {
	query pkeys "$(lid_of "$1")" 1 | grep -o '0x[0-9a-f]\{4\}' | grep -v 0x0000 | sort | xargs
}

# counted_by_opensm NAME: prints a counter of port 1 of ca4, as the console of OpenSM shows it.
counted_by_opensm() {
	local console reply
	exec {console}<> /dev/tcp/127.0.0.1/10000 || return
	# The console prompts with "OpenSM $".
	read -r -d '$' -t $((10 * slow)) -u "$console" reply
	echo 'perfmgr print_counters ca4:1' >&"$console"
	read -r -d '$' -t $((10 * slow)) -u "$console" reply
	exec {console}>&-
	sed -nE "s/^ +$1 +: ([0-9]+).*/\\1/p" <<< "$reply"
}

# counted NAME: prints a counter of port 1 of ca4, as perfquery shows it.
counted() {
	perfquery -C ca1 -P 1 "${@:2}" "$(lid_of ca4)" 1 | sed -n "s/^$1:\.*//p"
}

has_counted() {
	(($(counted_by_opensm "$1") >= $2))
}

ping_a_hundred() {
	prints '100 packets transmitted, 100 received' ibping -C ca1 -P 1 -c 100 -f "$(lid_of ca4)"
}

# same_link_downed: OpenSM and perfquery know how often the link has been down.
same_link_downed() {
	local managed real
	managed=$(counted_by_opensm link_downed) && real=$(counted LinkDownedCounter) || return
	echo "perfquery $real, OpenSM $managed"
	((managed >= 1 && managed == real))
}

# packets_agree: of a hundred pings, OpenSM counts as many packets as perfquery. Both ask ca4 meanwhile, OpenSM each second, so
# that there are a few more.
packets_agree() {
	local real managed
	real=$(counted PortRcvPkts -x) && managed=$(counted_by_opensm rcv_pkts) && ping_a_hundred || return
	wait_for 10 has_counted rcv_pkts $((managed + 100)) || return
	managed=$(($(counted_by_opensm rcv_pkts) - managed))
	real=$(($(counted PortRcvPkts -x) - real))
	echo "perfquery $real, OpenSM $managed"
	((real >= 100 && managed <= real + 30))
}

ktap_start
need_programs
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'a loopback interface' ip link set lo up
check 'a fabric' load_topology ca1,ca3,ca4 fat_tree 2 2 2
check 'OpenSM says SUBNET UP' manage ca1 -F "$work/options"
check 'the ports are active' wait_for 10 is_active ca1 ca3 ca4
check 'OpenSM logs no error' no_errors

expect_output 'P_Keys of a full member' '0x7fff 0x8001' pkeys_of ca4
expect_output 'P_Keys of a limited member' '0x0001 0x7fff' pkeys_of ca3
expect_output 'P_Keys in sysfs' 0x8001 cat /sys/class/infiniband/ca4/ports/1/pkeys/1
check 'SL to VL' prints '\| 0\| 1\| 2\| 2\| 0\| 0\| 0\| 0\| 1\| 1\| 1\| 1\| 2\| 2\| 2\|15\|' query sl2vl "$(lid_of ca4)" 1
check 'VL arbitration' prints '^VL    : \|0x0 \|0x1 \|0x2 \|' query vlarb "$(lid_of ca4)" 1
check 'VL arbitration: weights' prints '^WEIGHT: \|0x1 \|0x2 \|0x3 \|' query vlarb "$(lid_of ca4)" 1
check 'the limit of high priority' prints 'VLHighLimit:\.+3$' query portinfo "$(lid_of ca4)" 1
check 'VLs in use' prints 'OperVLs:\.+VL0-3$' query portinfo "$(lid_of ca4)" 1

check 'a port answers to the key' prints 'ProtectBits:\.+2$' query portinfo "$(lid_of ca4)" 1
check 'a port does not answer without the key' fails_with failed smpquery -C ca1 -P 1 -t $((200 * slow)) portinfo "$(lid_of ca4)" 1
check 'nor with another key' fails_with failed smpquery -C ca1 -P 1 -t $((200 * slow)) -y 0x1 portinfo "$(lid_of ca4)" 1
check 'the violations are counted' prints 'MkeyViolations:\.+[1-9]' query portinfo "$(lid_of ca4)" 1

check 'ibping: a server' start_server ca4
check 'ibping: the server answers' wait_for 20 pings ca1 "$(lid_of ca4)"
check "the performance manager's counters: packets" packets_agree
check 'the cable is pulled' plug lab ca4:1 down
check 'OpenSM sees it' wait_for 10 has_heard 128
check 'it is plugged in' plug lab ca4:1 up
check 'the port is active again' wait_for 20 is_active ca4
check "the performance manager's counters: the link was down" wait_for 10 same_link_downed
end_server
check 'OpenSM ends' end_opensm
check 'the fabric goes' unload_topology
check 'everything unloads' unload_krdma
ktap_end
