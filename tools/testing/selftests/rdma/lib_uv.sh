# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# For the tests that run groups of tools/testing/uv between two hosts of lib_clients.sh, which see
#
#	group threads "$server_v4" 6

uv=${KRDMA:-/krdma}/bin/uv
# Seconds that a group may take.
uv_limit=600

need_uv() {
	[[ -x $uv ]] || ktap_skip_all 'uv was not built'
}

# uv_runs GROUP ADDRESS [NUMBER]: what failed stands in the report, and is taken from there.
uv_runs() {
	local group=$1 addr=$2
	shift 2
	# shellcheck disable=SC2154 # of lib.sh and lib_clients.sh
	in_b timeout $((uv_limit * slow)) "$uv" "$group" "$addr" a "$@" > "$output_dir/report"
	grep -q '^1\.\.[1-9]' "$output_dir/report"
}

# group NAME [ADDRESS [NUMBER]]: what it has counted and measured is shown in any case.
group() {
	local addr=${2:-$server_v4}
	check "$1 runs" uv_runs "$1" "$addr" "${@:3}"
	grep -E "^# ($1|memory): " "$output_dir/report"
	ktap_copy "$output_dir/report" "$1: "
	check "$1: nothing is left" wait_for 10 nothing_is_left
}
