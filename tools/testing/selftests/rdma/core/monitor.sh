#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests three things: the events of RDMA netlink, with the network namespaces that get them; the
# character devices of clients; and the settings of the system and of devices. The listeners are
# nlwatch, and `rdma monitor` of a newer iproute2 if that is in /krdma/add (vm/run --add) or
# installed.
#
# timeout: 400

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

events=$(mktemp -d)
listeners=()

# listen NAME [COMMAND...]: starts nlwatch, prefixed with COMMAND to run nlwatch in a namespace.
# nlwatch runs until the test ends.
listen() {
	local name=$1
	shift
	"$@" nlwatch events > "$events/$name" 2>&1 &
	listeners+=($!)
	wait_for 10 grep -q ready "$events/$name"
}

# Stops the listener that was started last, because a network namespace exists until the last
# process in it has ended.
stop_last() {
	kill "${listeners[-1]}"
	wait "${listeners[-1]}" 2> /dev/null
	unset "listeners[-1]"
}

stop_listening() {
	kill "${listeners[@]}" 2> /dev/null
	wait "${listeners[@]}" 2> /dev/null
	rm -rf "$events"
}

# mark_events NAME...: makes `events_of` skip the events up to now. The files are not truncated,
# because the listeners keep their positions in the files.
mark_events() {
	local name
	for name; do
		marks[$name]=$(wc -l < "$events/$name")
	done
}

# events_of NAME: prints the events since mark_events, in one line.
events_of() {
	tail -n +$((marks[$1] + 1)) "$events/$1" | paste -sd ,
}

declare -A marks=()

has_events() {
	[[ $(events_of "$1") == "$2" ]]
}

# expect_events WHAT EVENTS COMMAND...: runs the command; expects that the listener of this
# namespace gets exactly these events.
expect_events() {
	local what=$1 want=$2
	shift 2
	mark_events here
	check "$what" "$@"
	wait_for 10 has_events here "$want"
	expect_output "$what: its events" "$want" events_of here
}

test_events() {
	expect_events 'a device is added' 'REGISTER f0,NETDEV_ATTACH f0/1 d0' rdma link add f0 type fake netdev d0
	expect_events 'it is renamed' 'RENAME f1' rdma dev set f0 name f1
	expect_events 'to the name it has' '' rdma dev set f1 name f1
	expect_events 'its netdev is renamed' 'NETDEV_RENAME f1/1 d1' ip link set d0 name d1
	expect_events 'another netdev is renamed' '' ip link set d2 name d3
	expect_events 'a port gets another netdev' 'NETDEV_DETACH f1/1 d1,NETDEV_ATTACH f1/1 d3' port_netdev d3
	expect_events 'a port gets no netdev' 'NETDEV_DETACH f1/1 d3' port_netdev ''
	expect_events 'a device that fails to register' '' fail_to_add
	expect_events 'the device is deleted' 'UNREGISTER f1' rdma link delete f1
}

# port_netdev NETDEV: sets the netdev of port 1 of f1. The port has no netdev if NETDEV is empty.
port_netdev() {
	echo "f1 $1" > /sys/module/kt_link/parameters/netdev
}

fail_to_add() {
	echo -12 > /sys/module/kt_link/parameters/enable_error
	fails_with 'memory' rdma link add f2 type fake netdev d1
	local status=$?
	echo 0 > /sys/module/kt_link/parameters/enable_error
	return "$status"
}

# In shared mode, all namespaces see all devices, but each sees only its own netdevs.
test_shared() {
	check 'shared: a listener in another namespace' listen other ip netns exec other
	mark_events other
	expect_events 'shared: a device' 'REGISTER f0,NETDEV_ATTACH f0/1 d1' rdma link add f0 type fake netdev d1
	expect_events 'shared: the device is deleted' 'UNREGISTER f0' rdma link delete f0
	check 'shared: the other namespace gets the same events without the netdev' wait_for 10 \
		has_events other 'REGISTER f0,UNREGISTER f0'
	stop_last
}

