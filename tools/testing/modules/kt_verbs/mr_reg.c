// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of what kernel users do with regions of the memory of processes: registration and advice.
 */
#include "kt_verbs.h"

#define START	0x10000100ULL
#define LENGTH	0x3000ULL
#define IOVA	0x20000100ULL
#define RIGHTS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ)

static void test_register(struct ktap *t)
{
	struct kt_env env;
	struct ib_mr *mr;

	if (!kt_start(t, &env))
		return;
	mr = ib_reg_user_mr(env.pd, START, LENGTH, IOVA, RIGHTS);
	if (KT_EXPECT_ERR(t, mr, 0)) {
		KT_EXPECT(t, mr->device == env.dev);
		KT_EXPECT(t, mr->pd == env.pd);
		KT_EXPECT_EQ(t, mr->type, IB_MR_TYPE_USER);
		KT_EXPECT_EQ(t, mr->iova, IOVA);
		KT_EXPECT_EQ(t, mr->length, LENGTH);
		KT_EXPECT(t, !mr->uobject && !mr->dm && !mr->sig_attrs && !mr->need_inval);
		KT_EXPECT(t, rdma_is_kernel_res(&mr->res));
		KT_EXPECT(t, mr->res.kern_name && !strcmp(mr->res.kern_name, "kt_verbs"));
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 1);
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
	}
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	kt_end(t, &env);
}

static void test_mr_reg_refused(struct ktap *t)
{
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	KT_EXPECT_ERR(t, ib_reg_user_mr(env.pd, START, LENGTH, IOVA + 1, RIGHTS), -EINVAL);
	KT_EXPECT_ERR(t, ib_reg_user_mr(env.pd, START, LENGTH, IOVA, IB_ACCESS_REMOTE_WRITE),
		      -EINVAL);
	KT_EXPECT_ERR(t, ib_reg_user_mr(env.pd, START, LENGTH, IOVA, IB_ACCESS_HUGETLB << 1),
		      -EINVAL);
	KT_EXPECT_ERR(t, ib_reg_user_mr(env.pd, START, LENGTH, IOVA, IB_ACCESS_ON_DEMAND),
		      -EOPNOTSUPP);
	KT_WITHOUT(&env, reg_user_mr,
		   KT_EXPECT_ERR(t, ib_reg_user_mr(env.pd, START, LENGTH, IOVA, RIGHTS),
				 -EOPNOTSUPP));
	KT_EXPECT_ERR(t, ib_reg_mr_dmabuf_user(env.pd, START, LENGTH, IOVA + 1, 0, RIGHTS, NULL,
					       NULL), -EINVAL);
	/* The fake provider does not register DMA-BUFs. */
	KT_EXPECT_ERR(t, ib_reg_mr_dmabuf_user(env.pd, START, LENGTH, IOVA, 0, RIGHTS, NULL, NULL),
		      -EOPNOTSUPP);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_REG_USER_MR), 0);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);

	fakedev_fail(env.fd, FAKEDEV_REG_USER_MR, 1, -EFAULT);
	KT_EXPECT_ERR(t, ib_reg_user_mr(env.pd, START, LENGTH, IOVA, RIGHTS), -EFAULT);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_MR), 0);
	kt_end(t, &env);
}

/* Expects this result; a region that was registered is destroyed. */
static void expect_range(struct ktap *t, struct kt_env *env, u64 start, u64 length, int access,
			 int error)
{
	struct ib_mr *mr = ib_reg_user_mr(env->pd, start, length, start, access);

	if (!KT_EXPECT_ERR(t, mr, error))
		ktap_note(t, "start 0x%llx, length 0x%llx, access 0x%x", start, length, access);
	if (!IS_ERR(mr))
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
}

