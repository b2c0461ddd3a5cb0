// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The bodies of rdma_cm's tracepoints.
 */
#define CREATE_TRACE_POINTS
#include <trace/events/rdma_cm.h>
