#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the kernel's NFS client and server over krdma, unmodified (`make ulps`): a tree of files, random operations on a
# file with NFS 3, 4.0, 4.1 and 4.2, locks. Nothing is left at the end.
#
#	namespace a                            namespace b
#	   va 10.77.1.1/24  ------------------  vb 10.77.1.2/24
#	   client                               server, an ext4 in memory
#
# timeout: 500

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_ulp.sh"
. "$(dirname "$0")/lib_nfs.sh"

seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
operations=${OPERATIONS:-$(fewer 400)}

# The transport of a mount, from the kernel's own statistics.
uses_rdma() {
	awk -v dir="$1" '$1 == "device" { here = $5 == dir } here && $1 == "xprt:" { print $2 }' /proc/self/mountstats |
		grep -qx rdma
}

# copy_tree FOLDER: copies a tree with many files to the mount, and compares it at the server and again at a client
# without a cache.
copy_tree() {
	local from=$KRDMA/tools/testing/modules
	cp -r "$from" "$1/tree" && sync -f "$1" && diff -r "$from" "$export_dir/tree" && echo 3 > /proc/sys/vm/drop_caches &&
		diff -r "$from" "$1/tree" && rm -r "$1/tree" && [[ ! -e $export_dir/tree ]]
}

# copy_modules FOLDER: the same with the largest files of the guest, which are the kernel's modules.
copy_modules() {
	local file files
	mapfile -t files < <(find "/usr/lib/modules/$(uname -r)/kernel" -name '*.ko' -size +200k | head -n 20)
	cp -t "$1" "${files[@]}" && sync -f "$1" && echo 3 > /proc/sys/vm/drop_caches || return
	for file in "${files[@]}"; do
		cmp "$file" "$1/${file##*/}" && cmp "$file" "$export_dir/${file##*/}" || return
	done
	rm "$1"/*.ko
}

# random_operations FOLDER: also compares the file with what the server has.
random_operations() {
	file_test random "$1/random" "$seed" "$operations" && cmp "$1/random" "$export_dir/random" && rm "$1/random"
}

# exercise VERSION [OPTION]
exercise() {
	local dir=$nfs/$1
	check "NFS $1: mount" mount_nfs "$dir" "vers=$1${2:+,$2}"
	check "NFS $1: the transport is RDMA" uses_rdma "$dir"
	check "NFS $1: random operations, seed $seed" random_operations "$dir"
	check "NFS $1: unmount" unmount_nfs "$dir"
}

# --- locks ---

hold_lock() {
	coproc holder { exec file_test hold "$1" 100 50; }
	# shellcheck disable=SC2154 # coproc sets it
	read -r -t $((60 * slow)) -u "${holder[0]}" line && [[ $line == locked ]]
}

release_lock() {
	# shellcheck disable=SC2154
	eval "exec ${holder[1]}>&-" && wait "$holder_PID"
}

# locks FOLDER OTHER: a process on one mount holds a lock, which processes on the other mount see.
locks() {
	local status=0
	hold_lock "$1/lock" || return
	[[ $(file_test try "$2/lock" 120 10) == held ]] && [[ $(file_test try "$2/lock" 0 101) == held ]] &&
		file_test try "$2/lock" 0 100 && file_test try "$2/lock" 150 10 || status=1
	release_lock && file_test try "$2/lock" 100 50 || status=1
	return "$status"
}

ktap_start
nfs_hosts
check 'a server' start_nfs_server
check 'NFS 4.2: mount' mount_nfs "$nfs/4" vers=4.2
check 'a tree of small files' copy_tree "$nfs/4"
check 'large files' copy_modules "$nfs/4"
check 'unmount' unmount_nfs "$nfs/4"
exercise 3
exercise 4.0
exercise 4.1 rsize=4096,wsize=8192
exercise 4.2
# Both mounts are one client to the server. Newer servers may delegate a file to a client that writes it, and
# the client then keeps the locks of each mount to itself.
check 'no delegations' sysctl -qw fs.leases-enable=0
check 'two mounts' mount_nfs "$nfs/one" vers=4.2
check 'two mounts with a connection each' mount_nfs "$nfs/two" vers=4.2,nosharecache
check 'locks' locks "$nfs/one" "$nfs/two"
check 'delegations again' sysctl -qw fs.leases-enable=1
check 'unmount both' umount "$nfs/one" "$nfs/two"
check 'the server stops' stop_threads
check 'no objects are left' wait_for 10 nothing_left
ulp_ran rpcrdma 'NFS 3, 4.0, 4.1 and 4.2: trees of files, random operations and locks, compared'
ktap_end
