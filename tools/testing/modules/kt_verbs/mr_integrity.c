// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of memory regions with protection information.
 */
#include <rdma/mr_pool.h>

#include "kt_verbs.h"

static bool start_mr_integrity(struct ktap *t, struct kt_env *env)
{
	if (!kt_start(t, env))
		return false;
	env->dev->attrs.kernel_cap_flags |= IBK_INTEGRITY_HANDOVER;
	return true;
}

static void test_mr_integrity_alloc(struct ktap *t)
{
	struct kt_env env;
	struct ib_mr *mr;

	if (!start_mr_integrity(t, &env))
		return;
	mr = ib_alloc_mr_integrity(env.pd, 16, 4);
	if (KT_EXPECT_ERR(t, mr, 0)) {
		KT_EXPECT(t, mr->device == env.dev && mr->pd == env.pd && mr->sig_attrs);
		KT_EXPECT_EQ(t, mr->type, IB_MR_TYPE_INTEGRITY);
		KT_EXPECT_EQ(t, to_fakedev_mr(mr)->max_meta, 4);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 1);
		/* Expects that the attributes stay if the provider refuses to destroy the MR. */
		fakedev_fail(env.fd, FAKEDEV_DEREG_MR, 1, -EBUSY);
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), -EBUSY);
		mr->sig_attrs->meta_length = 8;
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
	}
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	kt_end(t, &env);
}

static void test_mr_integrity_alloc_errors(struct ktap *t)
{
	struct kt_env env;

	if (!start_mr_integrity(t, &env))
		return;
	KT_EXPECT_ERR(t, ib_alloc_mr_integrity(env.pd, 0, 1), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_mr_integrity(env.pd, 1, 0), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_mr_integrity(env.pd, 65, 1), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_mr_integrity(env.pd, 1, 65), -EINVAL);
	KT_WITHOUT(&env, alloc_mr_integrity,
		   KT_EXPECT_ERR(t, ib_alloc_mr_integrity(env.pd, 1, 1), -EOPNOTSUPP));
	KT_WITHOUT(&env, map_mr_sg_pi,
		   KT_EXPECT_ERR(t, ib_alloc_mr_integrity(env.pd, 1, 1), -EOPNOTSUPP));
	env.dev->attrs.kernel_cap_flags &= ~IBK_INTEGRITY_HANDOVER;
	KT_EXPECT_ERR(t, ib_alloc_mr_integrity(env.pd, 1, 1), -EOPNOTSUPP);
	env.dev->attrs.kernel_cap_flags |= IBK_INTEGRITY_HANDOVER;
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_ALLOC_MR_INTEGRITY), 0);

	fakedev_fail(env.fd, FAKEDEV_ALLOC_MR_INTEGRITY, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_alloc_mr_integrity(env.pd, 1, 1), -ENOSPC);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 0);
	kt_end(t, &env);
}

