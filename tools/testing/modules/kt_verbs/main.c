// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_verbs.ko: tests of the verbs objects over the fake provider, see fakedev.h.
 */
#include <rdma/krdma.h>

#include "kt_verbs.h"

KRDMA_NEEDS_IB_CORE;

int kt_count(struct kt_env *env, enum rdma_restrack_type type)
{
	return rdma_restrack_count(env->dev, type);
}

bool kt_start_with(struct ktap *t, struct kt_env *env, const struct fakedev_config *config)
{
	struct ib_cq_init_attr attr = { .cqe = 64 };

	env->fd = fakedev_create(config);
	if (!KT_EXPECT_ERR(t, env->fd, 0))
		return false;
	env->dev = &env->fd->ibdev;
	env->pd = ib_alloc_pd(env->dev, 0);
	env->cq = ib_create_cq(env->dev, NULL, NULL, NULL, &attr);
	if (!IS_ERR(env->pd) && !IS_ERR(env->cq))
		return true;

	ktap_fail(t, "no PD or no CQ");
	if (!IS_ERR(env->pd))
		ib_dealloc_pd(env->pd);
	if (!IS_ERR(env->cq))
		ib_destroy_cq(env->cq);
	fakedev_destroy(env->fd);
	return false;
}

bool kt_start(struct ktap *t, struct kt_env *env)
{
	return kt_start_with(t, env, NULL);
}

static void end(struct ktap *t, struct kt_env *env)
{
	KT_EXPECT_EQ(t, ib_destroy_cq(env->cq), 0);
	KT_EXPECT_EQ(t, ib_dealloc_pd_user(env->pd, NULL), 0);
	KT_EXPECT_EQ(t, kt_count(env, RDMA_RESTRACK_PD), 0);
	KT_EXPECT_EQ(t, kt_count(env, RDMA_RESTRACK_QP), 0);
	KT_EXPECT_EQ(t, kt_count(env, RDMA_RESTRACK_SRQ), 0);
	KT_EXPECT_EQ(t, kt_count(env, RDMA_RESTRACK_MR), 0);
}

void kt_end(struct ktap *t, struct kt_env *env)
{
	end(t, env);
	KT_EXPECT_EQ(t, kt_count(env, RDMA_RESTRACK_CQ), 0);
	fakedev_destroy(env->fd);
}

void kt_end_pooled(struct ktap *t, struct kt_env *env)
{
	end(t, env);
	fakedev_destroy(env->fd);
}

struct ib_qp_init_attr kt_qp_attr(struct ib_cq *cq)
{
	return (struct ib_qp_init_attr) {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
	};
}

struct ib_qp *kt_qp(struct kt_env *env, struct ib_cq *cq)
{
	struct ib_qp_init_attr attr = kt_qp_attr(cq);

	return ib_create_qp(env->pd, &attr);
}

static const struct ktap_suite * const suites[] = {
	&kt_pd_suite, &kt_cq_suite, &kt_cq_ulp_suite, &kt_cq_fair_suite, &kt_cq_pool_suite,
	&kt_qp_suite,
	&kt_qp_state_suite, &kt_srq_suite, &kt_drain_suite, &kt_mr_suite, &kt_mr_map_suite,
	&kt_hdr_suite, &kt_ah_suite, &kt_ah_roce_suite, &kt_ah_wc_suite, &kt_qp_path_suite,
	&kt_xrc_suite, &kt_mcast_suite, &kt_mw_suite, &kt_fmr_suite,
	&kt_netdev_suite, &kt_fmr_pool_suite, &kt_objects_suite,
	&kt_mr_integrity_suite, &kt_mr_user_suite, &kt_mr_reg_suite, &kt_dma_suite,
	&kt_table_suite,
	&kt_addr_suite, &kt_ud_suite, &kt_driver_suite, &kt_flow_suite,
	&kt_older_suite, &kt_rw_suite, &kt_unregistering_suite, &kt_nldev_suite,
};

KTAP_MODULE(suites);
