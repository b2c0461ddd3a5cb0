#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# sibnet makes fabrics of files, saves, compares and removes them.
#
# timeout: 150

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=lib_sibnet.sh
. "$(dirname "$0")/lib_sibnet.sh"

dir=$(mktemp -d)
at_exit rm -r "$dir"

# round_trip NAME STATS: loads the file $dir/NAME, saves, loads what was saved, and saves again.
round_trip() {
	local file=$dir/$1
	check "$1: loads" sibnet load lab "$file"
	expect_output "$1: nodes, switches, CAs, links" "$2" fabric_stats lab
	expect_output "$1: no difference to the file" '' sibnet check lab "$file"
	sibnet save lab > "$file.saved"
	check "$1: is removed" sibnet remove lab
	check "$1: nothing is left" no_fabric lab
	check "$1: what was saved loads" sibnet load lab "$file.saved"
	check "$1: and is saved in the same way" cmp "$file.saved" <(sibnet save lab)
	expect_output "$1: no difference to the first file" '' sibnet check lab "$file"
	check "$1: is removed again" sibnet remove lab
}

# compared FILE: prints the differences between the fabric and the file.
compared() {
	(cd "$dir" && sibnet check lab "$1")
}

# shows COMMAND...: succeeds whatever the status of the command.
shows() {
	"$@" || :
}

# said COMMAND...: prints what the command says to its standard error.
said() {
	"$@" 2>&1
}

ktap_start
expect_match 'without the module, the remedy is named' 'sib: No such file or directory: is sib loaded' sibnet save lab
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
line_topology > "$dir/line"
ring_topology > "$dir/ring"
tree_topology 2 4 4 > "$dir/tree"
two_links_topology > "$dir/two_links"
round_trip line '5 3 2 4'
round_trip ring '8 4 4 8'
round_trip tree '22 6 16 24'
round_trip two_links '3 2 1 4'

# Each kind of difference, and that nothing else is one.
check 'a fabric to compare' sibnet load lab "$dir/two_links"
mkdir "$fabrics/lab/H2"
expect_output 'a node more' "H2: only in lab" sibnet check lab "$dir/two_links"
expect_status 'is status 1' 1 sibnet check lab "$dir/two_links"
rmdir "$fabrics/lab/H2"
echo other > "$fabrics/lab/S1/node_desc"
expect_output 'a description' "S1: node_desc: other in lab, the \"first\" switch in two_links" \
	compared two_links
echo 'the "first" switch' > "$fabrics/lab/S1/node_desc"
echo > "$fabrics/lab/S1/port2/peer"
expect_output 'a link less' "S1:2: link: no link in lab, S2:3 in two_links
S2:3: link: no link in lab, S1:2 in two_links" compared two_links
echo 4x > "$fabrics/lab/S1/port2/width"
echo 10 > "$fabrics/lab/S1/port2/speed"
echo S2:4 > "$fabrics/lab/S1/port2/peer"
expect_output 'another link, width and speed' "S1:2: link: S2:4 in lab, S2:3 in two_links
S1:2: width: 4 in lab, 1 in two_links
S1:2: speed: 10 in lab, 5 in two_links
S2:3: link: no link in lab, S1:2 in two_links
S2:4: link: S1:2 in lab, no link in two_links" compared two_links
sed 's/mtu=2048 vls=4/mtu=1024/; s/"S2"\[3\]/"S2"[4]/; s/ w=1 s=3//' "$dir/two_links" > "$dir/changed"
expect_output 'MTU and VLs' "S1:4: mtu: 2048 in lab, 1024 in changed
S1:4: vls: 4 in lab, 8 in changed" compared changed
sed 's/mtu=1024/mtu=2048 vls=4/; s/Switch 8 "S2"/Switch 9 "S2"/; s/000077/000078/; s/000020/000021/; s/000009/00000a/' \
	"$dir/changed" > "$dir/guids"
