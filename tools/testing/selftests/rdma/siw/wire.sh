#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the protocol byte for byte: scripts (wire/*/*.iw, see Documentation/wire_scripts.rst) act as
# the peer, on plain TCP, and as the ULP of the host.
#
#	namespace a                       namespace b
#	   siwa on va 10.77.1.1  ------  vb 10.77.1.2  iwscript
#	   kscript
#
#	siw/wire.sh [WHAT...]	only these folders, or scripts such as mpa/crc.iw, of which each line is printed
#
# With KRDMA_TEST_FOLDER, only this folder.
#
# timeout: 600

. "$(dirname "$0")/../lib.sh"

iwscript=${KRDMA:-/krdma}/bin/iwscript
what=()
# On slow kernels every script runs, but not with every segmentation.
# shellcheck disable=SC2154 # set in lib.sh
limits=(--wait $((10000 * slow)))
((slow == 1)) || limits+=(--segments 0)

siw_host() {
	load_krdma && two_hosts && add_device a && modprobe kscript &&
		echo 0 > /sys/class/infiniband/siwa/ports/1/hw_counters/lifespan &&
		# The congestion window is large, so that many small segments are sent without
		# waiting for acknowledgments.
		ip -n b route change 10.77.1.0/24 dev vb initcwnd 2000
}

# run_scripts FILE OPTION...: runs iwscript in b's network namespace, and writes its status to FILE.
# in_b is not used, because it would mount another sysfs, which lacks host a's device.
run_scripts() {
	local file=$1
	shift
	nsenter --net=/run/netns/b "$iwscript" --dev siwa --addr 10.77.1.1 --netns /run/netns/a \
		--macros "$lib_dir/wire/lib" "${limits[@]}" "$@"
	echo $? > "$file"
}

run_script() {
	run_scripts /dev/null --verbose "$lib_dir/wire/$1"
}

# run_folder FOLDER: runs the scripts of the folder, and prints a result for each.
run_folder() {
	local folder=$1 status
	status=$(mktemp)
	at_exit rm -f "$status"
	ktap_copy <(run_scripts "$status" "$lib_dir/wire/$folder"/*.iw) "$folder: "
	check "all scripts of $folder have run" wait_for 5 grep -q '^[01]$' "$status"
}

(($#)) || [[ -z ${KRDMA_TEST_FOLDER:-} ]] || set -- "$KRDMA_TEST_FOLDER"
ktap_start
check 'a host with siw, and a peer' siw_host
(($#)) || mapfile -t what < <(cd "$lib_dir/wire" && printf '%s\n' */ | grep -v -e '^lib/' -e '^memory/')
for one in "${what[@]}" "$@"; do
	if [[ $one == *.iw ]]; then
		run_script "$one"
	else
		run_folder "$(basename "$one")"
	fi
done
check 'everything unloads' unload_krdma
ktap_end
