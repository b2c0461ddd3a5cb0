#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Compares the output of iproute2's `rdma` with sysfs. Tests the changes that `rdma` can make and
# the rights that these need, malformed requests, dumps while devices are added and removed, and
# clients that are loaded and unloaded.
#
# timeout: 600
#
#	f0 ---- d0 (dummy)	two ports; link type "fake" of kt_link.ko

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

class=/sys/class/infiniband

# json FILTER ARG...: prints what the jq filter selects from the output of `rdma -d -j ARG...`.
json() {
	local filter=$1
	shift
	rdma -d -j "$@" | jq -r "$filter"
}

# Runs a command as root of a new user namespace.
as_root_elsewhere() {
	unshare -Ur "$@"
}

# Runs a command as root of a new user namespace, which owns a new network namespace.
as_root_apart() {
	unshare -Urn "$@"
}

show_everything() {
	local command
	for command in 'dev' 'link' 'resource' 'system' 'statistic' 'statistic mode' \
		'statistic mode supported' 'statistic qp mode' 'statistic qp show'; do
		echo "# rdma -d $command"
		# shellcheck disable=SC2086
		rdma -d $command | sed 's/^/#   /'
	done
}

# --- output compared with sysfs ---

# after_colon FILE: prints the part of a sysfs file after the number, for example "ACTIVE" for "4:
# ACTIVE".
after_colon() {
	sed 's/^[0-9]*: //' "$1"
}

test_dev_show() {
	expect_output 'dev: node GUID' "$(cat $class/f0/node_guid)" json '.[0].node_guid' dev
	expect_output 'dev: system image GUID' "$(cat $class/f0/sys_image_guid)" \
		json '.[0].sys_image_guid' dev
	expect_output 'dev: firmware' "$(cat $class/f0/fw_ver)" json '.[0].fw' dev
	expect_output 'dev: node type' "$(after_colon $class/f0/node_type | tr '[:upper:]' '[:lower:]')" \
		json '.[0].node_type' dev
	expect_output 'dev: adaptive moderation' off json '.[0]["adaptive-moderation"] | if . then "on" else "off" end' dev
	expect_output 'dev: capabilities' 'RC_RNR_NAK_GEN MEM_MGT_EXTENSIONS' \
		json '.[0].caps | join(" ")' dev
	expect_output 'dev: one by name' f0 json '.[0].ifname' dev show f0
	expect_failure 'dev: no such name' rdma dev show nope0
}

test_link_show() {
	local port
	for port in 1 2; do
		expect_output "link: state of port $port" "$(after_colon $class/f0/ports/$port/state)" \
			json ".[$((port - 1))].state" link
		expect_output "link: physical state of port $port" \
			"$(after_colon $class/f0/ports/$port/phys_state | tr -d _ | tr '[:lower:]' '[:upper:]')" \
			json ".[$((port - 1))].physical_state | gsub(\"_\"; \"\")" link
	done
	expect_output 'link: netdev' d0 json '.[0].netdev' link
	expect_output 'link: index of the netdev' "$(cat /sys/class/net/d0/ifindex)" \
		json '.[0].netdev_index' link
	expect_output 'link: port without a netdev' null json '.[1].netdev' link
	expect_output 'link: capabilities' 'CM DEVICE_MGMT' json '.[0].caps | join(" ")' link
	expect_output 'link: one port' 2 json '.[0].port' link show f0/2
}

test_statistic_show() {
	local port name
	for port in 1 2; do
		for name in first second; do
			expect_output "statistic: $name of port $port" \
				"$(cat $class/f0/ports/$port/hw_counters/$name)" \
				json ".[0].$name" statistic show link f0/$port
		done
	done
	expect_output 'statistic: all ports' 2 json length statistic
	expect_output 'statistic: a disabled counter is not shown' null json '.[0].extra' statistic
	expect_output 'statistic: no counters of QPs' '' rdma statistic qp show
	expect_match 'statistic: mode of QPs' 'f0/1.*qp auto off' rdma statistic qp mode
}

