# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# For the tests with programs that know nothing of krdma: siw devices on the two hosts, servers on host b,
# clients on host a. The hosts are network namespaces, or two machines, which both run the test and do its steps
# in turn: what happens on the one has the same result on the other.
#
#	. "$(dirname "$0")/lib.sh"
#	. "$(dirname "$0")/lib_clients.sh"
#	client_hosts
#	check 'a ping' pair 7174 rping -s -a 10.77.1.2 -- rping -c -a 10.77.1.2 -C 3
#	check 'it was three' client_printed 3 '^ping data'
#
# Outputs are in $output_dir, of each server and of the last client.

# shellcheck disable=SC2034 # for those who source it
client_v4=10.77.1.1 client_v6=fd77:1::1
server_v4=10.77.1.2 server_v6=fd77:1::2
# All devices that are here.
devices=(siwa siwb)
output_dir=''
declare -A server_pids=()
# What runs a command on a host.
on_server=(ip netns exec b)
on_client=(ip netns exec a)
# 1: two machines; and how many steps they have done.
machines=0
steps_done=0

# client_hosts: two hosts with a siw device each, and the way of processes to them.
client_hosts() {
	load_krdma && modprobe rdma_ucm || return
	if [[ -n ${HOST:-} ]]; then
		this_machine
	else
		two_hosts && add_siw a && add_siw b
	fi && make_output_dir && count_at_once && lengthen_handshakes && wait_for 10 nodes_are_there
}

# This machine is one of the hosts.
this_machine() {
	machines=1
	on_server=()
	on_client=()
	# shellcheck disable=SC2034 # for those who source it
	client_v4=10.77.0.1 client_v6=fd77::1 server_v4=10.77.0.2 server_v6=fd77::2
	devices=("siw$HOST")
	rdma link add "siw$HOST" type siw netdev eth0
}

make_output_dir() {
	output_dir=$(mktemp -d)
	at_exit stop_all_servers
}

# A handshake may take as long as a client, whatever else the machine has to do.
lengthen_handshakes() {
	# shellcheck disable=SC2154 # of lib.sh
	echo $((60000 * slow)) | tee /sys/class/infiniband/siw*/siw/handshake_ms
}

# Counters are read anew each time.
count_at_once() {
	echo 0 | tee /sys/class/infiniband/siw*/ports/1/hw_counters/lifespan
}

# Who may use what is decided elsewhere: the nodes are for everybody.
nodes_are_there() {
	[[ $(stat -c '%a %F' /dev/infiniband/uverbs* | sort | uniq -c) == *" ${#devices[@]} 666 character special file" ]] &&
		[[ $(stat -c '%a %F' /dev/infiniband/rdma_cm) == '666 character special file' ]]
}

# need PROGRAM...: skips the test where one of them is not installed.
need() {
	local program
	for program; do
		type -P "$program" > /dev/null || ktap_skip_all "no $program"
	done
}

# at HOST FILE COMMAND...: on that host's machine; the other waits for it, and has its status, and what then is in
# $output_dir/FILE, too. Not in a subshell: both count their steps.
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
	wait_for 120 test -s "$shared.status" || { echo "machine $host does not come to step $steps_done"; return 1; }
	[[ ! -e $shared ]] || cp "$shared" "$output_dir/$file"
	status=$(< "$shared.status")
	((status)) || return 0
	echo "on machine $host, with status $status: $*"
	[[ ! -e $shared ]] || cat "$shared"
	return "$status"
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
	# No function: in the background it has a shell between it and the signals.
	"${on_server[@]}" "$@" > "$output_dir/$name" 2>&1 &
	server_pids[$name]=$!
	wait_for 20 has_decided "$name" "$port"
	! listens "$port" || return 0
	cat "$output_dir/$name"
	return 1
}

# serve NAME PORT COMMAND...: on the server's host. Fails unless it listens within 20 s.
serve() {
	at b "$1" start_server "$@"
}

await_server() {
	local name=$1 pid=${server_pids[$1]} status=0
	if ! wait_for 60 has_ended "$pid"; then
		echo "$name goes on"
		end_server "$name"
		return 1
	fi
	unset "server_pids[$name]"
	wait "$pid" || status=$?
	cat "$output_dir/$name"
	return "$status"
}

# server_ends NAME: of itself, within 60 s, and well.
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

# stop_server NAME: for one that does not end of itself.
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
	# shellcheck disable=SC2154 # of lib.sh
	"${on_client[@]}" timeout --kill-after=5 $((60 * slow)) "$@" > "$output_dir/client" 2>&1
	local status=$?
	cat "$output_dir/client"
	return "$status"
}

# client COMMAND...: on the client's host, for a minute at most.
client() {
	at a client run_client "$@"
}

# pair PORT SERVER-COMMAND... -- CLIENT-COMMAND...: both end well. What the server said is in the file pair.
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
		echo "the client ended with $status; the server:"
		stop_server pair
		return 1
	fi
	server_ends pair
}

# printed FILE NUMBER REGEX: as many lines match.
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

# has_result FILE SIZE NUMBER: perftest's line with these. Its figures are not looked at, because they are zero where it
# does not know how fast the processor's clock runs.
has_result() {
	printed "$1" 1 "^ $2\\s+($3)\\s+\\S+\\s+\\S"
}

# refused COMMAND...: the client says no in time, and neither hangs nor crashes.
refused() {
	client "$@"
	local status=$?
	case $status in
	0 | 124 | 13[4-9] | 14[0-9])
		echo "ended with $status"
		return 1 ;;
	esac
}

# --- servers that listen late ---

# The two sides of perftest and qperf talk on a first connection, whereupon the server begins to listen for the next and
# the client connects: who comes first is up to the scheduler, and neither program bears that the client does. So host
# b's TCP does not refuse connections to ports where nobody listens, because a client's TCP repeats a SYN that gets no
# answer, after 1, 3, 7, 15 and 31 seconds. Only that refusal has the sequence number 0: what siw refuses is refused,
# and siw_refused_none looks at that.
hold_early_clients() {
	at b none drop_refusals
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

# Where the namespace is gone the table is, too.
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

# --- what it came to ---

# counts DEVICE COUNTER NUMBER COMMAND...: the command succeeds, and this happened so many times or more. Whose
# device that is sees to it; the other machine does not begin before it has looked.
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

# No object of a process, and none of its connections, on any device.
nothing_is_left() {
	rdma -j resource show | jq -e 'length > 0 and all(.[];
		[.pd, .cq, .qp, .cm_id, .mr, .ctx, .srq] | map(. // 0) | add == 0)'
}

no_protocol_errors() {
	local dev
	for dev in "${devices[@]}"; do
		[[ $(counter "$dev" rx_protocol_errors) == 0 ]] || return
	done
}
