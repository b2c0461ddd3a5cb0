#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes allocations fail one after another: while devices are added, changed and removed, and while
# their state is read. Expects each time that the operation succeeds or prints an error that lack of
# memory explains, that no object is left, and that the next attempt works. cm/failures.sh tests
# connections, and failures_loading.sh tests the loading of modules.
#
# timeout: 1200

# shellcheck disable=SC2154 # sweep sets $did and $said
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"
. "$(dirname "$0")/../lib_kscript.sh"
. "$(dirname "$0")/../lib_failures.sh"

nothing() { :; }

# --- devices ---

# Uses a shell builtin, because starting programs takes most of the time of this test.
has_links() {
	compgen -G '/sys/class/infiniband/*'
}

add_link() {
	rdma link add siwx type siw netdev d0
}

# Succeeds if the program got ENOBUFS. The program gets this error if the allocation of netlink's
# reply fails, whether or not the kernel has done the operation.
answer_lost() {
	((did)) && [[ $said == *'No buffer space available'* ]]
}

remove_added() {
	if ((!did)) || { answer_lost && has_links > /dev/null; }; then
		rdma link delete siwx || return
	fi
	! has_links || { echo 'a device is left'; return 1; }
}

# added_without FUNCTION: expects that the device cannot be added while all allocations of FUNCTION fail.
added_without() {
	local output
	fail_all_in "$1" || return
	output=$(add_link 2>&1) && { fail_none; delete_link; return 1; }
	fail_none
	grep -qE "$no_memory" <<< "$output" && ! has_links
}

# Expects that the device is there although iw_cm has no memory for it, and that the kernel log says so.
added_without_iw_cm() {
	local status
	fail_only_in iw_cm && fail_all && add_link
	status=$?
	fail_none
	dmesg_since | grep -q 'siwx: iw_cm does not use the device: error -12' || status=1
	delete_link && return "$status"
}

delete_link() {
	rdma link delete siwx
}

add_deleted() {
	if ((did)) && ! { answer_lost && ! has_links > /dev/null; }; then
		delete_link || return
	fi
	! has_links || { echo 'the device is still there'; return 1; }
	add_link
}

rename_link() {
	rdma dev set siwa name siwy
}

rename_back() {
	if ((!did)) || { answer_lost && [[ -e /sys/class/infiniband/siwy ]]; }; then
		rdma dev set siwy name siwa || return
	fi
	[[ -e /sys/class/infiniband/siwa/ports/1 ]]
}

# device_rename() first renames the link in the class, and does not undo that if kobject_rename()
# fails, so this sweep exempts the allocations of kobject_rename().
sweep_rename() {
	exempt kobject_rename
	sweep 'rdma dev set name' rename_link rename_back
	exempt_none
}

change_netdev() {
	ip -n a address add 10.77.9.1/24 dev va && ip -n a address del 10.77.9.1/24 dev va &&
		ip -n a link set va mtu 1400 && ip -n a link set va down && ip -n a link set va up &&
		ip -n a link set va mtu 1500
}

# Restores the IPv6 address, which was lost when the link went down.
repair_netdev() {
	ip -n a -6 address replace fd77:1::1/64 dev va nodad &&
		wait_for 5 reaches_b && [[ $(< /sys/class/infiniband/siwa/ports/1/state) == '4: ACTIVE' ]]
}

reaches_b() {
	in_a ping -c 1 -W 1 10.77.1.2
}

add_namespace() {
	ip netns add c
}

remove_namespace() {
	[[ ! -e /run/netns/c ]] || ip netns del c
}

# Namespace d exists before the devices are added; namespace c is created and deleted by the sweep
# of namespaces.
sweep_devices() {
	local every=4 function
	check 'a netdev and a namespace' eval 'ip link add d0 type dummy && ip netns add d'
	sweep 'rdma link add' add_link remove_added
	for function in ib_core_ports_alloc ib_core_netdev_set ib_core_hw_counters_alloc __xa_cmpxchg; do
		check "rdma link add: no memory in $function" added_without $function
	done
	check 'rdma link add: no memory in iw_cm' added_without_iw_cm
	check 'a device' add_link
	sweep 'rdma link delete' delete_link add_deleted
	sweep 'a network namespace' add_namespace remove_namespace
	check 'device, namespace and netdev are deleted' eval 'delete_link && ip netns del d && ip link del d0'
}

sweep_changes() {
	local every=4
	sweep 'changes of the netdev' change_netdev repair_netdev
}

