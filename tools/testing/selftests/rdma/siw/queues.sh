#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests siw's queues with kernel verbs, by the cases of kt_siw.ko. Expects, from the tracepoint
# siw_flush, that no lock is held while more than 256 entries are flushed.
#
#	kt_siw0 on lo
#
# timeout: 100

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
trace=$(mktemp)

trace_on() {
	[[ -e "$tracing"/events ]] || mount -t tracefs tracefs "$tracing" || return 1
	echo 4096 > "$tracing"/buffer_size_kb && echo 1 > "$tracing"/events/siw/siw_flush/enable &&
		: > "$tracing"/trace
}

trace_off() {
	echo 0 > "$tracing"/events/siw/siw_flush/enable && cat "$tracing"/trace > "$trace"
}

# Prints how many entries were flushed, and how many of them at most under one lock.
flushes() {
	awk '/ siw_flush: kt_siw0 / { sub(/.*count=/, ""); sum += $0; if ($0 + 0 > most) most = $0 + 0 }
		END { print "flushed", sum + 0, "at most", most + 0 }' "$trace"
}

short_sections() {
	local flushed most
	flushes
	read -r _ flushed _ _ most < <(flushes)
	((flushed >= 32768 && most == 256))
}

ktap_start
at_exit rm -f "$trace"
check 'modules load' load_krdma ib_core iw_cm siw kt_support
check 'a device' rdma link add kt_siw0 type siw netdev lo
check 'tracing begins' trace_on
check 'kt_siw runs' modprobe kt_siw
check 'tracing ends' trace_off
ktap_copy /sys/kernel/debug/krdma/kt_siw
check 'kt_siw unloads' rmmod kt_siw
check 'a lock is held for 256 entries at most' short_sections
check 'the device is removed' rdma link delete kt_siw0
check 'everything unloads' unload_krdma
ktap_end
