// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_sib.ko: tests of datagrams between two CAs of soft InfiniBand.
 */
#include <linux/gfp.h>
#include <rdma/krdma.h>

#include "kt_sib.h"

KRDMA_NEEDS_IB_CORE;

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

static void host_close(struct ksb_host *h)
{
	if (!IS_ERR_OR_NULL(h->cq))
		ib_destroy_cq(h->cq);
	if (!IS_ERR_OR_NULL(h->pd))
		ib_dealloc_pd(h->pd);
	rdma_free_hw_stats_struct(h->stats);
	free_pages((unsigned long)h->buf, get_order(KSB_BUF));
	if (h->dev)
		ib_device_put(h->dev);
}

static bool host_open(struct ktap *t, struct ksb_host *h, const char *name)
{
	struct ib_cq_init_attr attr = { .cqe = 4 * KSB_DEPTH };
	struct ib_port_attr port;

	h->dev = ib_device_get_by_name(name, RDMA_DRIVER_UNKNOWN);
	if (!KT_EXPECT(t, h->dev))
		return false;
	if (!KT_EXPECT_EQ(t, ib_query_port(h->dev, 1, &port), 0) ||
	    !KT_EXPECT_EQ(t, port.state, IB_PORT_ACTIVE))
		return false;
	h->lid = port.lid;
	h->buf = (u8 *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, get_order(KSB_BUF));
	h->stats = h->dev->ops.alloc_hw_port_stats(h->dev, 1);
	h->pd = ib_alloc_pd(h->dev, 0);
	h->cq = ib_create_cq(h->dev, count_call, count_error, h, &attr);
	return KT_EXPECT(t, h->buf) && KT_EXPECT(t, h->stats) &&
	       KT_EXPECT(t, h->stats->num_counters <= KSB_STATS) &&
	       KT_EXPECT_ERR(t, h->pd, 0) && KT_EXPECT_ERR(t, h->cq, 0);
}

struct ib_qp_init_attr ksb_init_attr(struct ksb_host *h)
{
	return (struct ib_qp_init_attr) {
		.send_cq = h->cq,
		.recv_cq = h->cq,
		.qp_context = h,
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

struct ib_qp *ksb_qp(struct ktap *t, struct ksb_host *h)
{
	struct ib_qp_init_attr attr = ksb_init_attr(h);
	struct ib_qp *qp = ib_create_qp(h->pd, &attr);

	KT_EXPECT_ERR(t, qp, 0);
	return qp;
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

void ksb_ready(struct ktap *t, struct ib_qp *qp, enum ib_qp_state last)
{
	enum ib_qp_state state;
	struct ib_qp_attr attr;

	for (state = IB_QPS_INIT; state <= last; state++) {
		attr = ksb_attr(state);
		KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, ksb_mask(state - 1, state)), 0);
	}
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

struct rdma_ah_attr ksb_ah_attr(u16 lid)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1 };

	rdma_ah_set_dlid(&attr, lid);
	return attr;
}

bool ksb_start(struct ktap *t, struct ksb_pair *p)
{
	struct rdma_ah_attr attr;

	memset(p, 0, sizeof(*p));
	if (!host_open(t, &p->a, "sib0") || !host_open(t, &p->b, "sib1"))
		goto err_close;
	p->qa = ksb_qp(t, &p->a);
	p->qb = ksb_qp(t, &p->b);
	attr = ksb_ah_attr(p->b.lid);
	p->ah = rdma_create_ah(p->a.pd, &attr);
	if (IS_ERR(p->qa) || IS_ERR(p->qb) || !KT_EXPECT_ERR(t, p->ah, 0))
		goto err_destroy;
	ksb_ready(t, p->qa, IB_QPS_RTS);
	ksb_ready(t, p->qb, IB_QPS_RTS);
	ksb_note(&p->a);
	ksb_note(&p->b);
	return true;

err_destroy:
	if (!IS_ERR(p->qa))
		ib_destroy_qp(p->qa);
	if (!IS_ERR(p->qb))
		ib_destroy_qp(p->qb);
	if (!IS_ERR_OR_NULL(p->ah))
		rdma_destroy_ah(p->ah, 0);
err_close:
	host_close(&p->a);
	host_close(&p->b);
	return false;
}

void ksb_end(struct ktap *t, struct ksb_pair *p)
{
	ksb_expect_none(t, &p->a);
	ksb_expect_none(t, &p->b);
	KT_EXPECT_EQ(t, rdma_destroy_ah(p->ah, 0), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(p->qa), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(p->qb), 0);
	host_close(&p->a);
	host_close(&p->b);
}

void ksb_fill(void *data, u32 length, u8 seed)
{
	u8 *byte = data;
	u32 i;

	for (i = 0; i < length; i++)
		byte[i] = seed + i * 11 + (i >> 8);
}

