// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of memory regions: creation, destruction, keys, pools.
 */
#include <rdma/mr_pool.h>

#include "kt_verbs.h"

static void test_mr_alloc(struct ktap *t)
{
	struct kt_env env;
	struct ib_mr *mr;

	if (!kt_start(t, &env))
		return;
	mr = ib_alloc_mr(env.pd, IB_MR_TYPE_MEM_REG, 16);
	if (KT_EXPECT_ERR(t, mr, 0)) {
		KT_EXPECT(t, mr->device == env.dev && mr->pd == env.pd && !mr->sig_attrs);
		KT_EXPECT_EQ(t, mr->type, IB_MR_TYPE_MEM_REG);
		KT_EXPECT(t, !mr->need_inval);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 1);
		/*
		 * The provider refuses to destroy the MR, as providers do while memory windows are
		 * bound to an MR.
		 */
		fakedev_fail(env.fd, FAKEDEV_DEREG_MR, 1, -EBUSY);
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), -EBUSY);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 1);
		KT_EXPECT_EQ(t, ib_dereg_mr_user(mr, NULL), 0);
	}
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	kt_end(t, &env);
}

static void test_mr_alloc_errors(struct ktap *t)
{
	struct kt_env env;
	struct ib_mr *mr;

	if (!kt_start(t, &env))
		return;
	KT_EXPECT_ERR(t, ib_alloc_mr(env.pd, IB_MR_TYPE_MEM_REG, 0), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_mr(env.pd, IB_MR_TYPE_MEM_REG, 257), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_mr(env.pd, IB_MR_TYPE_DM, 1), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_mr(env.pd, IB_MR_TYPE_USER, 1), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_mr(env.pd, IB_MR_TYPE_DMA, 1), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_mr(env.pd, IB_MR_TYPE_INTEGRITY, 1), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_mr(env.pd, -1, 1), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_mr(env.pd, IB_MR_TYPE_SG_GAPS, 1), -EOPNOTSUPP);
	KT_WITHOUT(&env, alloc_mr,
		   KT_EXPECT_ERR(t, ib_alloc_mr(env.pd, IB_MR_TYPE_MEM_REG, 1), -EOPNOTSUPP));
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_ALLOC_MR), 0);
	fakedev_fail(env.fd, FAKEDEV_ALLOC_MR, 1, -ENOMEM);
	KT_EXPECT_ERR(t, ib_alloc_mr(env.pd, IB_MR_TYPE_MEM_REG, 1), -ENOMEM);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);

	env.dev->attrs.kernel_cap_flags |= IBK_SG_GAPS_REG;
	mr = ib_alloc_mr(env.pd, IB_MR_TYPE_SG_GAPS, 1);
	if (KT_EXPECT_ERR(t, mr, 0))
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
	kt_end(t, &env);
}

static void test_keys(struct ktap *t)
{
	struct ib_mr mr = { .lkey = 0x12345601, .rkey = 0xabcdef02 };

	ib_update_fast_reg_key(&mr, 0xfe);
	KT_EXPECT_EQ(t, mr.lkey, 0x123456feU);
	KT_EXPECT_EQ(t, mr.rkey, 0xabcdeffeU);
	KT_EXPECT_EQ(t, ib_inc_rkey(0x12345601), 0x12345602);
	KT_EXPECT_EQ(t, ib_inc_rkey(0x123456ff), 0x12345600);
	KT_EXPECT_EQ(t, ib_inc_rkey(0xffffffff), 0xffffff00U);
}

