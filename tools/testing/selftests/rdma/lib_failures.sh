# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library makes allocations fail one after another, on kernels with fault injection.
#
#	. "$(dirname "$0")/lib.sh"
#	. "$(dirname "$0")/lib_failures.sh"
#	failures_start                      # skips the test without fault injection
#	sweep 'a link' add_link remove_link # each allocation of add_link fails once
#
# Allocations with code of a module in their call chain can fail, in every task, workqueue and
# interrupt; all others succeed. A kernel with fault injection has no modules besides ours, or none
# that allocates, so only allocations of our modules fail.

debugfs=/sys/kernel/debug
failing=(failslab fail_page_alloc)
# How many functions of a call chain are examined.
depth=24
# A sweep fails if it reaches this number of allocations, because its operation makes no progress.
max_failures=1200
printk='' failing_kind='' progress=''
# For each kind of allocation, $first has the number of the first allocation that fails in the next
# sweeps (default: 1), and $last has the number of allocations of the last sweep's operation.
declare -A first=() last=()
# With $every above 1, for operations that take long, a sweep makes only every Nth allocation fail,
# starting with a random one of the first N.
every=1
# In short runs only one of $share of these allocations fails, at random, behind the first ten of a sweep.
share=${KRDMA_SHARE:-1}

# Messages that an operation may print when one of its allocations failed. The last three come from
# TCP, when TCP has no memory for a socket's inode or for its port.
no_memory='Cannot allocate memory|No buffer space available|Out of memory'
no_memory+='|Too many open files in system|Address already in use|Cannot assign requested address'

failures_start() {
	[[ -w $debugfs/failslab/count && -w $debugfs/failslab/require-start ]] ||
		ktap_skip_all 'the kernel has no fault injection (tools/testing/kernels builds ones that have)'
	at_exit failures_end
	exec {progress}>&1
	stop_failing
	set_failing ignore-gfp-wait N
	echo N > $debugfs/fail_page_alloc/ignore-gfp-highmem
	echo 0 > $debugfs/fail_page_alloc/min-order
	set_failing task-filter N
	# Logs each failed allocation, but not its stack: a user-mode kernel of Linux 6.1 dies when it prints the stack of a
	# workqueue's thread that has no work, because it reads through a null pointer for that.
	set_failing verbose 1
	set_failing verbose_ratelimit_interval_ms 0
	printk=$(< /proc/sys/kernel/printk)
	echo '6 4 1 7' > /proc/sys/kernel/printk
	set_failing stacktrace-depth "$depth"
	require_modules
}

# require_modules: requires a call chain with an address above the kernel's own code, where the code of modules is.
require_modules() {
	set_failing require-start "0x$(sed -n 's/ . _end$//p' /proc/kallsyms)"
	set_failing require-end 0xffffffffffffffff
}

# range_of FUNCTION: prints where a function of the kernel or of a module begins, and where the next symbol in kallsyms begins,
# which is its end.
range_of() {
	sort /proc/kallsyms | awk -v name="$1" '
		start && $1 "" > start { print "0x" start, "0x" $1; exit }
		$3 == name { start = $1 "" }'
}

# fail_all_in FUNCTION: makes all allocations of a kind in the call chain of this function fail, and no others, until
# fail_none is called. The kernel tries an allocation for an XArray twice, so that the failure of one is not seen.
fail_all_in() {
	local range
	range=$(range_of "$1")
	[[ -n $range ]] || { echo "no function $1"; return 1; }
	set_failing require-start "${range% *}"
	set_failing require-end "${range#* }"
	fail_all
}

# fail_all: makes all allocations fail that can, until stop_failing or fail_none is called.
fail_all() {
	set_failing interval 1
	set_failing times 1000000
	set_failing probability 100
}

fail_none() {
	stop_failing
	require_modules
}

# set_failing NAME VALUE: writes an attribute of all kinds of allocation.
set_failing() {
	local kind
	for kind in "${failing[@]}"; do
		echo "$2" > "$debugfs/$kind/$1"
	done
}

# fail_only_in MODULE: lets only allocations fail that have code of this module in their call chain.
fail_only_in() {
	local name size address _
	while read -r name size _ _ _ address _; do
		[[ $name == "$1" ]] || continue
		set_failing require-start "$address" && set_failing require-end "$(printf '%#x' $((address + size)))"
		return
	done < /proc/modules
	return 1
}

# exempt FUNCTION: makes allocations in the call chain of that function of the kernel or of a module succeed until exempt_none
# is called. Examines the longest call chains that the kernel can record, because the function may be at the far end.
exempt() {
	local range
	range=$(range_of "$1")
	[[ -n $range ]] || return
	set_failing stacktrace-depth 32
	set_failing reject-start "${range% *}"
	set_failing reject-end "${range#* }"
}

exempt_none() {
	set_failing stacktrace-depth "$depth"
	set_failing reject-start 0
	set_failing reject-end 0
}

failures_end() {
	stop_failing
	[[ -z $printk ]] || echo "$printk" > /proc/sys/kernel/printk
}

stop_failing() {
	set_failing probability 0
}