bool ksb_is(const void *data, u32 length, u8 seed)
{
	const u8 *byte = data;
	u32 i;

	for (i = 0; i < length; i++)
		if (byte[i] != (u8)(seed + i * 11 + (i >> 8)))
			return false;
	return true;
}

struct ksb_msg ksb_msg(struct ksb_pair *p, u32 length)
{
	return (struct ksb_msg) {
		.ah = p->ah,
		.qpn = p->qb->qp_num,
		.qkey = KSB_QKEY,
		.length = length,
		.opcode = IB_WR_SEND,
		.flags = IB_SEND_SIGNALED,
		.lkey = p->a.pd->local_dma_lkey,
	};
}

int ksb_post(struct ksb_host *h, struct ib_qp *qp, const struct ksb_msg *msg)
{
	struct ib_sge sge = {
		.addr = (uintptr_t)h->buf + msg->offset,
		.length = msg->length,
		.lkey = msg->lkey,
	};
	struct ib_ud_wr wr = {
		.wr = {
			.wr_id = KSB_SEND,
			.opcode = msg->opcode,
			.send_flags = msg->flags,
			.sg_list = &sge,
			.num_sge = 1,
			.ex.imm_data = cpu_to_be32(msg->imm),
		},
		.ah = msg->ah,
		.remote_qpn = msg->qpn,
		.remote_qkey = msg->qkey,
	};

	return ib_post_send(qp, &wr.wr, NULL);
}

void ksb_send(struct ktap *t, struct ksb_pair *p, const struct ksb_msg *msg,
	      enum ib_wc_status status)
{
	struct ib_wc wc;

	KT_EXPECT_EQ(t, ksb_post(&p->a, p->qa, msg), 0);
	wc = ksb_expect(t, &p->a, KSB_SEND, status);
	KT_EXPECT(t, wc.qp == p->qa);
	if (status == IB_WC_SUCCESS)
		KT_EXPECT_EQ(t, wc.opcode, IB_WC_SEND);
}

int ksb_recv(struct ksb_host *h, struct ib_qp *qp, u64 id, u32 offset, u32 length)
{
	struct ib_sge sge = {
		.addr = (uintptr_t)h->buf + offset,
		.length = length,
		.lkey = h->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 };

	return ib_post_recv(qp, &wr, NULL);
}

struct ib_wc ksb_expect(struct ktap *t, struct ksb_host *h, u64 id, enum ib_wc_status status)
{
	struct ib_wc wc = { .wr_id = ~0ULL };

	if (!KT_EXPECT_EQ(t, ib_poll_cq(h->cq, 1, &wc), 1))
		ktap_note(t, "no completion of request %llu", id);
	else if (wc.wr_id != id || wc.status != status)
		ktap_fail(t, "request %llu: %s; expected %llu: %s", wc.wr_id,
			  ib_wc_status_msg(wc.status), id, ib_wc_status_msg(status));
	return wc;
}

void ksb_expect_none(struct ktap *t, struct ksb_host *h)
{
	struct ib_wc wc;

	if (!KT_EXPECT_EQ(t, ib_poll_cq(h->cq, 1, &wc), 0))
		ktap_note(t, "request %llu: %s", wc.wr_id, ib_wc_status_msg(wc.status));
}

static void read_stats(struct ksb_host *h)
{
	h->dev->ops.get_hw_stats(h->dev, h->stats, 1, h->stats->num_counters);
}

void ksb_note(struct ksb_host *h)
{
	read_stats(h);
	memcpy(h->noted, h->stats->value, h->stats->num_counters * sizeof(u64));
}

void ksb_changed(struct ktap *t, struct ksb_host *h, const char *name, u64 by)
{
	const char *other;
	bool found = false;
	u64 grown;
	int i;

	read_stats(h);
	for (i = 0; i < h->stats->num_counters; i++) {
		other = h->stats->descs[i].name;
		grown = h->stats->value[i] - h->noted[i];
		found |= !strcmp(other, name);
		if (grown != (strcmp(other, name) ? 0 : by))
			ktap_fail(t, "%s: %s has grown by %llu; expected %s by %llu",
				  dev_name(&h->dev->dev), other, grown, name, by);
	}
	KT_EXPECT(t, found);
	ksb_note(h);
}

static const struct ktap_suite * const suites[] = {
	&ksb_limit_suite, &ksb_state_suite, &ksb_data_suite, &ksb_drop_suite, &ksb_error_suite,
	&ksb_address_suite, &ksb_cq_suite, &ksb_port_suite, &ksb_agent_suite,
	&ksb_busy_suite,
};

KTAP_MODULE(suites);
