# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library of the tests with unmodified programs sets up siw devices on the two hosts, and runs
# servers on host b and clients on host a. The hosts are network namespaces, or two machines. Two
# machines both run the test and do its steps in turn; each step has the same result on both
# machines.
#
#	. "$(dirname "$0")/lib.sh"
#	. "$(dirname "$0")/lib_clients.sh"
#	client_hosts
#	check 'a ping' pair 7174 rping -s -a 10.77.1.2 -- rping -c -a 10.77.1.2 -C 3
#	check 'there were three pings' client_printed 3 '^ping data'
#
# $output_dir has a file with the output of each server, and the file "client" with the output of
# the last client.

# shellcheck disable=SC2034 # for those who source it
client_v4=10.77.1.1 client_v6=fd77:1::1
server_v4=10.77.1.2 server_v6=fd77:1::2
# Names of the siw devices on this machine.
devices=(siwa siwb)
output_dir=''
declare -A server_pids=()
# Prefixes of commands that run on the server's host and on the client's host.
on_server=(ip netns exec b)
on_client=(ip netns exec a)
# $machines is 1 if the hosts are two machines, else 0. steps_done is the number of steps that the
# two machines have done.
machines=0
steps_done=0

# client_hosts: sets up two hosts with a siw device each, and the device nodes that processes use.
client_hosts() {
	load_krdma && modprobe rdma_ucm || return
	if [[ -n ${HOST:-} ]]; then
		this_machine
	else
		two_hosts && add_device a && add_device b
	fi && make_output_dir && count_at_once && lengthen_handshakes && wait_for 10 nodes_are_there
}

# Makes this machine one of the two hosts.
this_machine() {
	machines=1
	on_server=()
	on_client=()
	# shellcheck disable=SC2034 # for those who source it
	client_v4=10.77.0.1 client_v6=fd77::1 server_v4=10.77.0.2 server_v6=fd77::2
	devices=("siw$HOST")
	rdma link add "siw$HOST" type siw netdev eth0 && wait_for 30 peer_answers
}

# Succeeds if the other machine answers on IPv6, with a refusal of a port. In the first seconds after its link is up it may
# not answer neighbour solicitations, and a program that gives up soon would fail.
peer_answers() {
	local peer=$server_v6
	[[ $HOST == a ]] || peer=$client_v6
	timeout 5 bash -c ": <> /dev/tcp/$peer/9" 2>&1 | grep -q 'Connection refused'
}

make_output_dir() {
	output_dir=$(mktemp -d)
	at_exit stop_all_servers
}

# Sets the handshake timeout to the time limit of a client, so that no handshake times out on a busy
# machine.
lengthen_handshakes() {
	# shellcheck disable=SC2154 # set in lib.sh
	echo $((60000 * slow)) | tee /sys/class/infiniband/siw*/siw/handshake_ms
}

# Turns off the caching of counters, so that each read returns the current value.
count_at_once() {
	echo 0 | tee /sys/class/infiniband/siw*/ports/1/hw_counters/lifespan
}

# The nodes are readable and writable for all users, because krdma itself decides what a process may do.
nodes_are_there() {
	[[ $(stat -c '%a %F' /dev/infiniband/uverbs* | sort | uniq -c) == *" ${#devices[@]} 666 character special file" ]] &&
		[[ $(stat -c '%a %F' /dev/infiniband/rdma_cm) == '666 character special file' ]]
}

# need PROGRAM...: skips the test if one of them is not installed.
need() {
	local program
	for program; do
		type -P "$program" > /dev/null || ktap_skip_all "no $program"
	done
}

