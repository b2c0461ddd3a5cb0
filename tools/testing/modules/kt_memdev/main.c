// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_memdev.ko: tests of messages between QPs, over the provider memdev.
 */
#include <linux/gfp.h>
#include <linux/scatterlist.h>
#include <rdma/krdma.h>

#include "kt_memdev.h"

KRDMA_NEEDS_IB_CORE;

static void count_completion(struct ib_cq *cq, void *context)
{
	struct ktm_host *h = context;

	atomic_inc(&h->cq_events);
}

static void count_cq_error(struct ib_event *event, void *context)
{
	struct ktm_host *h = context;

	if (event->event == IB_EVENT_CQ_ERR && event->element.cq == h->cq)
		atomic_inc(&h->cq_errors);
}

static void note_qp_event(struct ib_event *event, void *context)
{
	struct ktm_host *h = context;

	set_bit(event->event, &h->qp_events);
}

bool ktm_start(struct ktap *t, struct ktm_host *h, const struct memdev_config *config)
{
	struct ib_cq_init_attr attr = { .cqe = 64 };

	memset(h, 0, sizeof(*h));
	h->buf = (u8 *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, get_order(KTM_BUF));
	if (!KT_EXPECT(t, h->buf))
		return false;
	h->fd = memdev_create(config);
	if (!KT_EXPECT_ERR(t, h->fd, 0))
		goto err_free;
	h->dev = &h->fd->ibdev;
	h->pd = ib_alloc_pd(h->dev, 0);
	h->cq = ib_create_cq(h->dev, count_completion, count_cq_error, h, &attr);
	if (!IS_ERR(h->pd) && !IS_ERR(h->cq))
		return true;

	ktap_fail(t, "no PD or no CQ");
	if (!IS_ERR(h->pd))
		ib_dealloc_pd(h->pd);
	if (!IS_ERR(h->cq))
		ib_destroy_cq(h->cq);
	memdev_destroy(h->fd);
err_free:
	free_pages((unsigned long)h->buf, get_order(KTM_BUF));
	return false;
}

void ktm_end(struct ktap *t, struct ktm_host *h)
{
	if (h->mr)
		KT_EXPECT_EQ(t, ib_dereg_mr(h->mr), 0);
	KT_EXPECT_EQ(t, ib_destroy_cq_user(h->cq, NULL), 0);
	KT_EXPECT_EQ(t, ib_dealloc_pd_user(h->pd, NULL), 0);
	KT_EXPECT_EQ(t, rdma_restrack_count(h->dev, RDMA_RESTRACK_QP), 0);
	KT_EXPECT_EQ(t, rdma_restrack_count(h->dev, RDMA_RESTRACK_MR), 0);
	memdev_destroy(h->fd);
	free_pages((unsigned long)h->buf, get_order(KTM_BUF));
}

struct ib_qp_init_attr ktm_init_attr(struct ktm_host *h, enum ib_qp_type type)
{
	return (struct ib_qp_init_attr) {
		.send_cq = h->cq,
		.recv_cq = h->cq,
		.event_handler = note_qp_event,
		.qp_context = h,
		.qp_type = type,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 4,
			 .max_recv_sge = 4, .max_inline_data = 128 },
	};
}

struct ib_qp *ktm_qp(struct ktap *t, struct ktm_host *h, enum ib_qp_type type)
{
	struct ib_qp_init_attr attr = ktm_init_attr(h, type);
	struct ib_qp *qp;

	attr.port_num = type == IB_QPT_GSI || type == IB_QPT_SMI ? rdma_start_port(h->dev) : 0;
	qp = ib_create_qp(h->pd, &attr);
	KT_EXPECT_ERR(t, qp, 0);
	return qp;
}

