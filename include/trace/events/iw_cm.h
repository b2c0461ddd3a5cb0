/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tracepoints of iw_cm. Documentation/abi.rst describes them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM iw_cm

#if !defined(_TRACE_IW_CM_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IW_CM_H

#include <linux/in6.h>
#include <linux/tracepoint.h>
#include <rdma/iw_cm.h>

#define show_iw_cm_event(event)					\
	__print_symbolic(event,					\
		{ IW_CM_EVENT_CONNECT_REQUEST, "CONNECT_REQUEST" },	\
		{ IW_CM_EVENT_CONNECT_REPLY, "CONNECT_REPLY" },	\
		{ IW_CM_EVENT_ESTABLISHED, "ESTABLISHED" },	\
		{ IW_CM_EVENT_DISCONNECT, "DISCONNECT" },	\
		{ IW_CM_EVENT_CLOSE, "CLOSE" })

/*
 * The device is not recorded: the last event of an identifier may be delivered after the device was
 * freed.
 */
DECLARE_EVENT_CLASS(iw_cm_event,
	TP_PROTO(const struct iw_cm_id *id, const struct iw_cm_event *event, int ret),
	TP_ARGS(id, event, ret),
	TP_STRUCT__entry(
		__field(const void *, id)
		__field(int, event)
		__field(int, status)
		__field(int, ret)
		__array(u8, remote, sizeof(struct sockaddr_in6))
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->event = event->event;
		__entry->status = event->status;
		__entry->ret = ret;
		memcpy(__entry->remote, &event->remote_addr, sizeof(struct sockaddr_in6));
	),
	TP_printk("id=%p %s status=%d ret=%d peer=%pISpc", __entry->id,
		  show_iw_cm_event(__entry->event), __entry->status, __entry->ret,
		  __entry->remote)
);

/* A provider has reported an event; ret is 0 if iw_cm has accepted it. */
DEFINE_EVENT(iw_cm_event, iw_cm_report,
	TP_PROTO(const struct iw_cm_id *id, const struct iw_cm_event *event, int ret),
	TP_ARGS(id, event, ret)
);

/* The client's handler has returned ret; if that is not 0, the identifier is destroyed. */
DEFINE_EVENT(iw_cm_event, iw_cm_deliver,
	TP_PROTO(const struct iw_cm_id *id, const struct iw_cm_event *event, int ret),
	TP_ARGS(id, event, ret)
);

#endif /* _TRACE_IW_CM_H */

#include <trace/define_trace.h>