# --- events ---

# Expects that the device is renamed, and that `rdma monitor` learns of the event that is lost.
lose_event() {
	local events watcher status=0
	events=$(mktemp)
	nlwatch events > "$events" 2>&1 &
	watcher=$!
	if ! { wait_for 10 grep -q ready "$events" && fail_all_in ib_core_monitor_device && rename_link; }; then
		status=1
	fi
	fail_none
	rdma dev set siwy name siwa || status=1
	wait_for 10 grep -q 'No buffer space available' "$events" || { cat "$events"; status=1; }
	kill "$watcher" 2> /dev/null
	wait "$watcher" 2> /dev/null
	rm -f "$events"
	return "$status"
}

# --- counters of QPs ---

bind_qp() {
	rdma statistic qp bind link siwa/1 lqpn "$qpn"
}

counter_of_qp() {
	rdma -j statistic qp show link siwa/1 | jq -r '.[0].cntn // empty'
}

# Expects that no counter is left, and that the port has the mode that it had.
unbind_qp() {
	local counter
	counter=$(counter_of_qp)
	[[ -z $counter ]] || rdma statistic qp unbind link siwa/1 cntn "$counter" lqpn "$qpn" || return
	((did)) || [[ -n $counter ]] || { echo 'the QP was not bound'; return 1; }
	[[ $(nlprobe port "$(rdma -j dev show siwa | jq '.[0].ifindex')" 1) == *'0 counters, mode 0'* ]]
}

sweep_counters() {
	local qpn
	await a 'qp Q *' && qpn=$(field qpn)
	check 'the number of a QP' test -n "$qpn"
	sweep 'a QP is bound to a counter' bind_qp unbind_qp
}

# --- readers ---

dumps=('dev show -d' 'link show -d' 'system show' 'resource show' 'resource show qp' 'resource show cq'
	'resource show mr' 'resource show pd' 'resource show cm_id' 'statistic show')

dump_one() {
	rdma "${dump[@]}"
}

sweep_dumps() {
	local each dump
	for each in "${dumps[@]}"; do
		read -r -a dump <<< "$each"
		sweep "rdma $each" dump_one nothing
	done
}

# Reads all files except those in ndevs, which can be read only in the namespace of the netdev.
read_sysfs() {
	find /sys/class/infiniband/siwa/ -type f ! -name uevent ! -path '*/ndevs/*' -perm /444 \
		-exec cat {} +
}

# Connects the devices. The connection is idle, because allocations for traffic would fail in place
# of those of the readers.
connect_idle() {
	modprobe kscript && open_session a siwa && open_session b siwb && kscript a qp Q && kscript b qp Q &&
		kscript b on L CONNECT_REQUEST accept qp=Q && kscript b listen L port=7000 &&
		kscript a connect C qp=Q addr=10.77.1.2 port=7000 && await a 'event C CONNECT_REPLY status=0*'
}

write_settings() {
	echo 'write send' > /sys/class/infiniband/siwa/siw/rtr && echo '7001:7002' > /sys/class/infiniband/siwa/siw/port_map
}

restore_settings() {
	echo 'write send read' > /sys/class/infiniband/siwa/siw/rtr && echo > /sys/class/infiniband/siwa/siw/port_map
}

idle_connection() {
	check 'a connection to look at' connect_idle
	sweep_counters
	sweep_dumps
	sweep 'settings' write_settings restore_settings
	sweep 'sysfs' read_sysfs nothing
	sweep_rename
	check 'an event without memory' lose_event
	sweep_changes
	check 'the connection still works' connection_works
	close_sessions
}

connection_works() {
	kscript b mr M size=100 && kscript b recv Q buf=M && kscript a mr M size=100 fill=3 && kscript a send Q buf=M &&
		await b 'wc Q * op=RECV status=SUCCESS len=100' && kscript b check M seed=3
}

busy_connection() {
	check 'a connection that is busy' serve busy
	start_client --op ping
	sample 'changes of the netdev beside traffic' 25 change_netdev repair_netdev
	check 'the busy connection ends' stop_client
	stop_server busy
}

ktap_start
failures_start
check 'krdma' load_krdma
sweep_devices
check 'two hosts' two_hosts
check 'a device on each host' eval 'add_device a && add_device b && modprobe kulp'
idle_connection
busy_connection
check 'everything unloads' unload_krdma
check 'no memory leaks' check_leaks
ktap_end
