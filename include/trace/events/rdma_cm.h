/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tracepoints of rdma_cm. Documentation/abi.rst describes them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rdma_cm

#if !defined(_TRACE_RDMA_CM_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_RDMA_CM_H

#include <linux/in6.h>
#include <linux/tracepoint.h>
#include <rdma/rdma_cm.h>

#define show_rdma_cm_event(event)					\
	__print_symbolic(event,						\
		{ RDMA_CM_EVENT_ADDR_RESOLVED, "ADDR_RESOLVED" },	\
		{ RDMA_CM_EVENT_ADDR_ERROR, "ADDR_ERROR" },		\
		{ RDMA_CM_EVENT_ROUTE_RESOLVED, "ROUTE_RESOLVED" },	\
		{ RDMA_CM_EVENT_ROUTE_ERROR, "ROUTE_ERROR" },		\
		{ RDMA_CM_EVENT_CONNECT_REQUEST, "CONNECT_REQUEST" },	\
		{ RDMA_CM_EVENT_CONNECT_RESPONSE, "CONNECT_RESPONSE" },	\
		{ RDMA_CM_EVENT_CONNECT_ERROR, "CONNECT_ERROR" },	\
		{ RDMA_CM_EVENT_UNREACHABLE, "UNREACHABLE" },		\
		{ RDMA_CM_EVENT_REJECTED, "REJECTED" },			\
		{ RDMA_CM_EVENT_ESTABLISHED, "ESTABLISHED" },		\
		{ RDMA_CM_EVENT_DISCONNECTED, "DISCONNECTED" },		\
		{ RDMA_CM_EVENT_DEVICE_REMOVAL, "DEVICE_REMOVAL" },	\
		{ RDMA_CM_EVENT_ADDR_CHANGE, "ADDR_CHANGE" })

/* The consumer's handler has returned ret; if that is not 0, the identifier is destroyed. */
TRACE_EVENT(rdma_cm_event,
	TP_PROTO(const struct rdma_cm_id *id, const struct rdma_cm_event *event, int ret),
	TP_ARGS(id, event, ret),
	TP_STRUCT__entry(
		__field(const void *, id)
		__field(int, event)
		__field(int, status)
		__field(int, ret)
		__array(u8, src, sizeof(struct sockaddr_in6))
		__array(u8, dst, sizeof(struct sockaddr_in6))
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->event = event->event;
		__entry->status = event->status;
		__entry->ret = ret;
		memcpy(__entry->src, &id->route.addr.src_addr, sizeof(struct sockaddr_in6));
		memcpy(__entry->dst, &id->route.addr.dst_addr, sizeof(struct sockaddr_in6));
	),
	TP_printk("id=%p %s status=%d ret=%d src=%pISpc dst=%pISpc", __entry->id,
		  show_rdma_cm_event(__entry->event), __entry->status, __entry->ret,
		  __entry->src, __entry->dst)
);

#endif /* _TRACE_RDMA_CM_H */

#include <trace/define_trace.h>
