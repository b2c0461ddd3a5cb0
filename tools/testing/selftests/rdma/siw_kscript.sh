#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The ULP that does what it is told: each command and each report of it, on good connections.
#
# timeout: 60

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_kscript.sh"

connected() {
	puppet_reset a b || return 1
	puppet a qp Q && puppet b qp Q && puppet b listen L port=7000 &&
		told b 'listen L port=7000' &&
		puppet a connect C qp=Q addr=10.77.1.2 port=7000 pdata=0102ff ird=3 ord=2 || return 1
	told b 'event L CONNECT_REQUEST new=R1 status=0 ird=2 ord=3 * pdata=0102ff' &&
		puppet b accept R1 qp=Q pdata=aa && told b 'event R1 ESTABLISHED status=0*' &&
		told a 'event C CONNECT_REPLY status=0 ird=3 ord=2 * pdata=aa' &&
		puppet a query Q && told a 'qp Q qpn=* state=RTS'
}

sends() {
	puppet b mr M size=5000 skew=100 && puppet b recv Q id=7 buf=M:10:4000 &&
		puppet a mr M size=8192 fill=3 &&
		puppet a send Q id=9 buf=M:0:100,M:100:2900 sol && told a 'wc Q id=9 op=SEND status=SUCCESS' &&
		told b 'wc Q id=7 op=RECV status=SUCCESS len=3000' &&
		puppet b check M off=10 len=3000 seed=3 &&
		puppet_fails 'Bad message' b check M off=10 len=3001 seed=3 &&
		puppet b peek M off=9 len=4 && told b 'bytes M hex=00030405'
}

transfers() {
	local stag addr
	puppet b mr V size=9000 qp=Q access=lw,rw,rr && told b 'mr V stag=* size=9000' || return 1
	stag=$(word stag) addr=$(word addr)
	puppet a write Q id=1 buf=M stag="$stag" addr="$addr" &&
		puppet a mr N size=8192 qp=Q access=lw &&
		puppet a read Q id=2 buf=N lkey=mr stag="$stag" addr="$addr" &&
		told a 'wc Q id=1 op=WRITE status=SUCCESS' &&
		told a 'wc Q id=2 op=READ status=SUCCESS len=8192' &&
		puppet a check N seed=3 && puppet b check V len=8192 seed=3 || return 1
	puppet b linv Q stag="$stag" id=5 && told b 'wc Q id=5 op=LINV status=SUCCESS' &&
		puppet b reg V qp=Q access=rr key=0x77 len=100 && told b 'mr V stag=0x*77 addr=* size=100'
}

# A send a time: each needs its receive.
repeats() {
	puppet b mr W size=1000 qp=Q access=lw,rw && told b 'mr W *' || return 1
	puppet a write Q buf=M:0:1000 stag="$(word stag)" addr="$(word addr)" repeat id=5 &&
		puppet b recv Q buf=M repeat id=1 && puppet a send Q buf=M:0:64 &&
		told a 'wc Q id=0 op=SEND status=SUCCESS' && sleep 0.2 &&
		puppet a disconnect C abrupt && told a 'wc Q id=5 op=WRITE status=WR_FLUSH_ERR n=[1-9]*' &&
		told b 'wc Q id=1 op=RECV status=WR_FLUSH_ERR n=1' && puppet b check W seed=3
}

ends() {
	told b 'event R1 DISCONNECT*' && told b 'event R1 CLOSE*' && told a 'event C CLOSE*'
}

in_handler() {
	puppet_reset a b || return 1
	puppet a qp Q && puppet b qp Q && puppet b mr M size=100 &&
		puppet b on L CONNECT_REQUEST sleep ms=20 && puppet b on L CONNECT_REQUEST accept qp=Q &&
		puppet b on R1 ESTABLISHED disconnect abrupt &&
		puppet a on C CLOSE destroy && puppet a on C CLOSE destroy Q &&
		puppet b listen L port=7000 && puppet a connect C qp=Q addr=10.77.1.2 port=7000 &&
		told b 'did L CONNECT_REQUEST accept ret=0' && told b 'did R1 ESTABLISHED disconnect ret=0' &&
		told a 'did C CLOSE destroy ret=0' && told a 'did C CLOSE destroy ret=0' &&
		puppet_fails 'No such file or directory' a destroy C
}

# A handler's result that is not 0 destroys the identifier.
returns() {
	puppet_reset a b || return 1
	puppet a qp Q && puppet b on L CONNECT_REQUEST return && puppet b listen L port=7000 &&
		puppet a connect C qp=Q addr=10.77.1.2 port=7000 &&
		told a 'event C CONNECT_REPLY status=-111*' &&
		puppet_fails 'No such file or directory' b destroy R1
}

errnos() {
	puppet_fails 'Invalid argument' a nonsense && puppet_fails 'Invalid argument' a qp X sq=banana &&
		puppet_fails 'Invalid argument' a qp X unknown=1 && puppet_fails 'File exists' a qp Q &&
		puppet_fails 'Wrong medium type' a send C && puppet_fails 'No such file or directory' a send Y &&
		puppet a mr M size=10 && puppet_fails 'Numerical result out of range' a send Q buf=M:5:6 &&
		puppet_fails 'Device or resource busy' a dev siwa
}

# read_up_to BYTES: one read() of host a's session.
read_up_to() {
	timeout 5 dd bs="$1" count=1 status=none <&"${puppet_fds[a]}"
}

reads_lines() {
	puppet_reset a && puppet a say one && puppet a say another || return 1
	[[ $(read_up_to 65536) == 'said one' && $(read_up_to 6) == 'said a' &&
		$(read_up_to 65536) == 'nother' ]]
}

# Everything at once is left behind.
closes_busy() {
	puppet_reset a b || return 1
	puppet a qp Q && puppet b qp Q && puppet b mr M size=100 && puppet a mr M size=100 &&
		puppet b on L CONNECT_REQUEST accept qp=Q && puppet b on R1 ESTABLISHED sleep ms=60000 &&
		puppet b listen L port=7000 && puppet a connect C qp=Q addr=10.77.1.2 port=7000 &&
		told a 'event C CONNECT_REPLY status=0*' && puppet a recv Q buf=M &&
		close_puppet b && close_puppet a
}

removed() {
	open_puppet a siwa && puppet a qp Q && puppet a listen L port=7001 &&
		in_a rdma link delete siwa && told a 'removed siwa' &&
		puppet_fails 'No such device' a qp Q2
}

unload_all() {
	close_puppets && unload_krdma
}

ktap_start
check 'two hosts with siw' puppet_hosts
check 'a connection' connected
check 'sends' sends
check 'writes, reads, registration and invalidation' transfers
check 'traffic' repeats
check 'both sides hear of the end' ends
check 'handlers act' in_handler
check 'a handler fails' returns
check 'errnos' errnos
check 'a read is of one line, or of the rest of it' reads_lines
check 'the end of a session in the middle of all' closes_busy
check 'removal of the device' removed
check 'everything unloads' unload_all
ktap_end