expect_output 'GUIDs and a number of ports' "S1: system_guid: 0x253aa0000000009 in lab, 0x253aa000000000a in guids
S2: num_ports: 8 in lab, 9 in guids
S2: guid: 0x253aa0000000020 in lab, 0x253aa0000000021 in guids
S2: system_guid: 0x253aa0000000020 in lab, 0x253aa0000000021 in guids
H1:2: guid: 0x253aa0000000077 in lab, 0x253aa0000000078 in guids" compared guids
sed 's/Hca 2 "H1"/Switch 2 "H1"/; s/caguid/guid/' "$dir/changed" > "$dir/kind"
check 'a kind' prints '^H1: kind: ca in lab, switch in kind$' shows compared kind
check 'the fabric is removed' sibnet remove lab

# What is refused, and leaves nothing.
printf 'Switch 4 "S1"\n[1]\t"H1"[2]\nHca 1 "H1"\n' > "$dir/bad"
expect_output 'a fault has a place' "$dir/bad:2:5: \"H1\" has 1 ports, not 2" said sibnet load lab "$dir/bad"
expect_status 'and is status 2' 2 sibnet load lab "$dir/bad"
check 'nothing was made' no_fabric lab
check 'a file that does not exist' fails_with "$dir/none: No such file" sibnet load lab "$dir/none"
check 'a check of a fabric that does not exist' fails_with 'lab: No such file' sibnet check lab "$dir/line"
check 'a removal' fails_with 'lab: No such file' sibnet remove lab
check 'a name with a colon' fails_with 'expected a name of' sibnet load a:b "$dir/line"
check 'a dry run makes nothing' prints 'line: switches 3, cas 2, links 4$' sibnet load -n -d all lab "$dir/line"
check 'nothing was made' no_fabric lab
check 'a switch is no device' fails_with '"S1" is a switch' sibnet load -d H1,S1 lab "$dir/line"
check 'a device' rdma link add H2 type sib netdev lo
check 'a name that a device has' fails_with 'H2/device: 1: ' sibnet load -d H1,H2 lab "$dir/line"
check 'nothing is left' no_fabric lab
check 'nor the device that was made' eval '[[ ! -e /sys/class/infiniband/H1 ]]'
check 'the other one is' rdma link delete H2
check 'without the right to' fails_with 'lab: Permission denied' as_nobody sibnet load lab - < "$dir/line"
check 'two CAs of a line are devices' sibnet load --devices H1,H2 lab "$dir/line"
check 'a fabric that exists' fails_with 'lab: File exists' sibnet load lab "$dir/ring"
check 'stays' sibnet check lab "$dir/line"
expect_output 'the devices are there' 'H1 H2' eval 'ls /sys/class/infiniband | xargs'
check 'a fabric with devices is removed' sibnet remove lab
expect_output 'with its devices' '' ls /sys/class/infiniband

# What ibnetdiscover sees of a fabric is that fabric.
for name in two_links tree; do
	check "$name: with a device" sibnet load -d H1 lab "$dir/$name"
	check "$name: OpenSM starts" start_opensm H1
	check "$name: OpenSM says SUBNET UP" wait_for $((30 * slow)) subnet_is_up
	check "$name: the port is active" wait_for 10 is_active H1
	ibnetdiscover -C H1 -P 1 > "$dir/$name.seen"
	expect_output "$name: ibnetdiscover sees the fabric" '' sibnet check lab "$dir/$name.seen"
	end_opensm
	check "$name: what it sees loads" sibnet load again "$dir/$name.seen"
	expect_output "$name: as the same" '' sibnet check again "$dir/$name.seen"
	expect_output "$name: with as many nodes and links" "$(fabric_stats lab)" fabric_stats again
	check "$name: removed" eval 'sibnet remove lab && sibnet remove again'
done

# 1000 nodes.
tree_topology 16 32 30 > "$dir/large"
start=${EPOCHREALTIME/./}
check '1008 nodes load' sibnet load lab "$dir/large"
echo "# loaded in $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
expect_output 'all nodes and links' '1008 48 960 1472' fabric_stats lab
expect_output 'without a difference' '' sibnet check lab "$dir/large"
start=${EPOCHREALTIME/./}
check 'they are removed' sibnet remove lab
echo "# removed in $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
check 'everything unloads' unload_krdma
ktap_end
