#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Datagrams between QPs of type UD of the kernel: what is dropped, as programs see it in the counters, and QPs in SQD. Unlike
# in verbs.sh, the nodes know an SM, to which they send traps.
#
#	sib0  port 1  ------  port 1
#	                              switch
#	sib1  port 1  ------  port 2
#
# timeout: 150

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib kt_support
check 'two CAs' eval 'add_ca sib0 && add_ca sib1'
check 'nodes' wait_for 10 all_have_mad_nodes sib0 sib1
check 'the ports become active' python3 "$lib_dir/sib/agents.py"
run_suite 'sib ud'
run_suite 'sib SQD'
expect_output 'dropped: a GID that the port has not' 2 counter sib1 rx_bad_gid
expect_output 'dropped: wrong Q_Key' 1 counter sib1 rx_bad_qkey
expect_output 'dropped: no such QP' 3 counter sib1 rx_no_qp
expect_output 'dropped: no receive' 1 counter sib1 rx_no_receive
expect_output 'dropped: too long' 1 counter sib1 rx_too_long
check 'everything unloads' unload_krdma
ktap_end
