#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests iw_portmap with a faulty daemon (iwpmfake). Expects that each request ends in time, with an
# error if the fault requires one, and that the next request works.
#
# timeout: 500
#
#	namespace a: siwa, iwpmfake       namespace b: siwb, iwpmfake
#	   va 10.77.1.1/24  -----------  vb 10.77.1.2/24

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_kulp.sh
. "$(dirname "$0")/../lib_kulp.sh"
# shellcheck source=../lib_kscript.sh
. "$(dirname "$0")/../lib_kscript.sh"
# shellcheck source=lib_iwpmfake.sh
. "$(dirname "$0")/lib_iwpmfake.sh"

mapped=$((server_port + 20000))

listens_on() {
	in_b ss -Htln "sport = $1" | grep -q .
}

# served_at PORT: starts a server, checks that it listens on PORT, and stops it.
served_at() {
	local status=0
	serve main || return 1
	listens_on "$1" || { in_b ss -Htln; status=1; }
	stop_server main || status=1
	cat "$fake_log"
	return "$status"
}

not_served() {
	! serve main || { stop_server main; return 1; }
	stop_server main
	cat "$fake_log"
	return 0
}

# in_time SECONDS COMMAND...: succeeds if the command succeeds within this time (longer on slow
# kernels).
in_time() {
	local from=${EPOCHREALTIME/./} limit=$(($1 * slow * 1000000))
	shift
	"$@" || return 1
	echo "took $((${EPOCHREALTIME/./} - from)) us"
	((${EPOCHREALTIME/./} - from < limit))
}

# add_lost FAULT ERROR: the daemon's answer has the fault, and is treated as if no answer had come:
# the server uses its real port, and the daemon is told to remove the mapping. ERROR is the error
# number in the kernel's acknowledgement of the answer; iwpmfake prints this number.
add_lost() {
	check "$1: a daemon" start_fake b "$1"
	check "$1: the server listens on its real port in time" in_time 12 served_at "$server_port"
	expect_match "$1: the kernel acknowledges with ${2:-nothing}" "^add 10.77.1.2:7000${2:+ $2}$" cat "$fake_log"
	check "$1: no mapping is left" wait_for 5 mapped_are 0
	stop_fake
}

# add_once FAULT ERROR: does the same, but the answer with the fault is valid.
add_once() {
	check "$1: a daemon" start_fake b "$1"
	check "$1: the server listens on a mapped port" in_time 20 served_at $mapped
	expect_match "$1: the kernel acknowledges with ${2:-nothing}" "^add 10.77.1.2:7000${2:+ $2}$" cat "$fake_log"
	stop_fake
}

# add_fails FAULT ERROR: expects that the server fails to listen, and that the next server succeeds.
# ERROR has the same meaning as for add_once.
add_fails() {
	check "$1: a daemon" start_fake b "$1"
	check "$1: the server does not listen" in_time 20 not_served
	expect_match "$1: the kernel acknowledges with $2" "^add 10.77.1.2:7000 $2$" cat "$fake_log"
	check "$1: the next server listens" served_at $mapped
	stop_fake
}

test_good() {
	check 'good: a daemon' start_fake b good
	check 'good: hello is answered' wait_for 10 has_line "$fake_log" '^hello 4$'
	check 'good: the server listens on a mapped port' served_at $mapped
	expect_match 'good: the device is registered' '^register siwb 0$' cat "$fake_log"
	expect_match 'good: the mapping is removed' '^remove 10.77.1.2:7000$' cat "$fake_log"
	check 'good: a second server listens on a mapped port' served_at $mapped
	expect_output 'good: the device is registered once' 1 grep -c register "$fake_log"
	stop_fake
}

# test_version FAULT HELLO: expects that the kernel answers with the version HELLO, unless HELLO is
# empty.
test_version() {
	check "$1: a daemon" start_fake b "$1"
	[[ -z $2 ]] || check "$1: the kernel answers with version $2" wait_for 10 has_line "$fake_log" "^hello $2$"
	check "$1: the server listens on a mapped port" served_at $mapped
	expect_failure "$1: no wrong flags for the version" grep 'flags are' "$fake_log"
	stop_fake
}

