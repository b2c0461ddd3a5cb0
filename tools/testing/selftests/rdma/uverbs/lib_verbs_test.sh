# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library runs groups of tests of tools/testing/verbs_test between the two hosts of
# lib_clients.sh.
#
#	group threads "$server_v4" 6

verbs_test=${KRDMA:-/krdma}/bin/verbs_test
# Time limit of a group, in seconds.
verbs_test_limit=600

need_verbs_test() {
	[[ -x $verbs_test ]] || ktap_skip_all 'verbs_test was not built'
}

# verbs_test_runs GROUP ADDRESS [NUMBER]: runs a group, which writes a report. Fails only if there
# is no report, because failed cases are counted when the report is copied.
verbs_test_runs() {
	local group=$1 addr=$2
	shift 2
	# shellcheck disable=SC2154 # set in lib.sh and lib_clients.sh
	in_b timeout $((verbs_test_limit * slow)) "$verbs_test" "$group" "$addr" a "$@" > "$output_dir/report"
	grep -q '^1\.\.[1-9]' "$output_dir/report"
}

# group NAME [ADDRESS [NUMBER]]: runs a group, copies its results, and prints the counts and
# measurements in its report.
group() {
	local addr=${2:-$server_v4}
	check "$1 runs" verbs_test_runs "$1" "$addr" "${@:3}"
	grep -E "^# ($1|memory): " "$output_dir/report"
	ktap_copy "$output_dir/report" "$1: "
	check "$1: nothing is left" wait_for 10 nothing_is_left
}
