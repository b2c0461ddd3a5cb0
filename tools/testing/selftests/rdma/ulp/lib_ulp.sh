# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library of the tests of ULPs loads their modules, and reports what they did for the table in Documentation/ulps.rst.
#
#	. "$(dirname "$0")/../lib.sh"
#	. "$(dirname "$0")/lib_ulp.sh"
#	ktap_start
#	need_ulps nvme_rdma nvmet_rdma      # skips the test if they were not built
#	...
#	ulp_ran nvme 'reads and writes of 4 KiB to 1 MiB, verified'
#	ktap_end

ulp_dir=/lib/modules/$(uname -r)/updates/krdma-ulp

# has_ulp MODULE: succeeds if `make ulps` has built this module.
has_ulp() {
	[[ -e $ulp_dir/${1//_/-}.ko || -e $ulp_dir/$1.ko ]]
}

# need_ulps MODULE...: skips the test unless `make ulps` has built these modules.
need_ulps() {
	local module
	for module; do
		has_ulp "$module" || ktap_skip_all "$module is not built (make ulps)"
	done
}

# ulp_says ULP KIND [WORDS]: a line for the table; KIND is loads, ran or not.
ulp_says() {
	echo "# ulp $1 $2 ${3:-}"
}

# ulp_ran ULP WHAT: reports what the ULP did over krdma, unless a result of the test is bad.
ulp_ran() {
	# shellcheck disable=SC2154 # set in lib.sh
	((ktap_failed)) || ulp_says "$1" ran "$2"
}

# no_connections: succeeds if no ULP has a QP or an MR.
no_connections() {
	[[ $(rdma resource show -j | jq -r 'map(.qp, .mr) | add') == 0 ]]
}

# nothing_left: succeeds if no ULP has an object. CQs of a pool stay for a second after their last use, therefore:
#
#	wait_for 10 nothing_left
nothing_left() {
	rdma resource show
	[[ $(rdma resource show -j | jq -r 'map(.qp, .cm_id, .mr, .pd, .cq, .ctx, .srq) | add') == 0 ]]
}
