#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Debian's unmodified programs of infiniband-diags on a fabric that OpenSM manages. What nodes answer is compared, field by field,
# with what ibsim answers for the same topology under the same OpenSM (fields.py).
#
#	  sw1     sw2             each leaf has a link to each spine
#	sw3   sw4   sw5
#	ca1   ca3   ca5           ca1: OpenSM and the programs
#	ca2   ca4   ca6           ca6: their servers
#
# timeout: 300

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=lib_topology.sh
. "$(dirname "$0")/lib_topology.sh"
# shellcheck source=../lib_ibping.sh
. "$(dirname "$0")/../lib_ibping.sh"

shape=(fat_tree 2 3 2)
work=$(mktemp -d)
at_exit rm -rf "$work"
# Perl looks for its modules in a folder that the guest has under another name.
PERL5LIB=$(compgen -G '/usr/share/perl/5.*' | tail -n 1)
export PERL5LIB

# on_fabric PROGRAM [ARG...]: runs the program at ca1.
on_fabric() {
	"$1" -C ca1 -P 1 -t $((1000 * slow)) "${@:2}"
}

# part TITLE COMMAND...: prints what the command prints, without its PIDs.
part() {
	echo "= $1"
	"${@:2}" 2>&1 | sed -E 's/\[[0-9]+\]//'
}

# answers COMMAND...: prints what nodes answer to smpquery, which is run by the command: a leaf and a CA at another leaf, by LID
# and by route.
answers() {
	local name attribute words
	for name in sw5 ca6; do
		for attribute in nodeinfo nodedesc 'portinfo 1' 'pkeys 1' 'sl2vl 1' 'vlarb 1' guidinfo 'mepi 1'; do
			read -ra words <<< "$attribute"
			part "$name: $attribute" "$@" "${words[0]}" "${lid[$name]}" "${words[@]:1}"
			part "$name by route: $attribute" "$@" -D "${words[0]}" "${route[$name]}" "${words[@]:1}"
		done
	done
	part 'sw5: portinfo 0' "$@" portinfo "${lid[sw5]}" 0
	part 'sw5: portinfo 2' "$@" portinfo "${lid[sw5]}" 2
	part 'sw5: switchinfo' "$@" switchinfo "${lid[sw5]}"
	part 'sw5 by route: switchinfo' "$@" -D switchinfo "${route[sw5]}"
}

# changing_answers COMMAND...: prints what OpenSM sets last, after it has said SUBNET UP.
changing_answers() {
	part switchinfo "$@" switchinfo "${lid[sw5]}"
	part portinfo "$@" portinfo "${lid[ca6]}" 1
}

# count PATTERN PROGRAM [ARG...]: prints how many lines of the program's output match.
count() {
	on_fabric "${@:2}" | grep -cE -- "$1"
}

# is_topology WHAT PROGRAM [ARG...]: the program prints the topology (topology.py).
is_topology() {
	local output
	output=$(on_fabric "${@:2}") || return
	python3 "$topology" "$1" "${shape[@]}" <<< "$output"
}

dump_tables() {
	on_fabric dump_fts > "$work/fts"
}

has_state() {
	[[ $(port_file "$1" state) == "$2" ]]
}

# any_speed LID PORT: enables all speeds and widths of a port again.
any_speed() {
	on_fabric ibportstate "$1" "$2" speed 7 width 3 && on_fabric ibportstate "$1" "$2" reset
}

lid_at() {
	on_fabric smpquery -D portinfo "$1" 0 | sed -n 's/^Lid:\.*//p'
}

port_state() {
	on_fabric smpquery portinfo "$1" "$2" | sed -n 's/^LinkState:\.*//p'
}

port_is() {
	[[ $(port_state "$1" "$2") == "$3" ]]
}

has_value() {
	on_fabric smpquery portinfo "$1" "$2" | grep -qE "^$3:\\.+$4\$"
}

traps() {
	grep -c 'num:128 ' "$opensm_log"
}

# more_traps NUMBER: OpenSM has heard of more changes of links.
more_traps() {
	(($(traps) > $1))
}

counted() {
	on_fabric perfquery "${@:2}" | sed -n "s/^$1:\\.*//p"
}

end_system_server() {
	has_ended "$system_server" || kill "$system_server"
}

start_system_server() {
	ibsysstat -S -C ca6 -P 1 &
	system_server=$!
	at_exit end_system_server
}

