#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs the selftests, which have a folder for each area, one after another, each with a time limit; checks the kernel
# log after each; prints KTAP with a subtest each.
#
#   run.sh [--with-needs | --without-needs | --ulps] [--shared FOLDER] [TEST...]
#
# TEST is the name of a test, such as core/gids, a path, or a group of the file `groups`, such as ib_sm. Without
# TEST, all tests for one machine run, except intree/*.sh, which need modules that tools/testing/intree/run adds. With
# HOST=a or HOST=b in the environment, the tests for two machines run instead: two_vm/*.sh, or peer/*.sh if PEER is set, which
# means that the other machine has no krdma. Of all these, --ulps selects the tests of `make ulps`, ulp/*.sh,
# two_vm/ulp_*.sh and peer/ulp_*.sh; otherwise the others run. With --shared, several machines divide the same list of
# tests: FOLDER, which they share, records the tests that a machine has begun.
#
# A line "# needs: WHAT" in a test names something that not all machines have: several processors,
# or the distribution's kernel. Without WHAT, the test covers less. --with-needs selects the tests
# with such a line, --without-needs the other tests.
#
# The time limit of a test is 60 seconds, or what its line "# timeout: SECONDS" says, times 2, times KRDMA_SLOW. A
# line "# expects: REGEX" matches the kernel log lines that the test provokes on purpose. On a kernel with kmemleak,
# a check for leaks follows the last test.

set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=lib.sh
. "$here/lib.sh"

tests_here() {
	local test
	for test in "$here"/in_kernel.sh "$here"/*/*.sh; do
		test=${test#"$here"/}
		[[ $test != @(ulp/|*/ulp_)* && -z $ulps || $test == @(ulp/|*/ulp_)* && -n $ulps ]] || continue
		case $test in
		*/lib_*) ;;
		two_vm/*) [[ -z ${HOST:-} || -n ${PEER:-} ]] || echo "$here/$test" ;;
		peer/*) [[ -z ${PEER:-} ]] || echo "$here/$test" ;;
		intree/*) ;;
		*) [[ -n ${HOST:-} ]] || echo "$here/$test" ;;
		esac
	done
}

# members NAME: prints the names of the tests in a group, or NAME itself if no group has this name.
members() {
	local name tests
	while IFS=: read -r name tests; do
		[[ $name != "$1" ]] || { xargs -n 1 <<< "$tests"; return; }
	done < "$here/groups"
	echo "$1"
}

# wanted TEST...: prints the paths of these tests, each once, or of all tests if there is no TEST.
wanted() {
	local name
	(($#)) || tests_here
	for name; do
		members "$name"
	done | sed -E "\\|^/|! { s|.*selftests/rdma/||; s|(\.sh)?\$|.sh|; s|^|$here/| }" | awk '!seen[$0]++'
}

# by_needs < TESTS: prints the tests that --with-needs or --without-needs selects.
by_needs() {
	case $needs in
	--with-needs) xargs grep -lE '^# needs: ' ;;
	--without-needs) xargs grep -LE '^# needs: ' ;;
	*) cat ;;
	esac
}

limit_of() {
	local limit
	limit=$(sed -n 's/^# timeout: \([0-9]*\)$/\1/p; 60q' "$1" | head -n 1)
	echo "${limit:-60}"
}

# longest_first < TESTS: sorts by time limit, so that machines that share the tests end at about the same time.
longest_first() {
	local test
	while read -r test; do
		echo "$(limit_of "$test") $test"
	done | sort -k 1,1nr -k 2 | cut -d ' ' -f 2-
}

# taken TEST: succeeds if another machine has begun this test; otherwise reserves it for this machine.
taken() {
	local name
	name=$(test_name "$1")
	[[ -n $shared ]] && ! mkdir "$shared/${name//\//.}" 2> /dev/null
}

# --- a test's processes ---

# Each test runs in this cgroup, so that processes that outlive it are found even after setsid or a change of parent.
test_cgroup=/sys/fs/cgroup/selftest

make_test_cgroup() {
	[[ -d $test_cgroup ]] || mkdir "$test_cgroup" 2> /dev/null
}

# in_test_cgroup COMMAND...: replaces this shell with the command, in the cgroup.
in_test_cgroup() {
	[[ ! -d $test_cgroup ]] || echo "$BASHPID" > "$test_cgroup/cgroup.procs"
	exec "$@"
}

# is_over PID: succeeds if all threads of the process have ended. A zombie has ended.
is_over() {
	! grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/task/"*/status
}

# Prints the PIDs in the cgroup that have not ended.
left_behind() {
	local pid
	while read -r pid; do
		is_over "$pid" || echo "$pid"
	done < "$test_cgroup/cgroup.procs"
}

nothing_left_behind() {
	[[ -z $(left_behind) ]]
}

