#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the tracepoints of ib_mad, while kt_mad runs its cases.
#
# timeout: 300

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
report=$(mktemp)

trace_on() {
	[[ -e $tracing/events ]] || mount -t tracefs tracefs "$tracing" || return 1
	# What comes later than the buffer is full is not needed, and would overwrite the rest.
	echo 16384 > "$tracing"/buffer_size_kb && echo 0 > "$tracing"/options/overwrite &&
		: > "$tracing"/trace && echo 1 > "$tracing"/events/ib_mad/enable
}

trace_off() {
	echo 0 > "$tracing"/events/ib_mad/enable && cat "$tracing"/trace > "$report" && : > "$tracing"/trace
}

# traced NAME REGEX: passes if a line of the trace matches REGEX.
traced() {
	check "$1" grep -qE "$2" "$report"
}

# Prints the names of the fields of a tracepoint, in one line.
fields_of() {
	sed -n 's/.*field:.* \**\([a-z_]*\)\(\[[0-9]*\]\)\?;\toffset.*/\1/p' "$tracing/events/ib_mad/$1/format" |
		grep -v '^common_' | paste -sd ' '
}

agent='[0-9]+:1 mad agent : hi_tid 0x00[0-9a-f]{6}'
header='base_ver 0x1 class 0x9 class_ver 0x1'

ktap_start
check 'modules load' load_krdma ib_core ib_mad kt_support
check 'tracing begins' trace_on
check 'MADs' modprobe kt_mad
check 'tracing ends' trace_off
expect_output 'the fields of an agent' 'dev_index hi_tid port_num mgmt_class mgmt_class_version' fields_of ib_mad_create_agent
expect_output 'the fields of an SMP' 'mkey dr_slid dr_dlid hop_ptr hop_cnt initial_path return_path' \
	fields_of ib_mad_handle_ib_smi
traced 'agents are registered' " ib_mad_create_agent: $agent class 0x09 class_ver 0x01\$"
traced 'agents are unregistered' " ib_mad_unregister_agent: $agent class 0x09 class_ver 0x01\$"
traced 'handlers of sends are called' " ib_mad_send_done_agent: $agent class 0x09 class_ver 0x01\$"
traced 'handlers of MADs are called' " ib_mad_recv_done_agent: $agent class 0x09 class_ver 0x01\$"
traced 'MADs are sent' " ib_mad_ib_send_mad: [0-9]+:1 QP1 agent [^ ]+: wrtid 0x[0-9a-f]+; 0/0 retries\(0\); timeout [0-9]+ length 256 : hdr : $header method 0x2 status 0x0 .* attr_id 0x99 .* rpqn 0x1 rqpkey 0x80000000\$"
traced 'sends complete' " ib_mad_send_done_handler: [0-9]+:1 QP1 : SEND WC Status 0 : .* hdr : $header method 0x1 status 0x0\$"
traced 'sends are repeated' " ib_mad_send_done_resend: [0-9]+:1 QP1 agent [^ ]+: wrtid 0x[0-9a-f]+; 2/3 retries\(1\);"
traced 'sends fail' " ib_mad_error_handler: [0-9]+:1 QP1 agent .* $header method 0x3 "
traced 'MADs come' ' ib_mad_recv_done_handler: [0-9]+:1 QP1 : RECV WC Status 0 : length 296 : hdr : base_ver 0x01 class 0x09 class_ver 0x01 method 0x82 status 0x0000 class_specific 0x0000 tid 0x00[0-9a-f]{14} attr_id 0x0099 attr_mod 0x00000000 slid 0x[0-9a-f]{8} src QP1, sl 0$'
traced 'SMPs are sent' ' ib_mad_handle_out_ib_smi: SMP: hop_ptr 0 hop_cnt 1 mkey 0x0000000000000000 dr_slid 0xffff dr_dlid 0xffff initial_path 00 01 00 .* return_path 00 00 '
traced 'SMPs come' ' ib_mad_handle_ib_smi: SMP: hop_ptr 1 hop_cnt 1 .* initial_path 00 01 00 .* return_path 00 00 '
check 'modules unload' unload_krdma
rm -f "$report"
ktap_end
