#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests siw's settings: their values, and their effect on connections.
#
# timeout: 400

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"
. "$(dirname "$0")/../lib_kscript.sh"

value() {
	cat "/sys/class/infiniband/$1/siw/$2"
}

# setting_refused DEVICE NAME VALUE
setting_refused() {
	! echo "$3" 2> /dev/null > "/sys/class/infiniband/$1/siw/$2"
}

# Prints each setting with its value; Documentation/siw.rst has the defaults.
defaults() {
	local file text
	for file in /sys/class/infiniband/siwa/siw/*; do
		text=$(< "$file")
		echo "${file##*/}${text:+ $text}"
	done
}

# On slow kernels siw_hosts sets a longer handshake_ms.
expected_defaults="crc 1
crc_required 0
half_open 8192
handshake_ms $((10000 * slow))
keepalive_intvl 10
keepalive_probes 6
keepalive_time 60
large_fpdus 1
lingering 8192
markers 0
mpa_fallback 1
mpa_revision 2
order_ms 50
peer_to_peer 1
port_map
port_mapper 0
probe 1
rtr write send read
user_timeout_ms 0"

# Sets the values that the queues have already.
work_items_are_settable() {
	local file text
	for file in /sys/bus/workqueue/devices/siw_{stream,cm}/{cpumask,nice}; do
		text=$(< "$file") && echo "$text" > "$file" || return
	done
}

# Prints "true" or "false".
moderation() {
	rdma -d -j dev show siwa | jq -r '.[0]["adaptive-moderation"]'
}

# CQs that are made afterwards adapt themselves; siw can moderate, so the setting depends on the
# kernel only.
test_moderation() {
	expect_output 'adaptive moderation is off at first' false moderation
	if ! grep -qw rdma_dim /proc/kallsyms; then
		check 'adaptive moderation is refused by a kernel without its library' \
			fails_with 'no adaptive moderation' rdma dev set siwa adaptive-moderation on
		return
	fi
	check 'adaptive moderation on' rdma dev set siwa adaptive-moderation on
	expect_output 'adaptive moderation is on' true moderation
	check 'a connection with adaptive moderation' pings
	check 'adaptive moderation off' rdma dev set siwa adaptive-moderation off
	expect_output 'adaptive moderation is off' false moderation
}

as_root_elsewhere() {
	setpriv --reuid 65534 --clear-groups unshare -Ur "$@"
}

# The owner of the files, without the right to administer networks.
as_root_without_right() {
	setpriv --bounding-set=-net_admin --inh-caps=-net_admin "$@"
}

