#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the kernel's SMB server and client with SMB Direct over krdma, unmodified (`make ulps`): a client logs in, and
# copies files if the server can offer a share. ksmbd of Linux 6.1.192 refuses the shares of ksmbd-tools before 3.5, over
# TCP as well, because the size of a message has changed; the mount may then fail with that error only. Neither driver
# knows network namespaces for RDMA, so both are on one host.
#
#	siw0 on lo: client --- server
#
# timeout: 120

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_ulp.sh"

export_dir=/tmp/smb/export
dir=/tmp/smb/mount
server_pid=''

need_smb() {
	local program
	for program in mount.cifs ksmbd.mountd ksmbd.adduser ksmbd.control; do
		type -P "$program" > /dev/null || ktap_skip_all "no $program (vm/run --with storage)"
	done
	need_ulps ksmbd cifs
}

smb_modules() {
	load_krdma && rdma link add siw0 type siw netdev lo && at_exit unload_smb && modprobe -a ksmbd cifs
}

unload_smb() {
	local module
	for module in cifs ksmbd smbdirect; do
		[[ ! -d /sys/module/$module ]] || rmmod "$module"
	done
	[[ ! -e /sys/class/infiniband/siw0 ]] || rdma link delete siw0
}

server_listens() {
	[[ $(rdma resource show cm_id link siw0/1) == *LISTEN*:5445* ]]
}

start_smb_server() {
	mkdir -p "$export_dir" "$dir"
	printf '[global]\n\tnetbios name = KRDMA\n[share]\n\tpath = %s\n\twriteable = yes\n' "$export_dir" > /etc/ksmbd/ksmbd.conf
	rm -f /etc/ksmbd/ksmbdpwd.db
	ksmbd.adduser -a root -p secret || return
	at_exit stop_smb_server
	ksmbd.mountd -n > /tmp/ksmbd.log 2>&1 &
	server_pid=$!
	wait_for 20 server_listens
}

stop_smb_server() {
	[[ -n $server_pid ]] || return 0
	ksmbd.control -s
	kill "$server_pid" 2> /dev/null
	wait "$server_pid" 2> /dev/null
	server_pid=''
}

# mount_smb PASSWORD
mount_smb() {
	at_exit unmount_smb
	timeout $((30 * slow)) mount -t cifs //127.0.0.1/share "$dir" -o "rdma,user=root,password=$1,vers=3.1.1"
}

unmount_smb() {
	! mountpoint -q "$dir" || umount "$dir"
}

# refused ERROR PASSWORD: the mount fails with this error, after messages over siw.
refused() {
	local output before
	before=$(counter siw0 tx_sends)
	output=$(mount_smb "$2" 2>&1) && { echo 'the mount succeeded'; return 1; }
	echo "$output"
	[[ $output == *"mount error($1)"* ]] && (($(counter siw0 tx_sends) >= before + 8))
}

# Succeeds also if programs that are too old for the kernel's server are told that there is no share.
mount_or_no_share() {
	local output
	output=$(mount_smb secret 2>&1) && return
	echo "$output"
	old_programs && [[ $output == *'mount error(2)'* ]]
}

copy_tree() {
	cp -r "$KRDMA/tools" "$dir/tree" && sync -f "$dir" && diff -r "$KRDMA/tools" "$export_dir/tree"
}

# Versions before 3.5 know messages of another size.
old_programs() {
	[[ $(ksmbd.mountd -V 2>&1) =~ version[^0-9]*([0-9]+)\.([0-9]+) ]] && ((BASH_REMATCH[1] == 3 && BASH_REMATCH[2] < 5))
}

ktap_start
need_smb
check 'server and client are loaded' smb_modules
check 'a server' start_smb_server
check 'a wrong password is refused' refused 13 wrong
check 'a mount, or old programs have no share' mount_or_no_share
if ! mountpoint -q "$dir"; then
	for ulp in cifs ksmbd; do
		ulp_says "$ulp" not 'a login over SMB Direct works, then ksmbd of 6.1.192 refuses the shares of ksmbd-tools before 3.5 (also over TCP)'
	done
else
	check 'a tree of files' copy_tree
	check 'unmount' unmount_smb
	for ulp in cifs ksmbd; do
		ulp_ran "$ulp" 'SMB 3.1.1: a tree of files, compared'
	done
fi
check 'the server stops' stop_smb_server
check 'no connection is left' wait_for 30 no_connections
ktap_end
