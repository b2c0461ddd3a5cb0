#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests each command and each report of the scripted ULP kscript, on connections without faults.
#
# timeout: 60

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kscript.sh"

connected() {
	kscript_reset a b || return 1
	kscript a qp Q && kscript b qp Q && kscript b listen L port=7000 &&
		await b 'listen L port=7000' &&
		kscript a connect C qp=Q addr=10.77.1.2 port=7000 pdata=0102ff ird=3 ord=2 || return 1
	await b 'event L CONNECT_REQUEST new=R1 status=0 ird=2 ord=3 * pdata=0102ff' &&
		kscript b accept R1 qp=Q pdata=aa && await b 'event R1 ESTABLISHED status=0*' &&
		await a 'event C CONNECT_REPLY status=0 ird=3 ord=2 * pdata=aa' &&
		kscript a query Q && await a 'qp Q qpn=* state=RTS'
}

sends() {
	kscript b mr M size=5000 skew=100 && kscript b recv Q id=7 buf=M:10:4000 &&
		kscript a mr M size=8192 fill=3 &&
		kscript a send Q id=9 buf=M:0:100,M:100:2900 sol && await a 'wc Q id=9 op=SEND status=SUCCESS' &&
		await b 'wc Q id=7 op=RECV status=SUCCESS len=3000' &&
		kscript b check M off=10 len=3000 seed=3 &&
		kscript_fails 'Bad message' b check M off=10 len=3001 seed=3 &&
		kscript b peek M off=9 len=4 && await b 'bytes M hex=00030405'
}

transfers() {
	local stag addr
	kscript b mr V size=9000 qp=Q access=lw,rw,rr && await b 'mr V stag=* size=9000' || return 1
	stag=$(field stag) addr=$(field addr)
	kscript a write Q id=1 buf=M stag="$stag" addr="$addr" &&
		kscript a mr N size=8192 qp=Q access=lw &&
		kscript a read Q id=2 buf=N lkey=mr stag="$stag" addr="$addr" &&
		await a 'wc Q id=1 op=WRITE status=SUCCESS' &&
		await a 'wc Q id=2 op=READ status=SUCCESS len=8192' &&
		kscript a check N seed=3 && kscript b check V len=8192 seed=3 || return 1
	kscript b linv Q stag="$stag" id=5 && await b 'wc Q id=5 op=LINV status=SUCCESS' &&
		kscript b reg V qp=Q access=rr key=0x77 len=100 && await b 'mr V stag=0x*77 addr=* size=100'
}

# Tests repeated writes and receives. Posts only one send at a time, because each send consumes a
# receive.
repeats() {
	kscript b mr W size=1000 qp=Q access=lw,rw && await b 'mr W *' || return 1
	kscript a write Q buf=M:0:1000 stag="$(field stag)" addr="$(field addr)" repeat id=5 &&
		kscript b recv Q buf=M repeat id=1 && kscript a send Q buf=M:0:64 &&
		await a 'wc Q id=0 op=SEND status=SUCCESS' && sleep 0.2 &&
		kscript a disconnect C abrupt && await a 'wc Q id=5 op=WRITE status=WR_FLUSH_ERR n=[1-9]*' &&
		await b 'wc Q id=1 op=RECV status=WR_FLUSH_ERR n=1' && kscript b check W seed=3
}

ends() {
	await b 'event R1 DISCONNECT*' && await b 'event R1 CLOSE*' && await a 'event C CLOSE*'
}

in_handler() {
	kscript_reset a b || return 1
	kscript a qp Q && kscript b qp Q && kscript b mr M size=100 &&
		kscript b on L CONNECT_REQUEST sleep ms=20 && kscript b on L CONNECT_REQUEST accept qp=Q &&
		kscript b on R1 ESTABLISHED disconnect abrupt &&
		kscript a on C CLOSE destroy && kscript a on C CLOSE destroy Q &&
		kscript b listen L port=7000 && kscript a connect C qp=Q addr=10.77.1.2 port=7000 &&
		await b 'did L CONNECT_REQUEST accept ret=0' && await b 'did R1 ESTABLISHED disconnect ret=0' &&
		await a 'did C CLOSE destroy ret=0' && await a 'did C CLOSE destroy ret=0' &&
		kscript_fails 'No such file or directory' a destroy C
}

# connects OPTION...: connects identifier C with these options; session b accepts. The listener has the same address.
connects() {
	kscript_reset a b && kscript a qp Q sig=all && kscript b qp Q && kscript b on L CONNECT_REQUEST accept qp=Q &&
		kscript b listen L port=7000 addr="$1" && kscript a connect C qp=Q port=7000 addr="$1" "${@:2}" &&
		await a 'event C CONNECT_REPLY status=0 *'
}

# Any address, but a port that the ULP has chosen.
from_own_port() {
	connects 10.77.1.2 src=0.0.0.0,7777 && [[ $matched_report == *' local=10.77.1.1:7777 '* ]]
}

# Neither side names the interface of the link, so each device uses its own.
link_local_connects() {
	local far
	wait_for 10 link_local b vb && far=$(link_local b vb) && connects "$far"
}

# The listener asks for any port, and gets to know it.
to_any_port() {
	local port
	kscript_reset a b && kscript a qp Q && kscript b qp Q && kscript b on L CONNECT_REQUEST accept qp=Q &&
		kscript b listen L port=0 && await b 'listen L port=[1-9]*' && port=$(field port) &&
		kscript a connect C qp=Q addr=10.77.1.2 port="$port" && await a 'event C CONNECT_REPLY status=0 *'
}

