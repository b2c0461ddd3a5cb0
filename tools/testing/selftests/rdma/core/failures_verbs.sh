#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes allocations fail one after another in each call of a ULP: creation and destruction of every
# object, requests, and the steps of a connection. Expects that a call that creates an object fails
# with ENOMEM, and leaves no object.
#
# timeout: 1200

# shellcheck disable=SC2154 # sweep sets $did, and lib.sh sets $slow
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"
. "$(dirname "$0")/../lib_failures.sh"

declare -A session=()

# begin NAME DEVICE: opens a session of kscript.
begin() {
	local fd
	exec {fd}<> /dev/kscript || return
	session[$1]=$fd
	run_in "$1" dev "$2"
}

end() {
	local fd=${session[$1]}
	exec {fd}>&-
	unset "session[$1]"
}

# run_in NAME COMMAND...: runs a command of kscript in that session.
run_in() {
	echo "${*:2}" >&"${session[$1]}"
}

# await_report NAME REGEX: waits for a report that matches, and prints it; fails if an event or a
# completion reports a failure.
await_report() {
	local line
	while read -r -t $((5 * slow)) -u "${session[$1]}" line; do
		[[ ! $line =~ $2 ]] || { echo "$line"; return 0; }
		[[ ! $line =~ ^(event|wc).*status=(-|[A-Z_]*ERR) ]] || { echo "$line"; return 1; }
	done
	echo "no report like $2"
	return 1
}

begin_one() {
	begin x siwa
}

begin_global() {
	begin x 'siwa rkey=global'
}

end_one() {
	end x
}

# sweep_object NAME COMMAND...: sweeps creation and destruction of an object X of session a; COMMAND creates it.
sweep_object() {
	local name=$1 made=("${@:2}")
	sweep "$name" make_object destroy_object
	sweep "end of $name" remake_object destroy_remade
}

make_object() {
	run_in a "${made[@]}"
}

destroy_object() {
	((did)) || run_in a destroy X
}

# Creates the object without failures, and destroys it with failures.
remake_object() {
	stop_failing && make_object && start_failing && run_in a destroy X
}

destroy_remade() {
	((!did)) || run_in a destroy X
}

# cannot_be_found COMMAND...: creates an object X of session a while the table of STags has no memory, and then again. The
# kernel tries an allocation for a table twice, so that the failure of one is not seen.
cannot_be_found() {
	local output status=0
	exempt rdma_restrack_add && fail_all_in __xa_insert || return
	output=$(run_in a "$@" 2>&1) || status=1
	fail_none
	exempt_none
	echo "$output"
	((status)) && grep -qE "$no_memory" <<< "$output" && run_in a "$@" && run_in a destroy X
}

# sweep_resize NAME SIZE COMMAND...: sweeps the change of an object X of session a to SIZE; COMMAND creates it.
sweep_resize() {
	local size=$2 made=("${@:3}")
	sweep "another size of $1" resize_object destroy_resized
}

resize_object() {
	stop_failing && make_object && start_failing && run_in a modify X "$size"
}

destroy_resized() {
	run_in a destroy X
}

# --- connections: C of a to L of b ---

make_ends() {
	run_in b listen L port=7000 && run_in b qp Q && run_in a qp Q && run_in a mr M size=8192 fill=7 &&
		run_in b mr M size=8192
}

forget_all() {
	run_in a reset && run_in b reset
}

listen() {
	run_in b listen L port=7000
}

connect() {
	stop_failing && make_ends && run_in b "on L CONNECT_REQUEST $answer" && start_failing &&
		run_in a connect C qp=Q addr=10.77.1.2 port=7000 pdata=00112233 && await_report a "$heard"
}

transfer() {
	stop_failing && make_ends && run_in b 'on L CONNECT_REQUEST accept qp=Q' &&
		run_in a connect C qp=Q addr=10.77.1.2 port=7000 && await_report a 'CONNECT_REPLY status=0' > /dev/null &&
		start_failing && run_in b recv Q id=1 buf=M && run_in a reg M qp=Q access=lw,rw,rr &&
		run_in a send Q id=2 buf=M && await_report b 'wc Q id=1 .*status=SUCCESS' && run_in b check M seed=7 &&
		run_in a disconnect C && run_in a drain Q && await_report a 'event C CLOSE'
}

