#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests umadN and issmN in network namespaces: a process opens the nodes of devices that its namespace
# sees only; netlink reports the nodes of ports; a device that changes its namespace ends open files.
#
# timeout: 120

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_umad.sh
. "$(dirname "$0")/lib_umad.sh"

opened() {
	"$@" python3 "$lib_dir/umad/cases.py" open mem0 1 | xargs
}

in_c() {
	ip netns exec c "$@"
}

# chardev CLIENT DEVICE [PORT]: prints what netlink says of the device's nodes.
chardev() {
	nlwatch chardev "$1" "$(rdma -j dev | jq ".[] | select(.ifname == \"$2\") | .ifindex")" "${@:3}"
}

# expect_none NAME CLIENT DEVICE PORT: expects that the port has no node of this kind.
expect_none() {
	check "netlink: $1" fails_with 'not supported' chardev "${@:2}"
}

ktap_start
start_umad netns_mode=0
check 'a namespace' ip netns add c
at_exit ip netns del c
expect_output 'the own namespace' 'umad opened issm opened' opened
expect_output 'another namespace' 'umad EPERM issm EPERM' opened in_c
check 'the device moves' rdma dev set mem0 netns c
check 'nodes' wait_for 10 umad_nodes_are_there
expect_output 'the old namespace' 'umad EPERM issm EPERM' opened
expect_output 'the new namespace' 'umad opened issm opened' opened in_c
check 'the devices are removed' rmmod kt_umad
check 'everything unloads' unload_krdma

check 'modules load' load_krdma ib_core ib_umad kt_umad
check 'devices' make_umad_devices
check 'nodes' wait_for 10 umad_nodes_are_there
expect_output 'shared devices' 'umad opened issm opened' opened in_c
expect_match 'netlink: umad' '^umad1 .* abi 5$' chardev umad mem0 2
expect_match 'netlink: issm' '^issm1 .* abi 5$' chardev issm mem0 2
expect_failure 'netlink: no such port' chardev umad mem0 3
expect_failure 'netlink: no port' chardev umad mem0
check 'an interface' eval 'ip link add dm0 type dummy && ip link set dm0 up'
at_exit ip link delete dm0
check 'devices without some nodes' eval "echo 'part0 partial 2' > $umad_param/add && echo 'part1 partial 1' > $umad_param/add &&
	echo 'roce0 roce 0' > $umad_param/add"
expect_none 'umad of a port without MADs' umad part0 2
expect_none 'issm of a port without MADs' issm part0 2
expect_none 'umad of a device without MADs' umad part1 1
expect_none 'issm of a device without MADs' issm part1 1
expect_none 'issm of a port without QP 0' issm roce0 1
check 'the devices are removed' rmmod kt_umad
check 'everything unloads' unload_krdma
ktap_end
