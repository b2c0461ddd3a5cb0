#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests `rdma resource show`: objects of a test ULP, field by field, with siw's details; what
# unprivileged users and other namespaces see; filters; and lists of ten thousand objects while
# others are created and destroyed, and while their device is removed.
#
# timeout: 600
#
#	namespace a, siwa                 namespace b, siwb
#	   va 10.77.1.1/24  -----------  vb 10.77.1.2/24

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_kscript.sh
. "$(dirname "$0")/../lib_kscript.sh"

# json FILTER KIND ARG...: prints what the jq filter selects from `rdma resource show KIND`, with details.
json() {
	local filter=$1
	shift
	rdma -j -dd resource show "$@" | jq -r "$filter"
}

# totals FILTER: prints what the jq filter selects from `rdma resource`.
totals() {
	rdma -j resource | jq -r "$1"
}

# --- objects of the test ULP ---

make_objects() {
	kscript a cq CW cqe=20 && kscript a cq CD cqe=10 poll=direct && kscript a srq S &&
		kscript a qp Q1 srq=S && kscript a qp Q2 srq=S cq=CD && kscript a qp Q3 sq=8 rq=4 &&
		kscript a qp Q4 srq=S && kscript a modify Q3 state=RTR && kscript a mr M size=8192 &&
		kscript a mr G size=8192 pages=3 gaps
}

# Prints the objects of siwa, one a line, with their fields.
list_objects() {
	json '.[] | [.[] | tostring] | join(" ")' qp link siwa lqpn "$qpn3"
	json '.[] | [.lqpn, .drv_srqn, .drv_rq_size] | map(tostring) | join(" ")' qp link siwa
	json '.[] | [.cqe, .users, .["poll-ctx"], .["adaptive-moderation"], .comm, .drv_waiting,
		.drv_armed, .drv_overflow] | map(tostring) | join(" ")' cq dev siwa
	json '.[] | "\(.local_dma_lkey) \(.users) \(.comm)"' pd dev siwa
	json '.[] | "\(.lqpn | join(" ")) \(.type) \(.pdn) \(.comm)"' srq dev siwa
	json '.[] | "\(.mrlen) \(.comm) \(.drv_valid) \(.drv_access) \(.drv_max_pages)"' mr dev siwa
}

expected_objects() {
	echo "0 siwa 1 $qpn3 RC RTR 0 0 kscript 8 0 4 1 none"
	printf '%s\n' "$qpn1 0 null" "$qpn2 0 null" "$qpn3 null 4" "$qpn4 0 null"
	printf '%s\n' '32 0 WORKQUEUE false kscript 0 next 0' '16 2 DIRECT false kscript 0 nothing 0' \
		'64 2 WORKQUEUE false kscript 0 next 0' '16 2 WORKQUEUE false kscript 0 next 0' \
		'64 2 WORKQUEUE false kscript 0 next 0'
	printf '%s\n' '0 7 kscript' '0 0 kscript' "$qpn1-$qpn2 $qpn4 BASIC 0 kscript" \
		'0 kscript 0 0 2' '0 kscript 0 0 3'
}

test_objects() {
	check 'objects' make_objects
	expect_output 'totals' '2 5 4 0 2 0 1' \
		totals '.[0] | [.pd, .cq, .qp, .cm_id, .mr, .ctx, .srq] | map(tostring) | join(" ")'
	await a 'qp Q1 *' && qpn1=$(field qpn)
	await a 'qp Q2 *' && qpn2=$(field qpn)
	await a 'qp Q3 *' && qpn3=$(field qpn)
	await a 'qp Q4 *' && qpn4=$(field qpn)
	check 'a receive' kscript a recv Q3 buf=M
	expect_output 'objects, field by field' "$(expected_objects)" list_objects
	check 'a CQ is armed for a solicited event' kscript a arm CD sol
	expect_output 'what it is armed for' solicited json '.[] | select(.["poll-ctx"] == "DIRECT") | .drv_armed' cq dev siwa
	expect_output 'names of the fields of a QP' \
		'ifindex ifname port lqpn type state sq-psn pdn comm drv_sq_size drv_sq_posted drv_rq_size drv_rq_posted drv_stream' \
		json '.[] | keys_unsorted | join(" ")' qp link siwa lqpn "$qpn3"
}