test_others_show() {
	# -j is not used, because iproute2 6.1 prints invalid JSON for this command.
	expect_match 'system' '^netns shared .*copy-on-fork on' rdma system
	expect_output 'resource: no objects' 0 json '.[0] | [.pd, .cq, .qp, .cm_id, .mr] | add' resource
	expect_output 'resource: one device' f0 json '.[0].ifname' resource show f0
}

# --- changes ---

test_optional_counters() {
	expect_match 'optional counters: the supported ones' 'extra.*another' \
		rdma statistic mode supported link f0/1
	check 'optional counters: set one' rdma statistic set link f0/1 optional-counters extra
	expect_match 'optional counters: the mode of one' '^link f0/1 optional-counters extra$' \
		rdma statistic mode
	expect_output 'optional counters: the one set is shown' 1002 json '.[0].extra' statistic show link f0/1
	expect_output 'optional counters: the other one is not shown' null \
		json '.[0].another' statistic show link f0/1
	expect_output 'optional counters: those that always count are shown' "$(cat $class/f0/ports/1/hw_counters/second)" \
		json '.[0].second' statistic show link f0/1
	expect_output 'optional counters: the other port does not show it' null \
		json '.[0].extra' statistic show link f0/2
	check 'optional counters: set the other' \
		rdma statistic set link f0/1 optional-counters another
	expect_output 'optional counters: the first is no longer shown' null \
		json '.[0].extra' statistic show link f0/1
	check 'optional counters: unset' rdma statistic unset link f0/1 optional-counters
	expect_output 'optional counters: none is shown' null \
		json '.[0].another' statistic show link f0/1
	check 'QPs cannot be bound' \
		fails_with 'cannot count QPs' rdma statistic qp set link f0/1 auto type on
}

test_rename() {
	check 'rename' rdma dev set f0 name f1
	check 'rename: sysfs follows' test -e $class/f1
	expect_output 'rename: netlink follows' f1 json '.[0].ifname' dev
	check 'rename: back' rdma dev set f1 name f0
	check 'rename: the same name' rdma dev set f0 name f0
	check 'rename: to a name with a blank' fails_with 'characters' rdma dev set f0 name 'f 0'
	check 'rename: to nothing' fails_with 'empty' rdma dev set f0 name ''
	check 'rename: to a long name' \
		fails_with 'too long' rdma dev set f0 name "$(printf '%070d' 0)"
	check 'rename: to a name that is too long by one' \
		fails_with 'too long' rdma dev set f0 name "$(printf '%064d' 0)"
	check 'rename: readers meanwhile see the old or the new name' \
		nlprobe rename "$(json '.[0].ifindex' dev)" "$(fewer 3000)" $class/f0/uevent
	check 'rename: back once more' rdma dev set "$(json '.[0].ifname' dev)" name f0
	check 'node_desc of a device that cannot be modified' \
		fails_with 'not supported' bash -c "echo text > $class/f0/node_desc"
	check 'adaptive moderation' \
		fails_with 'no adaptive moderation' rdma dev set f0 adaptive-moderation on
}

test_link_add() {
	check 'add: name taken' \
		fails_with 'of this name exists' rdma link add f0 type fake netdev lo
	check 'add: name taken, and no type is looked for' \
		fails_with 'of this name exists' rdma link add f0 type nope netdev lo
	check 'add: second on a netdev' \
		fails_with 'has an RDMA device' rdma link add f1 type fake netdev d0
	check 'add: no such netdev' fails_with 'No such netdev' rdma link add f1 type fake netdev nope0
	check 'add: unknown type' fails_with 'Unknown type' rdma link add f1 type nope netdev lo
	check 'add: bad name' fails_with 'characters' rdma link add a%d type fake netdev lo
	modprobe -q tun
	ip tuntap add t0 mode tun
	check 'add: netdev of another kind' \
		fails_with 'cannot stand on' rdma link add f1 type fake netdev t0
	ip link del t0
	check 'add: on lo' rdma link add f1 type fake netdev lo
	check 'rename: name taken' fails_with 'of this name exists' rdma dev set f1 name f0
	expect_output 'two devices' 'f0 f1' json '[.[].ifname] | sort | join(" ")' dev
	check 'delete' rdma link delete f1
	expect_output 'one device' f0 json '[.[].ifname] | join(" ")' dev
}

