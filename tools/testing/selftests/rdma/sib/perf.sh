#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Performance management of the default fabric: what the agents answer to datagrams of a program
# (perf_cases.py), and what perfquery, ibqueryerrors and OpenSM's performance manager read, compared with the
# packets that ibping sends.
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

output=$(mktemp)
options=$(mktemp)
database=$(mktemp -u)
at_exit rm -f "$output" "$options" "$database"
console=10077 talk=
words=72 # of 4 bytes, in a datagram with a MAD

# query LID PORT [OPTION...]: prints the counters of a port, as "NAME VALUE".
query() {
	perfquery -C sib0 -P 1 "${@:3}" "$1" "$2" | sed -nE 's/^(\w+):\.+(\w+)$/\1 \2/p'
}

# value NAME LID PORT [OPTION...]
value() {
	query "${@:2}" | sed -n "s/^$1 //p"
}

# note LID PORT [OPTION...]: notes the counters of a port.
note() {
	declare -gA noted=()
	local name count
	while read -r name count; do
		noted[$name]=$count
	done < <(query "$@")
}

# grown PREFIX NUMBER LID PORT [OPTION...]: packets, sent and received, have grown by NUMBER since note, and data with them.
grown() {
	local direction now line bad=0
	declare -A now
	while read -ra line; do
		now[${line[0]}]=${line[1]}
	done < <(query "${@:3}")
	for direction in Xmit Rcv; do
		expect_growth "$1${direction}Pkts" "$2" && expect_growth "Port${direction}Data" $(($2 * words)) || bad=1
	done
	return "$bad"
}

# expect_growth NAME NUMBER
expect_growth() {
	local before=${noted[$1]:?} after=${now[$1]:?}
	((after == before + $2)) && return
	echo "$1: $before before, $after after, expected $2 more"
	return 1
}

# sum NAME LID: prints the sum of a counter over the ports of a node.
sum() {
	perfquery -C sib0 -P 1 -l -a "$2" | awk -F'[:.]+' -v name="$1" '$1 == name { sum += $2 } END { print sum }'
}

ask_nowhere() {
	local i
	for i in 1 2 3; do
		smpquery -C sib0 -P 1 -t 100 -D nodeinfo 0,1,36 > /dev/null 2>&1
	done
	return 0
}

all_ping() {
	ibping -C sib0 -P 1 -c "$1" -f -t $((1000 * slow)) 3
}

# bad_ports [OPTION...]: the status of ibqueryerrors is 1 if there are any.
bad_ports() {
	ibqueryerrors -C sib0 -P 1 "$@" 2>&1 || (($? == 1))
}

open_console() {
	exec {talk}<> "/dev/tcp/127.0.0.1/$console"
}

close_console() {
	exec {talk}>&-
}

# dump_is_whole: as many ports begin as end in the file.
dump_is_whole() {
	[[ $(grep -c '^"' "$database") == $(grep -c multicast_rcv_pkts "$database") ]]
}

# dump: has the performance manager write its counters to $database.
dump() {
	rm -f "$database"
	echo 'perfmgr dump_counters' >&"$talk"
	wait_for 10 grep -q '^"sib1".* port 1$' "$database" || return
	wait_for 10 dump_is_whole
}

# dumped NODE PORT NAME: prints what the performance manager had counted.
dumped() {
	sed -n "/^\"$1\" .* port $2\$/,/multicast_rcv_pkts/s/^ *$3 *: \([0-9]*\).*/\1/p" "$database"
}

# caught_up NODE PORT NUMBER: the performance manager has read the port after it had sent NUMBER packets.
caught_up() {
	dump && (($(dumped "$1" "$2" xmit_pkts) >= $3))
}

