// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of what a ULP uses: CQs that the core polls, transfers of scatter/gather lists.
 */
#include <linux/scatterlist.h>
#include <rdma/rw.h>

#include "kt_memdev.h"

/* A request that waits for its completion. */
struct waiter {
	struct ib_cqe cqe;
	struct completion done;
	enum ib_wc_status status;
};

static void note_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct waiter *w = container_of(wc->wr_cqe, struct waiter, cqe);

	w->status = wc->status;
	complete(&w->done);
}

/* Host a has a QP whose CQ the core polls, connected to host b's QP. */
struct rw_fixture {
	struct ktm_pair p;
	struct ib_cq *cq;
	struct ib_qp *qp;
};

static bool start_rw(struct ktap *t, struct rw_fixture *f, enum ib_poll_context context)
{
	struct ktm_pair *p = &f->p;
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr;

	if (!ktm_start_pair(t, p, IB_QPT_RC))
		return false;
	f->cq = ib_alloc_cq(p->a.dev, NULL, 64, 0, context);
	if (!KT_EXPECT_ERR(t, f->cq, 0))
		goto err_pair;
	init_attr = ktm_init_attr(&p->a, IB_QPT_RC);
	init_attr.send_cq = f->cq;
	init_attr.recv_cq = f->cq;
	init_attr.port_num = 1;
	init_attr.cap.max_rdma_ctxs = 4;
	f->qp = ib_create_qp(p->a.pd, &init_attr);
	if (!KT_EXPECT_ERR(t, f->qp, 0))
		goto err_cq;
	if (!ktm_register(t, &p->b, p->qb, KTM_ACCESS))
		goto err_qp;
	KT_EXPECT_EQ(t, ktm_modify(p->qb, IB_QPS_RESET), 0);
	attr = ktm_attr(&p->a, &p->b, p->qb->qp_num);
	ktm_ready(t, f->qp, &attr, IB_QPS_RTS);
	attr = ktm_attr(&p->b, &p->a, f->qp->qp_num);
	ktm_ready(t, p->qb, &attr, IB_QPS_RTS);
	return true;

err_qp:
	ib_destroy_qp(f->qp);
err_cq:
	ib_free_cq(f->cq);
err_pair:
	ktm_end_pair(t, p);
	return false;
}

static void end_rw(struct ktap *t, struct rw_fixture *f)
{
	ib_drain_qp(f->qp);
	KT_EXPECT_EQ(t, ib_destroy_qp(f->qp), 0);
	ib_free_cq(f->cq);
	ktm_end_pair(t, &f->p);
}

/* Moves the list between host a and host b's region, and expects this status. */
static void transfer(struct ktap *t, struct rw_fixture *f, struct scatterlist *sg, int nents,
		     enum dma_data_direction direction, u32 key, enum ib_wc_status status)
{
	struct ktm_pair *p = &f->p;
	struct waiter w = { .cqe.done = note_done };
	struct rdma_rw_ctx ctx;

	init_completion(&w.done);
	if (!KT_EXPECT(t, rdma_rw_ctx_init(&ctx, f->qp, 1, sg, nents, 0, p->b.mr->iova, key,
					   direction) > 0))
		return;
	KT_EXPECT_EQ(t, rdma_rw_ctx_post(&ctx, f->qp, 1, &w.cqe, NULL), 0);
	KT_EXPECT(t, wait_for_completion_timeout(&w.done, 10 * HZ));
	KT_EXPECT_EQ(t, w.status, status);
	rdma_rw_ctx_destroy(&ctx, f->qp, 1, sg, nents, direction);
}

static void test_transfers(struct ktap *t)
{
	static const enum ib_poll_context contexts[] = { IB_POLL_SOFTIRQ, IB_POLL_WORKQUEUE };
	struct scatterlist sg[3];
	struct rw_fixture f;
	u8 *a, *b;
	int i;

	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		if (!start_rw(t, &f, contexts[i]))
			return;
		a = f.p.a.buf;
		b = f.p.b.buf;
		sg_init_table(sg, 3);
		sg_set_buf(&sg[0], a + 4096, 4096);
		sg_set_buf(&sg[1], a, 1000);
		sg_set_buf(&sg[2], a + 8192, 3000);
		kt_fill(a, KTM_BUF, 1);
		transfer(t, &f, sg, 3, DMA_TO_DEVICE, f.p.b.mr->rkey, IB_WC_SUCCESS);
		KT_EXPECT(t, !memcmp(b, a + 4096, 4096) && !memcmp(b + 4096, a, 1000));
		KT_EXPECT(t, !memcmp(b + 5096, a + 8192, 3000));
		KT_EXPECT(t, !memchr_inv(b + 8096, 0, KTM_BUF - 8096));

		kt_fill(b, KTM_BUF, 2);
		memset(a, 0xaa, KTM_BUF);
		transfer(t, &f, sg, 3, DMA_FROM_DEVICE, f.p.b.mr->rkey, IB_WC_SUCCESS);
		KT_EXPECT(t, !memcmp(b, a + 4096, 4096) && !memcmp(b + 4096, a, 1000));
		KT_EXPECT(t, !memcmp(b + 5096, a + 8192, 3000) && a[1000] == 0xaa);

		transfer(t, &f, sg, 3, DMA_TO_DEVICE, f.p.b.mr->rkey + 1, IB_WC_REM_ACCESS_ERR);
		end_rw(t, &f);
	}
}

/* A done() that posts again, under a lock that the poster takes as well. */
struct player {
	struct ib_cqe cqe;
	struct rw_fixture *f;
	spinlock_t lock;	/* protects @left */
	int left;
	struct completion done;
};

static int serve(struct player *p)
{
	struct ib_send_wr wr = { .wr_cqe = &p->cqe, .opcode = IB_WR_RDMA_WRITE,
				 .send_flags = IB_SEND_SIGNALED };
	struct ib_rdma_wr rdma = { .wr = wr };
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&p->lock, flags);
	if (p->left-- > 0)
		ret = ib_post_send(p->f->qp, &rdma.wr, NULL);
	else
		complete(&p->done);
	spin_unlock_irqrestore(&p->lock, flags);
	return ret;
}

static void play_on(struct ib_cq *cq, struct ib_wc *wc)
{
	struct player *p = container_of(wc->wr_cqe, struct player, cqe);

	if (wc->status == IB_WC_SUCCESS)
		serve(p);
}

static void test_posts_again(struct ktap *t)
{
	struct player p = { .cqe.done = play_on, .left = 500 };
	struct rw_fixture f;

	if (!start_rw(t, &f, IB_POLL_SOFTIRQ))
		return;
	p.f = &f;
	spin_lock_init(&p.lock);
	init_completion(&p.done);
	KT_EXPECT_EQ(t, serve(&p), 0);
	KT_EXPECT(t, wait_for_completion_timeout(&p.done, 10 * HZ));
	KT_EXPECT_EQ(t, p.left, -1);
	end_rw(t, &f);
}

static const struct ktap_case rw_cases[] = {
	{ "rdma_rw moves lists both ways, in either polling context", test_transfers },
	{ "a handler that posts again, under the poster's lock", test_posts_again },
};

KTAP_SUITE(ktm_rw_suite, "memdev ULP", rw_cases);
