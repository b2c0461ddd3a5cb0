// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the objects that only processes have: WQs and indirection tables, memory of the device,
 * counters. The provider's operations are those of this file.
 */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "kt_verbs.h"

/* Result of the next operation of the provider, which is 0 afterwards. */
static int next_result;

static int take_result(void)
{
	int ret = next_result;

	next_result = 0;
	return ret;
}

static struct ib_wq *create_objects_wq(struct ib_pd *pd, struct ib_wq_init_attr *attr,
				       struct ib_udata *udata)
{
	int ret = take_result();
	struct ib_wq *wq = ret ? NULL : kzalloc(sizeof(*wq), GFP_KERNEL);

	return wq ?: ERR_PTR(ret ?: -ENOMEM);
}

static int modify_wq(struct ib_wq *wq, struct ib_wq_attr *attr, u32 mask, struct ib_udata *udata)
{
	return take_result();
}

static int destroy_objects_wq(struct ib_wq *wq, struct ib_udata *udata)
{
	int ret = take_result();

	if (!ret)
		kfree(wq);
	return ret;
}

static int create_objects_rwq_ind_table(struct ib_rwq_ind_table *table,
					struct ib_rwq_ind_table_init_attr *attr,
					struct ib_udata *udata)
{
	return take_result();
}

static int destroy_objects_rwq_ind_table(struct ib_rwq_ind_table *table)
{
	return take_result();
}

static struct ib_dm *alloc_dm(struct ib_device *dev, struct ib_ucontext *context,
			      struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs)
{
	int ret = take_result();
	struct ib_dm *dm = ret ? NULL : kzalloc(sizeof(*dm), GFP_KERNEL);

	return dm ?: ERR_PTR(ret ?: -ENOMEM);
}

static int dealloc_dm(struct ib_dm *dm, struct uverbs_attr_bundle *attrs)
{
	int ret = take_result();

	if (!ret)
		kfree(dm);
	return ret;
}

static struct ib_mr *reg_dm_mr(struct ib_pd *pd, struct ib_dm *dm, struct ib_dm_mr_attr *attr,
			       struct uverbs_attr_bundle *attrs)
{
	return pd->device->ops.reg_user_mr(pd, attr->offset, attr->length, 0, attr->access_flags,
					   NULL);
}

static int create_counters(struct ib_counters *counters, struct uverbs_attr_bundle *attrs)
{
	return take_result();
}

static int destroy_counters(struct ib_counters *counters)
{
	return take_result();
}

static int read_counters(struct ib_counters *counters, struct ib_counters_read_attr *attr,
			 struct uverbs_attr_bundle *attrs)
{
	return take_result();
}

static const struct ib_device_ops object_ops = {
	.alloc_dm = alloc_dm,
	.create_counters = create_counters,
	.create_rwq_ind_table = create_objects_rwq_ind_table,
	.create_wq = create_objects_wq,
	.dealloc_dm = dealloc_dm,
	.destroy_counters = destroy_counters,
	.destroy_rwq_ind_table = destroy_objects_rwq_ind_table,
	.destroy_wq = destroy_objects_wq,
	.modify_wq = modify_wq,
	.read_counters = read_counters,
	.reg_dm_mr = reg_dm_mr,

	.size_ib_counters = sizeof(struct ib_counters),
	.size_ib_rwq_ind_table = sizeof(struct ib_rwq_ind_table),
};

static bool start_objects(struct ktap *t, struct kt_env *env)
{
	static const struct fakedev_config config = { .more_ops = &object_ops };

	next_result = 0;
	return kt_start_with(t, env, &config);
}

