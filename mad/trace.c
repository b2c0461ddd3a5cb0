// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The bodies of the tracepoints that <trace/events/ib_mad.h> declares.
 */
#define CREATE_TRACE_POINTS
#include <trace/events/ib_mad.h>