# --- connections ---

connect_objects() {
	kscript b listen L port=7000 && kscript b qp QB && kscript b mr MB size=64 &&
		kscript b recv QB buf=MB &&
		kscript a connect C qp=Q1 addr=10.77.1.2 port=7000 ird=3 ord=2
}

# Prints the fields of both ends of the connection that are the same in each run.
list_connection() {
	json '.[] | "\(.lqpn) \(.["qp-type"]) \(.state) \(.ps) \(.comm) \(.["src-addr"]) \(.["dst-addr"])"' \
		cm_id link siwa
	json '.[] | select(.state == "RTS") | [.drv_stream, .drv_local, .drv_remote, .drv_role,
		.drv_mpa_rev, .drv_crc, .drv_tx_markers, .drv_rx_markers, .drv_ird, .drv_ord, .drv_mss,
		.drv_snd_wnd > 10000, .drv_rcv_wnd > 10000, .drv_retransmits] | map(tostring) | join(" ")' qp
}

test_connections() {
	local end peer=10.77.1.2:7000
	check 'connecting' connect_objects
	await b 'event L CONNECT_REQUEST *'
	end=$(field remote)
	expect_output 'CM IDs: a listener and a request' \
		"1 LISTEN TCP kscript 0.0.0.0:7000 null null"$'\n'"1 CONNECT TCP kscript $peer $end null" \
		json '.[] | "\(.port) \(.state) \(.ps) \(.comm) \(.["src-addr"]) \(.["dst-addr"]) \(.lqpn)"' cm_id link siwb
	check 'accepting' kscript b accept R1 qp=QB
	check 'connected' await a 'event C CONNECT_REPLY status=0 *'
	expect_output 'the connection, field by field' \
		"$(printf '%s\n' "$qpn1 RC CONNECT TCP kscript $end $peer" \
			"open $end $peer initiator 2 1 0 0 3 2 1448 true true 0" \
			"open $peer $end responder 2 1 0 0 2 3 1448 true true 0")" list_connection
	expect_output 'CM IDs by port of the peer and by our address' '1 1' \
		echo "$(json length cm_id dst-port 7000) $(json length cm_id src-addr 10.77.1.1)"
}

# Drops all packets that host a sends, until TCP has retransmitted one.
lose_packets() {
	in_a tc qdisc add dev va root netem loss 100% && kscript a send Q1 buf=M:0:64 &&
		wait_for 20 retransmitted && in_a tc qdisc del dev va root
}

retransmitted() {
	(($(json '.[0].drv_retransmits' qp link siwa lqpn "$qpn1") > 0))
}

test_retransmits() {
	check 'QP: retransmits are counted' lose_packets
	check 'QP: the lost message arrives' await b 'wc QB * status=SUCCESS *' 30
}

test_registered() {
	local key
	check 'MR: registered' kscript a reg M qp=Q1 access=lw,rr
	await a 'mr M *'
	await a 'mr M *'
	key=$(printf '0x%x' "$(field stag)")
	expect_output 'MR: keys, length, rights' "$key $key 8192 1 5" json \
		'.[] | "0x\(.rkey) 0x\(.lkey) \(.mrlen) \(.drv_valid) \(.drv_access)"' mr dev siwa mrn 0
	expect_output 'MR: no address of the kernel' null json '.[0].iova' mr dev siwa
}

# --- visibility ---

keys_seen_by_nobody() {
	{ as_nobody rdma -j resource show mr dev siwa && as_nobody rdma -j resource show pd dev siwa; } |
		jq -rs '"\(.[0][0].mrlen) \(.[0][0].rkey) \(.[0][0].lkey) \(.[1][0].local_dma_lkey)"'
}

test_unprivileged() {
	expect_output 'unprivileged user: MRs and PDs, but no keys' '8192 null null null' keys_seen_by_nobody
	expect_output 'root of another user namespace: no keys' null unshare -Ur bash -c \
		'rdma -j resource show mr | jq -r ".[0].rkey"'
	check 'unprivileged user: no raw data' fails_with 'not permitted' as_nobody rdma -r resource show qp link siwa
	check 'siw has no raw data' fails_with 'does not report' rdma -r resource show qp link siwa
}

