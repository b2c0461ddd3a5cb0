// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Limits: how many objects of each kind a device has, how many requests fit into a queue, and the
 * largest message. The device is kt_siw0, which has no objects of others.
 */
#include <linux/completion.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

#include "limits.h"

#define DEVICE_NAME	"kt_siw0"
#define LIMIT_PATIENCE	(20 * HZ)
#define QUEUE_DEPTH	16
#define MAX_MSG		(1u << 31)	/* bytes of the longest message */
#define MAX_MAPS	255		/* mappings of an FMR */
#define MAX_PAGES	8192		/* pages of an FMR */

/* A PD and a CQ on the device, a QP or NULL, and what the CQ has reported. */
struct stock {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct completion event;
	struct completion error;
};

static void note_completions(struct ib_cq *cq, void *context)
{
	struct stock *s = context;

	complete(&s->event);
}

static void note_error(struct ib_event *event, void *context)
{
	struct stock *s = context;

	complete(&s->error);
}

static void close_stock(struct ktap *t, struct stock *s)
{
	if (s->qp)
		KT_EXPECT_EQ(t, ib_destroy_qp(s->qp), 0);
	if (!IS_ERR_OR_NULL(s->cq))
		KT_EXPECT_EQ(t, ib_destroy_cq(s->cq), 0);
	if (!IS_ERR_OR_NULL(s->pd))
		ib_dealloc_pd(s->pd);
	ib_device_put(s->dev);
}

static bool open_stock(struct ktap *t, struct stock *s, ib_comp_handler handler)
{
	struct ib_cq_init_attr attr = { .cqe = 2 * QUEUE_DEPTH };

	*s = (struct stock) { .dev = ib_device_get_by_name(DEVICE_NAME, RDMA_DRIVER_UNKNOWN) };
	if (!s->dev) {
		ktap_skip(t, "no device " DEVICE_NAME);
		return false;
	}
	init_completion(&s->event);
	init_completion(&s->error);
	s->pd = ib_alloc_pd(s->dev, 0);
	s->cq = ib_create_cq(s->dev, handler, note_error, s, &attr);
	if (KT_EXPECT_ERR(t, s->pd, 0) && KT_EXPECT_ERR(t, s->cq, 0))
		return true;
	close_stock(t, s);
	return false;
}

/* Objects */

enum kind { A_PD, A_CQ, A_QP, AN_SRQ, AN_MR, AN_FMR, A_WINDOW };

static void *make_qp(const struct stock *s)
{
	struct ib_qp_init_attr init = {
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.cap = {
			.max_send_wr = QUEUE_DEPTH, .max_recv_wr = QUEUE_DEPTH,
			.max_send_sge = 1, .max_recv_sge = 2,
		},
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
	};

	return ib_create_qp(s->pd, &init);
}

static void *make_srq(const struct stock *s)
{
	struct ib_srq_init_attr init = { .attr = { .max_wr = QUEUE_DEPTH, .max_sge = 1 } };

	return ib_create_srq(s->pd, &init);
}

static void *make_fmr(const struct stock *s, int pages, int maps)
{
	struct ib_fmr_attr attr = {
		.max_pages = pages, .max_maps = maps, .page_shift = PAGE_SHIFT,
	};

	return ib_alloc_fmr(s->pd, IB_ACCESS_LOCAL_WRITE, &attr);
}

static void *make_object(const struct stock *s, enum kind kind)
{
	struct ib_cq_init_attr cq = { .cqe = QUEUE_DEPTH };

	switch (kind) {
	case A_PD:
		return ib_alloc_pd(s->dev, 0);
	case A_CQ:
		return ib_create_cq(s->dev, NULL, NULL, NULL, &cq);
	case A_QP:
		return make_qp(s);
	case AN_SRQ:
		return make_srq(s);
	case AN_MR:
		return ib_alloc_mr(s->pd, IB_MR_TYPE_MEM_REG, 1);
	case AN_FMR:
		return make_fmr(s, 1, 1);
	default:
		return ib_alloc_mw(s->pd, IB_MW_TYPE_2);
	}
}

static int end_object(enum kind kind, void *object)
{
	switch (kind) {
	case A_PD:
		ib_dealloc_pd(object);
		return 0;
	case A_CQ:
		return ib_destroy_cq(object);
	case A_QP:
		return ib_destroy_qp(object);
	case AN_SRQ:
		return ib_destroy_srq_user(object, NULL);
	case AN_MR:
		return ib_dereg_mr(object);
	case AN_FMR:
		return ib_dealloc_fmr(object);
	default:
		return ib_dealloc_mw(object);
	}
}

