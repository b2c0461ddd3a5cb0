#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Loads each module of `make ulps` beside siw, and unloads it. Expects that it is krdma's build and not the kernel's.
#
# timeout: 120

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_ulp.sh"

# Modules of each ULP.
declare -A modules_of=(
	[nvme]=nvme_rdma [nvmet]=nvmet_rdma [iser]=ib_iser [isert]=ib_isert [rpcrdma]=rpcrdma [rds]=rds_rdma
	[9p]=9pnet_rdma [ksmbd]=ksmbd [cifs]=cifs [smc]=smc [rtrs]='rtrs_client rtrs_server' [rnbd]='rnbd_client rnbd_server'
)

# Only krdma's build has this folder in its path.
is_ours() {
	local path
	path=$(modinfo -F filename "$1")
	[[ $path == "$ulp_dir"/* ]] && return
	echo "$path"
	return 1
}

load_ulp() {
	local module
	for module in ${modules_of[$1]}; do
		is_ours "$module" && modprobe "$module" || return
	done
}

unload_ulp() {
	# shellcheck disable=SC2086 # a word each
	modprobe -r ${modules_of[$1]}
}

one_ulp() {
	local ulp=$1 module failed=$ktap_failed
	for module in ${modules_of[$ulp]}; do
		has_ulp "$module" && continue
		ktap_skip "$ulp loads" "$module is not built"
		return
	done
	check "$ulp loads" load_ulp "$ulp"
	((ktap_failed == failed)) || return
	ulp_says "$ulp" loads
	check "$ulp unloads" unload_ulp "$ulp"
}

ktap_start
check 'siw is loaded' load_krdma
check 'a device' rdma link add siw0 type siw netdev lo
for ulp in $(printf '%s\n' "${!modules_of[@]}" | sort); do
	one_ulp "$ulp"
done
check 'the device is removed' rdma link delete siw0
ktap_end