test_exclusive() {
	ip netns del other
	check 'exclusive mode' wait_for 10 rdma system set netns exclusive
	ip netns add other
	check 'exclusive: a listener in another namespace' listen elsewhere ip netns exec other
	expect_events 'exclusive: a device' 'REGISTER f0,NETDEV_ATTACH f0/1 d1' rdma link add f0 type fake netdev d1
	mark_events here elsewhere
	check 'exclusive: the device moves' rdma dev set f0 netns other
	check 'exclusive: the old namespace gets UNREGISTER' wait_for 10 has_events here 'UNREGISTER f0'
	check 'exclusive: the new namespace gets REGISTER' wait_for 10 has_events elsewhere 'REGISTER f0'
	stop_last
	mark_events here
	check 'exclusive: the namespace of the device is deleted' ip netns del other
	check 'exclusive: the initial namespace gets REGISTER' wait_for 20 has_events here 'REGISTER f0,NETDEV_ATTACH f0/1 d1'
	rdma link delete f0
	check 'shared mode again' wait_for 10 rdma system set netns shared
}

# --- membership ---

test_groups() {
	local group
	for group in 2 3 4; do
		check "group $group" nlwatch join $group
	done
	for group in 0 5 31 33 1000 -1; do
		check "group $group does not exist" fails_with 'Invalid argument' nlwatch join $group
	done
	check 'an unprivileged user cannot join a group' fails_with 'not permitted' setpriv --reuid 65534 --clear-groups \
		--bounding-set=-all --inh-caps=-all nlwatch join 4
}

# --- a newer iproute2 ---

find_newer_rdma() {
	local rdma
	for rdma in "${KRDMA:-/krdma}/add/rdma" rdma; do
		type -P "$rdma" > /dev/null || continue
		! "$rdma" help 2>&1 | grep -qw monitor || { echo "$rdma"; return; }
	done
	return 1
}

# lists_all_of_old WHAT: the newer `rdma` prints everything that the installed one does, perhaps more.
lists_all_of_old() {
	local old
	# shellcheck disable=SC2086 # words
	old=$(rdma -j $1) && "$newer" -j $1 | jq -e --argjson old "$old" 'contains($old)' > /dev/null
}

test_newer_lists() {
	local newer=$1 what
	rdma link add f0 type fake netdev d1
	for what in dev 'dev -d' link 'link -d' resource 'resource show qp' 'resource show mr' \
		statistic 'statistic mode' 'statistic qp mode'; do
		check "newer: $what" lists_all_of_old "$what"
	done
	rdma link delete f0
}

# Prints the number of RDMA netlink sockets that have joined a multicast group.
count_listeners() {
	awk '$2 == 20 && $4 !~ /^0+$/ { n++ } END { print n + 0 }' /proc/net/netlink
}

more_listen_than() {
	(($(count_listeners) > $1))
}

# Uses `script` to give `rdma monitor` a terminal, because output to a file would be buffered until
# `rdma monitor` ends.
test_newer() {
	local newer before
	if ! newer=$(find_newer_rdma); then
		ktap_skip 'rdma monitor' 'iproute2 is too old'
		return
	fi
	expect_match 'newer: system' 'netns shared privileged-qkey off monitor on copy-on-fork on' \
		"$newer" system
	test_newer_lists "$newer"
	before=$(count_listeners)
	script -qfc "$newer monitor" "$events/monitor" > /dev/null &
	listeners+=($!)
	check 'newer: the monitor listens' wait_for 20 more_listen_than "$before"
	rdma link add f0 type fake netdev d1
	rdma dev set f0 name f1
	rdma link delete f1
	check 'newer: device registered' wait_for 10 grep -qE '\[REGISTER\].*dev [0-9]+ f0' "$events/monitor"
	check 'newer: netdev attached' wait_for 10 \
		grep -qE '\[NETDEV_ATTACH\].*dev [0-9]+ f0 port 1 netdev [0-9]+ d1' "$events/monitor"
	check 'newer: device renamed' wait_for 10 grep -qE '\[RENAME\].*dev [0-9]+ f1' "$events/monitor"
	check 'newer: device unregistered' wait_for 10 \
		grep -qE '\[UNREGISTER\].*dev [0-9]+ f1' "$events/monitor"
}

# --- character devices ---

index_of() {
	rdma -j dev show "$1" | jq '.[0].ifindex'
}

number_of() {
	local major minor
	IFS=: read -r major minor < "/sys/class/misc/$1/dev"
	echo $(((minor & 0xff) | (major << 8) | ((minor & 0xfff00) << 12)))
}