# All requests of the QP are reported, whether they ask for it or not.
reports_all() {
	connects 10.77.1.2 && kscript a mr M size=100 && kscript b mr M size=100 && kscript b recv Q id=1 buf=M &&
		kscript a send Q id=2 buf=M unsignaled && await a 'wc Q id=2 op=SEND status=SUCCESS' &&
		await b 'wc Q id=1 op=RECV status=SUCCESS len=100'
}

# Expects that a handler that returns an error destroys the identifier.
returns() {
	kscript_reset a b || return 1
	kscript a qp Q && kscript b on L CONNECT_REQUEST return && kscript b listen L port=7000 &&
		kscript a connect C qp=Q addr=10.77.1.2 port=7000 &&
		await a 'event C CONNECT_REPLY status=-111*' &&
		kscript_fails 'No such file or directory' b destroy R1
}

errnos() {
	kscript_fails 'Invalid argument' a nonsense && kscript_fails 'Invalid argument' a qp X sq=banana &&
		kscript_fails 'Invalid argument' a qp X unknown=1 && kscript_fails 'File exists' a qp Q &&
		kscript_fails 'Wrong medium type' a send C && kscript_fails 'No such file or directory' a send Y &&
		kscript a mr M size=10 && kscript_fails 'Numerical result out of range' a send Q buf=M:5:6 &&
		kscript_fails 'Device or resource busy' a dev siwa
}

# read_up_to BYTES: prints the result of one read() on host a's session.
read_up_to() {
	timeout 5 dd bs="$1" count=1 status=none <&"${session_fds[a]}"
}

reads_lines() {
	kscript_reset a && kscript a say one && kscript a say another || return 1
	[[ $(read_up_to 65536) == 'said one' && $(read_up_to 6) == 'said a' &&
		$(read_up_to 65536) == 'nother' ]]
}

# Reads and writes through the global rkey of host b: all memory of the kernel, but nothing where there is none.
global_rkey() {
	local stag addr
	close_session b && open_session b 'siwb rkey=global' && connected && kscript b mr M size=100 fill=9 &&
		await b 'mr M stag=0x* size=100 *' || return 1
	stag=$(field stag) addr=$(field addr)
	[[ $stag != 0x00000000 ]] || { echo "no global rkey: $stag"; return 1; }
	kscript a mr D size=100 fill=5 && kscript a write Q id=1 buf=D:0:30 stag="$stag" addr=$((addr + 20)) &&
		kscript a read Q id=2 buf=D:50:50 stag="$stag" addr="$addr" && await a 'wc Q id=2 op=READ status=SUCCESS len=50' &&
		kscript a check D off=50 len=20 seed=9 && kscript a check D off=70 len=30 seed=5 && kscript b check M off=50 len=50 seed=59
}

# refused_by_global_rkey OP ADDRESS: expects that host b, whose PD has a global rkey, ends the connection. ADDRESS may use
# $end, where the host's memory ends.
refused_by_global_rkey() {
	local stag end
	connected && kscript b mr M size=100 && await b 'mr M stag=0x* size=100 *' || return 1
	stag=$(field stag) end=$(field end)
	kscript a mr D size=100 fill=5 && kscript a "$1" Q id=3 buf=D stag="$stag" addr=$(($2)) && await b 'event R1 CLOSE*' &&
		await a 'event C CLOSE*'
}

# Closes both sessions while they have a connection, posted receives and a handler that sleeps.
closes_busy() {
	kscript_reset a b || return 1
	kscript a qp Q && kscript b qp Q && kscript b mr M size=100 && kscript a mr M size=100 &&
		kscript b on L CONNECT_REQUEST accept qp=Q && kscript b on R1 ESTABLISHED sleep ms=60000 &&
		kscript b listen L port=7000 && kscript a connect C qp=Q addr=10.77.1.2 port=7000 &&
		await a 'event C CONNECT_REPLY status=0*' && kscript a recv Q buf=M &&
		close_session b && close_session a
}

removed() {
	open_session a siwa && kscript a qp Q && kscript a listen L port=7001 &&
		in_a rdma link delete siwa && await a 'removed siwa' &&
		kscript_fails 'No such device' a qp Q2
}

unload_all() {
	close_sessions && unload_krdma
}

ktap_start
check 'two hosts with siw' kscript_hosts
check 'a connection' connected
check 'sends' sends
check 'writes, reads, registration and invalidation' transfers
check 'traffic' repeats
check 'both sides get the events of the end' ends
check 'handlers run commands' in_handler
check 'a handler returns an error' returns
check 'errnos' errnos
check 'a connection from a port that the ULP has chosen' from_own_port
check 'a connection to any port' to_any_port
check 'a connection to a link-local address without interface' link_local_connects
check 'a QP that reports all requests' reports_all
check 'a read returns one line, or the rest of it' reads_lines
check 'a global rkey' global_rkey
check 'a global rkey, a write to where no memory is' refused_by_global_rkey write 16
check 'a global rkey, a read of where no memory is' refused_by_global_rkey read 16
check 'a global rkey, a read beyond the end of memory' refused_by_global_rkey read 'end - 50'
check 'sessions are closed during activity' closes_busy
check 'removal of the device' removed
check 'everything unloads' unload_all
ktap_end
