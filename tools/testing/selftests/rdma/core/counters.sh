#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests `rdma statistic qp`: binds QPs to counters by hand and automatically, and checks what siw
# counts for them and which commands are refused.
#
# timeout: 400
#
#	namespace a, siwa                 namespace b, siwb
#	   va 10.77.1.1/24  -----------  vb 10.77.1.2/24

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_kscript.sh
. "$(dirname "$0")/../lib_kscript.sh"

port=siwa/1

# json FILTER: prints what the jq filter selects from the counters on the port.
json() {
	rdma -j statistic qp show link $port | jq -r "$1"
}

qp() {
	rdma statistic qp "$@"
}

has_counters() {
	(($(json length) == $1))
}

# counts_qps N: succeeds if the counters on the port count N QPs.
counts_qps() {
	(($(json '[.[].lqpn | if type == "array" then length else 1 end] | add') == $1))
}

connect() {
	kscript a qp Q1 && kscript a qp Q2 && kscript b qp QB && kscript a mr MA size=4096 &&
		kscript b mr MB size=4096 && kscript b recv QB buf=MB id=1 && kscript b recv QB buf=MB id=2 &&
		kscript b listen L port=7000 && kscript a connect C qp=Q1 addr=10.77.1.2 port=7000 &&
		await b 'event L CONNECT_REQUEST *' 60 && kscript b accept R1 qp=QB &&
		await a 'event C CONNECT_REPLY status=0 *' 60
}

send() {
	kscript a send Q1 buf=MA:0:100 && await b "wc QB id=$1 *" 30
}

test_manual() {
	expect_match 'the mode is off at first' "^link $port.*auto off" qp mode link $port
	expect_output 'no counter' 0 json length
	check 'a send that is not counted' send 1
	check 'a QP is bound' qp bind link $port lqpn "$qpn1"
	cntn=$(json '.[0].cntn')
	check 'a QP does not leave a counter that it does not have' fails_with 'not bound' \
		rdma statistic qp unbind link $port cntn $((cntn + 1)) lqpn "$qpn1"
	check 'a send that is counted' send 2
	# More than one packet is possible, because siw sends probes to a peer that does not send.
	expect_output 'counted for the QP' "$cntn $qpn1 1 true 0 true" json \
		'.[] | "\(.cntn) \(.lqpn | tostring | gsub("[^0-9]"; "")) \(.tx_sends) \(.tx_packets >= 1) \(.rx_packets) \(.tx_bytes > 100)"'
	expect_output 'the port counts both sends' 2 cat /sys/class/infiniband/siwa/ports/1/hw_counters/tx_sends
	check 'a second QP on the same counter' qp bind link $port lqpn "$qpn2" cntn "$cntn"
	expect_output 'one counter with two QPs' "1 $qpn1$qpn2" \
		json '"\(length) \(.[0].lqpn | tostring | gsub("[^0-9]"; ""))"'
	check 'a QP is not bound twice' fails_with 'bound already' rdma statistic qp bind link $port lqpn "$qpn2"
	check 'no automatic mode with QPs bound by hand' fails_with 'bound already' \
		rdma statistic qp set link $port auto pid on
	check 'one QP is unbound' qp unbind link $port cntn "$cntn" lqpn "$qpn1"
	expect_output 'the other QP is still bound' "$qpn2" \
		json '.[0].lqpn | tostring | gsub("[^0-9]"; "")'
	check 'the other QP is destroyed' kscript a destroy Q2
	expect_output 'the counter is destroyed with its last QP' 0 json length
	check 'the first QP is bound again' qp bind link $port lqpn "$qpn1"
	expect_output 'the new counter starts at 0' '0' json '.[0].tx_sends'
	check 'all QPs of the counter are unbound' qp unbind link $port cntn "$(json '.[0].cntn')"
	expect_output 'no counter is left' 0 json length
}

test_refused() {
	check 'no such QP' fails_with 'No such QP' rdma statistic qp bind link $port lqpn 77777
	check 'no such counter' fails_with 'No such QP or counter' \
		rdma statistic qp bind link $port lqpn "$qpn1" cntn 4711
	check 'unbinding what is not bound' fails_with 'not bound' rdma statistic qp unbind link $port cntn 4711 lqpn "$qpn1"
	check 'an unprivileged user cannot bind' fails_with 'not permitted' \
		as_nobody rdma statistic qp bind link $port lqpn "$qpn1"
	check 'an unprivileged user cannot set a mode' fails_with 'not permitted' \
		as_nobody rdma statistic qp set link $port auto pid on
	expect_output 'nothing was bound' 0 json length
}