# describe PID...: prints the command line and the kernel stacks of each process.
describe() {
	local pid
	for pid; do
		echo "process $pid: $(tr '\0' ' ' < "/proc/$pid/cmdline")"
		grep -H . "/proc/$pid/task/"*/stack | sed 's/^.*task/  task/'
	done 2> /dev/null
}

# Kills the processes that a test has left, and prints what they are; fails if one does not end.
empty_test_cgroup() {
	[[ -d $test_cgroup ]] || return 0
	wait_for 2 nothing_left_behind && return
	echo 'left behind:'
	# shellcheck disable=SC2046 # a word each
	describe $(left_behind)
	echo 1 > "$test_cgroup/cgroup.kill"
	wait_for 10 nothing_left_behind
}

# --- one test ---

# Prints why a test has failed, if its own results do not show it.
explain_status() {
	local status=$1 output=$2
	case $status in
	0 | 4) grep -q '^1\.\.' "$output" || echo 'ended without a plan' ;;
	1) grep -q '^not ok' "$output" || echo 'ended with status 1' ;;
	124 | 137) echo "not done after $limit s" ;;
	*) echo "ended with status $status" ;;
	esac
}

# run_bounded TEST SECONDS OUTPUT: runs the test with a time limit and shows its output. The test
# writes to the file OUTPUT, because a pipe would stay open until the last process that inherited it
# has ended. Returns 124, without waiting, if a process is stuck in the kernel.
run_bounded() {
	local test=$1 limit=$2 output=$3 pid
	(in_test_cgroup timeout --kill-after=10 "$limit" "$test") > "$output" 2>&1 &
	pid=$!
	timeout $((limit + 20)) tail -n +1 -s 0.2 -f --pid="$pid" "$output" | sed -u 's/^/    /'
	is_over "$pid" || return 124
	wait "$pid"
}

run_test() {
	local test=$1 name status=0 limit output reason log start=$SECONDS
	name=$(test_name "$test")
	limit=$(limit_of "$test")
	# The limit is doubled, because the limits in the tests are for an idle machine.
	limit=$((limit * slow * 2))
	output=$(mktemp)
	echo "# Subtest: $name"
	expected_reports=$(sed -n 's/^# expects: //p; 60q' "$test")
	mark_dmesg
	run_bounded "$test" "$limit" "$output" || status=$?
	reason=$(explain_status "$status" "$output")
	[[ -z $reason ]] || echo "    not ok 0 $name $reason"
	log=$(empty_test_cgroup) || stuck=1
	[[ -z $log ]] || printf '%s\n' "$log" | sed 's/^/    # /'
	if [[ -n $stuck ]]; then
		reason='left a process that does not end'
		echo "    not ok 0 $name $reason"
	fi
	if ! log=$(check_dmesg); then
		printf '%s\n' "$log" | sed 's/^/    # /'
		reason='report in the kernel log'
		echo "    not ok 0 $name $reason"
	fi
	rm -f "$output"
	echo "    # $name took $((SECONDS - start)) s"
	[[ -z $reason && $status != 1 ]]
}

# report_leaks NUMBER: prints a result for leaks, after all modules have been unloaded.
report_leaks() {
	local leaks
	leaks=$(check_leaks) && echo "ok $1 leaks" && return
	printf '%s\n' "$leaks" | head -n 200 | sed 's/^/# /'
	echo "not ok $1 leaks"
	return 1
}

main() {
	local tests=() test number=0 failed=0 leaks=0 shared='' needs='' ulps='' stuck=''
	while [[ ${1:-} == --* ]]; do
		case $1 in
		--shared) shared=$2; shift ;;
		--with-needs | --without-needs) needs=$1 ;;
		--ulps) ulps=1 ;;
		*) sed -n '7s/^# *//p' "$0" >&2; return 2 ;;
		esac
		shift
	done
	mapfile -t tests < <(wanted "$@" | by_needs)
	[[ -z $shared ]] || mapfile -t tests < <(printf '%s\n' "${tests[@]}" | longest_first)
	echo 'KTAP version 1'
	[[ ! -w $kmemleak ]] || leaks=1
	[[ -n $shared ]] || echo "1..$((${#tests[@]} + leaks))"
	clear_leaks
	make_test_cgroup
	for test in "${tests[@]}"; do
		! taken "$test" || continue
		number=$((number + 1))
		if run_test "$test"; then
			echo "ok $number $(test_name "$test")"
		else
			failed=1
			echo "not ok $number $(test_name "$test")"
		fi
		[[ -z $stuck ]] || { echo "Bail out! A process of $(test_name "$test") does not end."; return 1; }
	done
	[[ ! -d $test_cgroup ]] || rmdir "$test_cgroup"
	((!leaks)) || report_leaks $((number + 1)) || failed=1
	[[ -z $shared ]] || echo "1..$((number + leaks))"
	return $failed
}

main "$@"
