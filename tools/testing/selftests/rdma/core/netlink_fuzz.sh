#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Sends malformed messages, which nlfuzz generates from a grammar, to the clients of RDMA netlink.
# Expects that all are refused, that nothing changes, and that the kernel log stays almost empty.
#
# timeout: 600
#
#	namespace a: siwa                 namespace b: siwb, iwpmfake, a server
#	   va 10.77.1.1/24  -----------  vb 10.77.1.2/24

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_kulp.sh
. "$(dirname "$0")/../lib_kulp.sh"

nlfuzz=${KRDMA:-/krdma}/bin/nlfuzz
fake=${KRDMA:-/krdma}/bin/iwpmfake
messages=$(fewer 50000)
seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
fake_log='' fake_pid=''

start_fake() {
	ip netns exec b "$fake" good > "$fake_log" 2>&1 &
	fake_pid=$!
	at_exit stop_fake
	wait_for 10 grep -q ready "$fake_log"
}

# Stops the daemon, whose socket holds a reference to ib_core.
stop_fake() {
	[[ -n $fake_pid ]] || return 0
	kill "$fake_pid"
	wait "$fake_pid" 2> /dev/null
	fake_pid=''
}

# Prints everything that is visible of the devices, except traffic counters.
state() {
	rdma dev
	rdma link
	rdma resource
	rdma system
	rdma statistic mode
	cat /sys/class/infiniband/*/siw/*
}

# quietly COMMAND...: succeeds if the command succeeds and the kernel logs less than ten lines.
# Lines of the kernel's netlink parser are not counted, because they are rate-limited and every
# netlink family causes them.
quietly() {
	local lines
	mark_dmesg
	"$@" || return 1
	lines=$(dmesg_since | grep -cvE '\] (netlink: |validate_nla|__nla_validate_parse|.*callbacks suppressed)')
	echo "$lines lines in the log"
	((lines < 10))
}

# Expects that the daemon is still registered: a new server makes the kernel request one mapping
# from the daemon, and nothing else.
still_maps() {
	local before
	before=$(wc -l < "$fake_log")
	server_port=7001
	serve other || return 1
	stop_server other
	server_port=7000
	tail -n +$((before + 1)) "$fake_log"
	tail -n +$((before + 1)) "$fake_log" | grep -q '^add 10.77.1.2:7001 0$'
}

ktap_start
fake_log=$(mktemp)
at_exit rm -f "$fake_log"
siw_hosts || ktap_skip_all 'no siw devices'
echo "# seed $seed"
check 'the port mapper is on' setting siwb port_mapper 1
check 'a daemon' start_fake
check 'a mapped server' serve main
before=$(state)
check 'iwcm: unprivileged' quietly in_b "${nobody[@]}" "$nlfuzz" iwcm "$seed" "$((messages / 10))"
check 'iwcm: privileged' quietly in_b "$nlfuzz" iwcm "$seed" "$messages"
check 'iwcm: the daemon is still registered' still_maps
check 'nldev: unprivileged' quietly "${nobody[@]}" "$nlfuzz" nldev "$seed" "$((messages / 10))"
check 'nldev: privileged' quietly "$nlfuzz" nldev "$seed" "$messages"
expect_output 'nothing has changed' "$before" state
check 'the server ends' stop_server main
stop_fake
check 'everything unloads' unload_krdma
ktap_end