ktap_start
need_programs ibsim perl
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'a fabric' load_topology ca1,ca3,ca6 "${shape[@]}"
check 'OpenSM says SUBNET UP' manage ca1
check 'the ports are active' wait_for 10 is_active ca1 ca3 ca6
declare -A route=([sw3]='0,1' [sw1]='0,1,1' [sw5]='0,1,1,3' [ca6]='0,1,1,3,4') lid=()
for name in ca1 ca3 ca6; do
	lid[$name]=$(lid_of $name)
done
for name in sw1 sw3 sw5; do
	lid[$name]=$(lid_at "${route[$name]}")
done
lid[ca5]=$(lid_at '0,1,1,3,3')

# --- answers of nodes ---

check 'answers have settled' wait_for 20 settles changing_answers on_fabric smpquery
answers on_fabric smpquery > "$work/sib"
check 'ibsim' start_ibsim "${shape[@]}"
check 'OpenSM manages ibsim' manage_ibsim ca1
check 'answers have settled' wait_for 20 settles changing_answers simulated ca1 smpquery
answers simulated ca1 smpquery > "$work/ibsim"
check 'the comparison ends' run_ktap "$work/result" python3 "$lib_dir/sib/fields.py" "$work/ibsim" "$work/sib"
ktap_copy "$work/result" 'as ibsim: '
check 'OpenSM ends' end_simulated_opensm
check 'ibsim ends' end_ibsim

# --- ports and nodes ---

check 'ibstat' prints 'State: Active' ibstat ca6
check 'ibstat: rate' prints 'Rate: 40$' ibstat ca6 1
check 'ibstatus' prints 'state:\s+4: ACTIVE' ibstatus ca6
check 'ibaddr' prints "GID fe80::2:c900:100:61 LID start 0x0*$(printf '%x' "${lid[ca6]}") end" on_fabric ibaddr "${lid[ca6]}"
check 'ibaddr: by GUID' prints 'GID fe80::2:c900:100:61 ' on_fabric ibaddr -G "$(port_guid ca6)"
expect_output 'ibhosts' 6 count '^Ca.* ports 1 "ca[1-6]"' ibhosts
expect_output 'ibswitches' 5 count '^Switch.* "sw[1-5]"' ibswitches
check 'ibnetdiscover' is_topology map ibnetdiscover
check 'ibnetdiscover -p' is_topology links ibnetdiscover -p
check 'iblinkinfo' prints '"ca6" \( ?\)' on_fabric iblinkinfo -S 0x0002c90002000005
expect_output 'iblinkinfo: every link is active' 18 count '4X +10.0 Gbps Active/ +LinkUp' iblinkinfo --switches-only

# --- routes ---

check 'ibtracert' prints "ca6" on_fabric ibtracert "${lid[ca1]}" "${lid[ca6]}"
expect_output 'ibtracert: links on the way' 4 count '^\[' ibtracert "${lid[ca1]}" "${lid[ca6]}"
check 'ibroute' prints "^0x0*$(printf '%x' "${lid[ca6]}") 004 " on_fabric ibroute "${lid[sw5]}"
check 'ibroute -M' prints 'Multicast mlids' on_fabric ibroute -M "${lid[sw5]}"
check 'dump_fts' dump_tables
expect_output 'dump_fts: 11 LIDs at each of 5 switches' 55 grep -c '^0x' "$work/fts"
check 'ibnetdiscover --cache' on_fabric ibnetdiscover --cache "$work/cache"
expect_output 'check_lft_balance: no switch is unbalanced' '' check_lft_balance -l "$work/fts" -i "$work/cache"
check 'check_lft_balance: what goes by each port' prints 'Port 001: 2' check_lft_balance -l "$work/fts" -i "$work/cache" -v
mkdir -p /var/cache
check 'ibfindnodesusing' prints 'ca6' ibfindnodesusing -R -C ca1 -P 1 0x0002c90002000005 4

# --- ports that change ---

