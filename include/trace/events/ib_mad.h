/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tracepoints of ib_mad, with the names and fields of Linux 6.1. Documentation/abi.rst describes
 * them. Fields of the wire are in network order where the output is not.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ib_mad

#if !defined(_TRACE_IB_MAD_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IB_MAD_H

#include <linux/tracepoint.h>
#include <rdma/ib_smi.h>

#include "mad/send.h"

DECLARE_EVENT_CLASS(ib_mad_agent_template,
	TP_PROTO(const struct mad_agent *agent),
	TP_ARGS(agent),
	TP_STRUCT__entry(
		__field(u32, dev_index)
		__field(u32, hi_tid)
		__field(u8, port_num)
		__field(u8, mgmt_class)
		__field(u8, mgmt_class_version)
	),
	TP_fast_assign(
		__entry->dev_index = agent->base.device->index;
		__entry->hi_tid = agent->base.hi_tid;
		__entry->port_num = agent->base.port_num;
		__entry->mgmt_class = agent->want.mgmt_class;
		__entry->mgmt_class_version = agent->want.mgmt_class_version;
	),
	TP_printk("%d:%d mad agent : hi_tid 0x%08x class 0x%02x class_ver 0x%02x",
		  __entry->dev_index, __entry->port_num, __entry->hi_tid, __entry->mgmt_class,
		  __entry->mgmt_class_version)
);

/* An agent was registered, or is being unregistered. */
DEFINE_EVENT(ib_mad_agent_template, ib_mad_create_agent,
	TP_PROTO(const struct mad_agent *agent),
	TP_ARGS(agent)
);

DEFINE_EVENT(ib_mad_agent_template, ib_mad_unregister_agent,
	TP_PROTO(const struct mad_agent *agent),
	TP_ARGS(agent)
);

/* The handler of completions, or of received MADs, is about to be called. */
DEFINE_EVENT(ib_mad_agent_template, ib_mad_send_done_agent,
	TP_PROTO(const struct mad_agent *agent),
	TP_ARGS(agent)
);

DEFINE_EVENT(ib_mad_agent_template, ib_mad_recv_done_agent,
	TP_PROTO(const struct mad_agent *agent),
	TP_ARGS(agent)
);

/* dlid is 0 until the first response is expected to come; sl is 0, because no handle is read. */
DECLARE_EVENT_CLASS(ib_mad_send_template,
	TP_PROTO(const struct mad_send *send),
	TP_ARGS(send),
	TP_STRUCT__entry(
		__field(u8, base_version)
		__field(u8, mgmt_class)
		__field(u8, class_version)
		__field(u8, port_num)
		__field(u32, qp_num)
		__field(u8, method)
		__field(u8, sl)
		__field(u16, attr_id)
		__field(u32, attr_mod)
		__field(u64, wrtid)
		__field(u64, tid)
		__field(u16, status)
		__field(u16, class_specific)
		__field(u32, length)
		__field(u32, dlid)
		__field(u32, rqpn)
		__field(u32, rqkey)
		__field(u32, dev_index)
		__field(void *, agent_priv)
		__field(unsigned long, timeout)
		__field(int, retries_left)
		__field(int, max_retries)
		__field(int, retry)
	),
	TP_fast_assign(
		const struct ib_mad_hdr *hdr = (const struct ib_mad_hdr *)send->mad;

		__entry->base_version = hdr->base_version;
		__entry->mgmt_class = hdr->mgmt_class;
		__entry->class_version = hdr->class_version;
		__entry->port_num = send->agent->base.port_num;
		__entry->qp_num = send->agent->qp == &send->agent->port->qps[1];
		__entry->method = hdr->method;
		__entry->sl = 0;
		__entry->attr_id = (__force u16)hdr->attr_id;
		__entry->attr_mod = (__force u32)hdr->attr_mod;
		__entry->wrtid = (__force u64)hdr->tid;
		__entry->tid = (__force u64)hdr->tid;
		__entry->status = (__force u16)hdr->status;
		__entry->class_specific = (__force u16)hdr->class_specific;
		__entry->length = send->base.hdr_len + send->base.data_len;
		__entry->dlid = send->to.known ? send->to.dlid : 0;
		__entry->rqpn = send->wr.ud.remote_qpn;
		__entry->rqkey = send->wr.ud.remote_qkey;
		__entry->dev_index = send->agent->base.device->index;
		__entry->agent_priv = send->agent;
		__entry->timeout = send->wait;
		__entry->retries_left = send->tries_left;
		__entry->max_retries = send->base.retries;
		__entry->retry = send->tries_left != send->base.retries;
	),
	TP_printk("%d:%d QP%d agent %p: wrtid 0x%llx; %d/%d retries(%d); timeout %lu length %d : hdr : base_ver 0x%x class 0x%x class_ver 0x%x method 0x%x status 0x%x class_specific 0x%x tid 0x%llx attr_id 0x%x attr_mod 0x%x  => dlid 0x%08x sl %d rpqn 0x%x rqpkey 0x%x",
		  __entry->dev_index, __entry->port_num, __entry->qp_num, __entry->agent_priv,
		  be64_to_cpu((__force __be64)__entry->wrtid), __entry->retries_left,
		  __entry->max_retries, __entry->retry, __entry->timeout, __entry->length,
		  __entry->base_version, __entry->mgmt_class, __entry->class_version,
		  __entry->method, be16_to_cpu((__force __be16)__entry->status),
		  be16_to_cpu((__force __be16)__entry->class_specific),
		  be64_to_cpu((__force __be64)__entry->tid),
		  be16_to_cpu((__force __be16)__entry->attr_id),
		  be32_to_cpu((__force __be32)__entry->attr_mod), __entry->dlid, __entry->sl,
		  __entry->rqpn, __entry->rqkey)
);

