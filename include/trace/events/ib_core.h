/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tracepoints of ib_core. Documentation/abi.rst describes them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ib_core

#if !defined(_TRACE_IB_CORE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IB_CORE_H

#include <linux/tracepoint.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

#define show_rdma_qp_state(state)				\
	__print_symbolic(state,					\
		{ -1, "-" },					\
		{ IB_QPS_RESET, "RESET" },			\
		{ IB_QPS_INIT, "INIT" },			\
		{ IB_QPS_RTR, "RTR" },				\
		{ IB_QPS_RTS, "RTS" },				\
		{ IB_QPS_SQD, "SQD" },				\
		{ IB_QPS_SQE, "SQE" },				\
		{ IB_QPS_ERR, "ERR" })

#define show_rdma_mr_type(type)					\
	__print_symbolic(type,					\
		{ IB_MR_TYPE_MEM_REG, "MEM_REG" },		\
		{ IB_MR_TYPE_SG_GAPS, "SG_GAPS" },		\
		{ IB_MR_TYPE_USER, "USER" },			\
		{ IB_MR_TYPE_DMA, "DMA" })

DECLARE_EVENT_CLASS(rdma_device,
	TP_PROTO(const struct ib_device *dev),
	TP_ARGS(dev),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, index)
		__field(u32, netns)
	),
	TP_fast_assign(
		ib_device_name_get(dev, __entry->dev);
		__entry->index = dev->index;
		__entry->netns = rdma_dev_net(dev)->ns.inum;
	),
	TP_printk("%s index=%u netns=%u", __entry->dev, __entry->index, __entry->netns)
);

/* The device was registered and can be used. */
DEFINE_EVENT(rdma_device, rdma_device_register,
	TP_PROTO(const struct ib_device *dev),
	TP_ARGS(dev)
);

/* Unregistration of the device begins. */
DEFINE_EVENT(rdma_device, rdma_device_unregister,
	TP_PROTO(const struct ib_device *dev),
	TP_ARGS(dev)
);

/* The device, which has no users, was moved to the network namespace netns. */
DEFINE_EVENT(rdma_device, rdma_device_move,
	TP_PROTO(const struct ib_device *dev),
	TP_ARGS(dev)
);

/* The device was renamed. */
TRACE_EVENT(rdma_device_rename,
	TP_PROTO(const struct ib_device *dev, const char *from),
	TP_ARGS(dev, from),
	TP_STRUCT__entry(
		__array(char, from, IB_DEVICE_NAME_MAX)
		__array(char, to, IB_DEVICE_NAME_MAX)
		__field(u32, index)
	),
	TP_fast_assign(
		strscpy(__entry->from, from, IB_DEVICE_NAME_MAX);
		ib_device_name_get(dev, __entry->to);
		__entry->index = dev->index;
	),
	TP_printk("%s -> %s index=%u", __entry->from, __entry->to, __entry->index)
);

/*
 * ib_modify_qp() has called the provider, which returned ret. "from" is the state that the consumer
 * has named as the present one, or "-" if it has named none.
 */
TRACE_EVENT(rdma_qp_modify,
	TP_PROTO(const struct ib_qp *qp, const struct ib_qp_attr *attr, int mask, int ret),
	TP_ARGS(qp, attr, mask, ret),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(int, from)
		__field(int, to)
		__field(int, mask)
		__field(int, ret)
	),
	TP_fast_assign(
		ib_device_name_get(qp->device, __entry->dev);
		__entry->qpn = qp->qp_num;
		__entry->from = mask & IB_QP_CUR_STATE ? (int)attr->cur_qp_state : -1;
		__entry->to = mask & IB_QP_STATE ? (int)attr->qp_state : -1;
		__entry->mask = mask;
		__entry->ret = ret;
	),
	TP_printk("%s qp=%u %s -> %s mask=0x%x ret=%d", __entry->dev, __entry->qpn,
		  show_rdma_qp_state(__entry->from), show_rdma_qp_state(__entry->to),
		  __entry->mask, __entry->ret)
);

DECLARE_EVENT_CLASS(rdma_mr,
	TP_PROTO(const struct ib_mr *mr),
	TP_ARGS(mr),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, pd)
		__field(u32, mr)
		__field(int, type)
		__field(u32, lkey)
		__field(u32, rkey)
	),
	TP_fast_assign(
		ib_device_name_get(mr->device, __entry->dev);
		__entry->pd = mr->pd->res.id;
		__entry->mr = mr->res.id;
		__entry->type = mr->type;
		__entry->lkey = mr->lkey;
		__entry->rkey = mr->rkey;
	),
	TP_printk("%s pd=%u mr=%u %s lkey=0x%08x rkey=0x%08x", __entry->dev, __entry->pd,
		  __entry->mr, show_rdma_mr_type(__entry->type), __entry->lkey, __entry->rkey)
);

/* A memory region was made. */
DEFINE_EVENT(rdma_mr, rdma_mr_alloc,
	TP_PROTO(const struct ib_mr *mr),
	TP_ARGS(mr)
);

/* A memory region is about to be destroyed. */
DEFINE_EVENT(rdma_mr, rdma_mr_dereg,
	TP_PROTO(const struct ib_mr *mr),
	TP_ARGS(mr)
);

/* Pages were mapped into a memory region that a work request is to register. */
TRACE_EVENT(rdma_mr_map,
	TP_PROTO(const struct ib_mr *mr, int nents, int mapped),
	TP_ARGS(mr, nents, mapped),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, mr)
		__field(u64, iova)
		__field(u64, length)
		__field(int, nents)
		__field(int, mapped)
	),
	TP_fast_assign(
		ib_device_name_get(mr->device, __entry->dev);
		__entry->mr = mr->res.id;
		__entry->iova = mr->iova;
		__entry->length = mr->length;
		__entry->nents = nents;
		__entry->mapped = mapped;
	),
	TP_printk("%s mr=%u iova=0x%llx length=%llu nents=%d mapped=%d", __entry->dev,
		  __entry->mr, __entry->iova, __entry->length, __entry->nents, __entry->mapped)
);

#endif /* _TRACE_IB_CORE_H */

#include <trace/define_trace.h>