# Tests the link type "bare", whose devices cannot be deleted, like hardware, and have no counters.
test_bare() {
	check 'bare: added' rdma link add b0 type bare netdev lo
	check 'bare: cannot be deleted' \
		fails_with 'Only devices that were added' rdma link delete b0
	check 'bare: has no counters to unset' \
		fails_with 'no counters' rdma statistic unset link b0/1 optional-counters
	expect_output 'bare: counters of the others are shown' 4 json 'length' statistic
	check 'bare: unloading the module removes its devices' rmmod kt_link
	expect_output 'bare: no device is left' '' rdma dev
	check 'bare: adding a device loads the module again' rdma link add f0 type fake netdev d0
}

test_unprivileged() {
	local as
	for as in as_nobody as_root_elsewhere as_root_apart; do
		check "$as: no rename" fails_with 'not permitted' $as rdma dev set f0 name f9
		check "$as: no delete" fails_with 'not permitted' $as rdma link delete f0
		check "$as: no add" fails_with 'not permitted' $as rdma link add f9 type fake netdev lo
		check "$as: no counters" \
			fails_with 'not permitted' $as rdma statistic set link f0/1 optional-counters extra
	done
	expect_match 'an unprivileged user may list devices' f0 as_nobody rdma dev
	expect_output 'nothing has changed' f0 json '[.[].ifname] | join(" ")' dev
}

test_namespaces() {
	check 'another namespace: created' ip netns add other
	check 'another namespace: no device can be moved to it' \
		fails_with 'none can be moved' rdma dev set f0 netns other
	expect_match 'another namespace: shows the device' 'f0' ip netns exec other rdma dev
	expect_output 'another namespace: does not show the netdev' null \
		ip netns exec other bash -c 'rdma -j link | jq -r ".[0].netdev"'
	check 'another namespace: a device on its lo' \
		ip netns exec other rdma link add f2 type fake netdev lo
	check 'another namespace: no device on our netdev' \
		fails_with 'No such netdev' ip netns exec other rdma link add f3 type fake netdev d0
	check 'another namespace: deleted with a device in it' ip netns del other
	check 'another namespace: the device is deleted' rdma link delete f2
}

test_malformed() {
	local index
	index=$(json '.[0].ifindex' dev)
	check 'malformed requests' nlprobe cases "$index"
	expect_output 'the protocol of a port' iw nlprobe protocol "$index"
	check 'random requests, privileged' nlprobe fuzz 1 3000
	check 'random requests, unprivileged' as_nobody nlprobe fuzz 2 3000
}

# --- many devices ---

add_many() {
	local i
	for ((i = 0; i < $1; i++)); do
		echo "link add many$i type fake netdev lo"
	done | rdma -b -
}

# Adds devices of each type, with names of several lengths.
add_of_each_type() {
	local i
	for ((i = 0; i < 24; i++)); do
		echo "link add s$i type fake netdev lo"
		echo "link add a_name_of_some_length_$i type bare netdev lo"
		echo "link add a_name_that_is_about_as_long_as_a_name_of_a_device_may_be_$i type user netdev lo"
	done | rdma -b -
}

delete_many() {
	local i
	for ((i = 0; i < $1; i++)); do
		echo "link delete many$i"
	done | rdma -b -
}

# read_meanwhile FILE: dumps the devices until FILE is removed; fails at the first error.
read_meanwhile() {
	while [[ -e $1 ]]; do
		nlprobe devices > /dev/null || return 1
	done
}

# rename_meanwhile FILE: renames f0 and back until FILE is removed.
rename_meanwhile() {
	while [[ -e $1 ]]; do
		rdma dev set f0 name a_name_that_is_longer || return 1
		rdma dev set a_name_that_is_longer name f0 || return 1
	done
}

wait_for_all() {
	local pid
	for pid; do
		wait "$pid" || return
	done
}

