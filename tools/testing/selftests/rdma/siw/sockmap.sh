#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# A BPF program of a cgroup takes each established socket of processes and of the kernel, as service meshes do
# (`sockmap`). Expects that it gets none of siw's, so that RDMA works with and without it; and that nothing is left.
#
#	namespace a: siwa                namespace b: siwb
#	   va 10.77.1.1/24  -----------  vb 10.77.1.2/24
#
# needs: the distribution's kernel
# timeout: 120

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

sockmap=${KRDMA:-/krdma}/bin/sockmap
cgroup='' taker_pid=''

mount_cgroup() {
	cgroup=$(mktemp -d)
	at_exit umount_cgroup
	mount -t cgroup2 none "$cgroup"
}

umount_cgroup() {
	stop_taker
	umount "$cgroup" && rmdir "$cgroup"
}

# start_taker [verdict|parser]
start_taker() {
	# The child truncates the output of an earlier taker too late for taker_has_decided().
	: > "$server_dir/taker"
	"$sockmap" "$cgroup" "$@" > "$server_dir/taker" 2>&1 &
	taker_pid=$!
	wait_for 20 taker_has_decided
	has_line "$server_dir/taker" attached || { cat "$server_dir/taker"; return 1; }
}

taker_has_decided() {
	has_line "$server_dir/taker" attached || has_ended "$taker_pid"
}

stop_taker() {
	[[ $taker_pid ]] || return 0
	kill "$taker_pid" 2> /dev/null
	wait "$taker_pid" 2> /dev/null
	taker_pid=''
}

# Prints the number of TCP sockets that exist in all namespaces.
sockets() {
	awk '$1 == "TCP:" { for (i = 2; i < NF; i += 2) if ($i == "alloc") print $(i + 1) }' /proc/net/sockstat
}

has_sockets() {
	(($(sockets) == $1))
}

foreign_sockets() {
	cat /sys/class/infiniband/siwb/ports/1/hw_counters/foreign_sockets
}

takes_connections() {
	local port
	read -r _ port < "$server_dir/taker"
	wait_for 10 has_line "$server_dir/taker" "taken $port"
}

# Neither of the server's port, nor of the ports of the clients.
takes_none_of_siw() {
	local others
	others=$(grep taken "$server_dir/taker" | sort -u)
	echo "$others, foreign_sockets $(foreign_sockets)"
	(($(wc -l <<< "$others") == 2 && $(foreign_sockets) == 0))
}

# works [SIZE]: two connections, one after the other.
works() {
	client --op write --size 64k --count 20 --verify && client --op ping --size 1000 --count 20 --verify
}

# test_taker [verdict|parser]
test_taker() {
	check "${1:-map}: the program is attached" start_taker "$@"
	check "${1:-map}: the program takes the sockets of a process" takes_connections
	check "${1:-map}: RDMA works beside it" works
	check "${1:-map}: RDMA of processes works beside it" processes_work
	check "${1:-map}: a listener that begins beside it" listens_beside
	check "${1:-map}: the program has taken none of siw's sockets" takes_none_of_siw
	check "${1:-map}: connections stay when the program ends" stays_without
}

listens_on() {
	[[ $(in_b ss -Htln "sport = :$1") ]]
}

# processes PORT PROGRAM [OPTION...]: runs an unmodified program, whose server gets no address and listens on PORT. Both
# sides must end with status 0.
processes() {
	local port=$1 status=0 limit=(timeout --kill-after=5 $((60 * slow))) server
	shift
	ip netns exec b "${limit[@]}" "$@" "${as_server[@]}" > "$server_dir/process" 2>&1 &
	server=$!
	wait_for 20 listens_on "$port" && ip netns exec a "${limit[@]}" "$@" "${as_client[@]}" > "$server_dir/client" 2>&1 ||
		status=1
	((!status)) || kill "$server" 2> /dev/null
	wait "$server" || status=1
	((!status)) || cat "$server_dir/process" "$server_dir/client"
	return "$status"
}

# Skips programs that are not installed.
processes_work() {
	local as_server=(-s) as_client=(-c -a "$server_addr")
	if type -P rping > /dev/null; then
		processes 7174 rping -v -V -C 20 || return
	fi
	as_server=() as_client=("$server_addr")
	if type -P ib_write_bw > /dev/null; then
		processes 18515 ib_write_bw -R -F --use_old_post_send -s 65536 -n 50
	fi
}

listens_beside() {
	serve second --port 7001 && client --port 7001 --op ping --size 100 --count 3 --verify && stop_server second
}

stays_without() {
	start_client --op ping --size 1000 && traffic_flows || return
	stop_taker
	traffic_flows || return
	stop_client && works
}

ktap_start
[[ -x $sockmap ]] || ktap_skip_all 'sockmap was not built'
[[ -e /proc/sys/kernel/unprivileged_bpf_disabled ]] || ktap_skip_all 'this kernel has no bpf()'
check 'hosts' siw_hosts
check 'counters without caching' eval 'echo 0 > /sys/class/infiniband/siwb/ports/1/hw_counters/lifespan'
check 'a cgroup' mount_cgroup
check 'a server' serve main
check 'RDMA works' works
check 'RDMA of processes works' processes_work
number=$(sockets)
test_taker
test_taker verdict
test_taker parser
check 'no socket is left' wait_for 20 has_sockets "$number"
stop_server main > /dev/null
check 'everything unloads' unload_krdma
ktap_end
