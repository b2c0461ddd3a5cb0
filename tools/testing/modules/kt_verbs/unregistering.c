// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests that no object can be created on a device that is being unregistered.
 */
#include <rdma/uverbs_ioctl.h>

#include "kt_verbs.h"

/* Operations of the provider that no test here may reach. */
static int provider_calls;

static struct ib_wq *late_wq(struct ib_pd *pd, struct ib_wq_init_attr *attr, struct ib_udata *udata)
{
	provider_calls++;
	return ERR_PTR(-EIO);
}

static int late_table(struct ib_rwq_ind_table *table, struct ib_rwq_ind_table_init_attr *attr,
		      struct ib_udata *udata)
{
	provider_calls++;
	return -EIO;
}

static struct ib_dm *late_dm(struct ib_device *dev, struct ib_ucontext *context,
			     struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs)
{
	provider_calls++;
	return ERR_PTR(-EIO);
}

static struct ib_mr *late_dm_mr(struct ib_pd *pd, struct ib_dm *dm, struct ib_dm_mr_attr *attr,
				struct uverbs_attr_bundle *attrs)
{
	provider_calls++;
	return ERR_PTR(-EIO);
}

static int late_counters(struct ib_counters *counters, struct uverbs_attr_bundle *attrs)
{
	provider_calls++;
	return -EIO;
}

static struct ib_flow *late_flow(struct ib_qp *qp, struct ib_flow_attr *attr,
				 struct ib_udata *udata)
{
	provider_calls++;
	return ERR_PTR(-EIO);
}

static int late_destroy_flow(struct ib_flow *flow)
{
	provider_calls++;
	return -EIO;
}

static const struct ib_device_ops late_ops = {
	.alloc_dm = late_dm,
	.create_counters = late_counters,
	.create_flow = late_flow,
	.create_rwq_ind_table = late_table,
	.create_wq = late_wq,
	.destroy_flow = late_destroy_flow,
	.reg_dm_mr = late_dm_mr,

	.size_ib_counters = sizeof(struct ib_counters),
	.size_ib_rwq_ind_table = sizeof(struct ib_rwq_ind_table),
};

/* The environment on whose device removal_remove() tries to create objects; NULL after that. */
static struct kt_env *removed_env;
static struct ktap *removed_test;
/* A CQ of the pool, of which 8 entries are used. */
static struct ib_cq *pooled;

static int removal_add(struct ib_device *dev)
{
	return 0;
}

static void refuse_kernel_objects(struct ktap *t, struct kt_env *env)
{
	struct ib_fmr_attr fmr_attr = { .max_pages = 1, .max_maps = 1, .page_shift = PAGE_SHIFT };
	struct ib_srq_init_attr srq_attr = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct ib_cq_init_attr attr = { .cqe = 1 };
	struct rdma_ah_attr ah_attr = {};

	KT_EXPECT_ERR(t, ib_alloc_pd(env->dev, 0), -ENODEV);
	KT_EXPECT_ERR(t, ib_create_cq(env->dev, NULL, NULL, NULL, &attr), -ENODEV);
	KT_EXPECT_ERR(t, ib_alloc_cq(env->dev, NULL, 1, 0, IB_POLL_WORKQUEUE), -ENODEV);
	KT_EXPECT_ERR(t, kt_qp(env, env->cq), -ENODEV);
	KT_EXPECT_ERR(t, ib_alloc_mr(env->pd, IB_MR_TYPE_MEM_REG, 1), -ENODEV);
	env->dev->attrs.kernel_cap_flags |= IBK_INTEGRITY_HANDOVER;
	KT_EXPECT_ERR(t, ib_alloc_mr_integrity(env->pd, 1, 1), -ENODEV);
	KT_EXPECT_ERR(t, ib_reg_user_mr(env->pd, 0, 1, 0, 0), -ENODEV);
	KT_EXPECT_ERR(t, ib_alloc_mw(env->pd, IB_MW_TYPE_1), -ENODEV);
	KT_EXPECT_ERR(t, ib_alloc_fmr(env->pd, 0, &fmr_attr), -ENODEV);
	KT_EXPECT_ERR(t, ib_create_srq(env->pd, &srq_attr), -ENODEV);
	KT_EXPECT_ERR(t, rdma_create_ah(env->pd, &ah_attr), -ENODEV);
	KT_EXPECT_ERR(t, rdma_create_user_ah(env->pd, &ah_attr, NULL), -ENODEV);
	KT_EXPECT_ERR(t, ib_alloc_xrcd(env->dev), -ENODEV);
	KT_EXPECT_EQ(t, atomic_read(&env->pd->usecnt), 0);
}

