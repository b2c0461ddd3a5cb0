#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# 32-bit processes use both forms of the ABI of /dev/infiniband/umadN (tools/testing/umad32), and get what a 64-bit process gets.
#
#	sib0  port 1  ------  port 1
#	                              switch
#	sib1  port 1  ------  port 2
#
# needs: the distribution's kernel
# timeout: 60

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../sib/lib_sib.sh
. "$(dirname "$0")/../sib/lib_sib.sh"
# shellcheck source=../sib/lib_topology.sh
. "$(dirname "$0")/../sib/lib_topology.sh"

# same FORM ATTRIBUTE: both processes print the same.
same() {
	local expected seen
	expected=$(smpdump -C sib0 -P 1 -D 0,1,2 "$2" 0) && seen=$(umad32 "/dev/infiniband/$(umad_of sib0)" "$1" 2 "$2") || return
	echo "$seen"
	[[ $seen == "$expected" ]]
}

ktap_start
type -P umad32 > /dev/null || ktap_skip_all 'no umad32: the compiler makes no 32-bit programs'
[[ -e /proc/sys/abi/vsyscall32 ]] || ktap_skip_all 'the kernel runs no 32-bit programs'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'two CAs' eval 'add_ca sib0 && add_ca sib1'
check 'nodes' wait_for 10 has_mad_nodes sib0
for form in old new; do
	check "$form form: NodeInfo" same $form 0x11
	check "$form form: NodeDescription" same $form 0x10
	check "$form form: an attribute that no node has" same $form 0xff00
done
check 'the CAs go' eval 'rdma link delete sib0 && rdma link delete sib1'
check 'everything unloads' unload_krdma
ktap_end
