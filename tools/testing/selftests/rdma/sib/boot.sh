#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What the unit krdma-sib does at boot: the CAs and fabrics of sib.conf, and what OpenSM's unit needs.
#
# timeout: 100

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=lib_sibnet.sh
. "$(dirname "$0")/lib_sibnet.sh"

dir=$(mktemp -d)
at_exit rm -r "$dir"
export KRDMA_SIB_CONF=$dir/sib.conf
KRDMA_SIBNET=$(type -P sibnet)
export KRDMA_SIBNET

# config LINE...: writes the file.
config() {
	printf '%s\n' "$@" > "$KRDMA_SIB_CONF"
}

links() {
	"$lib_dir/../../../system/sib-links" "$@"
}

devices() {
	echo /sys/class/infiniband/* | sed 's,/sys/class/infiniband/,,g'
}

# states: prints the names and GUIDs of all devices.
states() {
	(cd /sys/class/infiniband && grep -H . -- */node_guid)
}

# as_udev DEVICE: renames the device as the rules of rdma-core do.
as_udev() {
	rdma dev set "$1" name "ibx$(tr -d : < "/sys/class/infiniband/$1/node_guid")"
}

# The GUIDs of ports, as OpenSM's unit gets them.
guids() {
	ibstat -p | sort
}

none_has_its_name() {
	[[ $(devices) != *[Hs]* ]]
}

ktap_start
at_exit sibnet remove lab
line_topology > "$dir/lab.net"
config '# nothing' '  '
check 'a file without a line wants nothing' eval '! links wants'
check 'and makes nothing' links add
check 'no module is loaded' eval '[[ ! -d /sys/module/sib ]]'
check 'nor without a file' env KRDMA_SIB_CONF=/nonexistent "$lib_dir/../../../system/sib-links" add
at_exit unload_krdma
config '# CAs' 'sib0 # the first' 'sib1' "fabric lab $dir/lab.net H1"
check 'a line is wanted' links wants
check 'all is made' links add
expect_output 'the devices' 'H1 sib0 sib1' devices
check 'rdma-core can recognise them' has_line /sys/class/infiniband/sib0/hca_type '^sib$'
check 'ibstat, too' prints 'CA type: sib' ibstat sib0
expect_output 'the fabric' '5 3 2 4' fabric_stats lab
before=$(states)
check 'a second run' links add
expect_output 'changes nothing' "$before" states
check 'a device is renamed as udev does it' as_udev sib0
check 'another one' as_udev sib1
check 'one of the fabric' as_udev H1
check 'none has its name' none_has_its_name
check 'a third run' links add
expect_output 'gives them their names back' "$before" states
check 'a CA is deleted' rdma link delete sib1
check 'another one takes its place' add_ca other
check 'with its GUID' cp /sys/class/infiniband/other/node_guid /run/krdma-sib/sib1
check 'a fourth run' links add
expect_output 'makes it again, and leaves the other one alone' 'H1 other sib0 sib1' devices
check 'the device of a node is renamed' as_udev H1
check 'and its name is given away' rdma dev set other name H1
check 'that is told' fails_with 'line 4: rdma dev set ibx' links add
check 'the other one goes' rdma link delete H1
check 'a run after that' links add
expect_output 'gives the name back' 'H1 sib0 sib1' devices
check 'a device is renamed by hand' rdma dev set H1 name mine
check 'a run' links add
expect_output 'leaves it alone' 'mine sib0 sib1' devices
check 'it has its name again' rdma dev set mine name H1
rm /run/krdma-sib.lock
mkdir /run/krdma-sib.lock
check 'without the lock, the run fails' fails_with 'nothing was done: /run/krdma-sib.lock cannot be locked' links add
rmdir /run/krdma-sib.lock

# What opensm.service and opensm@GUID.service do.
check 'the condition of its unit' test -e /sys/class/infiniband_mad/abi_version
expect_output 'the ports that PORTS=ALL means' 3 eval 'guids | grep -c "^0x"'
check 'OpenSM starts at such a port' start_opensm sib0
check 'the GUID is one of them' prints "$(port_guid sib0)" guids
check 'the ports become active' wait_for $((30 * slow)) is_active sib0 sib1
end_opensm

# Mistakes.
config 'sib0' 'sib0' 'a/b' 'fabric' 'fabric lab' 'nonsense x' "fabric lab2 $dir/none" 'fabric a:b file' \
	"fabric lab $dir/lab.net" "fabric lab $dir/lab.net" 'fabric lab3 file all more' \
	'fabric lab4 -' 'sib2'
links add <<< 'no topology' > "$dir/said" 2>&1
expect_output 'mistakes are an error' 1 echo $?
for error in "line 2: 'sib0' is in line 1 already" "line 3: 'a/b' is no name of a device" \
	"line 5: expected DEVICE, or fabric" "line 6: expected DEVICE, or fabric" "none: No such file or directory" \
	"line 8: 'a:b' is no name of a fabric" "line 10: 'lab' is in line 9 already" "line 11: expected DEVICE, or fabric" \
	"1:1: expected"; do
	check "$error" grep -qF "$error" "$dir/said"
done
expect_output 'one line each' 9 grep -c . "$dir/said"
expect_output 'the other lines are carried out' 'H1 fabric sib0 sib1 sib2' devices
check 'the fabric is removed' sibnet remove lab
check 'everything unloads' unload_krdma
ktap_end
