#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests regions of DMA-BUFs whose exporter takes its time. kt_dmabuf.ko is the driver and the exporter, dmabuf.py the
# process. The device is removed while a registration waits.
#
# timeout: 120

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

output=$(mktemp)
at_exit rm -f "$output"

unload() {
	rmmod kt_dmabuf kt_support
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
modinfo kt_dmabuf > /dev/null 2>&1 || ktap_skip_all 'the kernel has no DMA-BUFs'
check 'modules load' load_krdma ib_core ib_uverbs kt_support kt_dmabuf
check 'the device has a node' wait_for 10 has_verbs_node ktdmabuf
check 'a process runs' run_ktap "$output" python3 "$lib_dir/uverbs/dmabuf.py" "$(verbs_node ktdmabuf)"
ktap_copy "$output"
check 'modules unload' unload
ktap_end
