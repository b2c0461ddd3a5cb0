#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests events of ports and devices, and tracepoints. (wire/qp and wire/srq test the events of QPs,
# CQs and SRQs.)
#
# timeout: 60

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kscript.sh"

tracing=/sys/kernel/tracing

trace_on() {
	[[ -e $tracing/events ]] || mount -t tracefs tracefs "$tracing" || return 1
	echo 1 > "$tracing/events/siw/enable" && : > "$tracing/trace"
}

trace_off() {
	echo 0 > "$tracing/events/siw/enable"
}

traced() {
	grep -E "$1" "$tracing/trace"
}

# Opens a connection from a to b, which sends one message. Then b's ULP ends the connection by a
# send with a wrong lkey.
faulty_connection() {
	kscript a qp Q && kscript a mr M size=100 && kscript b qp Q && kscript b mr M size=100 &&
		kscript b recv Q id=1 buf=M && kscript b on L CONNECT_REQUEST accept qp=Q &&
		kscript b listen L port=7000 && kscript a connect C qp=Q addr=10.77.1.2 port=7000 &&
		await a 'event C CONNECT_REPLY status=0*' && kscript a send Q id=0x77 buf=M &&
		await b 'wc Q id=1 op=RECV status=SUCCESS*' && await b 'event R1 ESTABLISHED*' &&
		kscript b send Q id=2 buf=M lkey=0x55 && await b 'wc Q id=2 op=SEND status=LOC_PROT_ERR' &&
		await a 'async QP_FATAL Q' && await a 'event C CLOSE*' && await b 'event R1 CLOSE*'
}

port_follows() {
	ip -n a link set va down && await a 'async PORT_ERR dev=siwa port=1' &&
		await b 'async PORT_ERR dev=siwb port=1' &&
		ip -n a link set va up && await a 'async PORT_ACTIVE dev=siwa port=1' &&
		await b 'async PORT_ACTIVE dev=siwb port=1' || return 1
	# Expects that other changes of the netdev cause no port event.
	ip -n a link set va mtu 1400 && ip -n a address add 10.77.2.1/24 dev va &&
		no_report a 'async *' 200
}

mac_changes() {
	ip -n a link set va address 02:00:00:00:77:01 && await a 'async GID_CHANGE dev=siwa port=1'
}

# Expects that consumers get DEVICE_FATAL before the device is removed.
netdev_goes() {
	ip -n a link delete va && await a 'async DEVICE_FATAL dev=siwa*' && await a 'removed siwa' &&
		await b 'async DEVICE_FATAL dev=siwb*' && await b 'removed siwb'
}

unload_all() {
	close_sessions && unload_krdma
}

ktap_start
check 'two hosts with siw' kscript_hosts
check 'tracepoints are switched on' trace_on
check 'a connection that a fault ends' faulty_connection
check 'states of QPs are traced' traced 'siw_qp_state: siwa qp=[0-9]+ INIT -> RTS'
check 'the error state of a QP is traced' traced 'siw_qp_state: siwb qp=[0-9]+ RTS -> ERR'
check 'posts are traced' traced 'siw_post: siwa qp=[0-9]+ wr_id=0x[0-9a-f]+ opcode=2 length=100'
check 'completions are traced' traced 'siw_complete: siwb .* status=4 '
check 'a Terminate that we send is traced' traced \
	'siw_terminate_sent: siwb .* layer=0 etype=0 code=0 rdmap_local'
check 'a Terminate that we receive is traced' traced \
	'siw_terminate_received: siwa .* layer=0 etype=0 code=0 rdmap_local'
check 'events of QPs are traced' traced 'siw_qp_event: siwa qp=[0-9]+ QP_FATAL'
check 'connection events of the acceptor are traced' traced \
	'siw_cm_event: siwb CONNECT_REQUEST status=0 peer=10.77.1.1:[0-9]+'
check 'connection events of the initiator are traced' traced \
	'siw_cm_event: siwa CONNECT_REPLY status=0 peer=10.77.1.2:7000'
check 'tracepoints are switched off' trace_off
check 'a port follows its netdev' port_follows
check 'a changed MAC address is an event' mac_changes
check 'the removal of a netdev is fatal for its device' netdev_goes
check 'everything unloads' unload_all
ktap_end
