#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the kernel's NFS client and server over krdma (`make ulps`) under load while the server restarts, links fail or are
# bad, devices are removed and allocations fail. The load is a process that compares all it reads. With KRDMA_LONG=1 in the
# environment, SunRPC's server also breaks connections, after which a load sometimes rests for minutes, over TCP as well.
#
#	namespace a                            namespace b
#	   va 10.77.1.1/24  --[faults, both  --  vb 10.77.1.2/24
#	   client               ways]            server, an ext4 in memory
#
# timeout: 240

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_ulp.sh"
. "$(dirname "$0")/lib_nfs.sh"
. "$(dirname "$0")/../lib_failures.sh"

seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
dir=$nfs/mount
load_log='' load_pid=''

# --- the load ---

start_load() {
	load_log=$(mktemp)
	file_test random "$dir/load" "$seed" 0 > "$load_log" 2>&1 &
	load_pid=$!
	at_exit abort_load
	load_goes_on
}

abort_load() {
	[[ -z $load_pid ]] || kill -KILL "$load_pid" 2> /dev/null
}

reports() {
	grep -c operations "$load_log"
}

has_reported() {
	(($(reports) > $1)) || has_ended "$load_pid"
}

# Waits until a hundred more operations have been done, all of them after this function was called.
load_goes_on() {
	wait_for 100 has_reported $(($(reports) + 1)) && ! has_ended "$load_pid" && return
	cat "$load_log"
	return 1
}

# Ends the load, and compares the file with what the server has.
end_load() {
	local status=0
	kill "$load_pid" && wait_for 60 has_ended "$load_pid" && wait "$load_pid" && cmp "$dir/load" "$export_dir/load" ||
		status=1
	tail -n 1 "$load_log"
	rm -f "$load_log" "$dir/load"
	load_pid=''
	return "$status"
}

# --- faults ---

restart_server() {
	stop_threads && pause 0.5 && start_threads
}

# link_fails HOST: takes the link down for a moment.
link_fails() {
	ip -n "$1" link set "v$1" down
	pause 1
	ip -n "$1" link set "v$1" up
}

# replace_device HOST
replace_device() {
	rdma link delete "siw$1" && add_device "$1"
}

# through OPERATIONS NETEM-OPTION...: operations on a bad link.
through() {
	local status=0
	netem "${@:2}" && file_test random "$dir/netem" "$seed" "$1" && cmp "$dir/netem" "$export_dir/netem" || status=1
	rm -f "$dir/netem"
	no_netem && return "$status"
}

# under_load NAME COMMAND...: the load goes on after the command.
under_load() {
	check "$1" "${@:2}"
	check "$1: the load goes on" load_goes_on
}

# The server's SunRPC breaks a connection at every 50th call, three times. The client's is not asked to, because its function
# for it dies if there is no connection at that moment (Linux 6.1). A server ignores a call that is repeated while it is
# executed, and NFS 4 tells the client to wait. With NFS 3, the client asks again after the time of the option timeo.
server_breaks() {
	local faults=$debugfs/fail_sunrpc
	echo Y > "$faults/ignore-client-disconnect"
	echo N > "$faults/ignore-server-disconnect"
	echo 0 > "$faults/verbose"
	echo 50 > "$faults/interval"
	echo 3 > "$faults/times"
	echo 100 > "$faults/probability"
	wait_for 200 has_broken && return
	show_stall
	return 1
}

# Prints what client and server wait for.
show_stall() {
	local thread
	echo "$(< "$debugfs/fail_sunrpc/times") breaks are to come; the load has reported $(reports) times"
	tail -n +1 "$debugfs"/sunrpc/rpc_clnt/*/tasks
	rdma resource show cm_id
	on a ss -tnmo
	on b ss -tnmo
	for thread in "$load_pid" $(pgrep nfsd); do
		cat "/proc/$thread/stack"
	done
}

has_broken() {
	[[ $(< "$debugfs/fail_sunrpc/times") == 0 ]]
}

# --- allocations ---

few_operations() {
	file_test random "$dir/few" "$seed" 20
}

# NFS tells the process of a lack of memory at the other side, or of its own, as an error of the device.
also_says='Input/output error'

remove_few() {
	rm -f "$dir/few"
}

mount_once() {
	mount_nfs "$nfs/once" vers=4.2,nosharecache
}

unmount_once() {
	unmount_nfs "$nfs/once"
}

ktap_start
nfs_hosts
check 'a server' start_nfs_server
check 'a mount' mount_nfs "$dir" vers=4.2
check "load, seed $seed" start_load
under_load 'the server restarts' restart_server
under_load "the client's link fails" link_fails a
under_load "the server's link fails" link_fails b
under_load "the client's device is replaced" replace_device a
under_load "the server's device is replaced" replace_device b
check 'the load ends' end_load
check 'packets are lost' through 30 loss 1%
check 'packets are late' through 20 delay 20ms
check 'packets are reordered' through 30 delay 3ms reorder 50%
check 'NFS 3: a mount' mount_nfs "$nfs/3" vers=3,timeo=20
dir=$nfs/3
check "NFS 3: load, seed $seed" start_load
under_load 'NFS 3: the server restarts' restart_server
if [[ -z ${KRDMA_LONG:-} ]]; then
	echo '# NFS 3: connections break only with KRDMA_LONG=1'
elif [[ -e $debugfs/fail_sunrpc ]]; then
	under_load 'NFS 3: the server breaks connections' server_breaks
else
	ktap_skip 'NFS 3: connections break' 'the kernel cannot make SunRPC fail'
fi
check 'NFS 3: the load ends' end_load
if [[ -w $debugfs/failslab/count ]]; then
	failures_start
	# Those of a file system could stop it for good.
	check 'only allocations of siw fail' fail_only_in siw
	# If a connection cannot be accepted, the server's svc_rdma_accept() never frees the PD and the two CQs that it has
	# made for the connection (Linux 6.1).
	check 'the server can accept connections' exempt svc_rdma_accept
	sample 'operations' "$(fewer 20)" few_operations remove_few
	sample 'a mount' "$(fewer 20)" mount_once unmount_once
	failures_end
else
	ktap_skip 'allocations fail' 'the kernel has no fault injection'
fi
check 'NFS 3: unmount' unmount_nfs "$nfs/3"
check 'unmount' unmount_nfs "$nfs/mount"
check 'the server stops' stop_threads
check 'no objects are left' wait_for 10 nothing_left
ulp_ran rpcrdma 'NFS under load: restarts, bad links, devices removed, failed allocations'
ktap_end