static void test_wq(struct ktap *t)
{
	struct ib_wq_init_attr attr = { .wq_type = IB_WQT_RQ };
	struct ib_wq_attr change = {};
	struct kt_env env, other;
	struct ib_wq *wq;

	if (!start_objects(t, &env))
		return;
	KT_EXPECT_ERR(t, ib_create_wq(env.pd, &attr), -EINVAL);
	attr.cq = env.cq;
	attr.wq_type = IB_WQT_RQ + 1;
	KT_EXPECT_ERR(t, ib_create_wq(env.pd, &attr), -EINVAL);
	attr.wq_type = IB_WQT_RQ;
	next_result = -EIO;
	KT_EXPECT_ERR(t, ib_create_wq(env.pd, &attr), -EIO);
	KT_WITHOUT(&env, create_wq, KT_EXPECT_ERR(t, ib_create_wq(env.pd, &attr), -EOPNOTSUPP));
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	if (start_objects(t, &other)) {
		attr.cq = other.cq;
		KT_EXPECT_ERR(t, ib_create_wq(env.pd, &attr), -EINVAL);
		kt_end(t, &other);
	}
	attr.cq = env.cq;
	wq = ib_create_wq(env.pd, &attr);
	if (!KT_EXPECT_ERR(t, wq, 0))
		goto out;
	KT_EXPECT(t, wq->device == env.dev && wq->pd == env.pd && wq->cq == env.cq);
	KT_EXPECT_EQ(t, wq->state, IB_WQS_RESET);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
	KT_EXPECT_EQ(t, ib_destroy_cq_user(env.cq, NULL), -EBUSY);

	KT_EXPECT_EQ(t, ib_modify_wq_user(wq, &change, 0, NULL), -EINVAL);
	KT_EXPECT_EQ(t, ib_modify_wq_user(wq, &change, 8, NULL), -EINVAL);
	KT_EXPECT_EQ(t, ib_modify_wq_user(wq, &change, IB_WQ_FLAGS, NULL), 0);
	change.wq_state = (enum ib_wq_state)(IB_WQS_ERR + 1);
	KT_EXPECT_EQ(t, ib_modify_wq_user(wq, &change, IB_WQ_STATE, NULL), -EINVAL);
	KT_EXPECT_EQ(t, ib_modify_wq_user(wq, &change, IB_WQ_CUR_STATE, NULL), 0);
	change.curr_wq_state = change.wq_state;
	KT_EXPECT_EQ(t, ib_modify_wq_user(wq, &change, IB_WQ_CUR_STATE, NULL), -EINVAL);
	KT_WITHOUT(&env, modify_wq,
		   KT_EXPECT_EQ(t, ib_modify_wq_user(wq, &change, IB_WQ_FLAGS, NULL), -EOPNOTSUPP));

	next_result = -EIO;
	KT_EXPECT_EQ(t, ib_destroy_wq_user(wq, NULL), -EIO);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
	KT_EXPECT_EQ(t, ib_destroy_wq_user(wq, NULL), 0);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	KT_EXPECT_EQ(t, atomic_read(&env.cq->usecnt), 0);
out:
	kt_end(t, &env);
}

static struct ib_rwq_ind_table *make_objects_table(struct ib_device *dev, struct ib_wq *wq)
{
	struct ib_rwq_ind_table_init_attr attr = { .log_ind_tbl_size = 1 };
	struct ib_rwq_ind_table *table;

	attr.ind_tbl = kvcalloc(2, sizeof(*attr.ind_tbl), GFP_KERNEL);
	if (!attr.ind_tbl)
		return ERR_PTR(-ENOMEM);
	attr.ind_tbl[0] = wq;
	attr.ind_tbl[1] = wq;
	table = ib_create_rwq_ind_table_user(dev, &attr, NULL, NULL);
	if (IS_ERR(table))
		kvfree(attr.ind_tbl);
	return table;
}

static void test_objects_table(struct ktap *t)
{
	struct ib_wq_init_attr attr = { .wq_type = IB_WQT_RQ };
	struct ib_rwq_ind_table *table;
	struct kt_env env, other;
	struct ib_wq *wq;

	if (!start_objects(t, &env))
		return;
	attr.cq = env.cq;
	wq = ib_create_wq(env.pd, &attr);
	if (!KT_EXPECT_ERR(t, wq, 0))
		goto out;
	if (start_objects(t, &other)) {
		KT_EXPECT_ERR(t, make_objects_table(other.dev, wq), -EINVAL);
		kt_end(t, &other);
	}
	next_result = -EIO;
	KT_EXPECT_ERR(t, make_objects_table(env.dev, wq), -EIO);
	KT_WITHOUT(&env, create_rwq_ind_table,
		   KT_EXPECT_ERR(t, make_objects_table(env.dev, wq), -EOPNOTSUPP));
	KT_EXPECT_EQ(t, atomic_read(&wq->usecnt), 0);

	table = make_objects_table(env.dev, wq);
	if (KT_EXPECT_ERR(t, table, 0)) {
		KT_EXPECT_EQ(t, atomic_read(&wq->usecnt), 2);
		KT_EXPECT_EQ(t, ib_destroy_wq_user(wq, NULL), -EBUSY);
		atomic_inc(&table->usecnt);
		KT_EXPECT_EQ(t, ib_destroy_rwq_ind_table(table), -EBUSY);
		atomic_dec(&table->usecnt);
		next_result = -EIO;
		KT_EXPECT_EQ(t, ib_destroy_rwq_ind_table(table), -EIO);
		KT_EXPECT_EQ(t, ib_destroy_rwq_ind_table(table), 0);
	}
	KT_EXPECT_EQ(t, ib_destroy_wq_user(wq, NULL), 0);
out:
	kt_end(t, &env);
}

