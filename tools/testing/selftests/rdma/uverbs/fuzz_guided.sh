#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Plays programs of requests to uverbs and rdma_cm, and changes those further that make krdma's
# modules run new code (tools/testing/uverbs_fuzz, guided.h). Expects that the kernel logs no report,
# that changed programs reach new code, that the few programs that were kept reach nearly all of the
# code again, and that nothing is left.
#
#   uverbs/fuzz_guided.sh [SECONDS [SEED [CORPUS]]]    default: 25 s, 1, none; programs in CORPUS are
#                                                      played first, and those that are kept are added
#   uverbs/fuzz_guided.sh 1 1 '' FILE                  plays only the programs in FILE: a corpus, the
#                                                      journal of a crash, or a program that was printed
#
#	namespace a                        namespace b
#	   va 10.77.1.1, fd77:1::1  ----  vb 10.77.1.2, fd77:1::2
#	   siwa: the programs              siwb: nobody listens
#
# timeout: 150

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_clients.sh"

uverbs_fuzz=${KRDMA:-/krdma}/bin/uverbs_fuzz
# shellcheck disable=SC2154 # set in lib.sh
seconds=${1:-$((25 * slow))}
seed=${2:-1}
corpus=${3:-}
programs=${4:-}
journal=()
# /out is a folder of the host, where the journal can be read after a crash of the machine.
[[ ! -d /out ]] || journal=(--journal /out/uverbs_fuzz.journal)

hosts_with_coverage() {
	load_covered ib_core ib_uverbs iw_portmap iw_cm rdma_cm rdma_ucm siw && two_hosts && add_device a && add_device b &&
		make_output_dir && lengthen_handshakes && wait_for 10 nodes_are_there
}

# guided REPORT OPTION...: plays programs. Fails only if there is no report, because the results are
# taken from the report.
guided() {
	local report=$output_dir/$1
	shift
	in_a timeout --kill-after=5 $((3 * seconds + 60 * slow)) "$uverbs_fuzz" --guided --seed "$seed" "${journal[@]}" "$@" \
		10.77.1.1 10.77.1.2 fd77:1::1 > "$report"
	grep -q '^1\.\.[1-9]' "$report"
}

# edges_of REPORT: prints the number of edges that were run.
edges_of() {
	sed -n 's/^# edges //p' "$output_dir/$1"
}

# Order and time of work items differ from run to run, so that a few edges are not run again.
reaches_again() {
	echo "$(edges_of again) edges, and $(edges_of first) before"
	(($(edges_of first) > 0 && $(edges_of again) * 100 >= $(edges_of first) * 90))
}

# show_report REPORT: prints the statistics, and copies the results.
show_report() {
	grep '^#' "$output_dir/$1"
	ktap_copy "$output_dir/$1"
}

# Beginning with a corpus, a short run may find nothing more.
explores() {
	check 'programs are played' guided first --seconds "$seconds" --corpus "$corpus"
	show_report first
	check 'the kept programs are played again' guided again --replay "$corpus"
	show_report again
	check 'they reach nearly all edges again' reaches_again
	echo "# $(reaches_again)"
}

ktap_start
[[ -e $coverage_dir/ib_core.ko ]] || ktap_skip_all 'no modules for coverage, which only user-mode kernels have'
check 'two hosts with siw' hosts_with_coverage
[[ -n $corpus ]] || corpus=$output_dir/corpus
if [[ -n $programs ]]; then
	check "the programs in $programs" guided first --replay "$programs"
	show_report first
else
	explores
fi
check 'nothing is left' wait_for 20 nothing_is_left
check 'everything unloads' unload_krdma
ktap_end