# at HOST FILE COMMAND...: runs the command on the machine of HOST. The other machine waits until
# the command has ended, and gets its status and a copy of $output_dir/FILE. Must not be called in a
# subshell, where the count of steps would be lost.
at() {
	local host=$1 file=$2 shared status=0 interval=0.02
	shift 2
	if ((!machines)); then
		"$@"
		return
	fi
	steps_done=$((steps_done + 1))
	shared=/out/${0##*/}.$steps_done
	if [[ $HOST == "$host" ]]; then
		"$@" || status=$?
		[[ ! -e $output_dir/$file ]] || cp "$output_dir/$file" "$shared"
		echo "$status" > "$shared.status"
		return "$status"
	fi
	wait_for 120 test -s "$shared.status" || { echo "machine $host did not reach step $steps_done"; return 1; }
	[[ ! -e $shared ]] || cp "$shared" "$output_dir/$file"
	status=$(< "$shared.status")
	((status)) || return 0
	echo "on machine $host, with status $status: $*"
	[[ ! -e $shared ]] || cat "$shared"
	return "$status"
}

# judged STATUS FILE: returns the status with which a program ended whose output is FILE. Returns 0
# instead if rping failed only by a race at its end: older versions close their event channel while a
# thread of theirs may still turn to it, and this thread then ends the process with status 255. It does
# so after the last ping (https://github.com/linux-rdma/rdma-core/pull/1622).
judged() {
	(($1 == 255)) && grep -q 'rdma_get_cm_event: Bad file descriptor' "$output_dir/$2" && return
	return "$1"
}

# --- servers ---

listens() {
	[[ -n $("${on_server[@]}" ss -Hltn "sport = :$1") ]]
}

has_decided() {
	listens "$2" || has_ended "${server_pids[$1]}"
}

start_server() {
	local name=$1 port=$2
	shift 2
	# in_b is not used, because a function in the background runs in a shell of its own, and
	# signals to $! would reach that shell instead of the server.
	"${on_server[@]}" "$@" > "$output_dir/$name" 2>&1 &
	server_pids[$name]=$!
	wait_for 20 has_decided "$name" "$port"
	! listens "$port" || return 0
	cat "$output_dir/$name"
	return 1
}

# serve NAME PORT COMMAND...: starts a server on host b. Fails unless it listens on PORT within 20 s.
serve() {
	at b "$1" start_server "$@"
}

await_server() {
	local name=$1 pid=${server_pids[$1]} status=0
	if ! wait_for 60 has_ended "$pid"; then
		echo "server $name did not end by itself"
		end_server "$name"
		return 1
	fi
	unset "server_pids[$name]"
	wait "$pid" || status=$?
	cat "$output_dir/$name"
	judged "$status" "$name"
}

# server_ends NAME: waits at most 60 s until the server ends by itself; returns its status.
server_ends() {
	at b "$1" await_server "$1"
}

end_server() {
	local pid=${server_pids[$1]}
	unset "server_pids[$1]"
	kill "$pid" 2> /dev/null
	wait_for 5 has_ended "$pid" || kill -KILL "$pid"
	wait "$pid" 2> /dev/null
	cat "$output_dir/$1"
}

# stop_server NAME: kills a server that does not end by itself, and prints its output.
stop_server() {
	at b "$1" end_server "$1"
}

stop_all_servers() {
	local name
	for name in "${!server_pids[@]}"; do
		end_server "$name" > /dev/null
	done
	rm -rf "$output_dir"
}

# --- clients ---

run_client() {
	# shellcheck disable=SC2154 # set in lib.sh
	"${on_client[@]}" timeout --kill-after=5 $((60 * slow)) "$@" > "$output_dir/client" 2>&1
	local status=$?
	cat "$output_dir/client"
	judged "$status" client
}

# client COMMAND...: runs a client on its host, for a minute at most, and prints its output.
client() {
	at a client run_client "$@"
}

# pair PORT SERVER-COMMAND... -- CLIENT-COMMAND...: runs a server and a client; succeeds if both end
# with status 0. The file "pair" in $output_dir has the server's output.
pair() {
	local port=$1 server=() status=0
	shift
	while [[ $1 != -- ]]; do
		server+=("$1")
		shift
	done
	shift
	serve pair "$port" "${server[@]}" || return
	client "$@" || status=$?
	if ((status)); then
		echo "the client ended with status $status; output of the server:"
		stop_server pair
		return 1
	fi
	server_ends pair
}

# printed FILE NUMBER REGEX: succeeds if exactly NUMBER lines of the file match.
printed() {
	local number
	number=$(grep -cE -- "$3" "$output_dir/$1")
	((number == $2)) && return
	echo "$number lines of $1 match $3, not $2:"
	cat "$output_dir/$1"
	return 1
}

client_printed() {
	printed client "$@"
}

server_printed() {
	printed pair "$@"
}

# has_result FILE SIZE NUMBER: succeeds if perftest printed a result for SIZE and NUMBER. The figures are not checked,
# because perftest prints zero if it cannot find the processor's clock rate.
has_result() {
	printed "$1" 1 "^ $2\\s+($3)\\s+\\S+\\s+\\S"
}

# refused COMMAND...: succeeds if the client fails by itself, neither by the time limit nor by a
# signal.
refused() {
	client "$@"
	local status=$?
	case $status in
	0 | 124 | 13[4-9] | 14[0-9])
		echo "expected a refusal, ended with status $status"
		return 1 ;;
	esac
}

