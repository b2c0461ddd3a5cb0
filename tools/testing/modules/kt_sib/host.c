// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* A CA with a protection domain, a CQ, QPs, address handles and memory. */
#include <linux/slab.h>

#include "kt_sib.h"

static void count_call(struct ib_cq *cq, void *context)
{
	struct ksb_host *h = context;

	atomic_inc(&h->cq_calls);
}

static void count_error(struct ib_event *event, void *context)
{
	struct ksb_host *h = context;

	if (event->event == IB_EVENT_CQ_ERR)
		atomic_inc(&h->cq_errors);
}

static void note_event(struct ib_event *event, void *context)
{
	struct ksb_host *h = context;

	set_bit(event->event, &h->qp_events);
}

struct ib_port_attr ksb_port(struct ktap *t, struct ksb_host *h)
{
	struct ib_port_attr attr = {};

	KT_EXPECT_EQ(t, ib_query_port(h->dev, 1, &attr), 0);
	return attr;
}

struct ib_qp_init_attr ksb_init_attr(struct ksb_host *h)
{
	return (struct ib_qp_init_attr) {
		.event_handler = note_event,
		.qp_context = h,
		.send_cq = h->cq,
		.recv_cq = h->cq,
		.qp_type = IB_QPT_UD,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = {
			.max_send_wr = KSB_DEPTH,
			.max_recv_wr = KSB_DEPTH,
			.max_send_sge = KSB_SGES,
			.max_recv_sge = KSB_SGES,
			.max_inline_data = KSB_INLINE,
		},
	};
}

struct ib_qp_attr ksb_attr(enum ib_qp_state state)
{
	return (struct ib_qp_attr) {
		.qp_state = state,
		.port_num = 1,
		.qkey = KSB_QKEY,
		.sq_psn = 0xabcdef,
	};
}

int ksb_mask(enum ib_qp_state from, enum ib_qp_state to)
{
	if (from == IB_QPS_RESET && to == IB_QPS_INIT)
		return IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY;
	if (from == IB_QPS_RTR && to == IB_QPS_RTS)
		return IB_QP_STATE | IB_QP_SQ_PSN;
	return IB_QP_STATE;
}

bool ksb_ready_at(struct ktap *t, struct ib_qp *qp, u8 port, enum ib_qp_state last)
{
	enum ib_qp_state state;
	struct ib_qp_attr attr;

	for (state = IB_QPS_INIT; state <= last; state++) {
		attr = ksb_attr(state);
		attr.port_num = port;
		if (!KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, ksb_mask(state - 1, state)), 0))
			return false;
	}
	return true;
}

bool ksb_ready(struct ktap *t, struct ib_qp *qp, enum ib_qp_state last)
{
	return ksb_ready_at(t, qp, 1, last);
}

struct ib_qp *ksb_qp_with(struct ktap *t, struct ib_pd *pd, struct ib_qp_init_attr *init,
			  enum ib_qp_state state)
{
	struct ib_qp *qp = ib_create_qp(pd, init);

	if (!KT_EXPECT_ERR(t, qp, 0))
		return NULL;
	if (ksb_ready(t, qp, state))
		return qp;
	ib_destroy_qp(qp);
	return NULL;
}

struct ib_qp *ksb_qp(struct ktap *t, struct ksb_host *h, enum ib_qp_state state)
{
	struct ib_qp_init_attr init = ksb_init_attr(h);

	return ksb_qp_with(t, h->pd, &init, state);
}

int ksb_modify(struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}

enum ib_qp_state ksb_state(struct ib_qp *qp)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int ret = ib_query_qp(qp, &attr, IB_QP_STATE, &init);

	return ret ?: attr.qp_state;
}

struct rdma_ah_attr ksb_ah_attr(u16 dlid, const union ib_gid *dgid)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1 };

	rdma_ah_set_dlid(&attr, dlid);
	if (dgid) {
		rdma_ah_set_grh(&attr, NULL, 0, 0, 1, 0);
		attr.grh.dgid = *dgid;
	}
	return attr;
}

struct ib_ah *ksb_ah_with(struct ktap *t, struct ksb_host *h, struct rdma_ah_attr *attr)
{
	struct ib_ah *ah = rdma_create_ah(h->pd, attr);

	return KT_EXPECT_ERR(t, ah, 0) ? ah : NULL;
}

struct ib_ah *ksb_ah(struct ktap *t, struct ksb_host *h, u16 dlid, const union ib_gid *dgid)
{
	struct rdma_ah_attr attr = ksb_ah_attr(dlid, dgid);

	return ksb_ah_with(t, h, &attr);
}

bool ksb_open(struct ktap *t, struct ksb_host *h, const char *name)
{
	const struct ib_cq_init_attr attr = { .cqe = 4 * KSB_DEPTH };
	struct ib_port_attr port;

	*h = (struct ksb_host) { .dev = ib_device_get_by_name(name, RDMA_DRIVER_UNKNOWN) };
	if (!KT_EXPECT(t, h->dev))
		return false;
	port = ksb_port(t, h);
	h->lid = port.lid;
	h->buf = kzalloc(KSB_BUF, GFP_KERNEL);
	h->slots = kmalloc(KSB_SLOTS * KSB_SLOT, GFP_KERNEL);
	h->stats = h->dev->ops.alloc_hw_port_stats(h->dev, 1);
	h->pd = ib_alloc_pd(h->dev, 0);
	h->cq = ib_create_cq(h->dev, count_call, count_error, h, &attr);
	if (!KT_EXPECT_EQ(t, port.state, IB_PORT_ACTIVE) || !KT_EXPECT(t, h->buf && h->slots) ||
	    !KT_EXPECT(t, h->stats) || !KT_EXPECT(t, h->stats->num_counters <= KSB_STATS) ||
	    !KT_EXPECT_ERR(t, h->pd, 0) || !KT_EXPECT_ERR(t, h->cq, 0))
		return false;
	memset(h->slots, KSB_UNTOUCHED, KSB_SLOTS * KSB_SLOT);
	ksb_note(h);
	h->qp = ksb_qp(t, h, IB_QPS_RTS);
	return h->qp;
}

void ksb_close(struct ktap *t, struct ksb_host *h)
{
	if (!h->dev)
		return;
	if (h->qp) {
		ksb_expect_none(t, h);
		KT_EXPECT_EQ(t, ib_destroy_qp(h->qp), 0);
	}
	if (!IS_ERR_OR_NULL(h->cq))
		ib_destroy_cq(h->cq);
	if (!IS_ERR_OR_NULL(h->pd))
		ib_dealloc_pd(h->pd);
	rdma_free_hw_stats_struct(h->stats);
	kfree(h->slots);
	kfree(h->buf);
	ib_device_put(h->dev);
}
