#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The objects and datagrams of soft InfiniBand by kernel verbs, by suites of kt_sib.ko. A program gives the ports LIDs and
# makes them active.
#
#	sib0  port 1  ------  port 1
#	                              switch
#	sib1  port 1  ------  port 2
#
# timeout: 300

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"

ktap_start
type -P python3 > /dev/null || ktap_skip_all 'no python3'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib kt_support
check 'two CAs' eval 'add_ca sib0 && add_ca sib1'
check 'nodes' wait_for 10 all_have_mad_nodes sib0 sib1
check 'the ports are brought up' python3 "$lib_dir/sib/agents.py" quiet
check 'the ports are active' wait_for 10 is_active sib0 sib1
for suite in limits states data drops errors addresses CQs ports agents traffic; do
	run_suite "sib $suite"
done
check 'no QP but those of ib_mad is left' eval '! rdma resource show qp | grep UD'
check 'everything unloads' unload_krdma
ktap_end