/* Sets how many objects of this kind the device may have. Returns how many it might have before. */
static u32 set_limit(struct ib_device *dev, enum kind kind, u32 limit)
{
	u32 old;

	switch (kind) {
	case A_PD:
		old = dev->attrs.max_pd;
		dev->attrs.max_pd = limit;
		return old;
	case A_CQ:
		old = dev->attrs.max_cq;
		dev->attrs.max_cq = limit;
		return old;
	case A_QP:
		old = dev->attrs.max_qp;
		dev->attrs.max_qp = limit;
		return old;
	case AN_SRQ:
		old = dev->attrs.max_srq;
		dev->attrs.max_srq = limit;
		return old;
	case AN_MR:
	case AN_FMR:
		old = dev->attrs.max_mr;
		dev->attrs.max_mr = limit;
		return old;
	default:
		old = dev->attrs.max_mw;
		dev->attrs.max_mw = limit;
		return old;
	}
}

/* The device has room for one object more: for a second one only if the first one has ended. */
static void test_number(struct ktap *t)
{
	enum kind kind = *(const enum kind *)ktap_arg(t);
	struct stock s;
	void *object;
	u32 old;
	int i;

	if (!open_stock(t, &s, NULL))
		return;
	old = set_limit(s.dev, kind, kind == A_PD || kind == A_CQ ? 2 : 1);
	for (i = 0; i < 2; i++) {
		object = make_object(&s, kind);
		if (!KT_EXPECT_ERR(t, object, 0))
			break;
		KT_EXPECT_ERR(t, make_object(&s, kind), -ENOMEM);
		KT_EXPECT_EQ(t, end_object(kind, object), 0);
	}
	set_limit(s.dev, kind, old);
	KT_EXPECT_EQ(t, atomic_read(&s.pd->usecnt), 0);
	close_stock(t, &s);
}

/* Fast memory regions of the greatest size, and greater ones. */
static void test_sizes_of_fmr(struct ktap *t)
{
	static const struct {
		int pages, maps, ret;
	} rows[] = {
		{ MAX_PAGES, MAX_MAPS, 0 },
		{ MAX_PAGES + 1, MAX_MAPS, -EINVAL },
		{ MAX_PAGES, MAX_MAPS + 1, -EINVAL },
	};
	struct stock s;
	void *fmr;
	int i;

	if (!open_stock(t, &s, NULL))
		return;
	KT_EXPECT_EQ(t, s.dev->attrs.max_fast_reg_page_list_len, MAX_PAGES);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fmr = make_fmr(&s, rows[i].pages, rows[i].maps);
		if (KT_EXPECT_ERR(t, fmr, rows[i].ret) && !IS_ERR(fmr))
			KT_EXPECT_EQ(t, ib_dealloc_fmr(fmr), 0);
	}
	close_stock(t, &s);
}

/* An FMR is mapped while interrupts are off, as a ULP may do that holds a lock. */
static void test_fmr_without_interrupts(struct ktap *t)
{
	u64 page = __get_free_page(GFP_KERNEL);
	unsigned long flags;
	struct stock s;
	void *fmr;
	int ret;

	if (!KT_EXPECT(t, page))
		return;
	if (!open_stock(t, &s, NULL))
		goto free;
	fmr = make_fmr(&s, 1, 1);
	if (KT_EXPECT_ERR(t, fmr, 0)) {
		local_irq_save(flags);
		ret = ib_map_phys_fmr(fmr, &page, 1, 0);
		KT_EXPECT(t, irqs_disabled());
		local_irq_restore(flags);
		KT_EXPECT_EQ(t, ret, 0);
		KT_EXPECT_EQ(t, ib_dealloc_fmr(fmr), 0);
	}
	close_stock(t, &s);
free:
	free_page(page);
}

/* A list with more pages than the region has room for. */
static void test_pages_of_mr(struct ktap *t)
{
	unsigned long memory = __get_free_pages(GFP_KERNEL, 1);
	struct scatterlist sg[2];
	struct ib_mr *mr;
	struct stock s;

	if (!KT_EXPECT(t, memory))
		return;
	if (!open_stock(t, &s, NULL))
		goto free;
	sg_init_table(sg, 2);
	sg_set_buf(&sg[0], (void *)memory, PAGE_SIZE);
	sg_set_buf(&sg[1], (void *)memory + PAGE_SIZE, PAGE_SIZE);
	mr = ib_alloc_mr(s.pd, IB_MR_TYPE_MEM_REG, 1);
	if (KT_EXPECT_ERR(t, mr, 0)) {
		if (KT_EXPECT_EQ(t, ib_dma_map_sg(s.dev, sg, 2, DMA_BIDIRECTIONAL), 2)) {
			KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, 2, NULL, PAGE_SIZE), 1);
			KT_EXPECT_EQ(t, mr->length, PAGE_SIZE);
			ib_dma_unmap_sg(s.dev, sg, 2, DMA_BIDIRECTIONAL);
		}
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
	}
	close_stock(t, &s);