# Creates two QPs of this process, and keeps them until standard input ends.
user() {
	exec 6> /dev/kt_res && echo siwa user 2 0 >&6 && cat > /dev/null
}

test_auto() {
	check 'automatic, by process' qp set link $port auto pid on
	expect_match 'the mode is shown' 'auto.*pid' qp mode link $port
	expect_match 'it is 1' 'mode 1' nlprobe port "$index" 1
	exec 5> /dev/kt_res
	echo siwa user 3 0 >&5
	exec 7> >(user)
	wait_for 20 has_counters 2
	expect_output 'a counter for each process' '2 3' \
		json '[.[].lqpn | if type == "array" then length else 1 end] | sort | map(tostring) | join(" ")'
	check 'the same mode again' qp set link $port auto pid on
	check 'no other criterion while QPs are counted' fails_with 'bound already' \
		rdma statistic qp set link $port auto type on
	expect_output 'the counters are kept' 2 json length
	expect_output 'a counter has the PID of its process' 1 json "[.[] | select(.pid == $$)] | length"
	check 'no QP is bound by hand in automatic mode' fails_with 'automatically' \
		rdma statistic qp bind link $port lqpn "$qpn1"
	check 'no QP leaves its counter by hand in automatic mode' fails_with 'automatically' \
		rdma statistic qp unbind link $port cntn "$(json '.[0].cntn')" lqpn "$(json '.[0].lqpn | [.] | flatten | .[0]')"
	check 'a QP of the kernel, which gets no counter' kscript a qp Q3
	exec 7>&-
	wait_for 20 has_counters 1
	expect_output 'the counter of a process that ended is destroyed' 1 json length
	check 'automatic mode off' qp set link $port auto off
	expect_output 'the counter is kept' 1 json length
	expect_match 'its QPs are bound by hand now' '1 counters, mode 2' nlprobe port "$index" 1
	exec 5>&-
	expect_output 'the counter is destroyed with its QPs' 0 json length
	expect_match 'the mode is none again' '0 counters, mode 0' nlprobe port "$index" 1
	check 'automatic, by process and type' qp set link $port auto type,pid on
	exec 5> /dev/kt_res
	echo siwa user 2 0 >&5
	expect_output 'the counter has type and process' "RC $$" json '.[] | "\(.["qp-type"]) \(.pid)"'
	exec 5>&-
	check 'automatic, by type' qp set link $port auto type on
	exec 5> /dev/kt_res
	echo siwa user 2 0 >&5
	exec 7> >(user)
	wait_for 20 counts_qps 4
	expect_output 'two processes share the counter of a type' 'RC' json '[.[]["qp-type"]] | join(" ")'
	exec 7>&-
	wait_for 20 counts_qps 2
	exec 5>&-
	check 'automatic mode off again' qp set link $port auto off
	expect_match 'the mode is off at the end' "^link $port.*auto off" qp mode link $port
}

test_removal() {
	check 'removal: a QP is bound' qp bind link $port lqpn "$qpn1"
	check 'removal: the device is deleted' rdma link delete siwa
}

ktap_start
command -v rdma > /dev/null || ktap_skip_all 'no rdma: install iproute2'
command -v jq > /dev/null || ktap_skip_all 'no jq'
modinfo kt_res > /dev/null 2>&1 || ktap_skip_all 'kt_res.ko was not built'
check 'two devices' kscript_hosts
check 'kt_res loads' modprobe kt_res
for device in siwa siwb; do
	echo 60000 > "/sys/class/infiniband/$device/siw/handshake_ms"
done
index=$(rdma -j dev show siwa | jq '.[0].ifindex')
check 'a connection' connect
await a 'qp Q1 *' && qpn1=$(field qpn)
await a 'qp Q2 *' && qpn2=$(field qpn)
test_manual
test_refused
test_auto
test_removal
check 'kt_res unloads' rmmod kt_res
ktap_end
