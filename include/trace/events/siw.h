/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tracepoints of siw; Documentation/siw.rst describes them for users.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM siw

#if !defined(_TRACE_SIW_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_SIW_H

#include <linux/in6.h>
#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>

#include "soft/trace.h"

#define show_siw_qp_state(state)				\
	__print_symbolic(state,					\
		{ IB_QPS_RESET, "RESET" },			\
		{ IB_QPS_INIT, "INIT" },			\
		{ IB_QPS_RTR, "RTR" },				\
		{ IB_QPS_RTS, "RTS" },				\
		{ IB_QPS_SQD, "SQD" },				\
		{ IB_QPS_SQE, "SQE" },				\
		{ IB_QPS_ERR, "ERR" })

#define show_siw_cm_event(event)				\
	__print_symbolic(event,					\
		{ IW_CM_EVENT_CONNECT_REQUEST, "CONNECT_REQUEST" },	\
		{ IW_CM_EVENT_CONNECT_REPLY, "CONNECT_REPLY" },	\
		{ IW_CM_EVENT_ESTABLISHED, "ESTABLISHED" },	\
		{ IW_CM_EVENT_DISCONNECT, "DISCONNECT" },	\
		{ IW_CM_EVENT_CLOSE, "CLOSE" })

#define show_siw_async_event(event)				\
	__print_symbolic(event,					\
		{ IB_EVENT_QP_FATAL, "QP_FATAL" },		\
		{ IB_EVENT_QP_REQ_ERR, "QP_REQ_ERR" },		\
		{ IB_EVENT_QP_ACCESS_ERR, "QP_ACCESS_ERR" },	\
		{ IB_EVENT_SQ_DRAINED, "SQ_DRAINED" },		\
		{ IB_EVENT_QP_LAST_WQE_REACHED, "QP_LAST_WQE_REACHED" })

/* The QP changed its state. */
TRACE_EVENT(siw_qp_state,
	TP_PROTO(const struct ib_qp *qp, enum ib_qp_state from, enum ib_qp_state to),
	TP_ARGS(qp, from, to),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(int, from)
		__field(int, to)
	),
	TP_fast_assign(
		ib_device_name_get(qp->device, __entry->dev);
		__entry->qpn = qp->qp_num;
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("%s qp=%u %s -> %s", __entry->dev, __entry->qpn,
		  show_siw_qp_state(__entry->from), show_siw_qp_state(__entry->to))
);

/* An asynchronous event of the QP is dispatched to the consumer's event handler. */
TRACE_EVENT(siw_qp_event,
	TP_PROTO(const struct ib_qp *qp, enum ib_event_type event),
	TP_ARGS(qp, event),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(int, event)
	),
	TP_fast_assign(
		ib_device_name_get(qp->device, __entry->dev);
		__entry->qpn = qp->qp_num;
		__entry->event = event;
	),
	TP_printk("%s qp=%u %s", __entry->dev, __entry->qpn, show_siw_async_event(__entry->event))
);

DECLARE_EVENT_CLASS(siw_terminate,
	TP_PROTO(const struct ib_qp *qp, u8 layer, u8 etype, u8 code, const char *fault),
	TP_ARGS(qp, layer, etype, code, fault),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u8, layer)
		__field(u8, etype)
		__field(u8, code)
		__array(char, fault, 32)
	),
	TP_fast_assign(
		ib_device_name_get(qp->device, __entry->dev);
		__entry->qpn = qp->qp_num;
		__entry->layer = layer;
		__entry->etype = etype;
		__entry->code = code;
		strscpy(__entry->fault, fault, sizeof(__entry->fault));
	),
	TP_printk("%s qp=%u layer=%u etype=%u code=%u %s", __entry->dev, __entry->qpn,
		  __entry->layer, __entry->etype, __entry->code, __entry->fault)
);

/* We end the stream with a Terminate, which is to be sent next. */
DEFINE_EVENT(siw_terminate, siw_terminate_sent,
	TP_PROTO(const struct ib_qp *qp, u8 layer, u8 etype, u8 code, const char *fault),
	TP_ARGS(qp, layer, etype, code, fault));

/* The peer's Terminate was received; layer, type and code as in the message. */
DEFINE_EVENT(siw_terminate, siw_terminate_received,
	TP_PROTO(const struct ib_qp *qp, u8 layer, u8 etype, u8 code, const char *fault),
	TP_ARGS(qp, layer, etype, code, fault));

/* An event is reported to iw_cm. */
TRACE_EVENT(siw_cm_event,
	TP_PROTO(const struct iw_cm_id *id, const struct iw_cm_event *event,
		 const struct sockaddr_storage *remote),
	TP_ARGS(id, event, remote),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(int, event)
		__field(int, status)
		__array(u8, remote, sizeof(struct sockaddr_in6))
	),
	TP_fast_assign(
		ib_device_name_get(id->device, __entry->dev);
		__entry->event = event->event;
		__entry->status = event->status;
		memcpy(__entry->remote, remote, sizeof(struct sockaddr_in6));
	),
	TP_printk("%s %s status=%d peer=%pISpc", __entry->dev, show_siw_cm_event(__entry->event),
		  __entry->status, __entry->remote)
);

/* A work request was added to a send queue. */
TRACE_EVENT_FN(siw_post,
	TP_PROTO(const struct ib_qp *qp, u64 wr_id, int opcode, u32 length),
	TP_ARGS(qp, wr_id, opcode, length),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u64, wr_id)
		__field(int, opcode)
		__field(u32, length)
	),
	TP_fast_assign(
		ib_device_name_get(qp->device, __entry->dev);
		__entry->qpn = qp->qp_num;
		__entry->wr_id = wr_id;
		__entry->opcode = opcode;
		__entry->length = length;
	),
	TP_printk("%s qp=%u wr_id=0x%llx opcode=%d length=%u", __entry->dev, __entry->qpn,
		  __entry->wr_id, __entry->opcode, __entry->length),
	soft_trace_begin, soft_trace_end
);

/* A batch of requests, or of receives, was flushed while the lock of the queue was held. */
TRACE_EVENT_FN_COND(siw_flush,
	TP_PROTO(const struct ib_qp *qp, bool recv, u32 count),
	TP_ARGS(qp, recv, count),
	TP_CONDITION(count),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(bool, recv)
		__field(u32, count)
	),
	TP_fast_assign(
		ib_device_name_get(qp->device, __entry->dev);
		__entry->qpn = qp->qp_num;
		__entry->recv = recv;
		__entry->count = count;
	),
	TP_printk("%s qp=%u %s count=%u", __entry->dev, __entry->qpn,
		  __entry->recv ? "RQ" : "SQ", __entry->count),
	soft_trace_begin, soft_trace_end
);

/* A completion was added to a CQ. */
TRACE_EVENT_FN(siw_complete,
	TP_PROTO(const struct ib_wc *wc),
	TP_ARGS(wc),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u64, wr_id)
		__field(int, opcode)
		__field(int, status)
		__field(u32, length)
	),
	TP_fast_assign(
		ib_device_name_get(wc->qp->device, __entry->dev);
		__entry->qpn = wc->qp->qp_num;
		__entry->wr_id = wc->wr_id;
		__entry->opcode = wc->opcode;
		__entry->status = wc->status;
		__entry->length = wc->byte_len;
	),
	TP_printk("%s qp=%u wr_id=0x%llx opcode=%d status=%d length=%u", __entry->dev,
		  __entry->qpn, __entry->wr_id, __entry->opcode, __entry->status, __entry->length),
	soft_trace_begin, soft_trace_end
);

#endif /* _TRACE_SIW_H */

#include <trace/define_trace.h>