/* A send goes to the QP, or, RMPP, one of its segments does. */
DEFINE_EVENT(ib_mad_send_template, ib_mad_ib_send_mad,
	TP_PROTO(const struct mad_send *send),
	TP_ARGS(send)
);

/* A send is tried again. */
DEFINE_EVENT(ib_mad_send_template, ib_mad_send_done_resend,
	TP_PROTO(const struct mad_send *send),
	TP_ARGS(send)
);

/* The QP has reported an error of a send. */
DEFINE_EVENT(ib_mad_send_template, ib_mad_error_handler,
	TP_PROTO(const struct mad_send *send),
	TP_ARGS(send)
);

/* The QP has completed a send. */
TRACE_EVENT(ib_mad_send_done_handler,
	TP_PROTO(const struct mad_send *send, enum ib_wc_status status),
	TP_ARGS(send, status),
	TP_STRUCT__entry(
		__field(u8, port_num)
		__field(u8, base_version)
		__field(u8, mgmt_class)
		__field(u8, class_version)
		__field(u32, qp_num)
		__field(u64, wrtid)
		__field(u16, status)
		__field(u16, wc_status)
		__field(u32, length)
		__field(void *, agent_priv)
		__field(unsigned long, timeout)
		__field(u32, dev_index)
		__field(int, retries_left)
		__field(int, max_retries)
		__field(int, retry)
		__field(u8, method)
	),
	TP_fast_assign(
		const struct ib_mad_hdr *hdr = (const struct ib_mad_hdr *)send->mad;

		__entry->port_num = send->agent->base.port_num;
		__entry->base_version = hdr->base_version;
		__entry->mgmt_class = hdr->mgmt_class;
		__entry->class_version = hdr->class_version;
		__entry->qp_num = send->agent->qp == &send->agent->port->qps[1];
		__entry->wrtid = (__force u64)hdr->tid;
		__entry->status = (__force u16)hdr->status;
		__entry->wc_status = status;
		__entry->length = send->base.hdr_len + send->base.data_len;
		__entry->agent_priv = send->agent;
		__entry->timeout = send->wait;
		__entry->dev_index = send->agent->base.device->index;
		__entry->retries_left = send->tries_left;
		__entry->max_retries = send->base.retries;
		__entry->retry = send->tries_left != send->base.retries;
		__entry->method = hdr->method;
	),
	TP_printk("%d:%d QP%d : SEND WC Status %d : agent %p: wrtid 0x%llx %d/%d retries(%d) timeout %lu length %d: hdr : base_ver 0x%x class 0x%x class_ver 0x%x method 0x%x status 0x%x",
		  __entry->dev_index, __entry->port_num, __entry->qp_num, __entry->wc_status,
		  __entry->agent_priv, be64_to_cpu((__force __be64)__entry->wrtid),
		  __entry->retries_left, __entry->max_retries, __entry->retry, __entry->timeout,
		  __entry->length, __entry->base_version, __entry->mgmt_class,
		  __entry->class_version, __entry->method,
		  be16_to_cpu((__force __be16)__entry->status))
);