# start_failing: makes allocations fail again. Called by a DO function that has called stop_failing
# for its preparations.
start_failing() {
	echo 100 > "$debugfs/$failing_kind/probability"
}

# fail_nth KIND N: makes the Nth allocation from now fail, once.
fail_nth() {
	local dir=$debugfs/$1
	failing_kind=$1
	echo 0 > "$dir/count"
	echo "$2" > "$dir/interval"
	echo 1 > "$dir/times"
	echo 100 > "$dir/probability"
}

has_failed() {
	[[ $(< "$debugfs/$1/times") == 0 ]]
}

# says_why OUTPUT: succeeds if the output of a failed operation names an error that lack of memory
# explains.
says_why() {
	grep -qE -- "$no_memory${also_says:+|$also_says}" "$1" && return
	echo 'the error is none that lack of memory explains:'
	cat "$1"
	return 1
}

# fail_one KIND N DO UNDO OUTPUT: does one step of a sweep. Returns 2 if no allocation failed, which
# ends the sweep. Always runs UNDO, because the next step must begin in the same state.
fail_one() {
	local kind=$1 n=$2 do=$3 undo=$4 output=$5 status=0 injected='' failed=0 said
	fail_nth "$kind" "$n"
	"$do" > "$output" 2>&1 || status=$?
	stop_failing
	! has_failed "$kind" || injected=1
	if ((status)) && [[ -z $injected ]]; then
		echo 'the operation failed although no allocation did:'
		cat "$output"
		failed=1
	elif ((status)); then
		says_why "$output" || failed=1
	fi
	# shellcheck disable=SC2034 # for UNDO
	said=$(< "$output")
	did=$status "$undo" > "$output" 2>&1 || {
		echo "UNDO failed with status $?:"
		cat "$output"
		return 1
	}
	((!failed)) || return 1
	[[ -n $injected ]] || return 2
}

sweep_kind() {
	local kind=$1 do=$2 undo=$3 n step=$every count=0 status output
	output=$(mktemp)
	for ((n = ${first[$kind]:-1} + RANDOM % every; n <= max_failures; n += step)); do
		status=0
		fail_one "$kind" "$n" "$do" "$undo" "$output" || status=$?
		((!status)) || break
		((++count % 25)) || echo "# $count have failed" >&"$progress"
		# From here on $step apart, beginning with a random one of the next $share.
		((count != 10)) || ((step = every * share, n -= RANDOM % share * every))
	done
	rm -f "$output"
	last[$kind]=$((n - 1))
	echo "$count allocations failed"
	((status == 2)) && return
	echo "stopped at allocation $n"
	return 1
}

# skip_last_sweep: makes the next sweeps skip the allocations of the last sweep, because their
# operations begin with the same steps as that of the last sweep. The last ten allocations are not
# skipped, because the order of allocations varies.
skip_last_sweep() {
	local kind
	for kind in "${failing[@]}"; do
		first[$kind]=$((last[$kind] > 10 ? last[$kind] - 9 : 1))
	done
}

# of_each_kind NAME COMMAND ARG...: runs COMMAND KIND ARG... for each kind of allocation, and prints
# a result for each kind.
of_each_kind() {
	local name=$1 command=$2 kind
	shift 2
	for kind in "${failing[@]}"; do
		check "$name, $kind" "$command" "$kind" "$@"
		# shellcheck disable=SC2154 # from lib.sh
		grep '^[0-9]* allocations failed' "$ktap_output" | sed 's/^/# /'
	done
}

# sweep NAME DO UNDO: runs the function DO repeatedly, and makes another one of its allocations fail
# each time; ends when no allocation has failed. $first and $every select the allocations. DO may
# succeed, or fail with a message of $no_memory or $also_says (a regular expression). UNDO has to
# succeed; in UNDO, $did is the status of DO, and $said its output.
sweep() {
	of_each_kind "$1" sweep_kind "$2" "$3"
}

sample_kind() {
	local kind=$1 number=$2 do=$3 undo=$4 i status=0 count=0 output
	output=$(mktemp)
	for ((i = 0; i < number && status != 1; i++)); do
		status=0
		fail_one "$kind" $((1 + RANDOM % 100)) "$do" "$undo" "$output" || status=$?
		((status)) || count=$((count + 1))
	done
	rm -f "$output"
	echo "$count allocations failed"
	((status != 1))
}

# sample NAME NUMBER DO UNDO: runs DO NUMBER times. Each time, one of the next hundred allocations,
# chosen at random, fails; it may belong to DO or to other traffic. Used for operations beside traffic, where a sweep
# would not end, because traffic allocates all the time.
sample() {
	of_each_kind "$1" sample_kind "$2" "$3" "$4"
}

# Operations of sweeps: load and unload $module, which the test sets.
# shellcheck disable=SC2154
load_module() {
	modprobe "$module"
}

# shellcheck disable=SC2154 # fail_one sets $did
unload_module() {
	((did)) || rmmod "$module" || return
	[[ ! -d /sys/module/$module ]] || { echo "$module is still loaded"; return 1; }
}