test_many() {
	local flag readers count start=$SECONDS
	flag=$(mktemp)
	count=$(fewer 1000)
	# `rdma link` opens a socket for each device, and keeps it open.
	ulimit -n 8192
	check "many: $count added" add_many "$count"
	expect_output 'many: all devices are listed' $((count + 1)) json length dev
	expect_output 'many: each is listed once' $((count + 1)) json '[.[].ifindex] | unique | length' dev
	expect_output 'many: all ports are listed' $((2 * count + 2)) json length link
	check "many: $count deleted" delete_many "$count"
	expect_output 'many: one device is left in sysfs' f0 ls $class
	check 'many: in bounded time' test $((SECONDS - start)) -le $((200 * slow))
	read_meanwhile "$flag" &
	readers=$!
	rename_meanwhile "$flag" &
	readers+=" $!"
	check 'many: 100 added while others read' add_many 100
	check 'many: 100 deleted while others read' delete_many 100
	rm "$flag"
	# shellcheck disable=SC2086
	check 'many: no dump and no rename has failed' wait_for_all $readers
	expect_output 'many: one device is left' f0 json '[.[].ifname] | join(" ")' dev
	check 'many: devices of each type' add_of_each_type
	check 'many: nothing is lost at the end of a message' nlprobe sizes
	check 'many: unloading the module removes them' rmmod kt_link
	check 'many: a device, for what follows' rdma link add f0 type fake netdev d0
}

# no_module COMMAND...: runs the command while no module can be loaded.
no_module() {
	local modprobe status
	modprobe=$(< /proc/sys/kernel/modprobe)
	echo /bin/false > /proc/sys/kernel/modprobe
	"$@"
	status=$?
	echo "$modprobe" > /proc/sys/kernel/modprobe
	return "$status"
}

# --- clients of the family ---

# began PARAMETER: succeeds if this parameter of kt_netlink is Y. The parameter becomes Y when a
# request has begun.
began() {
	[[ $(< "/sys/module/kt_netlink/parameters/$1") == Y ]]
}

test_clients() {
	local request start
	expect_match 'client: no module serves it' 'error 95$' no_module nlprobe slow
	check 'client: loaded on demand' nlprobe echo
	check 'client: the module is kt_netlink' test -d /sys/module/kt_netlink
	expect_match 'client: dump' '^2000 messages, error 0' nlprobe dump
	expect_match 'client: admin' 'error 0' nlprobe admin
	expect_match 'client: admin only' 'error 1$' as_nobody nlprobe admin
	nlprobe slow > /dev/null &
	request=$!
	wait_for 10 began slow_began
	check 'client: unloaded while it is busy' rmmod kt_netlink
	check 'client: the request was served' wait $request
	modprobe kt_netlink
	start=$(mktemp -u)
	mkfifo "$start"
	nlprobe dump 10 < "$start" > "$start.out" &
	request=$!
	exec 7> "$start"
	wait_for 10 began dump_began
	check 'client: unloaded while a dump is half read' rmmod kt_netlink
	exec 7>&-
	wait $request
	expect_match 'client: the dump ends with an error' 'error 95' cat "$start.out"
	rm -f "$start" "$start.out"
}

ktap_start
command -v rdma > /dev/null || ktap_skip_all 'no rdma: install iproute2'
command -v jq > /dev/null || ktap_skip_all 'no jq'
modinfo kt_link > /dev/null 2>&1 || ktap_skip_all 'kt_link.ko was not built'
ip link add d0 type dummy
at_exit ip link del d0
at_exit unload_krdma
expect_output 'no devices' '' rdma dev
check 'ib_core is loaded on demand' test -d /sys/module/ib_core
check 'a device, whose link type is loaded on demand' rdma link add f0 type fake netdev d0
test_dev_show
test_link_show
test_statistic_show
test_others_show
show_everything
test_optional_counters
test_rename
test_link_add
test_bare
test_unprivileged
test_namespaces
if command -v nlprobe > /dev/null; then
	test_malformed
	test_many
	test_clients
else
	ktap_skip 'malformed requests, many devices, clients' 'nlprobe was not built'
fi
check 'everything unloads with a device' unload_krdma
ktap_end
