#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Captures a sweep of OpenSM and what follows, which tshark and decode.py decode alike; then captures
# with filters, without readers, and with readers that go; and packets that are injected, good and bad.
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

fabric=/sys/kernel/debug/sib/ns-$(stat -L -c %i /proc/self/ns/net)
decode=$lib_dir/sib/decode.py
pcap=$(mktemp) output=$(mktemp)
at_exit rm -f "$pcap" "$output"

# stat_is NAME VALUE: the counter of the fabric has the value.
stat_is() {
	has_line "$fabric/stats" "^$1 $2$"
}

# modes FOLDER: prints name, mode and owner of each file.
modes() {
	stat -c '%n %a %U' "$1"/* | sed 's/.*\///' | xargs
}

# end_capture: the fabric goes, which ends the capture: cat has written all packets then.
end_capture() {
	rdma link delete sib0 && rdma link delete sib1 && wait_for 20 has_ended "$reader"
}

in_tshark() {
	tshark -r "$pcap" "$@" 2> /dev/null
}

# tshark_agrees: tshark decodes the same fields of each packet as decode.py.
tshark_agrees() {
	local options
	read -ra options <<< "$(python3 "$decode" options)"
	in_tshark -T fields "${options[@]}" | python3 "$decode" compare "$pcap"
}

# number_of FILTER: prints the number of packets that match tshark's filter.
number_of() {
	in_tshark -Y "$1" | wc -l
}

# has FILTER: there is a packet that matches tshark's filter.
has() {
	(($(number_of "$1")))
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib kt_support
check 'no fabric, no files' test -d "${fabric%/*}" -a ! -d "$fabric"
check 'two CAs' eval 'add_ca sib0 && add_ca sib1'
check 'nodes' wait_for 10 eval 'has_mad_nodes sib0 && has_mad_nodes sib1'
expect_output 'files of the fabric' 'capture 400 root filter 600 root inject 200 root stats 400 root' modes "$fabric"
check 'nobody may capture' fails_with 'Permission denied' as_nobody cat "$fabric/capture"
check 'nor root without rights' fails_with 'Operation not permitted' \
	setpriv --bounding-set=-net_admin --inh-caps=-net_admin cat "$fabric/capture"
check 'nor root in another namespace' fails_with 'Operation not permitted' unshare -n cat "$fabric/capture"
check 'nobody may inject' fails_with 'Operation not permitted' unshare -n dd of="$fabric/inject" if=/dev/null conv=notrunc
cat "$fabric/capture" > "$pcap" &
reader=$!
check 'a capture' wait_for 20 stat_is captures 1
check 'no module goes while a capture is open' fails_with 'in use' rmmod sib
check 'OpenSM starts' start_opensm sib0
check 'OpenSM says SUBNET UP' wait_for $((30 * slow)) subnet_is_up
check 'the ports are active' wait_for 10 is_active sib0 sib1
sib1_lid=$(lid_of sib1)
check 'saquery' prints 'NodeDescription\.+sib1' saquery -C sib1 -P 1 -N
check 'ibping: a server' start_server sib1
check 'ibping: the server answers' wait_for 20 pings sib0 "$sib1_lid"
end_server
check 'OpenSM ends' end_opensm
run_suite 'sib addresses'
check 'no packet was dropped' stat_is capture_drops 0
captured=$(sed -n 's/capture_packets //p' "$fabric/stats")
check 'the capture ends with the fabric' end_capture
check 'CRCs and lengths' prints "^[1-9][0-9]* packets are good" python3 "$decode" check "$pcap"
echo "# $captured packets, classes and attributes: $(python3 "$decode" attributes "$pcap")"
for attribute in 81:10 81:11 81:12 81:15 81:16 81:19 03:11 32:00; do
	check "class and attribute $attribute" prints "\b$attribute\b" python3 "$decode" attributes "$pcap"
done
expect_output 'immediate data' 00000005 python3 "$decode" immediates "$pcap"
if type -P tshark > /dev/null; then
	check 'tshark decodes the same' tshark_agrees
	expect_output 'tshark: no packet is malformed' 0 number_of _ws.malformed
	expect_output 'tshark: each packet is one of InfiniBand' 0 number_of '!infiniband.lrh'
	expect_output 'tshark: no packet was lost' 0 number_of 'erf.lctr > 0'
	check 'tshark: NodeInfo of the switch' has 'infiniband.nodeinfo.nodetype == 2 && infiniband.nodeinfo.numports == 36'
	check 'tshark: the LID is set' has "infiniband.mad.method == 2 && infiniband.portinfo.lid == $sib1_lid"
	check 'tshark: the end of a route' has 'infiniband.smpdirected.hoppointer == 2 && infiniband.smpdirected.hopcount == 2'
	check 'tshark: immediate data' has 'infiniband.bth.opcode == 101 && infiniband.immdt == 00:00:00:05'
	check 'tshark: a query to the SA' has "infiniband.mad.mgmtclass == 3 && infiniband.lrh.slid == $sib1_lid"
else
	ktap_skip 'tshark decodes the same' 'no tshark'
fi

check 'two CAs again' eval 'add_ca sib0 && add_ca sib1'
check 'nodes' wait_for 10 eval 'has_mad_nodes sib0 && has_mad_nodes sib1'
check 'the program ends' run_ktap "$output" python3 "$lib_dir/sib/capture.py"
ktap_copy "$output" 'capture: '
exec {held}< "$fabric/capture"
check 'the fabric goes under an open capture' eval 'rdma link delete sib0 && rdma link delete sib1'
expect_output 'the head of the file is left' 24 eval "wc -c <&$held"
exec {held}<&-
check 'no files are left' test ! -d "$fabric"

check 'configfs is mounted' mount_config
check 'another fabric' mkdir "$sib_config/lab"
expect_output 'its files' 'capture 400 root filter 600 root inject 200 root stats 400 root' modes "${fabric%/*}/lab"
cat "${fabric%/*}/lab/capture" > "$pcap" &
reader=$!
check 'a capture of it' wait_for 20 grep -qx 'captures 1' "${fabric%/*}/lab/stats"
check 'it goes' rmdir "$sib_config/lab"
check 'the capture ends' wait_for 20 has_ended "$reader"
expect_output 'it has the head of the file' 24 stat -c %s "$pcap"
check 'no files are left' test ! -d "${fabric%/*}/lab"
check 'everything unloads' unload_krdma
check 'no folder is left' test ! -d "${fabric%/*}"
ktap_end
