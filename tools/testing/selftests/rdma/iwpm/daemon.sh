#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the port mapper with iwpmd: connections through mapped ports, without a daemon, and after a
# restart of the daemon; removal of mappings, of a namespace that has mappings, and of the modules.
#
# timeout: 600
#
#	namespace a: siwa, iwpmd          namespace b: siwb, iwpmd
#	   va 10.77.1.1/24  -----------  vb 10.77.1.2/24
#	      fd77:1::1/64                  fd77:1::2/64

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_kulp.sh
. "$(dirname "$0")/../lib_kulp.sh"

system_log=''
declare -A daemon_pids=()

# start_daemon HOST: starts iwpmd, and waits until it listens for its peers.
start_daemon() {
	ip netns exec "$1" iwpmd -s > /dev/null 2>&1 &
	daemon_pids[$1]=$!
	wait_for 20 daemon_listens "$1"
}

daemon_listens() {
	ip netns exec "$1" ss -Huln 'sport = 3935' | grep -q .
}

stop_daemon() {
	kill "${daemon_pids[$1]}" 2> /dev/null
	wait "${daemon_pids[$1]}" 2> /dev/null
	unset "daemon_pids[$1]"
}

stop_all_daemons() {
	local host
	for host in "${!daemon_pids[@]}"; do
		stop_daemon "$host"
	done
}

# Starts a syslogd, to which all daemons write.
start_log() {
	system_log=$(mktemp)
	busybox syslogd -n -S -O "$system_log" &
	at_exit kill $!
	at_exit rm -f "$system_log"
	wait_for 10 test -S /dev/log
}

