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

# refusal_is_logged REASON COMMAND...: succeeds if the command fails and the log has the reason; not all of many have.
refusal_is_logged() {
	local reason=$1
	shift
	! "$@" && dmesg_since | grep -F -- "$reason"
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
check 'a refusal of a node is logged' wait_for 20 refusal_is_logged 'sib: f/a:b: not a valid value or name (-22)' make_node f a:b
# The log's reader escapes the backslashes once more.
check 'strange characters are escaped' wait_for 20 refusal_is_logged 'sib: a\x5ctb\x5cn: not a valid' make_fabric $'a\tb\n'
check 'a refusal of a write is logged' wait_for 20 \
	refusal_is_logged 'sib: f/a/port1/peer: no such node or port (-2)' configure f/a/port1/peer nobody:1
check 'another user cannot write' fails_with 'Permission denied' as_nobody tee "$sib_config/f/a/node_desc"
check 'nor make nodes' fails_with 'Permission denied' as_nobody mkdir "$sib_config/f/c"
check 'nor a fabric' fails_with 'Permission denied' as_nobody mkdir "$sib_config/g"
check 'root without CAP_NET_ADMIN makes no device' fails_with 'not permitted' \
	setpriv --bounding-set -net_admin --inh-caps -net_admin bash -c "echo 1 > $sib_config/f/a/device"
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
