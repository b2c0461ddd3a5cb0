#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What network namespaces see of devices in sysfs while they share them: the same files under the same
# names, whichever was there first, the device or the namespace. core_namespaces.sh has the exclusive mode.
# kt_device.ko brings kt0, with two ports and counters.
#
# timeout: 300

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

class=/sys/class/infiniband

in_c() {
	ip netns exec c "$@"
}

# seen [COMMAND...]: the devices in sysfs, here or as COMMAND sees it.
seen() {
	"$@" ls $class | xargs
}

# names DEVICE [COMMAND...]: of all files but the settings, which only the device's own directory has.
names() {
	local dir=$class/$1
	shift
	"$@" find "$dir/" ! -path "$dir/siw*" -printf '%P %y %m\n' | sort
}

# contents DEVICE [COMMAND...]: of the files whose values do not come and go.
contents() {
	local dir=$class/$1
	shift
	"$@" find "$dir/" -type f \( -path '*/ports/*' -o -name 'node_*' -o -name fw_ver \) \
		! -path '*counters*' ! -path '*/ndevs/*' -exec grep -Hs '' {} \; | sort
}

# same_in_c HOW DEVICE: and it is not nothing.
same_in_c() {
	local here
	here=$("$1" "$2") && [[ -n $here ]] && diff <(echo "$here") <("$1" "$2" in_c)
}

check_same() {
	check "$1: the same files in c" same_in_c names "$1"
	check "$1: with the same contents" same_in_c contents "$1"
}

test_order() {
	check 'a device' rdma link add siw0 type siw netdev lo
	check 'then a namespace' ip netns add c
	check 'then a device' rdma link add siw1 type siw netdev d0
	expect_output 'both are there' 'siw0 siw1' seen
	expect_output 'c sees both' 'siw0 siw1' seen in_c
	check_same siw0
	check_same siw1
	expect_output 'the link to the netdev' d0 \
		eval "in_c readlink $class/siw1/device | sed 's,.*/,,'"
	expect_output 'a GID has its netdev here' d0 cat $class/siw1/ports/1/gid_attrs/ndevs/0
	expect_failure 'and not where the netdev is not' in_c cat $class/siw1/ports/1/gid_attrs/ndevs/0
	check 'settings are here' test -e $class/siw0/siw/crc
	expect_failure 'and not in c' in_c test -e $class/siw0/siw
}

test_counters() {
	local file=$class/kt0/ports/2/hw_counters/lifespan
	check 'a device with counters of its own' modprobe kt_device tests=0
	check_same kt0
	check 'c may set their lifespan' in_c bash -c "echo 120 > $file"
	expect_output 'for all' 120 cat $file
	expect_output 'the provider has its port' 2 in_c cat $class/kt0/ports/2/kt/number
}

test_rename() {
	check 'another name' rdma dev set siw1 name siw2
	expect_output 'is seen' 'kt0 siw0 siw2' seen
	expect_output 'in c, too' 'kt0 siw0 siw2' seen in_c
	check_same siw2
	check 'its name is another one' rdma dev set siw0 name siw1
	check 'which c sees' in_c test -e $class/siw1/ports/1/state
	check 'and back' rdma dev set siw1 name siw0
}

test_uevents() {
	expect_output 'udev in c: a device goes' 'remove siw2' udev_in c rdma link delete siw2
	expect_output 'udev in c: it comes' 'add siw3' udev_in c rdma link add siw3 type siw netdev d0
	expect_output 'udev in c: its name' 'move siw2' udev_in c rdma dev set siw3 name siw2
}

read_in_c() {
	while :; do
		in_c bash -c "cat $class/*/node_* $class/*/ports/*/* $class/*/ports/*/*/*"
	done > /dev/null 2>&1
}

recreate_devices() {
	local i
	for ((i = 0; i < $(fewer 8); i++)); do
		rdma link delete siw2 && rdma link add siw2 type siw netdev d0 && rmmod kt_device &&
			modprobe kt_device tests=0 || return 1
	done
}

test_removal() {
	local reader
	read_in_c &
	reader=$!
	check 'devices come and go while c reads' recreate_devices
	kill $reader
	wait $reader 2> /dev/null
	check 'one goes' rdma link delete siw2
	expect_output 'here' 'kt0 siw0' seen
	expect_output 'and in c' 'kt0 siw0' seen in_c
	check 'c goes' ip netns del c
	expect_output 'which changes nothing here' 'kt0 siw0' seen
}

recreate_namespaces() {
	local i
	while [[ -e $1 ]]; do
		for i in 1 2 3; do
			ip netns add "n$i" || return 1
		done
		for i in 1 2 3; do
			ip netns exec "n$i" cat $class/siw0/ports/1/state > /dev/null || return 1
			ip netns del "n$i" || return 1
		done
	done
}

test_many() {
	local flag spaces i
	flag=$(mktemp)
	rdma link add siw2 type siw netdev d0
	recreate_namespaces "$flag" &
	spaces=$!
	check 'devices come and go while namespaces do' recreate_devices
	rm "$flag"
	check 'who made namespaces had no trouble' wait $spaces
	for ((i = 0; i < 10; i++)); do
		ip netns add "n$i"
		ip link add "e$i" type dummy
		rdma link add "many$i" type siw netdev "e$i"
	done
	expect_output 'ten devices in ten namespaces' 10 \
		eval "ip -all netns exec ls $class | grep -c '^many9$'"
	expect_output 'the first sees them all' "$(seen)" seen ip netns exec n0
	check 'modules go while they are seen' rmmod siw
	expect_output 'then they are not' kt0 seen ip netns exec n0
	for ((i = 0; i < 10; i++)); do
		ip netns del "n$i"
		ip link del "e$i"
	done
}

ktap_start
command -v udevadm > /dev/null || ktap_skip_all 'no udevadm'
check 'krdma' load_krdma
check 'a netdev' ip link add d0 type dummy
at_exit ip link del d0
test_order
test_counters
test_rename
test_uevents
test_removal
test_many
check 'all modules go' unload_krdma
ktap_end
