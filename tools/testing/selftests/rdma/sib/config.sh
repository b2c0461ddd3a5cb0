#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Topologies in configfs: what can be set up, what is refused, limits, and removal while something is in
# use.
#
# timeout: 400

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"

output=$(mktemp)
at_exit rm -f "$output"

logs() {
	dmesg_since | grep -qE -- "$1"
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'configfs is mounted' mount_config
expect_output 'no fabric' '' ls "$sib_config"
check 'the program ends' run_ktap "$output" python3 "$lib_dir/sib/config.py"
ktap_copy "$output" 'configfs: '
check 'a fabric' make_fabric f
check 'a node' make_node f a
mark_dmesg
check 'a refusal' fails_with 'Invalid argument' make_node f a:b
check 'another' eval '! echo nobody:1 > $sib_config/f/a/port1/peer'
check 'another user cannot write' eval '! as_nobody bash -c "echo x > $sib_config/f/a/node_desc"'
check 'nor make nodes' fails_with 'Permission denied' as_nobody mkdir "$sib_config/f/c"
check 'nor a fabric' fails_with 'Permission denied' as_nobody mkdir "$sib_config/g"
check 'root without CAP_NET_ADMIN makes no device' \
	eval '! setpriv --bounding-set -net_admin --inh-caps -net_admin bash -c "echo 1 > $sib_config/f/a/device"'
expect_output 'no device' '' cat "$sib_config/f/a/device"
check 'a fabric keeps the module' fails_with 'in use' rmmod sib
check 'a removal of the fabric with a node' fails_with 'not empty' rmdir "$sib_config/f"
check 'the fabric goes' drop_fabric f
check 'the module unloads' rmmod sib
expect_output 'no fabrics without the module' '' find /sys/kernel/config -name sib
check 'the module loads' modprobe sib
expect_output 'no fabric again' '' ls "$sib_config"
check 'everything unloads' unload_krdma
ktap_end