# mappings HOST: prints the mappings of the host's daemon, "LOCAL MAPPED" a line. At SIGUSR1, the
# daemon writes a list of its mappings to the log. The end of a list shows only when the next list
# begins, so the signal is sent twice.
mappings() {
	local lines list
	lines=$(wc -l < "$system_log")
	for list in 1 2; do
		kill -USR1 "${daemon_pids[$1]}" && wait_for 10 has_listed "$lines" "$list" || return 1
	done
	tail -n +$((lines + 1)) "$system_log" | awk '
		/print_iwpm_mapped_ports/ && ++lists == 2 { exit }
		function address(line) { sub(/.*IPV[46] /, "", line); sub(/\(.*/, "", line); return line }
		/Local address/ { at = address($0) }
		/Mapped address/ { print at, address($0) }' | sort
}

# has_listed LINES TIMES: succeeds if the daemon has listed its mappings at least TIMES times after
# the first LINES lines of the log.
has_listed() {
	(($(tail -n +$(($1 + 1)) "$system_log" | grep -c print_iwpm_mapped_ports) >= $2))
}

no_mappings() {
	[[ -z $(mappings "$1") ]]
}

# mapped_port HOST LOCAL: prints the port to which the address and port LOCAL are mapped, or
# nothing.
mapped_port() {
	mappings "$1" | awk -v at="$2" '$1 == at { sub(/.*:/, "", $2); print $2 }'
}

# listens_on HOST PORT
listens_on() {
	ip netns exec "$1" ss -Htln "sport = $2" | grep -q .
}

# connected HOST PORT: succeeds if HOST has a connection to this port of the peer.
connected() {
	ip netns exec "$1" ss -Htn state established "dport = $2" | grep -q .
}

has_left() {
	! ip netns exec "$1" ss -Htn state established | grep -q .
}

# lines TEXT: prints how many lines of the kernel log since this test began have the text.
lines() {
	dmesg | sed '0,\|test iwpm/daemon$|d' | grep -c "$1"
}

write_some() {
	client --op write --size 4k --count 3 --verify
}

# server_and_writes NUMBER: starts a server, connects NUMBER times, and stops the server.
server_and_writes() {
	local i
	serve main || return 1
	for ((i = 0; i < $1; i++)); do
		write_some || return 1
	done
	stop_server main
}

# --- without a daemon ---

test_none() {
	check 'no daemon: connections work' server_and_writes 3
	expect_output 'no daemon: one line for each namespace' 2 lines 'no port mapper'
}

test_one_side() {
	start_daemon a
	check 'a daemon on one side: connections to real ports work' server_and_writes 1
	stop_daemon a
}

# --- with daemons ---

# test_mapped NAME ADDRESS: tests a mapped port of a server whose address is ADDRESS.
test_mapped() {
	local name=$1 server_addr=$2 port own
	check "$name: a server" serve main
	port=$(mapped_port b "$server_addr:$server_port")
	check "$name: the daemon has mapped its port" test "${port:-$server_port}" != "$server_port"
	check "$name: the mapped port is listened on" listens_on b "$port"
	expect_failure "$name: the real port is not listened on" listens_on b "$server_port"
	check "$name: data is transferred" write_some
	start_client --op ping
	check "$name: a connection goes to the mapped port" wait_for 20 connected a "$port"
	expect_match "$name: the connection comes from a mapped port" ' .*:[0-9]+$' mappings a
	own=$(mappings a | sed 's/.*://')
	check "$name: the peer sees that port" connected b "$own"
	check "$name: the client ends" stop_client
	check "$name: the client's mapping is removed" wait_for 20 no_mappings a
	check "$name: the server ends" stop_server main
	check "$name: the server's mapping is removed" wait_for 20 no_mappings b
	expect_failure "$name: the mapped port is closed" listens_on b "$port"
}

test_again() {
	local before after
	check 'restart: a server' serve main
	before=$(mappings b)
	start_client --op ping
	check 'restart: a client' wait_for 20 connected a "${before##*:}"
	stop_daemon b
	check 'restart: the connection continues without the daemon' wait_for 5 connected a "${before##*:}"
	start_daemon b
	after=$(mappings b)
	expect_output 'restart: the new daemon knows the mapping' "$before" echo "$after"
	check 'restart: a new connection' write_some
	check 'restart: the client ends' stop_client
	check 'restart: the server ends' stop_server main
	check 'restart: the mapping is removed from the new daemon' wait_for 20 no_mappings b
}

# Expects that a second server on the same address fails, and that the first one still works.
test_twice() {
	check 'twice: a server' serve main
	expect_failure 'twice: another one on its address' serve other
	stop_server other > /dev/null
	check 'twice: the first one works' write_some
	check 'twice: the daemon still has its mapping' wait_for 5 test -n "$(mappings b)"
	check 'twice: the server ends' stop_server main
	check 'twice: no mapping is left' wait_for 20 no_mappings b
}

test_many() {
	check 'many: a server' serve main
	check 'many: 8 connections at a time' client --op write --size 4k --qps 8 --verify
	check 'many: the server ends' stop_server main
	check 'many: no mapping is left' wait_for 20 no_mappings a
}

# A TCP server holds the port of the RDMA server, as the TCP portal of an iSCSI target does.
test_held() {
	local holder
	ip netns exec b iperf3 -s -p "$server_port" > /dev/null 2>&1 &
	holder=$!
	check 'held: a TCP server' wait_for 20 listens_on b "$server_port"
	check 'held: an RDMA server on the same port' serve main
	check 'held: connections reach the RDMA server' write_some
	check 'held: 8 connections at a time' client --op read --size 64k --qps 8 --verify
	check 'held: the RDMA server ends' stop_server main
	check 'held: the TCP server still listens' listens_on b "$server_port"
	kill "$holder"
	wait "$holder" 2> /dev/null
	check 'held: no mapping is left' wait_for 20 no_mappings b
}

# --- removal ---

# The server process is outside the namespace that is deleted; the server's device is in it.
test_namespace() {
	make_server_dir
	"$kulp" serve --dev siwb --addr "$server_addr" --port "$server_port" \
		> "$server_dir/apart" 2>&1 &
	server_pids[apart]=$!
	check 'namespace: a server listens' wait_for 10 grep -q listening "$server_dir/apart"
	check 'namespace: its port is mapped' test -n "$(mappings b)"
	stop_daemon b
	check 'namespace: deleted' ip netns del b
	check 'namespace: the device is removed' wait_for 20 test ! -e /sys/class/infiniband/siwb
	check 'namespace: the server, whose mapping is gone, ends' end_apart
}

end_apart() {
	kill "${server_pids[apart]}"
	wait_for 20 has_ended "${server_pids[apart]}"
}

test_modules() {
	# The daemon's socket holds a reference to ib_core, and to no other module.
	expect_failure 'modules: ib_core does not unload while a daemon runs' unload_krdma
	check 'modules: iw_portmap has unloaded' test ! -d /sys/module/iw_portmap
	check 'modules: the daemon still runs' kill -0 "${daemon_pids[a]}"
	check 'modules: loaded once more' load_krdma
	stop_daemon a
	check 'modules: unloaded' wait_for 20 unload_krdma
}

ktap_start
type -P iwpmd > /dev/null || ktap_skip_all 'iwpmd (package rdma-core) is not installed'
start_log
at_exit stop_all_daemons
siw_hosts || ktap_skip_all 'no siw devices'
check 'the port mapper is on for siwa' setting siwa port_mapper 1
check 'the port mapper is on for siwb' setting siwb port_mapper 1
mark_dmesg
test_none
test_one_side
check 'a daemon on host a' start_daemon a
check 'a daemon on host b' start_daemon b
test_mapped IPv4 10.77.1.2
test_mapped IPv6 fd77:1::2
test_again
test_twice
test_many
test_held
test_namespace
test_modules
ktap_end