# same_errors NODE PORT LID: what the performance manager had counted is what the port has.
same_errors() {
	local pair
	for pair in link_downed:LinkDownedCounter rcv_err:PortRcvErrors rcv_switch_relay_err:PortRcvSwitchRelayErrors \
		xmit_discards:PortXmitDiscards vl15_dropped:VL15Dropped xmit_wait:PortXmitWait; do
		echo "${pair#*:} $(dumped "$1" "$2" "${pair%:*}") $(value "${pair#*:}" "$3" "$2")"
	done | awk '$2 != $3 || NF != 3 { print; bad = 1 } END { exit bad }'
}

# counts NODE PORT LID: packets that the performance manager had counted lie between those before its reading and those now.
counts() {
	local before after between
	before=$(value PortXmitPkts "$3" "$2" -x)
	wait_for 20 caught_up "$1" "$2" "$before" || return
	between=$(dumped "$1" "$2" xmit_pkts)
	after=$(value PortXmitPkts "$3" "$2" -x)
	echo "before $before, in the database $between, after $after"
	((before <= between && between <= after))
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'two CAs' eval 'add_ca sib0 && add_ca sib1'
check 'nodes' wait_for 10 all_have_mad_nodes sib0 sib1
check 'the program ends' run_ktap "$output" python3 "$lib_dir/sib/perf_cases.py"
ktap_copy "$output" 'agents: '
check 'the ports are brought up' python3 "$lib_dir/sib/agents.py" quiet

# The sib0 has LID 1, the switch 2, and sib1 3. Questions to the switch do not go by its port 2.
check 'a server' start_server sib1
check 'it answers' wait_for 20 pings sib0 3
check 'counters are cleared' perfquery -C sib0 -P 1 -R 2 2
expect_output 'no packets' 0 value PortXmitPkts 2 2
check 'those of 64 bits stay' test "$(value PortXmitPkts 2 2 -x)" -gt 0
note 2 2
check '50 requests' prints '50 packets transmitted, 50 received' all_ping 50
check 'each is counted once' grown Port 50 2 2
note 2 2 -x
check '70 requests' prints '70 packets transmitted, 70 received' all_ping 70
check 'each is counted once by 64 bits' grown Port 70 2 2 -x
check 'all are unicast ones' grown PortUnicast 70 2 2 -x
expect_output 'no multicast' 0 value PortMulticastXmitPkts 2 2 -x
# A reading of sib1 has two requests by this port: for ClassPortInfo and for the counters.
check 'counters of the CA are cleared' perfquery -C sib0 -P 1 -R 3 1
note 3 1
check '20 requests' prints '20 packets transmitted, 20 received' all_ping 20
check 'the CA counts them, too' grown Port 22 3 1

check 'all counters of the switch are cleared' perfquery -C sib0 -P 1 -R -a 2
expect_output 'a port without a link has none' 0 value VL15Dropped 2 36
ask_nowhere
number=$(value VL15Dropped 2 36)
check 'SMPs for that port are lost there' test "$number" -gt 0
expect_output 'the sum of all ports' "$number" value VL15Dropped 2 255
expect_output 'the same sum by hand' "$number" sum VL15Dropped 2
check 'all are cleared again' perfquery -C sib0 -P 1 -R -a 2
expect_output 'no sum' 0 value VL15Dropped 2 255
check 'samples can be asked for' prints 'CounterWidth:\.+4' perfquery -C sib0 -P 1 -c 3 1

ask_nowhere
cat > "$options" <<- END
	perfmgr TRUE
	perfmgr_sweep_time_s 3
	event_db_dump_file $database
END
check 'OpenSM starts' start_opensm sib0 -F "$options" --console loopback --console-port "$console"
check 'OpenSM says SUBNET UP' wait_for $((30 * slow)) subnet_is_up
lost=$(value VL15Dropped 2 36)
down=$(value LinkDownedCounter 1 1)
bad_ports > "$output"
check 'ibqueryerrors shows the port of the switch' has_line "$output" "port 36: \[VL15Dropped == $lost\]"
check 'ibqueryerrors shows the sum' has_line "$output" "port ALL: \[VL15Dropped == $lost\]"
check 'ibqueryerrors shows the CA' has_line "$output" "$(printf '0x%x' "$(port_guid sib0)") port 1: \[LinkDownedCounter == $down\]"
expect_output 'ibqueryerrors shows nothing else' 3 grep -c ' port [0-9A]' "$output"
check "OpenSM's console" open_console
check 'packets of the CA' counts sib1 1 3
check 'packets of the switch' counts 'sib switch' 2 2
for port in 1 2 36; do
	check "errors of the switch, port $port" same_errors 'sib switch' "$port" 2
done
check 'errors of the CA' same_errors sib1 1 3
close_console
check 'ibqueryerrors clears' bad_ports -k
expect_output 'errors of the CA are cleared' 0 value LinkDownedCounter 1 1
expect_output 'errors of the switch are cleared' 0 value VL15Dropped 2 36
check 'ibqueryerrors shows nothing any more' prints '0 bad nodes found' bad_ports
check 'OpenSM ends' end_opensm
end_server
check 'everything unloads' unload_krdma
ktap_end
