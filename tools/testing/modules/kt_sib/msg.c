// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Datagrams: how they are sent and received, and their completions. */
#include "kt_sib.h"

struct ksb_msg ksb_msg_to(struct ksb_host *from, struct ib_ah *ah, u32 qpn, u32 length)
{
	return (struct ksb_msg) {
		.from = from,
		.qp = from->qp,
		.ah = ah,
		.qpn = qpn,
		.qkey = KSB_QKEY,
		.length = length,
		.seed = 1,
		.opcode = IB_WR_SEND,
		.flags = IB_SEND_SIGNALED,
	};
}

struct ib_sge ksb_sge(struct ksb_host *h, const void *at, u32 length)
{
	return (struct ib_sge) {
		.addr = (uintptr_t)at,
		.length = length,
		.lkey = h->pd->local_dma_lkey,
	};
}

struct ib_ud_wr ksb_wr(const struct ksb_msg *msg, struct ib_sge *sge, int num_sge)
{
	return (struct ib_ud_wr) {
		.wr = {
			.wr_id = KSB_SEND,
			.opcode = msg->opcode,
			.send_flags = msg->flags,
			.sg_list = sge,
			.num_sge = num_sge,
			.ex.imm_data = cpu_to_be32(msg->imm),
		},
		.ah = msg->ah,
		.remote_qpn = msg->qpn,
		.remote_qkey = msg->qkey,
	};
}

int ksb_post(const struct ksb_msg *msg)
{
	u8 *buf = msg->from->buf + msg->offset;
	struct ib_sge sge = ksb_sge(msg->from, msg->data ?: buf, msg->length);
	struct ib_ud_wr wr = ksb_wr(msg, &sge, 1);

	if (!msg->data)
		kt_fill(buf, msg->length, msg->seed);
	if (msg->lkey)
		sge.lkey = msg->lkey;
	return ib_post_send(msg->qp, &wr.wr, NULL);
}

/* Expects the completion of a datagram that was posted. */
static void expect_end(struct ktap *t, const struct ksb_msg *msg, enum ib_wc_status status)
{
	struct ib_wc wc = ksb_expect(t, msg->from, KSB_SEND, status);

	KT_EXPECT(t, wc.qp == msg->qp);
	if (status == IB_WC_SUCCESS)
		KT_EXPECT_EQ(t, wc.opcode, IB_WC_SEND);
}

void ksb_send(struct ktap *t, const struct ksb_msg *msg, enum ib_wc_status status)
{
	if (KT_EXPECT_EQ(t, ksb_post(msg), 0))
		expect_end(t, msg, status);
}

u8 *ksb_slot(struct ksb_host *h, int slot)
{
	return h->slots + slot * KSB_SLOT;
}

int ksb_post_recv(struct ksb_host *h, struct ib_qp *qp, int slot, u32 length)
{
	struct ib_sge sge = ksb_sge(h, ksb_slot(h, slot), length);
	struct ib_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 };

	memset(ksb_slot(h, slot), KSB_UNTOUCHED, KSB_SLOT);
	return ib_post_recv(qp, &wr, NULL);
}

void ksb_recv(struct ktap *t, struct ksb_host *h, int slot, u32 length)
{
	KT_EXPECT_EQ(t, ksb_post_recv(h, h->qp, slot, length), 0);
}

void ksb_recv_all(struct ktap *t, struct ksb_host *h, struct ib_qp *qp, u32 length)
{
	int i;

	for (i = 0; i < KSB_DEPTH; i++)
		KT_EXPECT_EQ(t, ksb_post_recv(h, qp, i, length), 0);
}

bool ksb_is_untouched(struct ksb_host *h)
{
	return !memchr_inv(h->slots, KSB_UNTOUCHED, KSB_SLOTS * KSB_SLOT);
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

/* Expects that a completion says what the datagram is, and from whom to whom. */
static void expect_header(struct ktap *t, const struct ib_wc *wc, const struct ksb_msg *msg)
{
	bool has_imm = msg->opcode == IB_WR_SEND_WITH_IMM;

	KT_EXPECT_EQ(t, wc->opcode, IB_WC_RECV);
	KT_EXPECT_EQ(t, wc->byte_len, KSB_GRH + msg->length);
	KT_EXPECT_EQ(t, wc->slid, msg->from->lid);
	KT_EXPECT_EQ(t, wc->src_qp, msg->qp->qp_num);
	if (msg->qpn != IB_MULTICAST_QPN)
		KT_EXPECT_EQ(t, wc->qp->qp_num, msg->qpn);
	KT_EXPECT_EQ(t, wc->port_num, 1);
	KT_EXPECT_EQ(t, wc->pkey_index, 0);
	KT_EXPECT_EQ(t, wc->wc_flags & ~IB_WC_GRH, has_imm ? IB_WC_WITH_IMM : 0);
	if (has_imm)
		KT_EXPECT_EQ(t, be32_to_cpu(wc->ex.imm_data), msg->imm);
}

struct ib_wc ksb_expect_data(struct ktap *t, struct ksb_host *h, int slot,
			     const struct ksb_msg *msg)
{
	struct ib_wc wc = ksb_expect(t, h, slot, IB_WC_SUCCESS);
	const u8 *at = ksb_slot(h, slot), *end = at + KSB_GRH + msg->length;

	if (wc.wr_id != slot || wc.status != IB_WC_SUCCESS)
		return wc;
	expect_header(t, &wc, msg);
	if (!KT_EXPECT(t, kt_is(at + KSB_GRH, msg->length, msg->seed)))
		ktap_note(t, "payload of %u bytes", msg->length);
	/* Nothing is written behind the datagram. */
	KT_EXPECT(t, !memchr_inv(end, KSB_UNTOUCHED, at + KSB_SLOT - end));
	/* Without a GRH, its bytes stay as they are, or are zero. */
	if (!(wc.wc_flags & IB_WC_GRH))
		KT_EXPECT(t, !memchr_inv(at, KSB_UNTOUCHED, KSB_GRH) ||
			  !memchr_inv(at, 0, KSB_GRH));
	return wc;
}

struct ib_wc ksb_expect_sent(struct ktap *t, struct ksb_host *h, int slot,
			     const struct ksb_msg *msg)
{
	struct ib_wc wc = ksb_expect_data(t, h, slot, msg);

	expect_end(t, msg, IB_WC_SUCCESS);
	return wc;
}

struct ib_wc ksb_deliver(struct ktap *t, struct ksb_host *to, const struct ksb_msg *msg)
{
	ksb_recv(t, to, 0, KSB_SLOT);
	KT_EXPECT_EQ(t, ksb_post(msg), 0);
	return ksb_expect_sent(t, to, 0, msg);
}
