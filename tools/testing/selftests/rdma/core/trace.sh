#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the tracepoints of ib_core and iw_cm, with trace-cmd if it is installed, otherwise with
# tracefs.
#
#	namespace a                       namespace b
#	   siwa on va  ------------------  siwb on vb
#
# timeout: 200

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_kulp.sh
. "$(dirname "$0")/../lib_kulp.sh"

tracing=/sys/kernel/tracing
report=$(mktemp)

trace_on() {
	[[ -e "$tracing"/events ]] || mount -t tracefs tracefs "$tracing" || return 1
	if type -P trace-cmd > /dev/null; then
		trace-cmd start -e ib_core -e iw_cm > /dev/null
	else
		echo 1 > "$tracing"/events/ib_core/enable && echo 1 > "$tracing"/events/iw_cm/enable
	fi && : > "$tracing"/trace
}

trace_off() {
	if type -P trace-cmd > /dev/null; then
		trace-cmd show > "$report" && trace-cmd reset > /dev/null
	else
		cat "$tracing"/trace > "$report"
		echo 0 > "$tracing"/events/ib_core/enable
		echo 0 > "$tracing"/events/iw_cm/enable
	fi
}

# traced NAME REGEX: passes if a line of the trace matches REGEX.
traced() {
	expect_match "$1" "$2" cat "$report"
}

transfers() {
	serve main && client --op write --size 4k --count 3 && stop_server main
}

device_life() {
	rdma link add t0 type siw netdev lo && rdma dev set t0 name t1 && rdma link delete t1
}

ktap_start
at_exit rm -f "$report"
check 'two hosts with siw' siw_hosts
check 'tracing begins' trace_on
check 'a device is added, renamed and deleted' device_life
check 'data' transfers
check 'tracing ends' trace_off
traced 'a device is registered' ' rdma_device_register: t0 index=[0-9]+ netns=[0-9]+$'
traced 'a device is renamed' ' rdma_device_rename: t0 -> t1 index=[0-9]+$'
traced 'a device is unregistered' ' rdma_device_unregister: t1 index=[0-9]+ netns=[0-9]+$'
traced 'regions are allocated' ' rdma_mr_alloc: siw[ab] pd=[0-9]+ mr=[0-9]+ MEM_REG lkey=0x[0-9a-f]+'
traced 'regions are mapped' ' rdma_mr_map: siw[ab] mr=[0-9]+ iova=0x[0-9a-f]+ length=[0-9]+ nents=[0-9]+ mapped=[0-9]+$'
traced 'regions are deregistered' ' rdma_mr_dereg: siw[ab] pd=[0-9]+ mr=[0-9]+ MEM_REG'
traced 'QPs are modified' ' rdma_qp_modify: siw[ab] qp=[0-9]+ .* -> ERR mask=0x[0-9a-f]+ ret=0$'
traced 'a request is reported' ' iw_cm_report: id=.* CONNECT_REQUEST status=0 ret=0 peer=10.77.1.1:'
traced 'a request is delivered' ' iw_cm_deliver: id=.* CONNECT_REQUEST status=0 ret=0 peer=10.77.1.1:'
traced 'a reply is delivered' ' iw_cm_deliver: id=.* CONNECT_REPLY status=0 ret=0 peer=10.77.1.2:7000'
traced 'the close is delivered' ' iw_cm_deliver: id=.* CLOSE status=0'
ktap_end