# read_only_for AS: AS is a function that runs a command as another user. Succeeds if that user can
# read all settings and write none, not even with the same value.
# shellcheck disable=SC2016 # for the shell within
read_only_for() {
	local file
	for file in /sys/class/infiniband/siwa/siw/*; do
		"$1" cat "$file" > /dev/null || return 1
		! "$1" bash -c 'value=$(< "$1"); echo "$value" > "$1"' - "$file" 2> /dev/null ||
			{ echo "$file can be written"; return 1; }
	done
}

# pings [OPTION...]: a server and a client exchange messages without an error.
pings() {
	serve ping || return 1
	client --op ping --size 1000 --count 5 --verify "$@"
	local status=$?
	stop_server ping && return "$status"
}

# Has the client send first, because revision 1 has no ready-to-receive message.
pings_client_first() {
	pings --client-first
}

# connected: connects identifier C of host a with a QP on each host; session b accepts.
connected() {
	kscript_reset a b && kscript a qp Q && kscript b qp Q && kscript b listen L port=7000 &&
		kscript a connect C qp=Q addr="$server_addr" port=7000 && await b 'event L CONNECT_REQUEST *' &&
		kscript b accept R1 qp=Q && await a 'event C CONNECT_REPLY status=0 *'
}

# Sets keepalive so that host a sends probes. Expects that host a keeps a connection on which no
# data is sent.
quiet_connection_stays() {
	modprobe kscript && open_session a siwa && open_session b siwb && setting siwa keepalive_time 1 &&
		setting siwa keepalive_intvl 1 && setting siwa keepalive_probes 3 && connected &&
		no_report a 'event C *' 6000
}

# vanish COMMAND...: host b answers nothing any more; then host a executes the command. Expects that
# host a's identifier C is disconnected.
vanish() {
	local status=0
	tc -n b qdisc add dev vb root netem loss 100% && "$@" || return
	await a 'event C DISCONNECT status=-*' $((30 * slow)) && await a 'event C CLOSE *' || status=1
	tc -n b qdisc del dev vb root && return "$status"
}

# The quiet connection has nothing to send, so that only TCP's probes show that there is no answer.
idle_peer_vanishes() {
	vanish true
}

# Host a sends bytes that are not acknowledged, so that TCP retransmits, and sends no probe.
busy_peer_vanishes() {
	setting siwa keepalive_time 0 && setting siwa user_timeout_ms 1000 && connected &&
		kscript a mr M size=4096 && vanish kscript a send Q id=1 buf=M && setting siwa user_timeout_ms 0
}

ktap_start
check 'two hosts with siw' siw_hosts
expect_output 'settings and their defaults' "$expected_defaults" defaults
check 'an unprivileged user can read settings, not write them' read_only_for as_nobody
check 'root of a user namespace can read settings, not write them' read_only_for as_root_elsewhere
check 'root without CAP_NET_ADMIN can read settings, not write them' read_only_for as_root_without_right
for name in crc crc_required markers mpa_fallback peer_to_peer; do
	for bad in 2 -1 x ''; do
		check "$name cannot be '$bad'" setting_refused siwa "$name" "$bad"
	done
done
for bad in 0 3 x; do
	check "mpa_revision cannot be '$bad'" setting_refused siwa mpa_revision "$bad"
done
for bad in '' x 'write,send' 'write none'; do
	check "rtr cannot be '$bad'" setting_refused siwa rtr "$bad"
done
expect_output 'all kinds of ready-to-receive message' 'write send read' value siwa rtr
check 'two kinds of ready-to-receive message' setting siwa rtr 'read write'
expect_output 'rtr is shown in the order of preference' 'write read' value siwa rtr
check 'all kinds again' setting siwa rtr 'send write read'
for bad in -1 32768 x; do
	check "keepalive_time cannot be '$bad'" setting_refused siwa keepalive_time "$bad"
done
for name in keepalive_intvl keepalive_probes; do
	check "$name cannot be 0" setting_refused siwa "$name" 0
done
check 'keepalive_intvl cannot be 32768' setting_refused siwa keepalive_intvl 32768
check 'keepalive_probes cannot be 128' setting_refused siwa keepalive_probes 128
check 'user_timeout_ms cannot be 3600001' setting_refused siwa user_timeout_ms 3600001
for name in half_open lingering; do
	for bad in 0 65537 x; do
		check "$name cannot be '$bad'" setting_refused siwa "$name" "$bad"
	done
done
for bad in 2 -1 x; do
	check "port_mapper cannot be '$bad'" setting_refused siwa port_mapper "$bad"
done
for bad in -1 10001 x; do
	check "order_ms cannot be '$bad'" setting_refused siwa order_ms "$bad"
done
for bad in 3 -1 x; do
	check "probe cannot be '$bad'" setting_refused siwa probe "$bad"
done
for bad in 99 600001; do
	check "handshake_ms cannot be '$bad'" setting_refused siwa handshake_ms "$bad"
done
check 'requests of revision 1' setting siwa mpa_revision 1
check 'revision 1: the client sends first' pings_client_first
check 'revision 2 again' setting siwa mpa_revision 2
check 'peer-to-peer mode off' setting siwa peer_to_peer 0
check 'without peer-to-peer mode: the client sends first' pings_client_first
check 'peer-to-peer mode on' setting siwa peer_to_peer 1
check 'with peer-to-peer mode: the server may send first' pings
check 'CRC off on one side' setting siwa crc 0
check 'a connection with CRC on one side' pings
check 'CRC on again' setting siwa crc 1
check 'the CPUs and the priority of work items' work_items_are_settable
test_moderation
check 'a quiet connection stays' quiet_connection_stays
check 'an idle peer that vanishes is noticed' idle_peer_vanishes
check 'a busy peer that vanishes is noticed' busy_peer_vanishes
close_sessions
check 'everything unloads' unload_krdma
ktap_end