static void test_dm(struct ktap *t)
{
	struct ib_dm_mr_attr region = { .offset = 4, .length = 4, .access_flags = IB_ZERO_BASED };
	struct ib_dm_alloc_attr attr = { .length = 8, .flags = 5 };
	struct uverbs_attr_bundle call = {};
	struct kt_env env, other;
	struct ib_dm *dm;
	struct ib_mr *mr;

	if (!start_objects(t, &env))
		return;
	next_result = -EIO;
	KT_EXPECT_ERR(t, ib_alloc_dm_user(env.dev, NULL, &attr, NULL, &call), -EIO);
	KT_WITHOUT(&env, alloc_dm,
		   KT_EXPECT_ERR(t, ib_alloc_dm_user(env.dev, NULL, &attr, NULL, &call),
				 -EOPNOTSUPP));
	dm = ib_alloc_dm_user(env.dev, NULL, &attr, NULL, &call);
	if (!KT_EXPECT_ERR(t, dm, 0))
		goto out;
	KT_EXPECT(t, dm->device == env.dev && dm->length == 8 && dm->flags == 5);

	KT_WITHOUT(&env, reg_dm_mr,
		   KT_EXPECT_ERR(t, ib_reg_dm_mr_user(env.pd, dm, &region, NULL, &call),
				 -EOPNOTSUPP));
	region.length = 5;
	KT_EXPECT_ERR(t, ib_reg_dm_mr_user(env.pd, dm, &region, NULL, &call), -EINVAL);
	region.length = 4;
	if (start_objects(t, &other)) {
		KT_EXPECT_ERR(t, ib_reg_dm_mr_user(other.pd, dm, &region, NULL, &call), -EINVAL);
		KT_EXPECT_EQ(t, fakedev_calls(other.fd, FAKEDEV_REG_USER_MR), 0);
		kt_end(t, &other);
	}
	region.access_flags = 0;
	KT_EXPECT_ERR(t, ib_reg_dm_mr_user(env.pd, dm, &region, NULL, &call), -EINVAL);
	region.access_flags = IB_ZERO_BASED;
	fakedev_fail(env.fd, FAKEDEV_REG_USER_MR, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_reg_dm_mr_user(env.pd, dm, &region, NULL, &call), -ENOSPC);
	KT_EXPECT_EQ(t, atomic_read(&dm->usecnt), 0);

	mr = ib_reg_dm_mr_user(env.pd, dm, &region, NULL, &call);
	if (KT_EXPECT_ERR(t, mr, 0)) {
		KT_EXPECT(t, mr->dm == dm && mr->type == IB_MR_TYPE_DM && mr->length == 4);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 1);
		KT_EXPECT_EQ(t, ib_dealloc_dm_user(dm, &call), -EBUSY);
		/* Only regions of a process's own memory can be registered again. */
		KT_EXPECT_EQ(t, ib_rereg_mr_user(&mr, IB_MR_REREG_ACCESS, 0, 0, 0, 0, NULL, NULL),
			     -EINVAL);
		fakedev_fail(env.fd, FAKEDEV_DEREG_MR, 1, -EIO);
		KT_EXPECT_EQ(t, ib_dereg_mr_user(mr, NULL), -EIO);
		KT_EXPECT_EQ(t, atomic_read(&dm->usecnt), 1);
		KT_EXPECT_EQ(t, ib_dereg_mr_user(mr, NULL), 0);
	}
	KT_EXPECT_EQ(t, atomic_read(&dm->usecnt), 0);
	KT_EXPECT_EQ(t, ib_dealloc_dm_user(dm, &call), 0);
out:
	kt_end(t, &env);
}

static void test_counters(struct ktap *t)
{
	struct ib_counters_read_attr attr = {};
	struct uverbs_attr_bundle call = {};
	struct ib_counters *counters;
	struct kt_env env;

	if (!start_objects(t, &env))
		return;
	next_result = -EIO;
	KT_EXPECT_ERR(t, ib_create_counters_user(env.dev, NULL, &call), -EIO);
	KT_WITHOUT(&env, create_counters,
		   KT_EXPECT_ERR(t, ib_create_counters_user(env.dev, NULL, &call), -EOPNOTSUPP));
	counters = ib_create_counters_user(env.dev, NULL, &call);
	if (!KT_EXPECT_ERR(t, counters, 0))
		goto out;
	KT_EXPECT_EQ(t, ib_read_counters(counters, &attr, &call), -EINVAL);
	atomic_inc(&counters->usecnt);
	KT_EXPECT_EQ(t, ib_read_counters(counters, &attr, &call), 0);
	next_result = -EIO;
	KT_EXPECT_EQ(t, ib_read_counters(counters, &attr, &call), -EIO);
	KT_WITHOUT(&env, read_counters,
		   KT_EXPECT_EQ(t, ib_read_counters(counters, &attr, &call), -EOPNOTSUPP));
	KT_EXPECT_EQ(t, ib_destroy_counters(counters), -EBUSY);
	atomic_dec(&counters->usecnt);
	next_result = -EIO;
	KT_EXPECT_EQ(t, ib_destroy_counters(counters), -EIO);
	KT_EXPECT_EQ(t, ib_destroy_counters(counters), 0);
out:
	kt_end(t, &env);
}

static const struct ktap_case objects_cases[] = {
	{ "work queues", test_wq },
	{ "indirection tables", test_objects_table },
	{ "memory of the device", test_dm },
	{ "counters of processes", test_counters },
};

KTAP_SUITE(kt_objects_suite, "objects", objects_cases);
