// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the API of about Linux 4.13. The tests use exactly the types of that API, and have to
 * compile without a warning.
 */
#include "kt_verbs.h"

static void test_older_post(struct ktap *t)
{
	struct ib_send_wr send = { .wr_id = 1, .opcode = IB_WR_SEND,
				   .send_flags = IB_SEND_SIGNALED };
	struct ib_recv_wr recv = { .wr_id = 2 };
	struct ib_send_wr *bad_send = NULL;
	struct ib_recv_wr *bad_recv = NULL;
	struct kt_env env;
	struct ib_qp *qp;
	struct ib_wc wc;

	if (!kt_start(t, &env))
		return;
	qp = kt_qp(&env, env.cq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT_EQ(t, ib_post_send(qp, &send, &bad_send), 0);
		KT_EXPECT_EQ(t, ib_post_recv(qp, &recv, &bad_recv), 0);
		fakedev_fail(env.fd, FAKEDEV_POST_SEND, 1, -ENOMEM);
		KT_EXPECT_EQ(t, ib_post_send(qp, &send, &bad_send), -ENOMEM);
		KT_EXPECT(t, bad_send == &send);
		fakedev_fail(env.fd, FAKEDEV_POST_RECV, 1, -ENOMEM);
		KT_EXPECT_EQ(t, ib_post_recv(qp, &recv, &bad_recv), -ENOMEM);
		KT_EXPECT(t, bad_recv == &recv);
		KT_EXPECT_EQ(t, fakedev_complete_sends(qp, 1, IB_WC_SUCCESS), 1);
		KT_EXPECT_EQ(t, ib_poll_cq(env.cq, 1, &wc), 1);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	kt_end(t, &env);
}

static void test_older_srq(struct ktap *t)
{
	struct ib_srq_init_attr attr = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ib_recv_wr recv = { .wr_id = 2 };
	struct ib_recv_wr *bad = NULL;
	struct ib_srq *srq;
	struct kt_env env;
	int ret;

	if (!kt_start(t, &env))
		return;
	srq = ib_create_srq(env.pd, &attr);
	if (KT_EXPECT_ERR(t, srq, 0)) {
		KT_EXPECT_EQ(t, ib_post_srq_recv(srq, &recv, &bad), 0);
		fakedev_fail(env.fd, FAKEDEV_POST_SRQ_RECV, 1, -ENOMEM);
		KT_EXPECT_EQ(t, ib_post_srq_recv(srq, &recv, &bad), -ENOMEM);
		KT_EXPECT(t, bad == &recv);
		ret = ib_destroy_srq(srq);
		KT_EXPECT_EQ(t, ret, 0);
	}
	kt_end(t, &env);
}

static void test_cq(struct ktap *t)
{
	struct ib_cq_init_attr attr = { .cqe = 4 };
	struct kt_env env;
	struct ib_cq *cq;
	int ret;

	if (!kt_start(t, &env))
		return;
	cq = ib_create_cq(env.dev, NULL, NULL, NULL, &attr);
	if (KT_EXPECT_ERR(t, cq, 0)) {
		ret = ib_modify_cq(cq, 4, 20);
		KT_EXPECT_EQ(t, ret, 0);
		KT_EXPECT_EQ(t, to_fakedev_cq(cq)->moderation_period, 20);
		ret = ib_peek_cq(cq, 3);
		KT_EXPECT_EQ(t, ret, 0);
		ret = ib_req_ncomp_notif(cq, 2);
		KT_EXPECT_EQ(t, ret, 0);
		ret = ib_destroy_cq(cq);
		KT_EXPECT_EQ(t, ret, 0);
	}
	kt_end(t, &env);
}

static void test_qp_state(struct ktap *t)
{
	int ok;

	ok = ib_modify_qp_is_ok(IB_QPS_RTS, IB_QPS_ERR, IB_QPT_RC, IB_QP_STATE,
				IB_LINK_LAYER_ETHERNET);
	KT_EXPECT_EQ(t, ok, 1);
	ok = ib_modify_qp_is_ok(IB_QPS_RESET, IB_QPS_RTS, IB_QPT_RC, IB_QP_STATE,
				IB_LINK_LAYER_INFINIBAND);
	KT_EXPECT_EQ(t, ok, 0);
	/* In the newer API, ib_modify_qp_is_ok() has no argument for the link layer. */
	KT_EXPECT(t, ib_modify_qp_is_ok(IB_QPS_RTS, IB_QPS_ERR, IB_QPT_RC, IB_QP_STATE));
}

static void test_dma(struct ktap *t)
{
	struct scatterlist sg;
	struct kt_env env;
	dma_addr_t addr;
	unsigned int len;
	void *mem;
	u64 dma;

	if (!kt_start(t, &env))
		return;
	mem = ib_dma_alloc_coherent(env.dev, PAGE_SIZE, &addr, GFP_KERNEL);
	if (KT_EXPECT(t, mem)) {
		sg_init_one(&sg, mem, PAGE_SIZE);
		KT_EXPECT_EQ(t, ib_dma_map_sg(env.dev, &sg, 1, DMA_TO_DEVICE), 1);
		dma = ib_sg_dma_address(env.dev, &sg);
		len = ib_sg_dma_len(env.dev, &sg);
		KT_EXPECT(t, dma == (uintptr_t)mem && len == PAGE_SIZE);
		ib_dma_unmap_sg(env.dev, &sg, 1, DMA_TO_DEVICE);
		ib_dma_free_coherent(env.dev, PAGE_SIZE, mem, addr);
	}
	kt_end(t, &env);
}

static void test_stats(struct ktap *t)
{
	static const char * const names[] = { "one", "two" };
	static const struct rdma_stat_desc descs[] = { { .name = "one" }, { .name = "two" } };
	struct rdma_hw_stats *stats;

	stats = rdma_alloc_hw_stats_struct(names, ARRAY_SIZE(names), 10);
	if (KT_EXPECT(t, stats)) {
		KT_EXPECT_EQ(t, stats->num_counters, 2);
		KT_EXPECT_EQ(t, stats->lifespan, msecs_to_jiffies(10));
		KT_EXPECT(t, !strcmp(stats->names[1], "two"));
		KT_EXPECT(t, !strcmp(stats->descs[1].name, "two"));
		rdma_free_hw_stats_struct(stats);
	}
	stats = rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs), 10);
	if (KT_EXPECT(t, stats)) {
		KT_EXPECT(t, !strcmp(stats->names[1], "two") && stats->descs == descs);
		rdma_free_hw_stats_struct(stats);
	}
}