/* A MAD has come, and was not checked yet. */
TRACE_EVENT(ib_mad_recv_done_handler,
	TP_PROTO(const struct mad_recv *recv),
	TP_ARGS(recv),
	TP_STRUCT__entry(
		__field(u8, base_version)
		__field(u8, mgmt_class)
		__field(u8, class_version)
		__field(u8, port_num)
		__field(u32, qp_num)
		__field(u16, status)
		__field(u16, class_specific)
		__field(u32, length)
		__field(u64, tid)
		__field(u8, method)
		__field(u8, sl)
		__field(u16, attr_id)
		__field(u32, attr_mod)
		__field(u16, src_qp)
		__field(u16, wc_status)
		__field(u32, slid)
		__field(u32, dev_index)
	),
	TP_fast_assign(
		const struct ib_mad_hdr *hdr = &recv->data.mad.mad_hdr;

		__entry->base_version = hdr->base_version;
		__entry->mgmt_class = hdr->mgmt_class;
		__entry->class_version = hdr->class_version;
		__entry->port_num = recv->qp->port->num;
		__entry->qp_num = recv->qp == &recv->qp->port->qps[1];
		__entry->status = (__force u16)hdr->status;
		__entry->class_specific = (__force u16)hdr->class_specific;
		__entry->length = recv->wc.byte_len;
		__entry->tid = (__force u64)hdr->tid;
		__entry->method = hdr->method;
		__entry->sl = recv->wc.sl;
		__entry->attr_id = (__force u16)hdr->attr_id;
		__entry->attr_mod = (__force u32)hdr->attr_mod;
		__entry->src_qp = recv->wc.src_qp;
		__entry->wc_status = recv->wc.status;
		__entry->slid = recv->wc.slid;
		__entry->dev_index = recv->qp->port->device->index;
	),
	TP_printk("%d:%d QP%d : RECV WC Status %d : length %d : hdr : base_ver 0x%02x class 0x%02x class_ver 0x%02x method 0x%02x status 0x%04x class_specific 0x%04x tid 0x%016llx attr_id 0x%04x attr_mod 0x%08x slid 0x%08x src QP%d, sl %d",
		  __entry->dev_index, __entry->port_num, __entry->qp_num, __entry->wc_status,
		  __entry->length, __entry->base_version, __entry->mgmt_class,
		  __entry->class_version, __entry->method,
		  be16_to_cpu((__force __be16)__entry->status),
		  be16_to_cpu((__force __be16)__entry->class_specific),
		  be64_to_cpu((__force __be64)__entry->tid),
		  be16_to_cpu((__force __be16)__entry->attr_id),
		  be32_to_cpu((__force __be32)__entry->attr_mod), __entry->slid, __entry->src_qp,
		  __entry->sl)
);

DECLARE_EVENT_CLASS(ib_mad_smi_template,
	TP_PROTO(const struct ib_smp *smp),
	TP_ARGS(smp),
	TP_STRUCT__entry(
		__field(u64, mkey)
		__field(u32, dr_slid)
		__field(u32, dr_dlid)
		__field(u8, hop_ptr)
		__field(u8, hop_cnt)
		__array(u8, initial_path, IB_SMP_MAX_PATH_HOPS)
		__array(u8, return_path, IB_SMP_MAX_PATH_HOPS)
	),
	TP_fast_assign(
		__entry->mkey = (__force u64)smp->mkey;
		__entry->dr_slid = (__force u16)smp->dr_slid;
		__entry->dr_dlid = (__force u16)smp->dr_dlid;
		__entry->hop_ptr = smp->hop_ptr;
		__entry->hop_cnt = smp->hop_cnt;
		memcpy(__entry->initial_path, smp->initial_path, IB_SMP_MAX_PATH_HOPS);
		memcpy(__entry->return_path, smp->return_path, IB_SMP_MAX_PATH_HOPS);
	),
	TP_printk("SMP: hop_ptr %d hop_cnt %d mkey 0x%016llx dr_slid 0x%04x dr_dlid 0x%04x initial_path %*ph return_path %*ph ",
		  __entry->hop_ptr, __entry->hop_cnt, be64_to_cpu((__force __be64)__entry->mkey),
		  be16_to_cpu((__force __be16)(u16)__entry->dr_slid),
		  be16_to_cpu((__force __be16)(u16)__entry->dr_dlid), IB_SMP_MAX_PATH_HOPS,
		  __entry->initial_path, IB_SMP_MAX_PATH_HOPS, __entry->return_path)
);

/* An SMP with a directed route is sent by an agent, or has come. */
DEFINE_EVENT(ib_mad_smi_template, ib_mad_handle_out_ib_smi,
	TP_PROTO(const struct ib_smp *smp),
	TP_ARGS(smp)
);

DEFINE_EVENT(ib_mad_smi_template, ib_mad_handle_ib_smi,
	TP_PROTO(const struct ib_smp *smp),
	TP_ARGS(smp)
);

#endif /* _TRACE_IB_MAD_H */

#include <trace/define_trace.h>
