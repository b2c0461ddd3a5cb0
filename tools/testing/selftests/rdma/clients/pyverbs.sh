#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs all of rdma-core's own tests of pyverbs on a siw device. The tests that siw cannot run are in
# pyverbs_suite.py, with the reasons.
#
# timeout: 250

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_clients.sh
. "$(dirname "$0")/../lib_clients.sh"
# shellcheck source=lib_pyverbs.sh
. "$(dirname "$0")/lib_pyverbs.sh"

ktap_start
need python3
check 'two hosts with siw' client_hosts
test_suite siwa 0 va
check 'siw has seen no protocol error' no_protocol_errors
check 'nothing is left' wait_for 10 nothing_is_left
check 'everything unloads' unload_krdma
ktap_end