# Prints PID and name of the owner of a QP, as seen in a PID namespace where the owner is process 1.
own_pid_seen_inside() {
	unshare -p -f --mount-proc bash -c 'exec 6> /dev/kt_res && echo siwb user 1 0 >&6 &&
		rdma -j resource show qp link siwb | jq -r ".[] | select(.pid) | \"\(.pid) \(.comm)\""'
}

test_users() {
	exec 5> /dev/kt_res
	check 'objects of a process' bash -c 'echo siwa user 2 1 >&5'
	expect_output 'no PID is shown after the process has ended' 0 \
		json '[.[] | select(.pid)] | length' qp link siwa
	exec 5>&-
	exec 5> /dev/kt_res
	echo siwa user 2 1 >&5
	expect_output 'a process: its QPs' "2 $$ $(cat /proc/$$/comm)" \
		json '"\(length) \(.[0].pid) \(.[0].comm)"' qp pid $$
	expect_output 'a process: PD, CQ, MR with its address' '1 1 1 0' \
		echo "$(json length pd pid $$) $(json length cq pid $$)" \
		"$(json '"\(length) \(.[0].iova)"' mr pid $$)"
	expect_output 'another PID namespace: shows objects of the kernel only' '4 0' \
		unshare -p -f --mount-proc bash -c 'rdma -j resource show qp link siwa |
			jq -r "\"\(length) \([.[] | select(.pid)] | length)\""'
	expect_output 'its own PID namespace: shows its PID there' '1 bash' own_pid_seen_inside
	exec 5>&-
	expect_output 'all objects of the process are gone' 0 json '[.[] | select(.pid)] | length' qp
}

test_filters() {
	expect_output 'link: one port, and no port' '4 0' \
		echo "$(json length qp link siwa/1) $(json length qp link siwa/-)"
	expect_failure 'link: a port that does not exist' rdma resource show qp link siwa/2
	expect_output 'a range of numbers' "$qpn1 $qpn2" \
		json '[.[].lqpn] | map(tostring) | join(" ")' qp link siwa lqpn "$qpn1-$qpn2"
	expect_output 'objects of other kinds by number' '1 1 8192 0 CONNECT' echo \
		"$(json '.[0].cqn' cq dev siwa cqn 1)" "$(json '.[0].pdn' pd dev siwa pdn 1)" \
		"$(json '.[0].mrlen' mr dev siwa mrn 0)" "$(json '.[0].srqn' srq dev siwa srqn 0)" \
		"$(json '.[0].state' cm_id link siwa cm-idn 0)"
	expect_output 'a number that does not exist' '' rdma resource show qp link siwa lqpn 77777
	expect_failure 'a device that does not exist' rdma resource show qp link nope0
}

# --- objects that siw does not have ---

raw() {
	rdma -j -r resource show "$@" | tr -d ' \n'
}

# Counters show how much a process sends and receives: those of raw packets need the capability for them.
without_net_raw() {
	setpriv --bounding-set=-net_raw --inh-caps=-net_raw "$@"
}

counter_of_o0() {
	rdma -j statistic qp show link o0/1 | jq '.[0].cntn'
}

test_raw_packets() {
	local id index
	index=$(rdma -j dev show o0 | jq '.[0].ifindex')
	check 'a QP of raw packets: no counter without CAP_NET_RAW' fails_with 'No such QP' \
		without_net_raw rdma statistic qp bind link o0/1 lqpn 17
	check 'a QP of raw packets: a counter' rdma statistic qp bind link o0/1 lqpn 17
	id=$(counter_of_o0)
	expect_output 'QPs and counters of port 1' '1 QPs, 1 counters, mode 2' nlprobe port "$index" 1
	expect_output 'QPs and counters of port 2' '0 QPs, 0 counters, mode 0' nlprobe port "$index" 2
	check 'a QP of raw packets: has no counter of the other port' fails_with 'not bound' \
		rdma statistic qp unbind link o0/2 cntn "$id" lqpn 17
	expect_output 'a QP of raw packets: still has its counter' "$id" counter_of_o0
	check 'a QP of raw packets: stays at its counter without CAP_NET_RAW' fails_with 'No such QP' \
		without_net_raw rdma statistic qp unbind link o0/1 cntn "$id" lqpn 17
	check 'a QP of raw packets: leaves its counter' rdma statistic qp unbind link o0/1 cntn "$id" lqpn 17
}

