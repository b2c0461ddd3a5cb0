// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* kt_sib_ud.ko: tests of datagrams over sib. */
#include <linux/slab.h>
#include <rdma/krdma.h>

#include "kt_sib_ud.h"

KRDMA_NEEDS_IB_CORE;

static void on_event(struct ib_event *event, void *context)
{
	struct kts_host *h = context;

	set_bit(event->event, &h->events);
}

bool kts_open(struct ktap *t, struct kts_host *h, const char *name)
{
	const struct ib_cq_init_attr attr = { .cqe = 64 * KTS_DEPTH };
	struct ib_port_attr port;

	*h = (struct kts_host) { .dev = ib_device_get_by_name(name, RDMA_DRIVER_UNKNOWN) };
	if (!KT_EXPECT(t, h->dev))
		return false;
	h->pd = ib_alloc_pd(h->dev, 0);
	h->cq = ib_create_cq(h->dev, NULL, NULL, NULL, &attr);
	h->data = kmalloc(2 * KTS_MTU, GFP_KERNEL);
	h->slots = kmalloc(KTS_SLOTS * KTS_SLOT, GFP_KERNEL);
	if (!KT_EXPECT_ERR(t, h->pd, 0) || !KT_EXPECT_ERR(t, h->cq, 0) ||
	    !KT_EXPECT(t, h->data && h->slots) ||
	    !KT_EXPECT_EQ(t, ib_query_port(h->dev, 1, &port), 0))
		return false;
	h->lid = port.lid;
	h->qp = kts_qp(t, h, 0);
	return h->qp;
}

void kts_close(struct kts_host *h)
{
	if (!h->dev)
		return;
	if (h->qp)
		ib_destroy_qp(h->qp);
	if (!IS_ERR_OR_NULL(h->cq))
		ib_destroy_cq(h->cq);
	if (!IS_ERR_OR_NULL(h->pd))
		ib_dealloc_pd(h->pd);
	kfree(h->data);
	kfree(h->slots);
	ib_device_put(h->dev);
}

int kts_move(struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state, .qkey = KTS_QKEY, .port_num = 1 };
	int mask = IB_QP_STATE;

	if (state == IB_QPS_INIT)
		mask |= IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY;
	if (state == IB_QPS_RTS && kts_state(qp) == IB_QPS_RTR)
		mask |= IB_QP_SQ_PSN;
	return ib_modify_qp(qp, &attr, mask);
}

enum ib_qp_state kts_state(struct ib_qp *qp)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr = {};

	return ib_query_qp(qp, &attr, IB_QP_STATE, &init) ? IB_QPS_ERR : attr.qp_state;
}

bool kts_ready(struct ktap *t, struct ib_qp *qp)
{
	return KT_EXPECT_EQ(t, kts_move(qp, IB_QPS_INIT), 0) &&
	       KT_EXPECT_EQ(t, kts_move(qp, IB_QPS_RTR), 0) &&
	       KT_EXPECT_EQ(t, kts_move(qp, IB_QPS_RTS), 0);
}

struct ib_qp *kts_qp(struct ktap *t, struct kts_host *h, u32 flags)
{
	struct ib_qp_init_attr init = {
		.event_handler = on_event,
		.qp_context = h,
		.send_cq = h->cq,
		.recv_cq = h->cq,
		.cap = {
			.max_send_wr = KTS_DEPTH,
			.max_recv_wr = KTS_DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = 64,
		},
		.qp_type = IB_QPT_UD,
		.create_flags = flags,
	};
	struct ib_qp *qp = ib_create_qp(h->pd, &init);

	if (!KT_EXPECT_ERR(t, qp, 0))
		return NULL;
	if (kts_ready(t, qp))
		return qp;
	ib_destroy_qp(qp);
	return NULL;
}

struct ib_ah *kts_ah(struct ktap *t, struct kts_host *h, u16 dlid, const union ib_gid *dgid)
{
	struct rdma_ah_attr attr = {
		.type = RDMA_AH_ATTR_TYPE_IB,
		.port_num = 1,
		.ib.dlid = dlid,
	};
	struct ib_ah *ah;

