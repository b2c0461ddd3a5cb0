# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library of the tests with unmodified programs runs rdma-core's own tests of pyverbs, which
# Debian installs as documentation of rdma-core, and puts each result into the results of the test.
#
#	. "$(dirname "$0")/lib.sh"
#	. "$(dirname "$0")/lib_clients.sh"
#	. "$(dirname "$0")/lib_pyverbs.sh"
#	test_suite mem0 0

pyverbs_tests=/usr/share/doc/rdma-core/tests

# Succeeds if the guest has the tests, and pyverbs.
has_suite() {
	[[ -e $pyverbs_tests/base.py ]] && python3 -c 'import pyverbs.device' 2> /dev/null
}

# run_suite DEVICE GID [NETDEV]: status 1 means that one of the results is bad.
run_suite() {
	local status=0
	# shellcheck disable=SC2154 # set in lib.sh and lib_clients.sh
	"${on_client[@]}" timeout $((200 * slow)) python3 "$lib_dir/pyverbs_suite.py" "$pyverbs_tests" "$@" > "$output_dir/suite" 2>&1 || status=$?
	cat "$output_dir/suite"
	((status <= 1))
}

# Some tests need huge pages, and skip themselves if there are none.
reserve_huge_pages() {
	[[ ! -w /proc/sys/vm/nr_hugepages ]] || echo 16 > /proc/sys/vm/nr_hugepages
}

# test_suite DEVICE GID [NETDEV]
test_suite() {
	if ! has_suite; then
		ktap_skip "pyverbs on $1" 'not installed'
		return
	fi
	reserve_huge_pages
	check "pyverbs on $1: the tests run" run_suite "$@"
	# shellcheck disable=SC2154 # set in lib_clients.sh
	ktap_copy "$output_dir/suite" "pyverbs on $1: "
	grep -E '^# [0-9]+ tests: ' "$output_dir/suite"
}
