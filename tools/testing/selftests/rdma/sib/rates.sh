#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What `make bench-ib` measures with, by a file and by an agent of the kernel: a node at the end of a directed route answers many
# requests at a time.
#
#	ca1 (asks)  sw1 ---- sw2 ---- sw3 (answers)
#
# timeout: 60

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=lib_topology.sh
. "$(dirname "$0")/lib_topology.sh"

rate=/sys/module/ksmp/parameters/rate

# ask_by_kernel ROUTE: an agent of the kernel asks for a second, and at least 32 answers come.
ask_by_kernel() {
	modprobe ksmp device=ca1 "route=$1" window=32 seconds=1 || return
	echo "$(< "$rate") answers in a second"
	(($(< "$rate") >= 32))
}

ask_by_file() {
	local answers
	answers=$(smp_rate "/dev/infiniband/$(umad_of ca1)" 32 1 "$@") || return
	echo "$answers answers in a second"
	((answers >= 32))
}

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'a fabric' load_topology ca1 line 3
check 'a file asks over three hops' ask_by_file 1 1 2
check 'an agent of the kernel asks over three hops' ask_by_kernel 1,1,2
check 'ksmp unloads' rmmod ksmp
expect_failure 'a route that ends nowhere' ask_by_kernel 1,35
expect_failure 'no such device' modprobe ksmp device=ca9 route=1 seconds=1
expect_failure 'no request at a time' modprobe ksmp device=ca1 route=1 window=0 seconds=1
check 'the fabric goes' unload_topology
check 'everything unloads' unload_krdma
ktap_end
