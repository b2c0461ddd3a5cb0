#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the views of devices in the sysfs of network namespaces, in shared mode. Expects that every
# namespace has the same files, whether the device or the namespace was created first.
# core/namespaces.sh tests the exclusive mode. kt_device.ko has the device kt0, with two ports and
# counters.
#
# timeout: 300

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

class=/sys/class/infiniband

in_c() {
	ip netns exec c "$@"
}

# seen [COMMAND...]: prints the devices in the sysfs of this namespace, or of the one that the
# prefix COMMAND enters.
seen() {
	"$@" ls $class | xargs
}

# names DEVICE [COMMAND...]: prints the names of all files except the settings, which only the
# device's own directory has, and the link, which only the netdev's namespace has.
names() {
	local dir=$class/$1
	shift
	"$@" find "$dir/" ! -path "$dir/siw*" ! -name device -printf '%P %y %m\n' | sort
}

# contents DEVICE [COMMAND...]: prints the content of the files whose values do not change.
contents() {
	local dir=$class/$1
	shift
	"$@" find "$dir/" -type f \( -path '*/ports/*' -o -name 'node_*' -o -name fw_ver \) \
		! -path '*counters*' ! -path '*/ndevs/*' -exec grep -Hs '' {} \; | sort
}

# same_in_c FUNCTION DEVICE: succeeds if the function, names or contents, prints the same here and
# in c, and prints something.
same_in_c() {
	local here
	here=$("$1" "$2") && [[ -n $here ]] && diff <(echo "$here") <("$1" "$2" in_c)
}

check_same() {
	check "$1: the same files in c" same_in_c names "$1"
	check "$1: with the same contents" same_in_c contents "$1"
}

test_order() {
	check 'a device before the namespace' rdma link add siw0 type siw netdev lo
	check 'a namespace' ip netns add c
	check 'a device after the namespace' rdma link add siw1 type siw netdev d0
	expect_output 'the initial namespace sees both' 'siw0 siw1' seen
	expect_output 'c sees both' 'siw0 siw1' seen in_c
	check_same siw0
	check_same siw1
	expect_output 'the link to the netdev' "$(realpath /sys/class/net/d0)" realpath $class/siw1/device
	expect_failure 'no link in c, where the netdev is not' in_c test -L $class/siw1/device
	expect_output 'the netdev of a GID can be read here' d0 cat $class/siw1/ports/1/gid_attrs/ndevs/0
	expect_failure 'the netdev of a GID cannot be read in c' in_c cat $class/siw1/ports/1/gid_attrs/ndevs/0
	check 'the device has settings here' test -e $class/siw0/siw/crc
	expect_failure 'the device has no settings in c' in_c test -e $class/siw0/siw
}

# links_to PATH DEVICE [COMMAND...]: succeeds if the link of the device leads to PATH; with an empty
# PATH, if the device has no link.
links_to() {
	local path=$1 link=$class/$2/device
	shift 2
	if [[ -n $path ]]; then
		[[ $("$@" realpath "$link") == "$path" ]] && "$@" test -L "$link"
	else
		! "$@" test -L "$link"
	fi
}

# Two netdevs with the same name, d1, here and in c: the link may lead to the device's own one only.
test_link() {
	local d1=/sys/devices/virtual/net/d1
	check 'netdevs of the same name' eval 'ip link add d1 type dummy && ip -n c link add d1 type dummy'
	check 'a device that stays when its netdev moves' eval \
		'modprobe kt_link && in_c rdma link add fake0 type fake netdev d1'
	check 'the link in c' links_to $d1 fake0 in_c
	check 'no link here, to the other netdev' links_to '' fake0
	check 'its netdev moves here' eval 'ip link del d1 && ip -n c link set d1 netns 1'
	check 'now the link is here' wait_for 10 links_to $d1 fake0
	check 'and not in c any more' wait_for 10 links_to '' fake0 in_c
	check 'the netdev moves back' ip link set d1 netns c
	check 'the link is in c again' wait_for 10 links_to $d1 fake0 in_c
	check 'and not here any more' wait_for 10 links_to '' fake0
	check 'it gets another netdev' set_netdev 'fake0 lo'
	check 'the link leads there' wait_for 10 links_to "$(realpath /sys/class/net/lo)" fake0
	check 'it gets no netdev' set_netdev fake0
	check 'the link is gone' wait_for 10 links_to '' fake0
	check 'it is deleted' eval 'rdma link delete fake0 && rmmod kt_link && ip -n c link del d1'
}

set_netdev() {
	echo "$1" > /sys/module/kt_link/parameters/netdev
}

test_counters() {
	local file=$class/kt0/ports/2/hw_counters/lifespan
	check 'a device with counters of its own' modprobe kt_device tests=0
	check_same kt0
	check 'c may set the lifespan of counters' in_c bash -c "echo 120 > $file"
	expect_output 'the lifespan is changed for all' 120 cat $file
	expect_output "the provider's file has its port in c" 2 in_c cat $class/kt0/ports/2/kt/number
}

test_rename() {
	check 'siw1 is renamed to siw2' rdma dev set siw1 name siw2
	expect_output 'the initial namespace sees siw2' 'kt0 siw0 siw2' seen
	expect_output 'c sees siw2' 'kt0 siw0 siw2' seen in_c
	check_same siw2
	check 'siw0 is renamed to siw1' rdma dev set siw0 name siw1
	check 'c sees siw1' in_c test -e $class/siw1/ports/1/state
	check 'siw1 is renamed to siw0' rdma dev set siw1 name siw0
}

test_uevents() {
	expect_output 'uevent in c: a device is deleted' 'remove siw2' udev_in c rdma link delete siw2
	expect_output 'uevent in c: a device is added' 'add siw3' udev_in c rdma link add siw3 type siw netdev d0
	expect_output 'uevent in c: a device is renamed' 'move siw2' udev_in c rdma dev set siw3 name siw2
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
	check 'devices are removed and added while c reads' recreate_devices
	kill $reader
	wait $reader 2> /dev/null
	check 'siw2 is deleted' rdma link delete siw2
	expect_output 'the initial namespace sees the others' 'kt0 siw0' seen
	expect_output 'c sees the others' 'kt0 siw0' seen in_c
	check 'c is deleted' ip netns del c
	expect_output 'the initial namespace sees the same devices' 'kt0 siw0' seen
}

# recreate_namespaces FILE: creates and deletes namespaces until FILE is removed.
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
	check 'devices are removed and added while namespaces are' recreate_devices
	rm "$flag"
	check 'the creation of namespaces has not failed' wait $spaces
	for ((i = 0; i < 10; i++)); do
		ip netns add "n$i"
		ip link add "e$i" type dummy
		rdma link add "many$i" type siw netdev "e$i"
	done
	expect_output 'ten devices in ten namespaces' 10 \
		eval "ip -all netns exec ls $class | grep -c '^many9$'"
	expect_output 'the first namespace sees all devices' "$(seen)" seen ip netns exec n0
	check 'siw unloads while all see its devices' rmmod siw
	expect_output 'the first namespace does not see them' kt0 seen ip netns exec n0
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
test_link
test_counters
test_rename
test_uevents
test_removal
test_many
check 'everything unloads' unload_krdma
ktap_end