	if (dgid) {
		attr.ah_flags = IB_AH_GRH;
		attr.grh.dgid = *dgid;
		attr.grh.hop_limit = 1;
	}
	ah = rdma_create_ah(h->pd, &attr);
	return KT_EXPECT_ERR(t, ah, 0) ? ah : NULL;
}

/* Fills memory with the pattern of a seed, or compares it. Returns whether it is the pattern. */
static bool pattern(u8 *at, u32 length, u8 seed, bool fill)
{
	u32 i;

	for (i = 0; i < length; i++) {
		if (fill)
			at[i] = seed + i + (i >> 8);
		else if (at[i] != (u8)(seed + i + (i >> 8)))
			return false;
	}
	return true;
}

int kts_post(struct kts_host *h, struct ib_qp *qp, const struct kts_send *send)
{
	struct ib_sge sge = {
		.addr = (uintptr_t)h->data,
		.length = send->length,
		.lkey = h->pd->local_dma_lkey,
	};
	struct ib_ud_wr wr = {
		.wr = {
			.wr_id = KTS_SEND,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = send->imm ? IB_WR_SEND_WITH_IMM : IB_WR_SEND,
			.send_flags = IB_SEND_SIGNALED | send->flags,
			.ex.imm_data = cpu_to_be32(send->imm),
		},
		.ah = send->ah,
		.remote_qpn = send->qpn,
		.remote_qkey = send->qkey,
	};

	pattern(h->data, send->length, send->seed, true);
	return ib_post_send(qp, &wr.wr, NULL);
}

void kts_send(struct ktap *t, struct kts_host *h, struct ib_qp *qp, const struct kts_send *send,
	      enum ib_wc_status status)
{
	struct ib_wc wc;

	if (!KT_EXPECT_EQ(t, kts_post(h, qp, send), 0))
		return;
	/* What comes back to the sender may complete before the send does. */
	wc = kts_expect(t, h, KTS_SEND, status);
	KT_EXPECT(t, wc.qp == qp);
}

int kts_recv(struct kts_host *h, struct ib_qp *qp, int slot, u32 length)
{
	struct ib_sge sge = {
		.addr = (uintptr_t)h->slots + slot * KTS_SLOT,
		.length = length,
		.lkey = h->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 };

	memset(h->slots + slot * KTS_SLOT, 0xee, KTS_SLOT);
	return ib_post_recv(qp, &wr, NULL);
}

struct ib_wc kts_expect(struct ktap *t, struct kts_host *h, u64 id, enum ib_wc_status status)
{
	struct ib_wc wc = {};

	if (!KT_EXPECT_EQ(t, ib_poll_cq(h->cq, 1, &wc), 1))
		return wc;
	KT_EXPECT_EQ(t, wc.wr_id, id);
	KT_EXPECT_EQ(t, wc.status, status);
	return wc;
}

void kts_expect_none(struct ktap *t, struct kts_host *h)
{
	struct ib_wc wc = {};

	if (!KT_EXPECT_EQ(t, ib_poll_cq(h->cq, 1, &wc), 0))
		ktap_note(t, "wr_id %llu, status %d", wc.wr_id, wc.status);
}

struct ib_wc kts_expect_data(struct ktap *t, struct kts_host *h, int slot, u32 length, u8 seed)
{
	u8 *at = h->slots + slot * KTS_SLOT;
	struct ib_wc wc;

	wc = kts_expect(t, h, slot, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, wc.opcode, IB_WC_RECV);
	KT_EXPECT_EQ(t, wc.byte_len, KTS_GRH + length);
	KT_EXPECT(t, pattern(at + KTS_GRH, length, seed, false));
	/* Nothing is written behind the datagram. */
	KT_EXPECT(t, !memchr_inv(at + KTS_GRH + length, 0xee, KTS_MTU + 8 - length));
	return wc;
}

static const struct ktap_suite * const suites[] = {
	&kts_ud_suite,
	&kts_state_suite,
	&kts_mcast_suite,
};

KTAP_MODULE(suites);