static void test_access(struct ktap *t)
{
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	KT_EXPECT_EQ(t, ib_check_mr_access(env.dev, 0), 0);
	KT_EXPECT_EQ(t, ib_check_mr_access(env.dev, IB_ACCESS_REMOTE_READ), 0);
	KT_EXPECT_EQ(t, ib_check_mr_access(env.dev, IB_ACCESS_REMOTE_WRITE), -EINVAL);
	KT_EXPECT_EQ(t, ib_check_mr_access(env.dev, IB_ACCESS_REMOTE_ATOMIC), -EINVAL);
	KT_EXPECT_EQ(t, ib_check_mr_access(env.dev, IB_ACCESS_REMOTE_WRITE |
					   IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_LOCAL_WRITE), 0);
	KT_EXPECT_EQ(t, ib_check_mr_access(env.dev, IB_ACCESS_HUGETLB << 1), -EINVAL);
	KT_EXPECT_EQ(t, ib_check_mr_access(env.dev, IB_ACCESS_RELAXED_ORDERING), 0);
	KT_EXPECT_EQ(t, ib_check_mr_access(env.dev, IB_ACCESS_ON_DEMAND), -EOPNOTSUPP);
	env.dev->attrs.kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
	KT_EXPECT_EQ(t, ib_check_mr_access(env.dev, IB_ACCESS_ON_DEMAND), 0);

	KT_EXPECT(t, !ib_access_writable(IB_ACCESS_REMOTE_READ));
	KT_EXPECT(t, ib_access_writable(IB_ACCESS_LOCAL_WRITE));
	KT_EXPECT(t, ib_access_writable(IB_ACCESS_MW_BIND));
	kt_end(t, &env);
}

static void test_mr_pool(struct ktap *t)
{
	struct ib_mr *mr[4];
	struct kt_env env;
	struct ib_qp *qp;
	int i;

	if (!kt_start(t, &env))
		return;
	qp = kt_qp(&env, env.cq);
	if (!KT_EXPECT_ERR(t, qp, 0))
		goto out;
	KT_EXPECT(t, !ib_mr_pool_get(qp, &qp->rdma_mrs));
	KT_EXPECT_EQ(t, ib_mr_pool_init(qp, &qp->rdma_mrs, 3, IB_MR_TYPE_MEM_REG, 8, 0), 0);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 3);
	for (i = 0; i < 4; i++)
		mr[i] = ib_mr_pool_get(qp, &qp->rdma_mrs);
	KT_EXPECT(t, mr[0] && mr[1] && mr[2] && !mr[3]);
	KT_EXPECT(t, mr[0] != mr[1] && mr[1] != mr[2] && mr[0] != mr[2]);
	KT_EXPECT_EQ(t, qp->mrs_used, 3);
	for (i = 0; i < 3; i++)
		ib_mr_pool_put(qp, &qp->rdma_mrs, mr[i]);
	KT_EXPECT_EQ(t, qp->mrs_used, 0);
	ib_mr_pool_destroy(qp, &qp->rdma_mrs);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 0);

	/* Expects that the first two MRs of a pool are freed if the third cannot be allocated. */
	fakedev_fail(env.fd, FAKEDEV_ALLOC_MR, 3, -ENOMEM);
	KT_EXPECT_EQ(t, ib_mr_pool_init(qp, &qp->sig_mrs, 4, IB_MR_TYPE_MEM_REG, 8, 0), -ENOMEM);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 0);
	KT_EXPECT_EQ(t, ib_mr_pool_init(qp, &qp->sig_mrs, 1, IB_MR_TYPE_MEM_REG, 8, 8), -EINVAL);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
out:
	kt_end(t, &env);
}

static const struct ktap_case mr_cases[] = {
	{ "an MR is counted on its PD, and remains if the provider refuses dereg", test_mr_alloc,
	  COVERS(ib_dereg_mr ib_mr ib_mr_type IB_MR_TYPE_MEM_REG) },
	{ "creation: each error, nothing left behind", test_mr_alloc_errors,
	  COVERS(ib_mr_type IB_MR_TYPE_SG_GAPS) },
	{ "updates change the low 8 bits of keys only", test_keys,
	  COVERS(ib_update_fast_reg_key ib_inc_rkey) },
	{ "access rights are checked", test_access },
	{ "MR pools of a QP", test_mr_pool },
};

KTAP_SUITE(kt_mr_suite, "mr", mr_cases);
