# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# For the tests that let allocations fail, one after another, on the debug kernel.
#
#	. "$(dirname "$0")/lib.sh"
#	. "$(dirname "$0")/lib_failures.sh"
#	failures_start                      # skips the test on other kernels
#	sweep 'a link' add_link remove_link # each of the operation's allocations has failed once
#
# Counted are the allocations with a module's code on their stack, whichever task, workqueue or
# interrupt they happen in: our modules are the only ones in that kernel, or those that matter.

debugfs=/sys/kernel/debug
failing=(failslab fail_page_alloc)
# An operation of more allocations than that does not get any further.
max_failures=1200
printk='' failing_kind='' progress=''
# By kind: the first allocation of the next sweeps to fail, 1 if not given; and how many there were
# in the last sweep.
declare -A first=() last=()
# Of an operation that takes seconds, each so many'th allocation fails, from a random one on.
every=1

# What an operation may say when one of its allocations failed; the last ones are what TCP says where
# it has no memory for a socket's inode, or for its port.
no_memory='Cannot allocate memory|No buffer space available|Out of memory'
no_memory+='|Too many open files in system|Address already in use|Cannot assign requested address'

failures_start() {
	[[ -w $debugfs/failslab/count && -w $debugfs/failslab/require-start ]] ||
		ktap_skip_all 'a kernel whose allocations do not fail when told to (see make check-debug)'
	at_exit failures_end
	exec {progress}>&1
	stop_failing
	set_failing ignore-gfp-wait N
	echo N > $debugfs/fail_page_alloc/ignore-gfp-highmem
	echo 0 > $debugfs/fail_page_alloc/min-order
	set_failing task-filter N
	# The stack of each goes to the log, which a failed test shows, but not to the console.
	set_failing verbose 2
	printk=$(< /proc/sys/kernel/printk)
	echo '6 6 1 7' > /proc/sys/kernel/printk
	set_failing stacktrace-depth 24
	# Modules' code lies above the kernel's own.
	set_failing require-start "0x$(sed -n 's/ . _end$//p' /proc/kallsyms)"
	set_failing require-end 0xffffffffffffffff
}

# set_failing NAME VALUE: of all kinds of allocation.
set_failing() {
	local kind
	for kind in "${failing[@]}"; do
		echo "$2" > "$debugfs/$kind/$1"
	done
}

# exempt FUNCTION: until exempt_none, what that function of the kernel allocates does not fail. Symbols stand in the
# order of their addresses.
exempt() {
	local symbols
	mapfile -t symbols < <(grep -m 1 -A 1 " $1\$" /proc/kallsyms)
	set_failing reject-start "0x${symbols[0]%% *}"
	set_failing reject-end "0x${symbols[1]%% *}"
}

exempt_none() {
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

# start_failing: again, in a DO that stopped it for what is only preparation.
start_failing() {
	echo 100 > "$debugfs/$failing_kind/probability"
}

# fail_nth KIND N: the Nth one from now.
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

# Whether the output of an operation that failed says why, in a way that has to do with memory.
says_why() {
	grep -qE -- "$no_memory${also_says:+|$also_says}" "$1" && return
	echo 'not an errno that speaks of memory:'
	cat "$1"
	return 1
}

# One step of a sweep; 2 is the end of it. What was done is undone in any case: the next sweep has
# to begin at the same point.
fail_one() {
	local kind=$1 n=$2 do=$3 undo=$4 output=$5 status=0 injected='' failed=0 said
	fail_nth "$kind" "$n"
	"$do" > "$output" 2>&1 || status=$?
	stop_failing
	! has_failed "$kind" || injected=1
	if ((status)) && [[ -z $injected ]]; then
		echo 'fails although no allocation did:'
		cat "$output"
		failed=1
	elif ((status)); then
		says_why "$output" || failed=1
	fi
	# shellcheck disable=SC2034 # for UNDO
	said=$(< "$output")
	did=$status "$undo" > "$output" 2>&1 || {
		echo "what follows it fails with status $?:"
		cat "$output"
		return 1
	}
	((!failed)) || return 1
	[[ -n $injected ]] || return 2
}

sweep_kind() {
	local kind=$1 do=$2 undo=$3 n count=0 status output
	output=$(mktemp)
	for ((n = ${first[$kind]:-1} + RANDOM % every; n <= max_failures; n += every)); do
		status=0
		fail_one "$kind" "$n" "$do" "$undo" "$output" || status=$?
		((!status)) || break
		((++count % 25)) || echo "# $count have failed" >&"$progress"
	done
	rm -f "$output"
	last[$kind]=$((n - 1))
	echo "$count allocations failed"
	((status == 2)) && return
	echo "stopped at allocation $n"
	return 1
}

# skip_last_sweep: the next sweeps are of operations that begin like that of the last one, where
# all has failed already. The order of allocations is not always the same: some fail again.
skip_last_sweep() {
	local kind
	for kind in "${failing[@]}"; do
		first[$kind]=$((last[$kind] > 10 ? last[$kind] - 9 : 1))
	done
}

# of_each_kind NAME COMMAND ARG...: a result for each kind of allocation, which is COMMAND's first argument.
of_each_kind() {
	local name=$1 command=$2 kind
	shift 2
	for kind in "${failing[@]}"; do
		check "$name, $kind" "$command" "$kind" "$@"
		# shellcheck disable=SC2154 # from lib.sh
		grep '^[0-9]* allocations failed' "$ktap_output" | sed 's/^/# /'
	done
}

# sweep NAME DO UNDO: runs the function DO while its 1st, 2nd ... allocation fails, until none
# does; of which ones, see $first and $every. DO may succeed, or fail and say why. UNDO has to
# succeed; it finds the status of DO in $did, and what that said in $said. $also_says is what DO may
# say beside errnos of memory.
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

# sample NAME NUMBER DO UNDO: beside traffic, which allocates, too, all the time, so that a sweep would not end.
# DO runs so many times; each time one of the first hundred allocations fails, whoever it is that asks for it.
sample() {
	of_each_kind "$1" sample_kind "$2" "$3" "$4"
}