free:
	free_pages(memory, 1);
}

/* Queues */

static int qp_to(struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}

/* Opens a stock with a QP, in INIT or in ERR. */
static bool open_with_qp(struct ktap *t, struct stock *s, ib_comp_handler handler,
			 enum ib_qp_state state)
{
	struct ib_qp *qp;

	if (!open_stock(t, s, handler))
		return false;
	qp = make_qp(s);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		s->qp = qp;
		if (KT_EXPECT_EQ(t, qp_to(qp, IB_QPS_INIT), 0) &&
		    (state == IB_QPS_INIT || KT_EXPECT_EQ(t, qp_to(qp, state), 0)))
			return true;
	}
	close_stock(t, s);
	return false;
}

static int post_recv(struct ib_qp *qp, u64 wr_id)
{
	struct ib_recv_wr wr = { .wr_id = wr_id };

	return ib_post_recv(qp, &wr, NULL);
}

static void adds_completions(struct ktap *t, struct ib_qp *qp, int count)
{
	int i;

	for (i = 0; i < count; i++)
		KT_EXPECT_EQ(t, post_recv(qp, i), 0);
}

/* A receive more than the queue holds is refused, and those in the queue stay in order. */
static void test_full_queue(struct ktap *t)
{
	struct stock s;
	struct ib_wc wc;
	int i;

	if (!open_with_qp(t, &s, NULL, IB_QPS_INIT))
		return;
	adds_completions(t, s.qp, QUEUE_DEPTH);
	KT_EXPECT_EQ(t, post_recv(s.qp, QUEUE_DEPTH), -ENOMEM);
	KT_EXPECT_EQ(t, qp_to(s.qp, IB_QPS_ERR), 0);
	for (i = 0; i < QUEUE_DEPTH; i++)
		if (KT_EXPECT_EQ(t, ib_poll_cq(s.cq, 1, &wc), 1))
			KT_EXPECT_EQ(t, wc.wr_id, i);
	KT_EXPECT_EQ(t, ib_poll_cq(s.cq, 1, &wc), 0);
	close_stock(t, &s);
}

/* Opcodes behind the last one that siw knows. */
static void test_opcodes(struct ktap *t)
{
	struct ib_send_wr wr = { .opcode = IB_WR_REG_MR_INTEGRITY + 1 };
	struct ib_wc wc;
	struct stock s;

	if (!open_with_qp(t, &s, NULL, IB_QPS_ERR))
		return;
	KT_EXPECT_EQ(t, ib_post_send(s.qp, &wr, NULL), -EOPNOTSUPP);
	wr.opcode = IB_WR_RESERVED1;
	KT_EXPECT_EQ(t, ib_post_send(s.qp, &wr, NULL), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, ib_poll_cq(s.cq, 1, &wc), 0);
	close_stock(t, &s);
}

/* A receive for the longest message, and one that is a byte longer. */
static void test_longest_message(struct ktap *t)
{
	struct ib_sge sge[2] = { { .length = MAX_MSG }, { .length = 1 } };
	struct ib_recv_wr wr = { .sg_list = sge, .num_sge = 2 };
	struct stock s;

	if (!open_with_qp(t, &s, NULL, IB_QPS_INIT))
		return;
	KT_EXPECT_EQ(t, ib_post_recv(s.qp, &wr, NULL), -EINVAL);
	wr.num_sge = 1;
	KT_EXPECT_EQ(t, ib_post_recv(s.qp, &wr, NULL), 0);
	close_stock(t, &s);
}

static int modify_srq(struct ib_srq *srq, enum ib_srq_attr_mask mask, u32 max_wr, u32 limit)
{
	struct ib_srq_attr attr = { .max_wr = max_wr, .srq_limit = limit };

	return ib_modify_srq(srq, &attr, mask);
}

/* An SRQ shrinks to the number of its receives, and no further; nor is the limit above its size. */
static void test_sizes_of_srq(struct ktap *t)
{
	struct ib_recv_wr wr = { };
	struct ib_srq *srq;
	struct stock s;
	int i;

	if (!open_stock(t, &s, NULL))
		return;
	srq = make_srq(&s);
	if (KT_EXPECT_ERR(t, srq, 0)) {
		for (i = 0; i < 4; i++)
			KT_EXPECT_EQ(t, ib_post_srq_recv(srq, &wr, NULL), 0);
		KT_EXPECT_EQ(t, modify_srq(srq, IB_SRQ_MAX_WR, 3, 0), -EINVAL);
		KT_EXPECT_EQ(t, modify_srq(srq, IB_SRQ_LIMIT, 0, QUEUE_DEPTH + 1), -EINVAL);
		KT_EXPECT_EQ(t, modify_srq(srq, IB_SRQ_MAX_WR, 4, 0), 0);
		KT_EXPECT_EQ(t, ib_post_srq_recv(srq, &wr, NULL), -ENOMEM);
		KT_EXPECT_EQ(t, modify_srq(srq, IB_SRQ_LIMIT, 0, 5), -EINVAL);
		KT_EXPECT_EQ(t, modify_srq(srq, IB_SRQ_LIMIT, 0, 4), 0);
		KT_EXPECT_EQ(t, ib_destroy_srq_user(srq, NULL), 0);
	}
	close_stock(t, &s);
}