struct ib_qp_attr ktm_attr(struct ktm_host *h, struct ktm_host *to, u32 qpn)
{
	return (struct ib_qp_attr) {
		.port_num = rdma_start_port(h->dev),
		.qkey = KTM_QKEY,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
				   IB_ACCESS_REMOTE_ATOMIC,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = qpn,
		.rq_psn = 0xfffffe,
		.sq_psn = 0xfffffe,
		.max_rd_atomic = 1,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.timeout = 10,
		.retry_cnt = 2,
		.rnr_retry = 7,
		.ah_attr = {
			.type = RDMA_AH_ATTR_TYPE_IB,
			.port_num = rdma_start_port(h->dev),
			.ib.dlid = memdev_lid(to->dev, rdma_start_port(to->dev)),
		},
	};
}

static bool is_datagram(enum ib_qp_type type)
{
	return type == IB_QPT_UD || type == IB_QPT_GSI || type == IB_QPT_SMI;
}

int ktm_mask(enum ib_qp_type type, enum ib_qp_state state)
{
	bool requester = type == IB_QPT_RC || type == IB_QPT_XRC_INI;
	bool responder = type == IB_QPT_RC || type == IB_QPT_XRC_TGT;
	int mask = IB_QP_STATE;

	switch (state) {
	case IB_QPS_INIT:
		mask |= IB_QP_PKEY_INDEX;
		if (type != IB_QPT_GSI && type != IB_QPT_SMI)
			mask |= IB_QP_PORT;
		return mask | (is_datagram(type) ? IB_QP_QKEY : IB_QP_ACCESS_FLAGS);
	case IB_QPS_RTR:
		if (is_datagram(type))
			return mask;
		mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
		return mask | (responder ? IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER : 0);
	case IB_QPS_RTS:
		mask |= IB_QP_SQ_PSN;
		if (requester)
			mask |= IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC;
		return mask | (requester || responder ? IB_QP_TIMEOUT : 0);
	default:
		return mask;
	}
}

void ktm_ready(struct ktap *t, struct ib_qp *qp, const struct ib_qp_attr *attr,
	       enum ib_qp_state last)
{
	struct ib_qp_attr to = *attr;
	enum ib_qp_state state;

	for (state = IB_QPS_INIT; state <= last; state++) {
		to.qp_state = state;
		if (!KT_EXPECT_EQ(t, ib_modify_qp(qp, &to, ktm_mask(qp->qp_type, state)), 0))
			ktap_note(t, "QP of type %d, to state %d", qp->qp_type, state);
	}
}

enum ib_qp_state ktm_state(struct ib_qp *qp)
{
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr;
	int ret;

	ret = ib_query_qp(qp, &attr, IB_QP_STATE, &init_attr);
	return ret ?: attr.qp_state;
}

int ktm_modify(struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}

bool ktm_make_pair(struct ktap *t, struct ktm_pair *p, enum ib_qp_type type)
{
	if (!ktm_start(t, &p->a, NULL))
		return false;
	if (!ktm_start(t, &p->b, NULL))
		goto err_a;
	p->qa = ktm_qp(t, &p->a, type);
	p->qb = ktm_qp(t, &p->b, type);
	if (!IS_ERR(p->qa) && !IS_ERR(p->qb))
		return true;
	if (!IS_ERR(p->qa))
		ib_destroy_qp(p->qa);
	if (!IS_ERR(p->qb))
		ib_destroy_qp(p->qb);
	ktm_end(t, &p->b);
err_a:
	ktm_end(t, &p->a);
	return false;
}

void ktm_connect(struct ktap *t, struct ktm_pair *p)
{
	struct ib_qp_attr attr = ktm_attr(&p->a, &p->b, p->qb->qp_num);

	ktm_ready(t, p->qa, &attr, IB_QPS_RTS);
	attr = ktm_attr(&p->b, &p->a, p->qa->qp_num);
	ktm_ready(t, p->qb, &attr, IB_QPS_RTS);
}

void ktm_reconnect(struct ktap *t, struct ktm_pair *p)
{
	KT_EXPECT_EQ(t, ktm_modify(p->qa, IB_QPS_RESET), 0);
	KT_EXPECT_EQ(t, ktm_modify(p->qb, IB_QPS_RESET), 0);
	ktm_connect(t, p);
}