test_chardev() {
	local index
	check 'chardev: no such client' fails_with 'No such file' nlwatch chardev nope
	check 'chardev: a long type' fails_with 'Invalid argument' nlwatch chardev "$(printf '%040d' 0)"
	expect_failure 'chardev: the module is not there' test -e /sys/module/kt_chardev
	check 'chardev: the module is loaded on demand' nlwatch chardev kt
	expect_output 'chardev: a device node for all devices' "kt_global $(number_of kt_global) abi 42" nlwatch chardev kt
	rdma link add f0 type fake netdev d1
	rdma link add no0 type bare netdev lo
	index=$(index_of f0)
	expect_output 'chardev: a device node of a port' "kt_port $(number_of kt_port) abi 101" \
		nlwatch chardev kt "$index" 1
	check 'chardev: the error of the client for the other port' fails_with 'Cannot assign' nlwatch chardev kt "$index" 2
	check 'chardev: no such port' fails_with 'Invalid' nlwatch chardev kt "$index" 3
	check 'chardev: no such device' fails_with 'No such device' nlwatch chardev kt 2000000000
	check 'chardev: a device that the client declined' fails_with 'not supported' \
		nlwatch chardev kt "$(index_of no0)" 1
	check 'chardev: an unprivileged user may query' as_nobody nlwatch chardev kt
	check 'chardev: a reply without room' fill_replies
	if modinfo kt_res > /dev/null 2>&1; then
		check 'chardev: another client' modprobe kt_res
		check 'chardev: a client without device nodes' fails_with 'not supported' nlwatch chardev kt_objects "$index" 1
		rmmod kt_res
	fi
	# The device has no queues, so this client, whose module is loaded on demand, does not get it.
	check 'chardev: a client that does not get the device' fails_with 'not supported' nlwatch chardev umad "$index" 1
	query_repeatedly &
	check 'chardev: the client is reloaded during queries' reload_client
	wait $!
	rmmod kt_chardev
	rdma link delete f0
}

# Queries a device node while the client leaves less and less room in the reply: name, number and ABI need 40 bytes.
fill_replies() {
	local room=/sys/module/kt_chardev/parameters/room left
	for ((left = 36; left >= 0; left -= 4)); do
		echo "$left bytes are left"
		echo "$left" > "$room" && fails_with 'Message too long' nlwatch chardev kt || return
	done
	echo 64 > "$room" && nlwatch chardev kt && echo -1 > "$room"
}

query_repeatedly() {
	local i
	for ((i = 0; i < 50; i++)); do
		nlwatch chardev kt > /dev/null 2>&1
	done
}

reload_client() {
	local i
	for ((i = 0; i < 5; i++)); do
		modprobe kt_chardev && rmmod kt_chardev || return 1
	done
}

# --- settings ---

ib_core_has_dim() {
	grep -qw rdma_dim /proc/kallsyms
}

moderation() {
	rdma -d -j dev show "$1" | jq -r '.[0]["adaptive-moderation"]'
}

test_settings() {
	local newer
	rdma link show b0/1 > /dev/null 2>&1 || rdma link add b0 type bare netdev lo
	expect_output 'adaptive moderation: off at first' false moderation b0
	if ib_core_has_dim; then
		check 'adaptive moderation: on' rdma dev set b0 adaptive-moderation on
		expect_output 'adaptive moderation: shown as on' true moderation b0
		check 'adaptive moderation: off' rdma dev set b0 adaptive-moderation off
		expect_output 'adaptive moderation: shown as off' false moderation b0
	else
		ktap_skip 'adaptive moderation' 'the kernel has no library for it (DIMLIB)'
	fi
	if ! newer=$(find_newer_rdma); then
		ktap_skip 'privileged-qkey' 'iproute2 is too old'
		return
	fi
	check 'privileged-qkey on' "$newer" system set privileged-qkey on
	expect_match 'privileged-qkey is shown as on' 'privileged-qkey on' "$newer" system
	check 'privileged-qkey off' "$newer" system set privileged-qkey off
	expect_match 'privileged-qkey is shown as off' 'privileged-qkey off' "$newer" system
	check 'privileged-qkey: root of a user namespace cannot set it' fails_with 'not permitted' \
		unshare -Urn "$newer" system set privileged-qkey on
}

ktap_start
command -v nlwatch > /dev/null || ktap_skip_all 'nlwatch was not built'
modinfo kt_link > /dev/null 2>&1 || ktap_skip_all 'kt_link.ko was not built'
load_krdma ib_core
check 'link types' modprobe kt_link
ip link add d0 type dummy
ip link add d2 type dummy
at_exit ip link del d3
at_exit ip link del d1
at_exit unload_krdma
# stop_listening is registered last, so that it runs first: open sockets of RDMA netlink hold a
# reference to the module.
at_exit stop_listening
ip netns add other
check 'a listener' listen here
test_groups
test_events
test_shared
test_exclusive
test_newer
test_chardev
test_settings
ktap_end