test_add() {
	add_lost silent ''
	add_once twice '0 2'
	add_lost sequence 2
	add_lost number-zero 2
	add_lost wrong-operation 2
	add_lost truncated 22
	add_lost incomplete 22
	add_lost strange 22
	add_lost unprivileged 1
	add_lost another 1
	add_fails family 71
	add_fails other-family 71
	add_fails host 71
	add_fails local 71
	add_fails port-zero 71
	add_fails refused 0
	add_fails error-message 0
}

test_death() {
	check 'dies: a daemon' start_fake b dies
	check 'dies: the real port is used at once' in_time 10 served_at "$server_port"
	stop_fake
	check 'dies: another daemon' start_fake b good
	check 'dies: the next daemon maps the port' served_at $mapped
	stop_fake
	check 'silence: a daemon that does not answer' start_fake b silent add 9
	check 'silence: the real port is used in time' in_time 15 served_at "$server_port"
	expect_output 'silence: the request is sent once' 1 grep -c '^add' "$fake_log"
	check 'silence: no mapping is left' wait_for 5 mapped_are 0
	check 'silence: the next request does not wait for the daemon' in_time 5 served_at "$server_port"
	stop_fake
	check 'silence: another daemon' start_fake b good
	check 'silence: the next daemon maps the port' served_at $mapped
	stop_fake
}

# served_at_wildcard PORT: does what served_at does, for a listener on all addresses.
served_at_wildcard() {
	local server_addr=0.0.0.0
	served_at "$1"
}

# late_answer NAME FAULT PORT COMMAND: the first server is on PORT, and the next one on the mapped
# port. The daemon counts each request when it answers.
late_answer() {
	check "$1: a daemon" start_fake b "$2"
	check "$1: a server listens in time" in_time 15 "$4" "$3"
	check "$1: the daemon has no mapping at the end" wait_for 10 mapped_are 0
	expect_output "$1: the request was sent once" 1 grep -c '^add' "$fake_log"
	check "$1: the next server is mapped" in_time 5 "$4" "$mapped"
	check "$1: that mapping is removed" wait_for 5 mapped_are 0
	stop_fake
}

test_late() {
	late_answer 'after 3 s' late-3 "$mapped" served_at
	late_answer 'after 3 s, wildcard' late-3 "$mapped" served_at_wildcard
	late_answer 'after 7 s' late-7 "$server_port" served_at
	late_answer 'after 7 s, wildcard' late-7 "$server_port" served_at_wildcard
	check 'leftover: a daemon that has a mapping of the address' start_fake b duplicate
	check 'leftover: the mapping is replaced' in_time 5 served_at "$mapped"
	expect_output 'leftover: the request is sent twice' 2 grep -c '^add' "$fake_log"
	check 'leftover: no mapping is left' wait_for 5 mapped_are 0
	stop_fake
	check 'taken: a daemon that refuses twice' start_fake b duplicate add 2
	check 'taken: the server does not listen' in_time 5 not_served
	stop_fake
}

test_register() {
	local fault
	for fault in library old refused; do
		check "$fault: a daemon" start_fake b "$fault" register
		check "$fault: the server does not listen" in_time 20 not_served
		check "$fault: the next server listens" served_at $mapped
		stop_fake
	done
	check 'register: a daemon that is silent once' start_fake b silent register
	check 'register: the daemon maps the port' in_time 20 served_at $mapped
	stop_fake
}

