#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Allocations that fail one after another: in loading the modules, in adding, changing and
# removing devices, in what reads their state, and in connections and their data, on either side.
# Each time there is an error that says so, or none; nothing is left behind; and the next attempt
# works.
#
# timeout: 1200

# shellcheck disable=SC2154 # $did of sweep
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_kulp.sh"
. "$(dirname "$0")/lib_failures.sh"

nothing() { :; }

# --- modules ---

load_one() {
	modprobe "$module"
}

unload_one() {
	((did)) || rmmod "$module" || return
	[[ ! -d /sys/module/$module ]] || { echo "$module is still loaded"; return 1; }
}

# Each over those that it stands on.
sweep_modules() {
	local module every=5
	for module in "${krdma_modules[@]}" kulp; do
		sweep "loading $module" load_one unload_one
		check "$module loads" modprobe "$module"
	done
	check 'all unload' unload_krdma
}

# --- devices ---

# To start programs takes most of the time: no more of them than it takes.
has_links() {
	compgen -G '/sys/class/infiniband/*'
}

add_link() {
	rdma link add siwx type siw netdev d0
}

remove_added() {
	((did)) || rdma link delete siwx || return
	! has_links || { echo 'a device is left'; return 1; }
}

delete_link() {
	rdma link delete siwx
}

add_deleted() {
	((!did)) || delete_link || return
	! has_links || { echo 'the device is still there'; return 1; }
	add_link
}

rename_link() {
	rdma dev set siwa name siwy
}

rename_back() {
	((did)) || rdma dev set siwy name siwa || return
	[[ -e /sys/class/infiniband/siwa/ports/1 ]]
}

add_address() {
	ip -n a address add 10.77.9.1/24 dev va && ip -n a address del 10.77.9.1/24 dev va &&
		ip -n a link set va mtu 1400 && ip -n a link set va down && ip -n a link set va up &&
		ip -n a link set va mtu 1500
}

# IPv6 takes its addresses away with the link.
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

# One namespace sees the devices from the beginning, others come and go.
sweep_devices() {
	local every=4
	check 'a netdev and a namespace' eval 'ip link add d0 type dummy && ip netns add d'
	sweep 'rdma link add' add_link remove_added
	check 'a device' add_link
	sweep 'rdma link delete' delete_link add_deleted
	sweep 'a network namespace' add_namespace remove_namespace
	check 'they go' eval 'delete_link && ip netns del d && ip link del d0'
}

sweep_changes() {
	sweep 'rdma dev set name' rename_link rename_back
	sweep 'changes of the netdev' add_address repair_netdev
}

# --- readers ---

dump_all() {
	rdma dev show -d && rdma link show -d && rdma system show && rdma resource show &&
		rdma resource show qp && rdma resource show cq && rdma resource show mr &&
		rdma resource show pd && rdma resource show cm_id && rdma statistic show
}

read_sysfs() {
	find /sys/class/infiniband/siwa/ -type f ! -name uevent -perm /444 -exec cat {} +
}

# --- connections ---

# Each is over in 5 s, by itself if need be.
one_connection() {
	client --op "${operation[@]}" --timeout $((5000 * slow)) --pdata 100
}

server_lives() {
	kill -0 "${server_pids[main]}"
}

resources() {
	rdma -j resource show | jq -c 'map({ifname, pd, cq, qp, cm_id, mr})'
}

resources_are() {
	[[ $(resources) == "$1" ]]
}

# The server's side ends by itself, a little later.
only_the_server_is_left() {
	wait_for 20 resources_are "$at_rest" && return
	echo "resources are $(resources), not $at_rest"
	return 1
}

sweep_connections() {
	local at_rest operation
	local also_says='Connection (reset|refused|timed out)|timed out|Input/output error'
	also_says+='|Software caused connection abort|No such device or address'
	check 'a server' serve main
	at_rest=$(resources)
	operation=(connect)
	sweep connect one_connection only_the_server_is_left
	skip_last_sweep
	for operation in 'ping --size 5000 --count 3 --verify' 'write --size 70000 --verify' \
		'read --size 70000 --verify' 'send-inv --count 2' 'read-inv'; do
		read -r -a operation <<< "$operation"
		sweep "${operation[0]}" one_connection only_the_server_is_left
	done
	first=()
	stop_server main
}

start_listening() {
	serve other --port 7001
}

stop_listening() {
	stop_server other > /dev/null
	resources_are "$at_rest" || { resources; return 1; }
}

sweep_listen() {
	local at_rest
	at_rest=$(resources)
	sweep 'listen' start_listening stop_listening
}

connected_ones() {
	check 'a connection to look at' serve look
	start_client --op ping
	sweep 'netlink dumps' dump_all nothing
	sweep 'sysfs' read_sysfs nothing
	sweep_changes
	check 'it ends' stop_client
	stop_server look
}

ktap_start
failures_start
sweep_modules
check 'krdma' load_krdma
sweep_devices
check 'two hosts' two_hosts
check 'a device on each host' eval 'add_siw a && add_siw b && modprobe kulp'
# What a lost message means shows soon.
check 'handshakes are short' eval 'setting siwa handshake_ms 3000 && setting siwb handshake_ms 3000'
sweep_listen
sweep_connections
connected_ones
check 'everything unloads' unload_krdma
check 'nothing is lost' eval 'check_leaks'
ktap_end