/* Events */

static bool has_event(struct stock *s)
{
	return wait_for_completion_timeout(&s->event, LIMIT_PATIENCE);
}

/* Expects that no event has come when all that was scheduled so far has run. */
static bool has_no_event(struct stock *s)
{
	return !wait_for_completion_timeout(&s->event, HZ / 20);
}

/* An event comes with the wanted number of completions, once. */
static void test_number_for_event(struct ktap *t)
{
	struct stock s;

	if (!open_with_qp(t, &s, note_completions, IB_QPS_ERR))
		return;
	KT_EXPECT_EQ(t, ib_req_ncomp_notif(s.cq, 3), 0);
	adds_completions(t, s.qp, 2);
	KT_EXPECT(t, has_no_event(&s));
	adds_completions(t, s.qp, 1);
	KT_EXPECT(t, has_event(&s));
	adds_completions(t, s.qp, 4);
	KT_EXPECT(t, has_no_event(&s));
	/* There are seven now, so the event need not wait for another one. */
	KT_EXPECT_EQ(t, ib_req_ncomp_notif(s.cq, 7), 0);
	KT_EXPECT(t, has_event(&s));
	adds_completions(t, s.qp, 4);
	KT_EXPECT(t, has_no_event(&s));
	KT_EXPECT_EQ(t, ib_peek_cq(s.cq, 2 * QUEUE_DEPTH), 11);
	close_stock(t, &s);
}

/* A CQ whose events wait overflows. Expects the error, and that the waiting event comes. */
static void test_overflow_of_moderated(struct ktap *t)
{
	struct stock s;

	if (!open_with_qp(t, &s, note_completions, IB_QPS_ERR))
		return;
	KT_EXPECT_EQ(t, rdma_set_cq_moderation(s.cq, U16_MAX, 1000), 0);
	KT_EXPECT_EQ(t, ib_req_notify_cq(s.cq, IB_CQ_NEXT_COMP), 0);
	adds_completions(t, s.qp, s.cq->cqe + 1);
	KT_EXPECT(t, wait_for_completion_timeout(&s.error, LIMIT_PATIENCE));
	KT_EXPECT(t, has_event(&s));
	close_stock(t, &s);
}

/* A CQ without a handler is armed; close_stock() waits until the event has been dropped. */
static void test_without_handler(struct ktap *t)
{
	struct stock s;

	if (!open_with_qp(t, &s, NULL, IB_QPS_ERR))
		return;
	KT_EXPECT_EQ(t, ib_req_notify_cq(s.cq, IB_CQ_NEXT_COMP), 0);
	adds_completions(t, s.qp, 1);
	close_stock(t, &s);
}

static const struct ktap_case limit_cases[] = {
	{ "the number of PDs", test_number, NULL, &(const enum kind) { A_PD } },
	{ "the number of CQs", test_number, NULL, &(const enum kind) { A_CQ } },
	{ "the number of QPs", test_number, NULL, &(const enum kind) { A_QP } },
	{ "the number of SRQs", test_number, NULL, &(const enum kind) { AN_SRQ } },
	{ "the number of MRs", test_number, NULL, &(const enum kind) { AN_MR } },
	{ "the number of FMRs", test_number, NULL, &(const enum kind) { AN_FMR } },
	{ "the number of windows", test_number, NULL, &(const enum kind) { A_WINDOW } },
	{ "the size of an FMR", test_sizes_of_fmr },
	{ "an FMR is mapped without interrupts", test_fmr_without_interrupts },
	{ "the pages of an MR", test_pages_of_mr },
	{ "a full receive queue", test_full_queue },
	{ "opcodes that are too large", test_opcodes },
	{ "the longest message", test_longest_message },
	{ "the size of an SRQ", test_sizes_of_srq },
	{ "an event for a number of completions", test_number_for_event },
	{ "a CQ overflows while an event waits", test_overflow_of_moderated },
	{ "an event of a CQ without a handler", test_without_handler },
};

KTAP_SUITE(kt_siw_limits_suite, "siw limits", limit_cases);