test_other_kinds() {
	check 'objects of all kinds' rdma link add o0 type objects netdev lo
	expect_output 'context' '0 kt_objects' json '.[] | "\(.ctxn) \(.comm)"' ctx
	expect_output 'context by number' 0 json '.[0].ctxn' ctx dev o0 ctxn 0
	expect_match 'identifier of another connection manager' \
		'^17 UD ROUTE_RESOLVED UDP .*::1.*4791$' \
		json '.[] | "\(.lqpn) \(.["qp-type"]) \(.state) \(.ps) \(.["src-addr"])"' cm_id link o0/-
	expect_output 'driver details of the identifier' '4000000000 0xabcd 1099511627776 0x10000000000 something' \
		eval "rdma -dd resource show cm_id link o0 | sed 's/.*drv_number \([^ ]*\) drv_hex \([^ ]*\) drv_long \([^ ]*\) drv_longhex \([^ ]*\) drv_text \([^ ]*\).*/\1 \2 \3 \4 \5/'"
	expect_output 'the identifier is not listed for port 1' 0 json length cm_id link o0/1
	expect_output 'a QP whose query fails is left out' 18 json '.[].lqpn' qp link o0
	expect_match 'raw: QP' '\[1,2,250\]' raw qp link o0
	expect_match 'raw: CQ' '\[2,2,250\]' raw cq dev o0
	expect_match 'raw: MR' '\[3,2,250\]' raw mr dev o0
	expect_output 'a CQ that is moderated adaptively' true json '.[0]["adaptive-moderation"]' cq dev o0
	check 'raw: one by number' rdma -r resource show qp link o0 lqpn 17
	test_raw_packets
	check 'all kinds are destroyed with their device' rdma link delete o0
}

# --- many ---

hold() {
	exec 5> /dev/kt_res && echo "siwa kernel $1 $2" >&5
}

hold_of_process() {
	exec 6> /dev/kt_res && echo "siwa user $1 $2" >&6
}

# Connects as many QPs as are longer than the longest message together. No probe is sent later.
connect_many() {
	local i
	echo 0 > /sys/class/infiniband/siwa/siw/probe
	open_session c siwa && open_session d siwb && kscript d listen L port=7001 || return
	for i in {1..10}; do
		kscript c qp "Q$i" && kscript d qp "Q$i" &&
			kscript c connect "C$i" "qp=Q$i" addr=10.77.1.2 port=7001 &&
			await d 'event L CONNECT_REQUEST *' && kscript d accept "$(field new)" "qp=Q$i" &&
			await c "event C$i CONNECT_REPLY status=0 *" || return
	done
}

# Expects that TCP has nothing to send any more, so that its numbers stay the same.
all_acknowledged() {
	[[ $(json '[.[] | select(.drv_stream == "open") | .drv_unacked] | "\(length) \(add)"' qp) == '22 0' ]]
}

# Creates SRQs with a QP each, whose lists are longer than the longest message, too.
share_queues() {
	local i
	for i in {1..80}; do
		kscript d srq "S$i" && kscript d qp "P$i" "srq=S$i" || return
	done
}

count_some() {
	local number
	for number in $(numbers | head -n 12); do
		rdma statistic qp bind link siwa/1 lqpn "$number" || return
	done
}

# Makes processes that have a QP each, which gets a counter of its process.
count_processes() {
	local i
	rdma statistic qp set link siwb/1 auto type,pid on || return
	for i in {1..24}; do
		(exec 7> /dev/kt_res && echo 'siwb user 1 0' >&7 && exec sleep 1000) &
		counted+=($!)
	done
	wait_for 20 all_are_counted
}

all_are_counted() {
	[[ $(rdma -j statistic qp show link siwb/1 | jq length) == 24 ]]
}

forget_processes() {
	kill "${counted[@]}"
	wait "${counted[@]}" 2> /dev/null
	wait_for 20 none_is_counted && rdma statistic qp set link siwb/1 auto off
}

none_is_counted() {
	[[ -z $(rdma statistic qp show link siwb/1) ]]
}

