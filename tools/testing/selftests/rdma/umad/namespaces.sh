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

# chardev CLIENT [PORT]: prints what netlink says of the nodes of mem0.
chardev() {
	nlwatch chardev "$1" "$(rdma -j dev | jq '.[] | select(.ifname == "mem0") | .ifindex')" "${@:2}"
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
expect_match 'netlink: umad' '^umad1 .* abi 5$' chardev umad 2
expect_match 'netlink: issm' '^issm1 .* abi 5$' chardev issm 2
expect_failure 'netlink: no such port' chardev umad 3
expect_failure 'netlink: no port' chardev umad
check 'the devices are removed' rmmod kt_umad
check 'everything unloads' unload_krdma
ktap_end
