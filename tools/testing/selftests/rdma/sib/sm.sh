#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Debian's unmodified OpenSM manages the default fabric, and programs of infiniband-diags compare what
# they see with it.
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
# shellcheck source=../lib_ibping.sh
. "$(dirname "$0")/../lib_ibping.sh"

times_heard() {
	grep -c 'Received Generic Notice' "$opensm_log"
}

number_of() {
	grep -c "$1" <<< "$2"
}

ktap_start
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'two CAs' eval 'add_ca sib0 && add_ca sib1'
check 'nodes' wait_for 10 all_have_mad_nodes sib0 sib1
expect_output 'the link is up' '2: INIT' port_file sib0 state
expect_output 'no LID' 0 lid_of sib1
check 'OpenSM starts' start_opensm sib0
check 'OpenSM says SUBNET UP' wait_for $((30 * slow)) subnet_is_up
check 'the ports are active' wait_for 10 is_active sib0 sib1
check 'no link changed meanwhile' prints 'StateChange:\.+0' smpquery -C sib0 -P 1 -D switchinfo 0,1
check 'OpenSM logs no error' no_errors
check 'ibstat' prints 'State: Active' ibstat sib1
check 'ibstat: LID' prints "Base lid: $(lid_of sib1)\$" ibstat sib1 1
expect_output 'both know the SM' "$(port_file sib0 lid)" port_file sib1 sm_lid
check 'sminfo' prints "sm lid $(lid_of sib0) .* SMINFO_MASTER" sminfo -C sib1 -P 1
map=$(ibnetdiscover -C sib0 -P 1)
echo "# ${map//$'\n'/$'\n'# }"
expect_output 'ibnetdiscover: a switch' 1 number_of '^Switch' "$map"
expect_output 'ibnetdiscover: two CAs' 2 number_of '^Ca' "$map"
check 'smpquery: node by LID' prints 'NodeType:\.+Channel Adapter' smpquery -C sib0 -P 1 nodeinfo "$(lid_of sib1)"
check 'smpquery: the own LID' prints 'NodeType:\.+Channel Adapter' smpquery -C sib0 -P 1 nodeinfo "$(lid_of sib0)"
check 'smpquery: the own node by a route' prints 'NodeType:\.+Channel Adapter' smpquery -C sib0 -P 1 -D nodeinfo 0
check 'smpquery: the switch' prints 'NumPorts:\.+36' smpquery -C sib0 -P 1 -D nodeinfo 0,1
check 'smpquery: a CA by route' prints 'LinkState:\.+Active' smpquery -C sib0 -P 1 -D portinfo 0,1,2
switch_lid=$(smpquery -C sib0 -P 1 -D portinfo 0,1 0 | sed -n 's/^Lid:\.*//p')
check 'smpquery: the switch by LID' prints 'NodeType:\.+Switch' smpquery -C sib0 -P 1 nodeinfo "$switch_lid"
check 'smpquery: to the switch by LID, on by a route' prints 'NodeType:\.+Channel Adapter' \
	smpquery -C sib0 -P 1 -c nodeinfo "$switch_lid" 0,2
check 'smpquery: description' prints 'Node Description:\.+sib1' smpquery -C sib0 -P 1 nodedesc "$(lid_of sib1)"
check 'smpquery: P_Keys' prints '0xffff' smpquery -C sib0 -P 1 pkeys "$(lid_of sib1)"
check 'smpquery: switch information' prints 'LinearFdbCap:\.+49152' smpquery -C sib0 -P 1 -D switchinfo 0,1
check 'smpquery: a port without a link' prints 'LinkState:\.+Down' smpquery -C sib0 -P 1 -D portinfo 0,1 36
check 'smpquery: no such route' fails_with 'failed' smpquery -C sib0 -P 1 -t 100 -D nodeinfo 0,1,36
check 'saquery' prints "NodeDescription\.+sib1" saquery -C sib1 -P 1 -N
check 'ibping: a server' start_server sib1
check 'ibping: the server answers' wait_for 20 pings sib0 "$(lid_of sib1)"
check 'ibping: a hundred times' prints '100 packets transmitted, 100 received, 0% packet loss' \
	ibping -C sib0 -P 1 -c 100 -f -t $((1000 * slow)) "$(lid_of sib1)"
check 'perfquery: no packet was lost' prints 'PortXmitDiscards:\.+0' perfquery -C sib0 -P 1 "$(lid_of sib1)" 1
check 'perfquery: the link stayed up' prints 'LinkDownedCounter:\.+0' perfquery -C sib0 -P 1 "$(lid_of sib1)" 1
check 'perfquery: 64 bits' prints 'PortRcvPkts:\.+[1-9][0-9]{2}' perfquery -C sib0 -P 1 -x "$(lid_of sib1)" 1
check 'a third CA' add_ca sib2
check 'OpenSM hears of it by a trap' wait_for $((5 * slow)) has_heard 128
check 'its port is active' wait_for $((5 * slow)) is_active sib2
check 'it is reached by its LID' prints 'Node Description:\.+sib2' smpquery -C sib0 -P 1 nodedesc "$(lid_of sib2)"
check 'the description changes' eval 'echo renamed > /sys/class/infiniband/sib2/node_desc'
check 'OpenSM hears of it by a trap' wait_for $((5 * slow)) has_heard 144
check 'its record changes' wait_for $((5 * slow)) prints 'NodeDescription\.+renamed' saquery -C sib1 -P 1 -N
check 'the third CA goes' rdma link delete sib2
check 'its record goes' wait_for $((5 * slow)) eval '! saquery -C sib1 -P 1 -N | grep renamed'
heard=$(times_heard)
pause 3
expect_output 'a trap that was repressed is not sent again' "$heard" times_heard
check 'OpenSM has logged no error' no_errors
end_server
check 'OpenSM ends' end_opensm
check 'everything unloads' unload_krdma
ktap_end
