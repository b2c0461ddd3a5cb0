// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Instantiates the tracepoints that <trace/events/siw.h> declares.
 */
#define CREATE_TRACE_POINTS
#include <trace/events/siw.h>