# --- servers that listen late ---

# The two sides of perftest and qperf first exchange data on one connection; then the server begins
# to listen for the next connection, and the client connects to it. The scheduler decides whether
# the server listens first or the client connects first, and both programs fail if the client
# connects first. Therefore host b drops the RST with which TCP refuses a connection to a port
# without a listener. The client's TCP then repeats the unanswered SYN after 1, 3, 7, 15 and 31
# seconds. Only such an RST has the sequence number 0, so an RST of siw still reaches the client;
# siw_refused_none checks that siw has sent no RST. Machine a needs a refusal to see that b answers, see peer_answers, so b
# waits until a has seen one.
hold_early_clients() {
	at a none true && at b none drop_refusals
}

drop_refusals() {
	at_exit refuse_again
	"${on_server[@]}" nft -f - <<-EOF
		table inet early {
			chain out {
				type filter hook output priority 0
				tcp flags & (rst | ack) == (rst | ack) tcp sequence 0 counter drop
			}
		}
	EOF
}

# Ignores errors, because the table is gone if its network namespace was deleted.
refuse_again() {
	"${on_server[@]}" nft delete table inet early 2> /dev/null
}

siw_refused_none() {
	at b none no_refusals
}

no_refusals() {
	local name
	for name in rejects_sent backlog_drops; do
		[[ $(counter siwb $name) == 0 ]] || { echo "$name: $(counter siwb $name)"; return 1; }
	done
}

# --- counters and objects ---

# counts DEVICE COUNTER NUMBER COMMAND...: succeeds if the command succeeds and the counter has
# grown by NUMBER or more. With two machines, the machine with the device checks the counter; the
# step before COMMAND makes the other machine wait until the counter's old value has been read.
counts() {
	local dev=$1 name=$2 number=$3 before='' after
	shift 3
	[[ ! -d /sys/class/infiniband/$dev ]] || before=$(counter "$dev" "$name")
	at "${dev#siw}" none true || return
	"$@" || return
	[[ -n $before ]] || return 0
	after=$(counter "$dev" "$name")
	((after - before >= number)) && return
	echo "$name of $dev: $((after - before)), not $number"
	return 1
}

# Succeeds if there are devices, and none of them has an object of any kind.
nothing_is_left() {
	rdma -j resource show | jq -e 'length > 0 and all(.[];
		[.pd, .cq, .qp, .cm_id, .mr, .ctx, .srq] | map(. // 0) | add == 0)'
}

# no_protocol_errors [DEVICE...]: succeeds if none of these devices, or of all, has seen one; otherwise prints the number, and
# what the kernel has said of them.
no_protocol_errors() {
	local dev number
	for dev in "${@:-${devices[@]}}"; do
		number=$(counter "$dev" rx_protocol_errors)
		[[ $number != 0 ]] || continue
		echo "$dev: $number"
		dmesg | grep 'stream \(terminated\|reset\)'
		return 1
	done
}
