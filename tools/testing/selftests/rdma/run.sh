#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs the tests beside it one after another, each bounded in time and followed by a look at the kernel
# log; prints KTAP with a subtest each.
#
#   run.sh [--with-needs | --without-needs] [--shared FOLDER] [TEST...]
#
# The named ones, or scripts with a path from the root; without a name all for one machine, or with HOST=a|b those
# for two machines: two_vm*.sh, or peer_*.sh if the other one has no krdma (PEER). Machines that run the same tests
# and share the folder share the tests: what one has begun with, the others leave to it.
#
# A line "# needs: WHAT" in a test says what not every kernel and machine has without which it sees less: several
# processors, or the distribution's kernel. It runs elsewhere, too, unless only those without needs are to run.
#
# A test's time limit is 60 seconds, or what a line "# timeout: SECONDS" in it says. What it provokes
# in the kernel log on purpose, a line "# expects: REGEX" in it names. With KRDMA_SLOW=N all limits are N times
# as long. A kernel with kmemleak is asked for leaks in the end.

set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=lib.sh
. "$here/lib.sh"

tests_here() {
	local test
	for test in "$here"/*.sh; do
		case $(basename "$test") in
		lib.sh | lib_*.sh | run.sh) ;;
		two_vm*) [[ -z ${HOST:-} || -n ${PEER:-} ]] || echo "$test" ;;
		peer_*) [[ -z ${PEER:-} ]] || echo "$test" ;;
		*) [[ -n ${HOST:-} ]] || echo "$test" ;;
		esac
	done
}

# wanted TEST...: their files; without a name, of all.
wanted() {
	local test
	(($#)) || tests_here
	for test; do
		[[ $test == /* ]] && echo "$test" || echo "$here/$(basename "$test" .sh).sh"
	done
}

# by_needs < TESTS: those that --with-needs or --without-needs asks for.
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

# longest_first < TESTS: so that machines that share them end at about the same time.
longest_first() {
	local test
	while read -r test; do
		echo "$(limit_of "$test") $test"
	done | sort -k 1,1nr -k 2 | cut -d ' ' -f 2-
}

# taken TEST: whether another machine has begun with it.
taken() {
	[[ -n $shared ]] && ! mkdir "$shared/$(basename "$1" .sh)" 2> /dev/null
}

# --- a test's processes ---

# They are in a cgroup of their own, so that none outlives the test unseen, whatever it made of itself.
test_cgroup=/sys/fs/cgroup/selftest

make_test_cgroup() {
	[[ -d $test_cgroup ]] || mkdir "$test_cgroup" 2> /dev/null
}

# in_test_cgroup COMMAND...
in_test_cgroup() {
	[[ ! -d $test_cgroup ]] || echo "$BASHPID" > "$test_cgroup/cgroup.procs"
	exec "$@"
}

# Zombies have ended.
is_over() {
	! grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/task/"*/status
}

# The numbers of those that have not ended.
left_behind() {
	local pid
	while read -r pid; do
		is_over "$pid" || echo "$pid"
	done < "$test_cgroup/cgroup.procs"
}

nothing_left_behind() {
	[[ -z $(left_behind) ]]
}

# Prints what the processes are, and where in the kernel.
describe() {
	local pid
	for pid; do
		echo "process $pid: $(tr '\0' ' ' < "/proc/$pid/cmdline")"
		grep -H . "/proc/$pid/task/"*/stack | sed 's/^.*task/  task/'
	done 2> /dev/null
}

# Ends what a test has left, and says what that is; fails if it does not end.
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

# Says why a test did not end as it should, if its own results do not.
explain_status() {
	local status=$1 output=$2
	case $status in
	0 | 4) grep -q '^1\.\.' "$output" || echo 'ended without a plan' ;;
	1) grep -q '^not ok' "$output" || echo 'ended with status 1' ;;
	124 | 137) echo "not done after $limit s" ;;
	*) echo "ended with status $status" ;;
	esac
}

# Runs it for so long at most, and shows what it says. Not through a pipe: that would be over when the last
# process is gone that can write to it, whoever that is. What the kernel does not let go cannot be waited for.
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
	name=$(basename "$test" .sh)
	limit=$(limit_of "$test")
	# What a test names is for a quiet machine.
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

# As a test of its own, when all modules are gone.
report_leaks() {
	local leaks
	leaks=$(check_leaks) && echo "ok $1 leaks" && return
	printf '%s\n' "$leaks" | head -n 200 | sed 's/^/# /'
	echo "not ok $1 leaks"
	return 1
}

main() {
	local tests=() test number=0 failed=0 leaks=0 shared='' needs='' stuck=''
	while [[ ${1:-} == --* ]]; do
		case $1 in
		--shared) shared=$2; shift ;;
		--with-needs | --without-needs) needs=$1 ;;
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
			echo "ok $number $(basename "$test" .sh)"
		else
			failed=1
			echo "not ok $number $(basename "$test" .sh)"
		fi
		[[ -z $stuck ]] || { echo "Bail out! A process of $(basename "$test" .sh) does not end."; return 1; }
	done
	[[ ! -d $test_cgroup ]] || rmdir "$test_cgroup"
	((!leaks)) || report_leaks $((number + 1)) || failed=1
	[[ -z $shared ]] || echo "1..$((number + leaks))"
	return $failed
}

main "$@"