static void test_map(struct ktap *t)
{
	struct scatterlist data[2], meta[1];
	struct kt_env env;
	struct ib_mr *mr, *plain;

	if (!start_mr_integrity(t, &env))
		return;
	sg_init_table(data, 2);
	sg_init_table(meta, 1);
	sg_dma_address(&data[0]) = 0x10000;
	sg_dma_len(&data[0]) = PAGE_SIZE;
	sg_dma_address(&data[1]) = 0x30000;
	sg_dma_len(&data[1]) = 100;
	mr = ib_alloc_mr_integrity(env.pd, 2, 1);
	plain = ib_alloc_mr(env.pd, IB_MR_TYPE_MEM_REG, 2);
	if (!KT_EXPECT_ERR(t, mr, 0) || !KT_EXPECT_ERR(t, plain, 0))
		goto out;
	KT_EXPECT_EQ(t, ib_map_mr_sg_pi(mr, data, 2, NULL, meta, 1, NULL, PAGE_SIZE), 0);
	KT_EXPECT_EQ(t, mr->length, PAGE_SIZE + 100);
	KT_EXPECT_EQ(t, mr->page_size, PAGE_SIZE);
	KT_EXPECT_EQ(t, to_fakedev_mr(mr)->meta_nents, 1);
	KT_EXPECT_EQ(t, ib_map_mr_sg_pi(mr, data, 2, NULL, NULL, 0, NULL, PAGE_SIZE), 0);
	KT_EXPECT_EQ(t, to_fakedev_mr(mr)->meta_nents, 0);

	KT_EXPECT_EQ(t, ib_map_mr_sg_pi(plain, data, 2, NULL, meta, 1, NULL, PAGE_SIZE), -EINVAL);
	KT_EXPECT_EQ(t, ib_map_mr_sg_pi(mr, data, 0, NULL, meta, 1, NULL, PAGE_SIZE), -EINVAL);
	KT_EXPECT_EQ(t, ib_map_mr_sg_pi(mr, data, 2, NULL, meta, -1, NULL, PAGE_SIZE), -EINVAL);
	KT_EXPECT_EQ(t, ib_map_mr_sg_pi(mr, data, 2, NULL, meta, 1, NULL, 3000), -EINVAL);
	KT_WITHOUT(&env, map_mr_sg_pi,
		   KT_EXPECT_EQ(t, ib_map_mr_sg_pi(mr, data, 2, NULL, meta, 1, NULL, PAGE_SIZE),
				-EOPNOTSUPP));
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_MAP_MR_SG_PI), 2);
	fakedev_fail(env.fd, FAKEDEV_MAP_MR_SG_PI, 1, -EIO);
	KT_EXPECT_EQ(t, ib_map_mr_sg_pi(mr, data, 2, NULL, meta, 1, NULL, PAGE_SIZE), -EIO);
out:
	if (!IS_ERR(plain))
		KT_EXPECT_EQ(t, ib_dereg_mr(plain), 0);
	if (!IS_ERR(mr))
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
	kt_end(t, &env);
}

static void check_status(struct ktap *t, struct kt_env *env, struct ib_mr *mr, struct ib_mr *plain)
{
	struct ib_mr_status status = { .fail_status = 77 };

	KT_EXPECT_EQ(t, ib_check_mr_status(mr, 0, &status), -EINVAL);
	KT_EXPECT_EQ(t, ib_check_mr_status(mr, 2, &status), -EINVAL);
	KT_EXPECT_EQ(t, ib_check_mr_status(plain, IB_MR_CHECK_SIG_STATUS, &status), -EINVAL);
	KT_WITHOUT(env, check_mr_status,
		   KT_EXPECT_EQ(t, ib_check_mr_status(mr, IB_MR_CHECK_SIG_STATUS, &status),
				-EOPNOTSUPP));
	env->dev->attrs.kernel_cap_flags &= ~IBK_INTEGRITY_HANDOVER;
	KT_EXPECT_EQ(t, ib_check_mr_status(mr, IB_MR_CHECK_SIG_STATUS, &status), -EOPNOTSUPP);
	env->dev->attrs.kernel_cap_flags |= IBK_INTEGRITY_HANDOVER;
	KT_EXPECT_EQ(t, status.fail_status, 77);
	KT_EXPECT_EQ(t, fakedev_calls(env->fd, FAKEDEV_CHECK_MR_STATUS), 0);

	KT_EXPECT_EQ(t, ib_check_mr_status(mr, IB_MR_CHECK_SIG_STATUS, &status), 0);
	KT_EXPECT_EQ(t, status.fail_status, 0);
	to_fakedev_mr(mr)->has_sig_err = true;
	to_fakedev_mr(mr)->sig_err = (struct ib_sig_err) {
		.err_type = IB_SIG_BAD_REFTAG, .expected = 7, .actual = 8, .sig_err_offset = 512,
	};
	KT_EXPECT_EQ(t, ib_check_mr_status(mr, IB_MR_CHECK_SIG_STATUS, &status), 0);
	KT_EXPECT_EQ(t, status.fail_status, IB_MR_CHECK_SIG_STATUS);
	KT_EXPECT_EQ(t, status.sig_err.err_type, IB_SIG_BAD_REFTAG);
	KT_EXPECT_EQ(t, status.sig_err.sig_err_offset, 512);
	KT_EXPECT_EQ(t, ib_check_mr_status(mr, IB_MR_CHECK_SIG_STATUS, &status), 0);
	KT_EXPECT_EQ(t, status.fail_status, 0);
	fakedev_fail(env->fd, FAKEDEV_CHECK_MR_STATUS, 1, -EIO);
	KT_EXPECT_EQ(t, ib_check_mr_status(mr, IB_MR_CHECK_SIG_STATUS, &status), -EIO);
}

