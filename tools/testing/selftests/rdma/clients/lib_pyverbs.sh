# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library of the tests with unmodified programs runs rdma-core's own tests of pyverbs, and puts each result into the
# results of the test: those that Debian installs as documentation of rdma-core, and those of Debian's development release
# if the guest has them (tools/testing/newer_pyverbs), with the Python, the libraries and the providers of that release.
#
#	. "$(dirname "$0")/../lib.sh"
#	. "$(dirname "$0")/../lib_clients.sh"
#	. "$(dirname "$0")/lib_pyverbs.sh"
#	test_suite mem0 0

pyverbs_tests=/usr/share/doc/rdma-core/tests
newer_pyverbs=${KRDMA:-/krdma}/add/pyverbs

# Succeeds if the guest has the tests, and pyverbs.
has_suite() {
	[[ -e $pyverbs_tests/base.py ]] && python3 -c 'import pyverbs.device' 2> /dev/null
}

# with_newer COMMAND...: runs the command where libibverbs finds the providers of $newer_pyverbs instead of the guest's.
with_newer() {
	# shellcheck disable=SC2016 # expanded by that shell
	unshare --mount bash -c '
		mount --bind "$0/etc/libibverbs.d" /etc/libibverbs.d &&
			mount --bind "$0/lib" /usr/lib/x86_64-linux-gnu/libibverbs && exec "$@"' "$newer_pyverbs" "$@"
}

# run_suite PYTHON FOLDER DEVICE GID [NETDEV]: status 1 means that one of the results is bad.
run_suite() {
	local status=0 python=$1 folder=$2 prefix=()
	shift 2
	[[ $python != "$newer_pyverbs"/* ]] || prefix=(with_newer)
	# shellcheck disable=SC2154 # set in lib.sh and lib_clients.sh
	${prefix[@]+"${prefix[@]}"} "${on_client[@]}" timeout $((200 * slow)) "$python" "$lib_dir/clients/pyverbs_suite.py" "$folder" "$@" \
		> "$output_dir/suite" 2>&1 || status=$?
	cat "$output_dir/suite"
	((status <= 1))
}

# Some tests need huge pages, and skip themselves if there are none.
reserve_huge_pages() {
	[[ ! -w /proc/sys/vm/nr_hugepages ]] || echo 16 > /proc/sys/vm/nr_hugepages
}

# test_suite_of NAME PYTHON FOLDER DEVICE GID [NETDEV]
test_suite_of() {
	local name="$1 on $4"
	check "$name: the tests run" run_suite "${@:2}"
	# shellcheck disable=SC2154 # set in lib_clients.sh
	ktap_copy "$output_dir/suite" "$name: "
	grep -E '^# [0-9]+ tests: ' "$output_dir/suite"
}

# test_suite DEVICE GID [NETDEV]
test_suite() {
	reserve_huge_pages
	if has_suite; then
		test_suite_of pyverbs python3 "$pyverbs_tests" "$@"
	else
		ktap_skip "pyverbs on $1" 'not installed'
	fi
	if [[ -e $newer_pyverbs ]]; then
		test_suite_of "newer pyverbs ($(< "$newer_pyverbs/version"))" "$newer_pyverbs/bin/python3" "$newer_pyverbs/tests" "$@"
	else
		ktap_skip "newer pyverbs on $1" 'not fetched'
	fi
}
