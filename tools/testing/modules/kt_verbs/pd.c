// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of protection domains.
 */
#include "kt_verbs.h"

static void test_local_key(struct ktap *t)
{
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	KT_EXPECT_EQ(t, env.pd->local_dma_lkey, env.dev->local_dma_lkey);
	KT_EXPECT_EQ(t, env.pd->unsafe_global_rkey, 0);
	KT_EXPECT(t, env.pd->device == env.dev && !env.pd->uobject);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_GET_DMA_MR), 0);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_PD), 1);
	KT_EXPECT(t, !strcmp(env.pd->res.kern_name, KBUILD_MODNAME));
	kt_end(t, &env);
}

static void test_dma_mr(struct ktap *t)
{
	struct kt_env env;
	struct ib_pd *pd;

	if (!kt_start(t, &env))
		return;
	env.dev->attrs.kernel_cap_flags = 0;
	pd = ib_alloc_pd(env.dev, 0);
	if (KT_EXPECT_ERR(t, pd, 0)) {
		KT_EXPECT_EQ(t, env.fd->last_access, IB_ACCESS_LOCAL_WRITE);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 1);
		KT_EXPECT_EQ(t, pd->local_dma_lkey, pd->__internal_mr->lkey);
		KT_EXPECT_EQ(t, pd->__internal_mr->type, IB_MR_TYPE_DMA);
		KT_EXPECT_EQ(t, pd->unsafe_global_rkey, 0);
		KT_EXPECT_EQ(t, atomic_read(&pd->usecnt), 0);
		KT_EXPECT_EQ(t, ib_dealloc_pd_user(pd, NULL), 0);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DEREG_MR), 1);
	}
	kt_end(t, &env);
}

static void test_global_rkey(struct ktap *t)
{
	struct kt_env env;
	struct ib_pd *pd;

	if (!kt_start(t, &env))
		return;
	pd = ib_alloc_pd(env.dev, IB_PD_UNSAFE_GLOBAL_RKEY);
	if (KT_EXPECT_ERR(t, pd, 0)) {
		KT_EXPECT_EQ(t, env.fd->last_access, IB_ACCESS_LOCAL_WRITE |
			     IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ);
		KT_EXPECT_EQ(t, pd->unsafe_global_rkey, pd->__internal_mr->rkey);
		KT_EXPECT_EQ(t, pd->local_dma_lkey, env.dev->local_dma_lkey);
		ib_dealloc_pd(pd);
	}
	kt_end(t, &env);
}

static void test_pd_errors(struct ktap *t)
{
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	KT_EXPECT_ERR(t, ib_alloc_pd(env.dev, 0x80), -EINVAL);
	KT_WITHOUT(&env, alloc_pd, KT_EXPECT_ERR(t, ib_alloc_pd(env.dev, 0), -EOPNOTSUPP));
	KT_WITHOUT(&env, get_dma_mr,
		   KT_EXPECT_ERR(t, ib_alloc_pd(env.dev, IB_PD_UNSAFE_GLOBAL_RKEY), -EOPNOTSUPP));
	/* Expects that the PD was freed again, because its DMA region could not be created. */
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DEALLOC_PD), 1);

	fakedev_fail(env.fd, FAKEDEV_ALLOC_PD, 1, -ENOMEM);
	KT_EXPECT_ERR(t, ib_alloc_pd(env.dev, 0), -ENOMEM);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DEALLOC_PD), 1);

	fakedev_fail(env.fd, FAKEDEV_GET_DMA_MR, 1, -ENOMEM);
	KT_EXPECT_ERR(t, ib_alloc_pd(env.dev, IB_PD_UNSAFE_GLOBAL_RKEY), -ENOMEM);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DEALLOC_PD), 2);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_PD), 1);
	kt_end(t, &env);
}

static void test_busy(struct ktap *t)
{
	struct kt_env env;
	struct ib_mr *mr;
	u32 key;

	if (!kt_start(t, &env))
		return;
	key = env.pd->local_dma_lkey;
	mr = ib_alloc_mr(env.pd, IB_MR_TYPE_MEM_REG, 1);
	if (KT_EXPECT_ERR(t, mr, 0)) {
		KT_EXPECT_EQ(t, ib_dealloc_pd_user(env.pd, NULL), -EBUSY);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DEALLOC_PD), 0);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_PD), 1);
		KT_EXPECT_EQ(t, env.pd->local_dma_lkey, key);
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
	}
	kt_end(t, &env);
}

/* Expects that a PD whose provider refuses to free it still has its keys. */
static void refuse_keys(struct ktap *t, struct kt_env *env, unsigned int flags)
{
	struct ib_pd *pd = ib_alloc_pd(env->dev, flags);

	if (!KT_EXPECT_ERR(t, pd, 0))
		return;
	fakedev_fail(env->fd, FAKEDEV_DEALLOC_PD, 1, -EAGAIN);
	KT_EXPECT_EQ(t, ib_dealloc_pd_user(pd, NULL), -EAGAIN);
	KT_EXPECT_EQ(t, kt_count(env, RDMA_RESTRACK_MR), 1);
	if (KT_EXPECT(t, pd->__internal_mr)) {
		KT_EXPECT_EQ(t, pd->local_dma_lkey, pd->__internal_mr->lkey);
		KT_EXPECT_EQ(t, pd->unsafe_global_rkey, flags ? pd->__internal_mr->rkey : 0);
	}
	/* The provider refuses to free the region: the PD keeps the region that it has. */
	fakedev_fail(env->fd, FAKEDEV_DEREG_MR, 1, -EAGAIN);
	KT_EXPECT_EQ(t, ib_dealloc_pd_user(pd, NULL), -EAGAIN);
	KT_EXPECT_EQ(t, kt_count(env, RDMA_RESTRACK_MR), 1);
	KT_EXPECT_EQ(t, ib_dealloc_pd_user(pd, NULL), 0);
	KT_EXPECT_EQ(t, kt_count(env, RDMA_RESTRACK_MR), 0);
}

static void test_pd_refused(struct ktap *t)
{
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	env.dev->attrs.kernel_cap_flags = 0;
	refuse_keys(t, &env, 0);
	refuse_keys(t, &env, IB_PD_UNSAFE_GLOBAL_RKEY);
	fakedev_fail(env.fd, FAKEDEV_DEALLOC_PD, 1, -EAGAIN);
	KT_EXPECT_EQ(t, ib_dealloc_pd_user(env.pd, NULL), -EAGAIN);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_PD), 1);
	KT_EXPECT(t, env.pd->res.kern_name && !strcmp(env.pd->res.kern_name, KBUILD_MODNAME));
	kt_end(t, &env);
}

static const struct ktap_case pd_cases[] = {
	{ "a PD has the device's local key, without a region", test_local_key, COVERS(ib_pd) },
	{ "a PD has the key of a DMA region if the device has no local key", test_dma_mr },
	{ "a PD has a global R_Key if that is requested", test_global_rkey },
	{ "errors leave nothing behind", test_pd_errors },
	{ "a PD in use is not freed: -EBUSY", test_busy, COVERS(ib_pd) },
	{ "a PD remains if the provider refuses to free it", test_pd_refused },
};

KTAP_SUITE(kt_pd_suite, "pd", pd_cases);
