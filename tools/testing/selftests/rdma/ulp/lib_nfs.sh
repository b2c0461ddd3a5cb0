# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library of the tests of NFS over RDMA runs the kernel's NFS server on host b and its client on host a, with the
# programs of Debian's nfs-utils.
#
#	. "$(dirname "$0")/../lib.sh"
#	. "$(dirname "$0")/lib_ulp.sh"
#	. "$(dirname "$0")/lib_nfs.sh"
#	nfs_hosts                           # skips the test if something is missing
#	check 'a server' start_nfs_server
#	check 'a mount' mount_nfs "$nfs/4" vers=4.2

nfs=/tmp/nfs
export_dir=$nfs/export
nfs_port=20049 mountd_port=20048
server_threads=4

# on HOST COMMAND...: runs a command in HOST's network namespace. Unlike `ip netns exec`, keeps the namespace of mounts,
# so that mounts stay.
on() {
	nsenter "--net=/run/netns/$1" -- "${@:2}"
}

need_nfs() {
	local program module
	for program in mount.nfs rpc.nfsd rpc.mountd exportfs rpcbind nfsdcld mkfs.ext4; do
		type -P "$program" > /dev/null || ktap_skip_all "no $program (vm/run --with storage)"
	done
	need_ulps rpcrdma
	for module in nfsd nfsv4 nfsv3 brd; do
		modinfo -n "$module" > /dev/null 2>&1 || ktap_skip_all "no module $module"
	done
}

# Sets up the hosts with a siw device each, and a file system on host b.
nfs_hosts() {
	need_nfs
	check 'two hosts with siw' nfs_two_hosts
	check 'a file system for the server' make_export
}

nfs_two_hosts() {
	load_krdma && at_exit unload_nfs && modprobe -a rpcrdma nfsd nfsv4 nfsv3 && two_hosts && add_device a && add_device b
}

make_export() {
	at_exit remove_export
	modprobe brd rd_nr=1 rd_size=131072 && mkfs.ext4 -q /dev/ram0 && mkdir -p "$export_dir" &&
		mount /dev/ram0 "$export_dir"
}

remove_export() {
	umount "$export_dir"
	rmmod brd
}

# Modules are unloaded that hold references to krdma's.
unload_nfs() {
	local tries
	# A client that was unmounted is released a moment later.
	for ((tries = 0; tries < 50; tries++)); do
		[[ -d /sys/module/rpcrdma ]] || return 0
		rmmod rpcrdma 2> /dev/null || pause 0.1
	done
	rmmod rpcrdma
}

# --- the server ---

# Files of the server are mounted for host b.
start_nfs_server() {
	at_exit stop_nfs_server
	mkdir -p /run/rpc_pipefs &&
		on b mount -t nfsd nfsd /proc/fs/nfsd && on b mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs &&
		start_daemon rpcbind -f && start_daemon nfsdcld -F && wait_for 10 rpcbind_listens &&
		on b exportfs -o rw,no_root_squash,no_subtree_check,insecure,fsid=0 "*:$export_dir" &&
		start_daemon rpc.mountd -F -p "$mountd_port" || return
	# Clients that were there before a restart have to come back within this time. The lock manager of NFS 3 has such a
	# time of its own, during which locks of all versions wait.
	echo 10 > /proc/fs/nfsd/nfsv4leasetime && echo 10 > /proc/fs/nfsd/nfsv4gracetime && modprobe lockd &&
		echo 3 > /proc/sys/fs/nfs/nlm_timeout && echo 1 > /proc/sys/fs/nfs/nlm_grace_period && start_threads
}

# Succeeds if rpcbind accepts connections. The file of its socket is there before it listens, and after it has ended.
rpcbind_listens() {
	on b grep -q '^[^ ]* [^ ]* [^ ]* 00010000 .*/rpcbind\.sock$' /proc/net/unix
}

daemons=()

start_daemon() {
	nsenter --net=/run/netns/b -- "$@" > "/tmp/${1##*/}.log" 2>&1 &
	daemons+=($!)
}

start_threads() {
	on b rpc.nfsd --rdma="$nfs_port" "$server_threads"
}

stop_threads() {
	on b rpc.nfsd 0
}

stop_nfs_server() {
	stop_threads
	on b exportfs -ua
	on b exportfs -f
	((!${#daemons[@]})) || kill "${daemons[@]}"
	wait "${daemons[@]}" 2> /dev/null
	daemons=()
	umount /run/rpc_pipefs
	umount /proc/fs/nfsd
}

# --- the client ---

# mount_nfs FOLDER OPTIONS: mounts the server's file system on FOLDER of host a.
mount_nfs() {
	local from=10.77.1.2:/ options=$2
	mkdir -p "$1"
	if [[ $options == *vers=3* ]]; then
		from=10.77.1.2:$export_dir
		options+=,nolock,mountproto=tcp,mountport=$mountd_port
	fi
	at_exit unmount_nfs "$1"
	# shellcheck disable=SC2154 # set in lib.sh
	timeout $((30 * slow)) nsenter --net=/run/netns/a -- \
		mount -t nfs -o "proto=rdma,port=$nfs_port,sec=sys,$options" "$from" "$1"
}

unmount_nfs() {
	! mountpoint -q "$1" || umount "$1"
}