# Connects, registers the memory of b for a, and lets the allocations of one request of a fail.
operate() {
	local target
	stop_failing && make_ends && await_report b '^mr M ' > /dev/null && run_in b 'on L CONNECT_REQUEST accept qp=Q' &&
		run_in a connect C qp=Q addr=10.77.1.2 port=7000 && await_report a 'CONNECT_REPLY status=0' > /dev/null &&
		await_report b 'event .* ESTABLISHED status=0' > /dev/null && run_in b reg M qp=Q access=lw,rw,rr,at &&
		target=$(await_report b '^mr M ') && target=${target#mr M } && start_failing &&
		run_in a "${request[0]}" Q id=2 "${target% size=*}" "${request[@]:1}" && await_report a 'wc Q id=2 .*status=SUCCESS'
}

# sweep_data NAME CRC MARKERS: sweeps each kind of request with these settings.
sweep_data() {
	local each request dev
	for dev in siwa siwb; do
		check "$1: settings of $dev" eval "setting $dev crc $2 && setting $dev markers $3"
	done
	sweep "$1: a registration and a message" transfer forget_all
	for each in 'write buf=M' 'read buf=M' 'faa add=1 buf=M:0:8' 'cas cmp=0 swap=1 buf=M:0:8'; do
		read -r -a request <<< "$each"
		sweep "$1: ${request[0]}" operate forget_all
	done
}

# --- memory of XArrays, which the kernel tries to get twice ---

# fails_to_be_listed COMMAND: runs COMMAND and resets session b, until COMMAND fails because the table of objects has no memory
# for another number, as it needs for each 64th. Expects that COMMAND works when there is memory.
fails_to_be_listed() {
	local i output=''
	fail_all_in rdma_restrack_add || return
	for ((i = 0; i < 130; i++)); do
		output=$("$1" 2>&1) || break
		run_in b reset || break
	done
	fail_none
	echo "$i worked"
	((i < 130)) && grep -qE "$no_memory" <<< "$output" && run_in b reset && "$1" && run_in b reset
}

listen_everywhere() {
	run_in b rid I && run_in b rbind I addr=0.0.0.0,7001 && run_in b rlisten I
}

listen_at_one() {
	run_in b rid I && run_in b rbind I addr=10.77.1.2,7001 && run_in b rlisten I
}

# Waits for the answer to a request, and sets $status to its status.
await_answer() {
	local line answers='REPLY|REJECTED|ERROR|UNREACHABLE|ESTABLISHED'
	while read -r -t $((5 * slow)) -u "${session[a]}" line; do
		if [[ $line =~ ^event\ C\ [A-Z_]*($answers)\ status=([-0-9]*) ]]; then
			status=${BASH_REMATCH[2]}
			return
		fi
	done
	return 1
}

# Makes requests to iw_cm, until one fails because the table of objects of the host that listens has no memory for it. Expects
# that the next one is accepted.
iw_request_fails() {
	local i status=0
	fail_all_in rdma_restrack_add || return
	for ((i = 0; i < 130 && !status; i++)); do
		stop_failing
		if ! { forget_all && begin_iw && fail_all && ask_iw && await_answer; }; then
			break
		fi
	done
	fail_none
	echo "request $i has status $status"
	((status)) && forget_all && begin_iw && ask_iw && await_answer && forget_all && ((!status))
}

begin_iw() {
	make_ends && run_in b 'on L CONNECT_REQUEST accept qp=Q' && run_in a id C
}

ask_iw() {
	run_in a connect C qp=Q addr=10.77.1.2 port=7000
}

begin_rdma() {
	run_in b rid L && run_in b rbind L addr=10.77.1.2,7002 && run_in b rlisten L && run_in b qp Q && run_in a qp Q &&
		run_in b 'on L CONNECT_REQUEST raccept . qp=Q' && run_in a rid C && run_in a rresolve C addr=10.77.1.2,7002 &&
		await_report a 'event C ADDR_RESOLVED status=0' && run_in a rroute C &&
		await_report a 'event C ROUTE_RESOLVED status=0'
}

ask_rdma() {
	run_in a rconnect C qp=Q
}

# bind_many PREFIX PORT NUMBER: makes NUMBER identifiers of host b, with ports from PORT on.
bind_many() {
	local i
	for ((i = 0; i < $3; i++)); do
		run_in b rid "$1$i" && run_in b rbind "$1$i" "addr=10.77.1.2,$(($2 + i))" || return
	done
}

# Prints the position of the last identifier of host b in its node of the table, 0 to 63.
last_position() {
	local last
	last=$(in_b rdma resource show cm_id link siwb | grep -o 'cm-idn [0-9]*' | cut -d ' ' -f 2 | sort -n | tail -n 1)
	echo $((last % 64))
}

# Prepares a request. All identifiers of host b are in one node of the table, which has no room left, because a table without
# memory takes a number that was free before.
begin_rdma_full() {
	local i before
	bind_many F 7100 1 && before=$((64 - $(last_position))) && bind_many G 7200 $((before - 1)) && begin_rdma &&
		bind_many K 7300 63 && run_in b destroy F0 || return
	for ((i = 0; i < before - 1; i++)); do
		run_in b destroy "G$i" || return
	done
	(($(last_position) == 63))
}

# Expects that a request is refused because the table has no memory for it, and that the next one is accepted.
rdma_request_fails() {
	local status=0
	begin_rdma_full && fail_all_in rdma_restrack_add || return
	ask_rdma && await_answer
	fail_none
	((status)) && forget_all && begin_rdma && ask_rdma && await_answer && forget_all && ((!status))
}

# Expects that a port is not taken for want of memory, and is free then.
binds_late() {
	local output
	run_in b rid I && fail_all_in __xa_insert || return
	output=$(run_in b rbind I addr=10.77.1.2,7003 2>&1) && { fail_none; return 1; }
	fail_none
	grep -qE "$no_memory" <<< "$output" && run_in b rbind I addr=10.77.1.2,7003 && run_in b reset
}

# Expects that a device can be added although a wildcard has no memory to listen on it, and that the kernel log says so.
listens_elsewhere() {
	local status=0
	listen_everywhere && ip -n b link add d1 type dummy && ip -n b link set d1 up && fail_all_in __iw_create_cm_id || return
	in_b rdma link add siwd type siw netdev d1 || status=1
	wait_for 10 has_said_so || status=1
	fail_none
	in_b rdma link delete siwd && ip -n b link del d1 && run_in b reset && return "$status"
}

has_said_so() {
	dmesg_since | grep -q 'siwd: .* cannot listen on .*: error -12'
}

without_memory() {
	check 'no memory to list a listener of iw_cm' fails_to_be_listed listen
	check 'no memory to list a wildcard of rdma_cm' fails_to_be_listed listen_everywhere
	check 'no memory to list an identifier of rdma_cm' fails_to_be_listed listen_at_one
	check 'no memory to list a request of iw_cm' iw_request_fails
	check 'no memory to list a request of rdma_cm' rdma_request_fails
	check 'no memory for a port' binds_late
	check 'no memory to listen on a new device' listens_elsewhere
}

sweep_connections() {
	local answer heard also_says
	also_says='event C CONNECT_REPLY status=-|Connection (reset|refused|timed out)|Software caused'
	also_says+='|not connected|status=[A-Z_]*ERR|event C DISCONNECT|event C CLOSE'
	sweep 'listen' listen forget_all
	answer='accept qp=Q pdata=445566' heard='event C CONNECT_REPLY status=0'
	sweep 'connect and accept' connect forget_all
	answer='reject pdata=445566' heard='event C CONNECT_REPLY status=-'
	sweep 'connect and reject' connect forget_all
	sweep_data 'without CRC' 0 0
	sweep_data 'CRC and markers' 1 1
}

ktap_start
[[ -e $modules_dir/kscript.ko ]] || ktap_skip_all 'no kscript.ko'
failures_start
check 'two hosts with siw' siw_hosts
check 'kscript' modprobe kscript
check 'handshakes are short' eval 'setting siwa handshake_ms 3000 && setting siwb handshake_ms 3000'
sweep 'a PD' begin_one end_one
sweep 'a PD with a global rkey' begin_global end_one
check 'a session on each host' eval 'begin a siwa && begin b siwb'
sweep_object 'a CQ' cq X cqe=100 poll=softirq
sweep_object 'a CQ polled by a workqueue' cq X cqe=100 poll=work
sweep_object 'an SRQ' srq X max=100 sge=4
sweep_object 'a QP' qp X sq=100 rq=100 sge=4
sweep_object 'an MR' mr X size=100000
sweep_object 'an FMR' fmr X pages=20
sweep_object 'a window' mw X type=2
check 'no memory for the STag of an MR' cannot_be_found mr X size=100000
check 'no memory for the STag of an FMR' cannot_be_found fmr X pages=20
check 'no memory for the STag of a window' cannot_be_found mw X type=2
# For a ring of more than a page, the kernel tries another kind of memory after the first failure. These rings are smaller.
sweep_object 'a small CQ' cq X cqe=8 poll=direct
sweep_object 'a small SRQ' srq X max=4
sweep_object 'a small QP' qp X sq=4 rq=4
sweep_resize 'a CQ' cqe=32 cq X cqe=8 poll=direct
sweep_resize 'an SRQ' max=16 srq X max=4
sweep_connections
without_memory
check 'the sessions end' eval 'end a && end b'
check 'everything unloads' unload_krdma
check 'no memory leaks' check_leaks
ktap_end