# Tests the queries of a connecting client. The server is not mapped.
test_query() {
	check 'query: the server is not mapped' setting siwb port_mapper 0
	check 'query: a server' serve main
	check 'query: a daemon whose peer does not know the port' start_fake a rejected query
	check 'query: connected to the real port' client --op ping
	expect_match 'query: both addresses' '^query 10.77.1.1:[0-9]+ 10.77.1.2:7000 0$' cat "$fake_log"
	expect_match "query: the client's mapping is removed" '^remove 10.77.1.1:' cat "$fake_log"
	stop_fake
	check 'query: a daemon that answers with another peer' start_fake a remote query
	expect_failure 'query: not connected' client --op ping
	stop_fake
	check 'query: a daemon that is silent' start_fake a silent query
	check 'query: connected in time' in_time 12 client --op ping
	expect_output 'query: the request is sent once' 1 grep -c '^query' "$fake_log"
	expect_match 'query: a mapping that the daemon may have made is removed' '^remove 10.77.1.1:' cat "$fake_log"
	expect_match 'query: the daemon is asked whether it is alive' '^register siwa 0$' tail -n 1 "$fake_log"
	check 'query: the next connection to the peer does not wait' in_time 2 client --op ping
	expect_output 'query: no other query is sent' 1 grep -c '^query' "$fake_log"
	stop_fake
	check 'hang: a daemon that hangs' start_fake a hangs query
	check 'hang: connected in time' in_time 12 client --op ping
	check 'hang: the next connection does not wait' in_time 2 client --op ping
	stop_fake
	check 'kill: modules of processes' modprobe -a ib_uverbs rdma_ucm
	check 'kill: a daemon that hangs' start_fake a hangs query
	check 'kill: SIGKILL ends a connecting process' killed_at_once
	stop_fake
	check 'query: a daemon that dies' start_fake a dies query
	check 'query: connected at once' in_time 10 client --op ping
	stop_fake
	check 'query: the server ends' stop_server main
	check 'query: the server may be mapped' setting siwb port_mapper 1
}

# Kills a process whose route waits for the daemon, and expects it to end within a
# second.
killed_at_once() {
	local pid
	ip netns exec a rping -c -a "$server_addr" -p "$server_port" -C 1 > /dev/null 2>&1 &
	pid=$!
	# The query follows the registration at once.
	wait_for 5 has_line "$fake_log" register || return 1
	kill -KILL "$pid"
	in_time 1 ended "$pid"
}

ended() {
	wait "$1" 2> /dev/null
	return 0
}

# Listeners whose mappings do not fit into the receive buffer of a daemon that starts.
test_many() {
	local number=2000 i
	check 'many: a daemon' start_fake b good
	check 'many: a session' eval 'modprobe kscript && open_session b siwb'
	for ((i = 0; i < number; i++)); do
		kscript b listen "L$i" "port=$((10000 + i))" || break
	done
	check "many: $number listeners" mapped_are $number
	stop_fake
	check 'many: a daemon that reads slowly' start_fake b slow
	check 'many: the daemon gets all mappings' wait_for 30 mapped_are $number
	expect_output 'many: the daemon gets their number' "mapinfo-num $number" grep mapinfo-num "$fake_log"
	# The daemon has inherited the session, so that closing it here would not end the listeners.
	check 'many: the listeners end' kscript b reset
	check 'many: the daemon gets all removals' wait_for 30 mapped_are 0
	close_sessions
	stop_fake
}

# Runs the in-kernel cases of kt_portmap, which need a daemon.
test_steps() {
	check 'steps: a daemon' start_fake '' good
	check 'steps: kt_portmap loads' modprobe kt_portmap
	ktap_copy /sys/kernel/debug/krdma/kt_portmap 'steps: '
	check 'steps: kt_portmap unloads' rmmod kt_portmap
	expect_match 'steps: the daemon got the query' '^query 127.0.0.1:7001 127.0.0.2:7002 0$' cat "$fake_log"
	stop_fake
}

ktap_start
begin_fakes
siw_hosts || ktap_skip_all 'no siw devices'
check 'the port mapper is on for siwa' setting siwa port_mapper 1
check 'the port mapper is on for siwb' setting siwb port_mapper 1
test_good
test_version version3 ''
test_version version9 4
test_add
test_death
test_late
test_register
test_query
test_many
test_steps
check 'everything unloads' unload_krdma
ktap_end