static void test_names(struct ktap *t)
{
	enum ib_mr_type type = IB_MR_TYPE_SIGNATURE;

	KT_EXPECT_EQ(t, type, IB_MR_TYPE_INTEGRITY);
}

static const struct ktap_case older_cases[] = {
	{ "posting with pointers that are not const", test_older_post,
	  COVERS(ib_post_send ib_post_recv) },
	{ "SRQ: int ib_destroy_srq(), posting", test_older_srq,
	  COVERS(ib_destroy_srq ib_post_srq_recv) },
	{ "CQ: int ib_destroy_cq(), ib_modify_cq()", test_cq,
	  COVERS(ib_destroy_cq ib_modify_cq ib_peek_cq ib_req_ncomp_notif) },
	{ "ib_modify_qp_is_ok() with a link layer", test_qp_state, COVERS(ib_modify_qp_is_ok) },
	{ "coherent memory, ib_sg_dma_*()", test_dma,
	  COVERS(ib_dma_alloc_coherent ib_dma_free_coherent ib_sg_dma_address ib_sg_dma_len) },
	{ "counters by name", test_stats, COVERS(rdma_alloc_hw_stats_struct rdma_hw_stats) },
	{ "older names of constants", test_names, COVERS(IB_MR_TYPE_SIGNATURE) },
};

KTAP_SUITE(kt_older_suite, "older callers", older_cases);
