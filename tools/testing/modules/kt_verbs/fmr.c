// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of fast memory regions.
 */
#include "kt_verbs.h"

static const struct ib_fmr_attr limits = { .max_pages = 4, .max_maps = 2, .page_shift = 12 };

static struct ib_fmr *alloc_fmr(struct ib_pd *pd, int access)
{
	struct ib_fmr_attr attr = limits;

	return ib_alloc_fmr(pd, access, &attr);
}

static void test_life(struct ktap *t)
{
	u64 pages[] = { 0x1000, 0x5000 };
	struct kt_env env;
	struct ib_fmr *fmr;
	LIST_HEAD(list);
	u32 key;

	if (!kt_start(t, &env))
		return;
	fmr = alloc_fmr(env.pd, IB_ACCESS_LOCAL_WRITE);
	if (!KT_EXPECT_ERR(t, fmr, 0))
		goto out;
	KT_EXPECT(t, fmr->device == env.dev && fmr->pd == env.pd && list_empty(&fmr->list));
	KT_EXPECT_EQ(t, to_fakedev_fmr(fmr)->access, IB_ACCESS_LOCAL_WRITE);
	KT_EXPECT_EQ(t, to_fakedev_fmr(fmr)->attr.max_pages, 4);
	KT_EXPECT_EQ(t, to_fakedev_fmr(fmr)->attr.max_maps, 2);
	KT_EXPECT_EQ(t, to_fakedev_fmr(fmr)->attr.page_shift, 12);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);

	key = fmr->rkey;
	KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 2, 0x7000), 0);
	KT_EXPECT(t, fmr->rkey != key);
	KT_EXPECT_EQ(t, to_fakedev_fmr(fmr)->nr_pages, 2);
	KT_EXPECT_EQ(t, to_fakedev_fmr(fmr)->iova, 0x7000);
	fakedev_fail(env.fd, FAKEDEV_MAP_FMR, 1, -EAGAIN);
	KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 1, 0), -EAGAIN);
	KT_EXPECT_EQ(t, to_fakedev_fmr(fmr)->nr_pages, 2);

	list_add(&fmr->list, &list);
	fakedev_fail(env.fd, FAKEDEV_UNMAP_FMR, 1, -EIO);
	KT_EXPECT_EQ(t, ib_unmap_fmr(&list), -EIO);
	KT_EXPECT_EQ(t, ib_unmap_fmr(&list), 0);
	KT_EXPECT_EQ(t, to_fakedev_fmr(fmr)->nr_pages, 0);
	KT_EXPECT(t, !list_empty(&list));

	fakedev_fail(env.fd, FAKEDEV_DEALLOC_FMR, 1, -EBUSY);
	KT_EXPECT_EQ(t, ib_dealloc_fmr(fmr), -EBUSY);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
	KT_EXPECT_EQ(t, ib_dealloc_fmr(fmr), 0);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
out:
	kt_end(t, &env);
}

static void expect_invalid(struct ktap *t, struct ib_pd *pd, struct ib_fmr_attr attr)
{
	KT_EXPECT_ERR(t, ib_alloc_fmr(pd, 0, &attr), -EINVAL);
}

static void test_fmr_refused(struct ktap *t)
{
	struct ib_fmr_attr attr = limits;
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	attr.max_pages = 0;
	expect_invalid(t, env.pd, attr);
	attr.max_pages = -1;
	expect_invalid(t, env.pd, attr);
	attr = limits;
	attr.max_maps = 0;
	expect_invalid(t, env.pd, attr);
	attr = limits;
	attr.page_shift = 64;
	expect_invalid(t, env.pd, attr);
	KT_EXPECT_ERR(t, alloc_fmr(env.pd, IB_ACCESS_REMOTE_WRITE), -EINVAL);
	KT_EXPECT_ERR(t, alloc_fmr(env.pd, IB_ACCESS_ON_DEMAND), -EOPNOTSUPP);
	KT_WITHOUT(&env, alloc_fmr, KT_EXPECT_ERR(t, alloc_fmr(env.pd, 0), -EOPNOTSUPP));
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_ALLOC_FMR), 0);
	fakedev_fail(env.fd, FAKEDEV_ALLOC_FMR, 1, -ENOSPC);
	KT_EXPECT_ERR(t, alloc_fmr(env.pd, 0), -ENOSPC);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	kt_end(t, &env);
}

/* One call of the provider unmaps all regions of a list. */
static void test_lists(struct ktap *t)
{
	struct ib_fmr *one, *two, *foreign;
	struct kt_env env, other;
	u64 page = 0;
	LIST_HEAD(list);

	if (!kt_start(t, &env))
		return;
	if (!kt_start(t, &other))
		goto end_env;
	one = alloc_fmr(env.pd, 0);
	two = alloc_fmr(env.pd, 0);
	foreign = alloc_fmr(other.pd, 0);
	if (KT_EXPECT_ERR(t, one, 0) && KT_EXPECT_ERR(t, two, 0) &&
	    KT_EXPECT_ERR(t, foreign, 0)) {
		KT_EXPECT_EQ(t, ib_unmap_fmr(&list), 0);
		KT_EXPECT_EQ(t, ib_map_phys_fmr(one, &page, 1, 0), 0);
		KT_EXPECT_EQ(t, ib_map_phys_fmr(two, &page, 1, 0), 0);
		list_add_tail(&one->list, &list);
		list_add_tail(&two->list, &list);
		list_add_tail(&foreign->list, &list);
		KT_EXPECT_EQ(t, ib_unmap_fmr(&list), -EINVAL);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_UNMAP_FMR), 0);
		list_del_init(&foreign->list);
		KT_EXPECT_EQ(t, ib_unmap_fmr(&list), 0);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_UNMAP_FMR), 1);
		KT_EXPECT(t, !to_fakedev_fmr(one)->nr_pages && !to_fakedev_fmr(two)->nr_pages);
		KT_EXPECT_EQ(t, ib_dealloc_fmr(one), 0);
		KT_EXPECT_EQ(t, ib_dealloc_fmr(two), 0);
		KT_EXPECT_EQ(t, ib_dealloc_fmr(foreign), 0);
	}
	kt_end(t, &other);
end_env:
	kt_end(t, &env);
}

static const struct ktap_case fmr_cases[] = {
	{ "a region is allocated, mapped, unmapped and freed", test_life,
	  COVERS(ib_alloc_fmr ib_map_phys_fmr ib_unmap_fmr ib_dealloc_fmr ib_fmr ib_fmr_attr) },
	{ "refused regions", test_fmr_refused,
	  COVERS(ib_alloc_fmr ib_map_phys_fmr ib_dealloc_fmr) },
	{ "lists of regions are unmapped", test_lists, COVERS(ib_unmap_fmr list_head) },
};

KTAP_SUITE(kt_fmr_suite, "fmr", fmr_cases);