static void test_status(struct ktap *t)
{
	struct ib_mr *mr, *plain;
	struct kt_env env;

	if (!start_mr_integrity(t, &env))
		return;
	mr = ib_alloc_mr_integrity(env.pd, 2, 1);
	plain = ib_alloc_mr(env.pd, IB_MR_TYPE_MEM_REG, 2);
	if (KT_EXPECT_ERR(t, mr, 0) && KT_EXPECT_ERR(t, plain, 0))
		check_status(t, &env, mr, plain);
	if (!IS_ERR(plain))
		KT_EXPECT_EQ(t, ib_dereg_mr(plain), 0);
	if (!IS_ERR(mr))
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
	kt_end(t, &env);
}

static void test_mr_integrity_pool(struct ktap *t)
{
	struct kt_env env;
	struct ib_mr *mr;
	struct ib_qp *qp;

	if (!start_mr_integrity(t, &env))
		return;
	qp = kt_qp(&env, env.cq);
	if (!KT_EXPECT_ERR(t, qp, 0))
		goto out;
	KT_EXPECT_EQ(t, ib_mr_pool_init(qp, &qp->sig_mrs, 2, IB_MR_TYPE_INTEGRITY, 8, 4), 0);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 2);
	mr = ib_mr_pool_get(qp, &qp->sig_mrs);
	KT_EXPECT(t, mr && mr->sig_attrs && to_fakedev_mr(mr)->max_meta == 4);
	if (mr)
		ib_mr_pool_put(qp, &qp->sig_mrs, mr);
	ib_mr_pool_destroy(qp, &qp->sig_mrs);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 0);

	fakedev_fail(env.fd, FAKEDEV_ALLOC_MR_INTEGRITY, 2, -ENOMEM);
	KT_EXPECT_EQ(t, ib_mr_pool_init(qp, &qp->sig_mrs, 3, IB_MR_TYPE_INTEGRITY, 8, 4), -ENOMEM);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 0);
	KT_EXPECT_EQ(t, ib_mr_pool_init(qp, &qp->sig_mrs, 1, IB_MR_TYPE_INTEGRITY, 8, 0), -EINVAL);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
out:
	kt_end(t, &env);
}

static const struct ktap_case mr_integrity_cases[] = {
	{ "an MR with protection information has attributes, until it is destroyed",
	  test_mr_integrity_alloc,
	  COVERS(IB_MR_TYPE_SIGNATURE ib_sig_attrs ib_sig_domain ib_t10_dif_domain
		 ib_t10_dif_bg_type ib_signature_type) },
	{ "creation: each error, nothing left behind", test_mr_integrity_alloc_errors },
	{ "two lists are mapped, or the error is returned", test_map },
	{ "the status is asked for, and is zero before", test_status,
	  COVERS(ib_check_mr_status ib_mr_status ib_sig_err ib_sig_err_type ib_mr_status_check
		 IB_MR_CHECK_SIG_STATUS) },
	{ "MR pools with protection information", test_mr_integrity_pool },
};

KTAP_SUITE(kt_mr_integrity_suite, "mr integrity", mr_integrity_cases);