# Lists in messages of each length, with the keys and without.
test_sizes() {
	local counted=()
	check 'sizes: objects of the kernel and of a process' eval 'hold 100 100 && hold_of_process 100 100'
	check 'sizes: connections' connect_many
	check 'sizes: SRQs' share_queues
	check 'sizes: counters of QPs' count_some
	check 'sizes: counters of processes' count_processes
	check 'sizes: the connections are quiet' wait_for 10 all_acknowledged
	check 'sizes: nothing is lost at the end of a message' nlprobe sizes
	check 'sizes: nor without rights' as_nobody nlprobe sizes
	check 'sizes: the processes end' forget_processes
	exec 5>&- 6>&-
	close_session c
	close_session d
}

available() {
	awk '/^MemAvailable/ { print $2 }' /proc/meminfo
}

# measure WHAT QPS MRS: creates QPs and MRs, and prints the average number of bytes that an object
# takes.
measure() {
	local before n=$(($2 + $3))
	before=$(available)
	hold "$2" "$3" || return
	echo "# memory of $1: $(((before - $(available)) * 1024 / n)) bytes"
	exec 5>&-
}

kernel_time() {
	local TIMEFORMAT=%S
	{ time "$@" > /dev/null; } 2>&1
}

# churn FILE: creates and destroys objects until FILE is removed.
churn() {
	while [[ -e $1 ]]; do
		(exec 6> /dev/kt_res && echo siwa kernel 50 50 >&6) || return 1
	done
}

numbers() {
	rdma resource show qp link siwa | awk '{ print $4 }'
}

# read_lists PREFIX: reads two lists; expects that each has every object in PREFIX.stay, and no
# number twice.
read_lists() {
	local i
	for ((i = 0; i < 2; i++)); do
		numbers > "$1.numbers" && sort -n -u -c "$1.numbers" || return
		[[ -z $(comm -23 <(sort "$1.stay") <(sort "$1.numbers")) ]] ||
			{ echo 'objects are missing in the list'; return 1; }
	done
	wc -l < "$1.numbers"
}

count_numbers() {
	numbers | wc -l
}

test_many() {
	local n list
	n=$(fewer 10000)
	list=$(mktemp)
	measure 'a QP' "$n" 0
	measure 'an MR' 0 "$n"
	check "many: $n QPs" hold "$n" 0
	expect_output "many: all are listed" $((n + 4)) count_numbers
	echo "# a list of $n QPs: $(kernel_time rdma -j resource show qp link siwa) s in the kernel"
	numbers > "$list.stay"
	touch "$list.flag"
	churn "$list.flag" &
	churn "$list.flag" &
	check 'many: each is listed once while others are created and destroyed' read_lists "$list"
	rm "$list.flag"
	check 'many: the creation of others has not failed' wait_for_all
	exec 5>&-
	expect_output 'many: all are destroyed' 4 count_numbers
	rm -f "$list" "$list".*
}

wait_for_all() {
	local job
	for job in $(jobs -p); do
		wait "$job" || return
	done
}

# Lists the QPs repeatedly until that fails, because the device is gone.
read_until_gone() {
	while rdma -j resource show qp link siwa > /dev/null 2>&1; do :; done
}

test_removal() {
	check 'removal: objects' hold "$(fewer 5000)" 0
	read_until_gone &
	read_until_gone &
	sleep 0.5
	check 'removal: the device is deleted while lists are read' rdma link delete siwa
	check 'removal: the readers end' wait_for_all
	exec 5>&-
	expect_output 'removal: the other device is still listed' siwb totals '.[].ifname'
	expect_output 'removal: no CM IDs of the deleted device' 0 \
		json '[.[] | select(.ifname == "siwa")] | length' cm_id
}

ktap_start
command -v rdma > /dev/null || ktap_skip_all 'no rdma: install iproute2'
command -v jq > /dev/null || ktap_skip_all 'no jq'
modinfo kt_res > /dev/null 2>&1 || ktap_skip_all 'kt_res.ko was not built'
check 'two devices' kscript_hosts
check 'kt_res loads' modprobe kt_res
# Handshakes get 60 s, because the test inspects a connection before it accepts the connection.
for device in siwa siwb; do
	echo 60000 > "/sys/class/infiniband/$device/siw/handshake_ms"
done
test_objects
test_connections
test_retransmits
test_registered
test_unprivileged
test_users
test_filters
test_other_kinds
test_sizes
test_many
test_removal
check 'kt_res unloads' rmmod kt_res
ktap_end
