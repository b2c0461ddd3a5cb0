#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs the in-kernel tests: loads each module with test cases, except those named kt_siw* and kt_sib, which selftests of siw/
# and sib/ run with devices. The module runs its cases while it is loaded, and its report is copied to the results.
# kt_conformance, which is loaded last, has a result for each documented name. With KRDMA_TEST_MODULES, only the modules named
# there run; with KRDMA_TEST_SUITE, only their cases of this suite.
#
# timeout: 900
# needs: several processors

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

reports=/sys/kernel/debug/krdma

test_modules() {
	local path module
	# shellcheck disable=SC2086 # a word each
	[[ -z ${KRDMA_TEST_MODULES:-} ]] || { printf '%s\n' $KRDMA_TEST_MODULES; return; }
	for path in "$modules_dir"/kt_*.ko; do
		module=$(basename "$path" .ko)
		[[ $module == kt_@(siw*|sib|conformance|support) ||
			$(modinfo -F description "$path") != 'krdma in-kernel tests'* ]] || echo "$module"
	done
	echo kt_conformance
}

# within SECONDS COMMAND...: fails after SECONDS, without waiting for the command, which may be stuck in the kernel.
within() {
	local seconds=$1 pid
	shift
	"$@" &
	pid=$!
	wait_for "$seconds" has_ended "$pid" || { echo "not done after $seconds s"; return 1; }
	wait "$pid"
}

# report_is_whole FILE: succeeds if the report has as many results as its plan says.
report_is_whole() {
	local planned seen
	planned=$(sed -n 's/^1\.\.//p' "$1")
	seen=$(grep -cE '^(not )?ok ' "$1")
	echo "planned ${planned:-nothing}, seen $seen"
	((seen > 0 && seen == planned))
}

run_module() {
	check "$1 runs" within 200 modprobe "$1"
	check "$1 leaves a whole report" report_is_whole "$reports/$1"
	[[ ! -e $reports/$1 ]] || ktap_copy "$reports/$1" "$1: "
	check "$1 unloads" within 30 rmmod "$1"
	# With it, the fake devices of other modules would have QPs that their tests do not expect.
	[[ ! -d /sys/module/ib_mad ]] || check 'ib_mad unloads' within 30 rmmod ib_mad
}

ktap_start
mapfile -t modules < <(test_modules)
[[ -n ${KRDMA_TEST_MODULES:-} || ${#modules[@]} -gt 1 ]] || ktap_skip_all 'no module with tests was built'
# Some cases look at what the memory cgroup is charged for, and are skipped in the root cgroup.
controllers=/sys/fs/cgroup/cgroup.subtree_control
echo +memory 2> /dev/null > "$controllers"
at_exit eval "echo -memory > $controllers"
check 'modules load' load_krdma ib_core iw_cm ib_uverbs rdma_cm kt_support
[[ -z ${KRDMA_TEST_SUITE:-} ]] || printf %s "$KRDMA_TEST_SUITE" > /sys/module/kt_support/parameters/suite
for module in "${modules[@]}"; do
	run_module "$module"
done
check 'nothing is left behind' within 30 rmmod kt_support rdma_cm ib_uverbs iw_cm iw_portmap ib_core
ktap_end