bool ktm_start_pair(struct ktap *t, struct ktm_pair *p, enum ib_qp_type type)
{
	if (!ktm_make_pair(t, p, type))
		return false;
	ktm_connect(t, p);
	return true;
}

void ktm_end_pair(struct ktap *t, struct ktm_pair *p)
{
	KT_EXPECT_EQ(t, ib_destroy_qp(p->qa), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(p->qb), 0);
	ktm_end(t, &p->a);
	ktm_end(t, &p->b);
}

int ktm_post_reg(struct ib_qp *qp, struct ib_mr *mr, u32 key, int access)
{
	struct ib_reg_wr wr = {
		.wr = { .wr_id = 0x4e6, .opcode = IB_WR_REG_MR, .send_flags = IB_SEND_SIGNALED },
		.mr = mr,
		.key = key,
		.access = access,
	};

	return ib_post_send(qp, &wr.wr, NULL);
}

bool ktm_register(struct ktap *t, struct ktm_host *h, struct ib_qp *qp, int access)
{
	h->mr = ib_alloc_mr(h->pd, IB_MR_TYPE_MEM_REG, KTM_BUF / PAGE_SIZE);
	if (!KT_EXPECT_ERR(t, h->mr, 0)) {
		h->mr = NULL;
		return false;
	}
	sg_init_one(&h->sg, h->buf, KTM_BUF);
	KT_EXPECT_EQ(t, ib_dma_map_sg(h->dev, &h->sg, 1, DMA_BIDIRECTIONAL), 1);
	KT_EXPECT_EQ(t, ib_map_mr_sg(h->mr, &h->sg, 1, NULL, PAGE_SIZE), 1);
	KT_EXPECT_EQ(t, ktm_post_reg(qp, h->mr, h->mr->rkey, access), 0);
	KTM_EXPECT(t, h, 0x4e6, SUCCESS, REG_MR);
	return true;
}

int ktm_post_inv(struct ib_qp *qp, u32 key)
{
	struct ib_send_wr wr = { .wr_id = 0x11f, .opcode = IB_WR_LOCAL_INV,
				 .send_flags = IB_SEND_SIGNALED, .ex.invalidate_rkey = key };

	return ib_post_send(qp, &wr, NULL);
}

static struct ib_sge local_sge(struct ktm_host *h, u32 offset, u32 length)
{
	return (struct ib_sge) {
		.addr = (uintptr_t)h->buf + offset,
		.length = length,
		.lkey = h->pd->local_dma_lkey,
	};
}

struct ib_send_wr *ktm_rdma_wr(struct ktm_wr *w, struct ktm_host *h, enum ib_wr_opcode opcode,
			       u64 id, u32 offset, u32 length, u64 addr, u32 rkey)
{
	*w = (struct ktm_wr) {
		.xrc.rdma = {
			.wr = {
				.wr_id = id,
				.opcode = opcode,
				.send_flags = IB_SEND_SIGNALED,
				.sg_list = &w->sge,
				.num_sge = !!length,
				.ex.imm_data = cpu_to_be32(0x11220000 | id),
			},
			.remote_addr = addr,
			.rkey = rkey,
		},
		.sge = local_sge(h, offset, length),
	};
	return &w->xrc.rdma.wr;
}

struct ib_send_wr *ktm_wr(struct ktm_wr *w, struct ktm_host *h, enum ib_wr_opcode opcode, u64 id,
			  u32 offset, u32 length)
{
	return ktm_rdma_wr(w, h, opcode, id, offset, length, 0, 0);
}

int ktm_rdma(struct ib_qp *qp, struct ktm_host *h, enum ib_wr_opcode opcode, u64 id, u32 offset,
	     u32 length, u64 addr, u32 rkey)
{
	struct ktm_wr w;

	return ib_post_send(qp, ktm_rdma_wr(&w, h, opcode, id, offset, length, addr, rkey), NULL);
}