/* Objects of which no more than the device is looked at. */
static void refuse_objects_of_processes(struct ktap *t, struct kt_env *env)
{
	struct ib_wq_init_attr wq_attr = { .wq_type = IB_WQT_RQ, .cq = env->cq };
	struct ib_flow_attr flow_attr = { .type = IB_FLOW_ATTR_NORMAL, .port = 1 };
	struct ib_dm_mr_attr dm_mr_attr = { .access_flags = IB_ZERO_BASED };
	struct ib_wq wq = { .device = env->dev }, *wqs[] = { &wq };
	struct ib_rwq_ind_table_init_attr table_attr = { .ind_tbl = wqs };
	struct ib_xrcd xrcd = { .device = env->dev };
	struct ib_qp_init_attr target = { .qp_type = IB_QPT_XRC_TGT, .xrcd = &xrcd };
	static struct ib_qp qp = { .qp_type = IB_QPT_UD };
	struct ib_dm dm = { .device = env->dev };
	struct ib_dm_alloc_attr dm_attr = {};
	struct uverbs_attr_bundle call = {};

	qp.device = env->dev;
	KT_EXPECT_ERR(t, ib_create_qp(env->pd, &target), -ENODEV);
	KT_EXPECT_ERR(t, ib_create_wq(env->pd, &wq_attr), -ENODEV);
	KT_EXPECT_ERR(t, ib_create_rwq_ind_table_user(env->dev, &table_attr, NULL, NULL), -ENODEV);
	KT_EXPECT_ERR(t, ib_alloc_dm_user(env->dev, NULL, &dm_attr, NULL, &call), -ENODEV);
	KT_EXPECT_ERR(t, ib_reg_dm_mr_user(env->pd, &dm, &dm_mr_attr, NULL, &call), -ENODEV);
	KT_EXPECT_ERR(t, ib_create_counters_user(env->dev, NULL, &call), -ENODEV);
	KT_EXPECT_ERR(t, ib_create_flow_user(&qp, &flow_attr, NULL, NULL), -ENODEV);
	KT_EXPECT_EQ(t, provider_calls, 0);
}

static void removal_remove(struct ib_device *dev, void *data)
{
	struct ktap *t = removed_test;

	if (!removed_env || dev != removed_env->dev)
		return;
	refuse_kernel_objects(t, removed_env);
	refuse_objects_of_processes(t, removed_env);
	/* Not even entries of a CQ that exists, and has room. */
	KT_EXPECT_ERR(t, ib_cq_pool_get(dev, 1, 0, IB_POLL_SOFTIRQ), -ENODEV);
	if (!IS_ERR(pooled)) {
		KT_EXPECT_EQ(t, pooled->cqe_used, 8);
		ib_cq_pool_put(pooled, 8);
	}
	KT_EXPECT_EQ(t, ib_destroy_cq(removed_env->cq), 0);
	KT_EXPECT_EQ(t, ib_dealloc_pd_user(removed_env->pd, NULL), 0);
	removed_env = NULL;
}

static struct ib_client removal_client = {
	.name = "kt_removal",
	.add = removal_add,
	.remove = removal_remove,
};

static void test_unregistering(struct ktap *t)
{
	static const struct fakedev_config config = { .more_ops = &late_ops };
	struct kt_env env;

	provider_calls = 0;
	if (!kt_start_with(t, &env, &config))
		return;
	pooled = ib_cq_pool_get(env.dev, 8, 0, IB_POLL_SOFTIRQ);
	KT_EXPECT_ERR(t, pooled, 0);
	removed_env = &env;
	removed_test = t;
	KT_EXPECT_EQ(t, ib_register_client(&removal_client), 0);
	fakedev_destroy(env.fd);
	KT_EXPECT(t, !removed_env);
	ib_unregister_client(&removal_client);
}

static const struct ktap_case unregistering_cases[] = {
	{ "no new objects on a device being unregistered: -ENODEV", test_unregistering },
};

KTAP_SUITE(kt_unregistering_suite, "unregistering", unregistering_cases);