heard=$(traps)
check 'ibportstate: query' prints 'LinkState:\.+Active' on_fabric ibportstate "${lid[sw5]}" 4
check 'ibportstate: disable' on_fabric ibportstate "${lid[sw5]}" 4 disable
check 'ibportstate: the port is down' wait_for 5 port_is "${lid[sw5]}" 4 Down
check 'ibportstate: the other end sees it' wait_for 5 has_state ca6 '1: DOWN'
check 'ibportstate: OpenSM hears of it' wait_for 5 more_traps "$heard"
check 'ibportstate: enable' on_fabric ibportstate "${lid[sw5]}" 4 enable
check 'ibportstate: OpenSM heals it' wait_for 20 is_active ca6
check 'ibportstate: speed' on_fabric ibportstate "${lid[sw5]}" 4 speed 1
check 'ibportstate: reset' on_fabric ibportstate "${lid[sw5]}" 4 reset
check 'ibportstate: the link has that speed' wait_for 20 has_value "${lid[sw5]}" 4 LinkSpeedActive '2\.5 Gbps'
check 'ibportstate: OpenSM heals it' wait_for 20 is_active ca6
expect_output 'ibportstate: rate' '10 Gb/sec (4X)' port_file ca6 rate
check 'ibportstate: width' on_fabric ibportstate "${lid[sw5]}" 4 width 1
check 'ibportstate: reset' on_fabric ibportstate "${lid[sw5]}" 4 reset
check 'ibportstate: the link has that width' wait_for 20 has_value "${lid[sw5]}" 4 LinkWidthActive 1X
check 'ibportstate: OpenSM heals it' wait_for 20 is_active ca6
# OpenSM enables all speeds of a port that it heals.
expect_output 'ibportstate: rate' '10 Gb/sec (1X QDR)' port_file ca6 rate
check 'ibportstate: all speeds and widths again' any_speed "${lid[sw5]}" 4
check 'ibportstate: OpenSM heals it' wait_for 20 is_active ca6

# --- raw and vendors' attributes ---

check 'smpdump' prints '^0101 0204 0002 c900' on_fabric smpdump "${lid[sw5]}" 0x11
check 'smpdump: by route' prints '^0101 0101 0002 c900' on_fabric smpdump -D "${route[ca6]}" 0x11
check 'smpdump: an attribute that no node has' prints 'SMP status: 0x0*c' on_fabric smpdump "${lid[ca6]}" 0xff00
check 'vendstat: no adapter of a vendor' fails_with 'failed' on_fabric vendstat -N "${lid[sw5]}"
check 'ibccquery: no congestion control' fails_with 'failed' on_fabric ibccquery ClassPortInfo "${lid[ca6]}"

# --- what only a host would take ---

check 'perfquery -R: a CA without a host' on_fabric perfquery -R "${lid[ca5]}" 1
check 'sminfo: a CA without a host' fails_with 'failed' on_fabric sminfo -t 200 "${lid[ca5]}"
check 'sminfo: each try is dropped' test "$(counted VL15Dropped "${lid[ca5]}" 1)" -ge 1
expect_output 'sminfo: it is no error' 0 counted PortRcvErrors "${lid[ca5]}" 1
check 'perfquery -R' on_fabric perfquery -R "${lid[ca5]}" 1

# --- data ---

check 'ibsysstat: a server' start_system_server
check 'ibsysstat' wait_for 20 on_fabric ibsysstat "${lid[ca6]}" ping
check 'ibsysstat: the name of the host' prints "$(uname -n)" on_fabric ibsysstat "${lid[ca6]}" host
check 'ibsysstat: processors' prints 'cpu 0: ' on_fabric ibsysstat "${lid[ca6]}" cpu
check 'ibping: a server' start_server ca6
check 'ibping: the server answers' wait_for 20 pings ca1 "${lid[ca6]}"
check 'perfquery -x -R' on_fabric perfquery -x -R "${lid[ca6]}" 1
check 'ibping' prints '100 packets transmitted, 100 received' on_fabric ibping -c 100 -f "${lid[ca6]}"
# perfquery asks for ClassPortInfo, and then for the counters. So each counter has one pair of its own packets, and the request
# for the counters; packets sent begin with the answer to the reset, and have the last answer of the first query.
expect_output 'perfquery: packets received' 102 counted PortRcvPkts -x "${lid[ca6]}" 1
expect_output 'perfquery: packets sent' 104 counted PortXmitPkts -x "${lid[ca6]}" 1
check 'perfquery -a' prints 'PortRcvPkts:\.+[1-9]' on_fabric perfquery -a "${lid[ca6]}"
check 'ibqueryerrors: none' prints '0 bad nodes found|0 ports have errors' on_fabric ibqueryerrors --suppress LinkDownedCounter

check 'OpenSM ends' end_opensm
end_server
end_system_server
check 'the fabric goes' unload_topology
check 'everything unloads' unload_krdma
ktap_end