int ktm_send(struct ib_qp *qp, struct ktm_host *h, enum ib_wr_opcode opcode, u64 id, u32 offset,
	     u32 length)
{
	return ktm_rdma(qp, h, opcode, id, offset, length, 0, 0);
}

int ktm_recv(struct ib_qp *qp, struct ktm_host *h, u64 id, u32 offset, u32 length)
{
	struct ib_sge sge = local_sge(h, offset, length);
	struct ib_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 };

	return ib_post_recv(qp, &wr, NULL);
}

int ktm_srq_recv(struct ib_srq *srq, struct ktm_host *h, u64 id, u32 offset, u32 length)
{
	struct ib_sge sge = local_sge(h, offset, length);
	struct ib_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 };

	return ib_post_srq_recv(srq, &wr, NULL);
}

struct ib_wc ktm_expect(struct ktap *t, struct ktm_host *h, u64 id, enum ib_wc_status status,
			enum ib_wc_opcode opcode)
{
	struct ib_wc wc = { .wr_id = ~0ULL };
	unsigned long end = jiffies + 10 * HZ;
	int nr;

	while (!(nr = ib_poll_cq(h->cq, 1, &wc)) && time_before(jiffies, end))
		usleep_range(100, 1000);
	if (!KT_EXPECT_EQ(t, nr, 1))
		return wc;
	if (wc.wr_id != id || wc.status != status ||
	    (status == IB_WC_SUCCESS && wc.opcode != opcode))
		ktap_fail(t, "request %llu: %s, opcode %d; expected %llu: %s, %d", wc.wr_id,
			  ib_wc_status_msg(wc.status), wc.opcode, id, ib_wc_status_msg(status),
			  opcode);
	return wc;
}

void ktm_expect_rdma(struct ktap *t, struct ktm_pair *p, enum ib_wr_opcode opcode, u64 addr,
		     u32 key, enum ib_wc_status status)
{
	KT_EXPECT_EQ(t, ktm_rdma(p->qa, &p->a, opcode, 1, 0, 8, addr, key), 0);
	ktm_expect(t, &p->a, 1, status,
		   opcode == IB_WR_RDMA_READ ? IB_WC_RDMA_READ : IB_WC_RDMA_WRITE);
	if (status != IB_WC_SUCCESS)
		ktm_reconnect(t, p);
}

void ktm_expect_none(struct ktap *t, struct ktm_host *h)
{
	struct ib_qp_init_attr attr = ktm_init_attr(h, IB_QPT_UD);
	struct ib_qp *qp = ib_create_qp(h->pd, &attr);
	struct ib_wc wc;

	/* What a QP that has failed flushes is executed after everything that was posted before. */
	if (KT_EXPECT_ERR(t, qp, 0)) {
		struct ib_qp_attr to = ktm_attr(h, h, 0);

		ktm_ready(t, qp, &to, IB_QPS_RTS);
		KT_EXPECT_EQ(t, ktm_modify(qp, IB_QPS_ERR), 0);
		KT_EXPECT_EQ(t, ktm_recv(qp, h, 0xe0d, 0, 1), 0);
		KTM_EXPECT(t, h, 0xe0d, WR_FLUSH_ERR, RECV);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	KT_EXPECT_EQ(t, ib_poll_cq(h->cq, 1, &wc), 0);
}

static const struct ktap_suite * const suites[] = {
	&ktm_rc_suite, &ktm_errors_suite, &ktm_mem_suite, &ktm_uc_suite,
	&ktm_srq_suite, &ktm_ud_suite, &ktm_mcast_suite, &ktm_xrc_suite,
	&ktm_state_suite, &ktm_cq_suite, &ktm_roce_suite, &ktm_rw_suite,
	&ktm_mw_suite, &ktm_fmr_suite, &ktm_dif_suite,
};

KTAP_MODULE(suites);