static void test_mr_reg_ranges(struct ktap *t)
{
	/* The last page of the address space belongs to no process. */
	const u64 end = ULONG_MAX - PAGE_SIZE + 1;
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	expect_range(t, &env, end - LENGTH, LENGTH, RIGHTS, 0);
	expect_range(t, &env, end - LENGTH, LENGTH + 1, RIGHTS, -EINVAL);
	expect_range(t, &env, end - LENGTH + 1, LENGTH, RIGHTS, -EINVAL);
	expect_range(t, &env, START, U64_MAX, RIGHTS, -EINVAL);
	env.dev->attrs.max_mr_size = LENGTH;
	expect_range(t, &env, START, LENGTH, RIGHTS, 0);
	expect_range(t, &env, START, LENGTH + 1, RIGHTS, -EINVAL);
	/* With on-demand paging, a region may be the whole address space. */
	env.dev->attrs.max_mr_size = U64_MAX;
	expect_range(t, &env, 0, U64_MAX, RIGHTS, -EINVAL);
	env.dev->attrs.kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
	expect_range(t, &env, 0, U64_MAX, RIGHTS, -EINVAL);
	expect_range(t, &env, 0, U64_MAX, RIGHTS | IB_ACCESS_ON_DEMAND, 0);
	kt_end(t, &env);
}

/* The advice that the provider got last. */
static struct {
	struct ib_pd *pd;
	enum ib_uverbs_advise_mr_advice advice;
	u32 flags;
	struct ib_sge *sg_list;
	u32 num_sge;
	struct uverbs_attr_bundle *attrs;
	int calls;
} taken;

static int take_advice(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		       struct ib_sge *sg_list, u32 num_sge, struct uverbs_attr_bundle *attrs)
{
	taken.pd = pd;
	taken.advice = advice;
	taken.flags = flags;
	taken.sg_list = sg_list;
	taken.num_sge = num_sge;
	taken.attrs = attrs;
	taken.calls++;
	return num_sge == 2 ? -ENOENT : 0;
}

static const struct ib_device_ops advised_ops = { .advise_mr = take_advice };

static const struct fakedev_config advised_config = { .more_ops = &advised_ops };

static void test_advice(struct ktap *t)
{
	const enum ib_uverbs_advise_mr_advice advice = IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	struct ib_sge ranges[2] = {};
	struct kt_env env;

	if (!kt_start_with(t, &env, &advised_config))
		return;
	taken.calls = 0;
	KT_EXPECT_EQ(t, ib_advise_mr(env.pd, advice, IB_UVERBS_ADVISE_MR_FLAG_FLUSH, ranges, 1),
		     0);
	KT_EXPECT(t, taken.pd == env.pd && taken.sg_list == ranges && !taken.attrs);
	KT_EXPECT_EQ(t, taken.advice, advice);
	KT_EXPECT_EQ(t, taken.flags, IB_UVERBS_ADVISE_MR_FLAG_FLUSH);
	KT_EXPECT_EQ(t, taken.num_sge, 1);
	KT_EXPECT_EQ(t, ib_advise_mr(env.pd, advice, 0, ranges, 2), -ENOENT);
	KT_EXPECT_EQ(t, taken.calls, 2);
	KT_EXPECT_EQ(t, ib_advise_mr(env.pd, advice, 0, NULL, 0), 0);
	KT_EXPECT_EQ(t, taken.calls, 2);
	KT_WITHOUT(&env, advise_mr,
		   KT_EXPECT_EQ(t, ib_advise_mr(env.pd, advice, 0, ranges, 1), -EOPNOTSUPP));
	KT_EXPECT_EQ(t, taken.calls, 2);
	kt_end(t, &env);
}

static const struct ktap_case mr_reg_cases[] = {
	{ "registered for a kernel user", test_register },
	{ "a registration that is refused", test_mr_reg_refused },
	{ "the first and the last ranges that are refused", test_mr_reg_ranges },
	{ "advice", test_advice },
};

KTAP_SUITE(kt_mr_reg_suite, "mr_reg", mr_reg_cases);
