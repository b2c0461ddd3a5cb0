// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of pools of fast memory regions.
 */
#include <linux/completion.h>
#include <rdma/ib_fmr_pool.h>

#include "kt_verbs.h"

#define MAX_MAPS	32

struct flushed {
	int count;
	struct completion done;
};

static void note_flush(struct ib_fmr_pool *pool, void *arg)
{
	struct flushed *flushed = arg;

	flushed->count++;
	complete(&flushed->done);
}

static struct ib_fmr_pool_param pool_params(struct flushed *flushed)
{
	init_completion(&flushed->done);
	flushed->count = 0;
	return (struct ib_fmr_pool_param) {
		.max_pages_per_fmr = 4,
		.page_shift = 12,
		.access = IB_ACCESS_LOCAL_WRITE,
		.pool_size = 2,
		.dirty_watermark = 1,
		.flush_function = note_flush,
		.flush_arg = flushed,
	};
}

static void test_use(struct ktap *t)
{
	u64 pages[] = { 0x1000, 0x2000, 0x3000, 0x4000, 0x5000 };
	struct ib_fmr_pool_param params;
	struct ib_pool_fmr *one, *two;
	struct ib_fmr_pool *pool;
	struct flushed flushed;
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	params = pool_params(&flushed);
	pool = ib_create_fmr_pool(env.pd, &params);
	if (!KT_EXPECT_ERR(t, pool, 0))
		goto out;
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_ALLOC_FMR), 2);
	KT_EXPECT_ERR(t, ib_fmr_pool_map_phys(pool, pages, 0, 0), -EINVAL);
	KT_EXPECT_ERR(t, ib_fmr_pool_map_phys(pool, pages, 5, 0), -EINVAL);
	fakedev_fail(env.fd, FAKEDEV_MAP_FMR, 1, -EIO);
	KT_EXPECT_ERR(t, ib_fmr_pool_map_phys(pool, pages, 1, 0), -EIO);

	one = ib_fmr_pool_map_phys(pool, pages, 4, 0x7000);
	two = ib_fmr_pool_map_phys(pool, pages, 4, 0x7000);
	if (KT_EXPECT_ERR(t, one, 0) && KT_EXPECT_ERR(t, two, 0)) {
		KT_EXPECT(t, one != two);
		KT_EXPECT_EQ(t, to_fakedev_fmr(one->fmr)->nr_pages, 4);
		KT_EXPECT_EQ(t, to_fakedev_fmr(one->fmr)->iova, 0x7000);
		KT_EXPECT_EQ(t, to_fakedev_fmr(one->fmr)->attr.max_maps, MAX_MAPS);
		KT_EXPECT_ERR(t, ib_fmr_pool_map_phys(pool, pages, 1, 0), -EAGAIN);

		/* A flush unmaps what is not used, and nothing else. */
		KT_EXPECT_EQ(t, ib_fmr_pool_unmap(one), 0);
		KT_EXPECT_EQ(t, to_fakedev_fmr(one->fmr)->nr_pages, 4);
		fakedev_fail(env.fd, FAKEDEV_UNMAP_FMR, 1, -EIO);
		KT_EXPECT_EQ(t, ib_flush_fmr_pool(pool), -EIO);
		KT_EXPECT_EQ(t, flushed.count, 0);
		KT_EXPECT_EQ(t, ib_flush_fmr_pool(pool), 0);
		KT_EXPECT_EQ(t, flushed.count, 1);
		KT_EXPECT_EQ(t, to_fakedev_fmr(one->fmr)->nr_pages, 0);
		KT_EXPECT_EQ(t, to_fakedev_fmr(two->fmr)->nr_pages, 4);
		KT_EXPECT_EQ(t, ib_fmr_pool_unmap(two), 0);
	}
	ib_destroy_fmr_pool(pool);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DEALLOC_FMR), 2);
out:
	kt_end(t, &env);
}

/* A region that was mapped MAX_MAPS times is unmapped before it is mapped again. */
static void test_dirty(struct ktap *t)
{
	struct ib_fmr_pool_param params;
	struct ib_fmr_pool *pool;
	struct ib_pool_fmr *fmr;
	struct flushed flushed;
	struct kt_env env;
	u64 page = 0x1000;
	int i;

	if (!kt_start(t, &env))
		return;
	params = pool_params(&flushed);
	params.pool_size = 1;
	pool = ib_create_fmr_pool(env.pd, &params);
	if (!KT_EXPECT_ERR(t, pool, 0))
		goto out;
	for (i = 0; i < MAX_MAPS; i++) {
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_UNMAP_FMR), 0);
		fmr = ib_fmr_pool_map_phys(pool, &page, 1, 0);
		if (!KT_EXPECT_ERR(t, fmr, 0))
			break;
		ib_fmr_pool_unmap(fmr);
	}
	KT_EXPECT(t, wait_for_completion_timeout(&flushed.done, 20 * HZ));
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_UNMAP_FMR), 1);
	fmr = ib_fmr_pool_map_phys(pool, &page, 1, 0);
	if (KT_EXPECT_ERR(t, fmr, 0))
		ib_fmr_pool_unmap(fmr);
	ib_destroy_fmr_pool(pool);
out:
	kt_end(t, &env);
}

/* Regions that can be mapped again are left alone when the dirty ones are unmapped. */
static void test_flush_of_dirty(struct ktap *t)
{
	struct ib_fmr_pool_param params;
	struct ib_pool_fmr *fmr, *other;
	struct ib_fmr_pool *pool;
	struct flushed flushed;
	struct kt_env env;
	u64 page = 0x1000;
	int i;

	if (!kt_start(t, &env))
		return;
	params = pool_params(&flushed);
	pool = ib_create_fmr_pool(env.pd, &params);
	if (!KT_EXPECT_ERR(t, pool, 0))
		goto out;
	other = ib_fmr_pool_map_phys(pool, &page, 1, 0);
	for (i = 1; i <= MAX_MAPS; i++) {
		fmr = ib_fmr_pool_map_phys(pool, &page, 1, 0);
		if (!KT_EXPECT_ERR(t, fmr, 0))
			break;
		if (i == MAX_MAPS && !IS_ERR(other))
			ib_fmr_pool_unmap(other);
		ib_fmr_pool_unmap(fmr);
	}
	KT_EXPECT(t, wait_for_completion_timeout(&flushed.done, 20 * HZ));
	if (KT_EXPECT_ERR(t, other, 0) && !IS_ERR(fmr)) {
		KT_EXPECT_EQ(t, to_fakedev_fmr(fmr->fmr)->nr_pages, 0);
		KT_EXPECT_EQ(t, to_fakedev_fmr(other->fmr)->nr_pages, 1);
	}
	ib_destroy_fmr_pool(pool);
out:
	kt_end(t, &env);
}

/* Mappings of the same pages at other addresses, some of which have the same place in the cache. */
static void test_cached_addresses(struct ktap *t)
{
	u64 pages[] = { 0x1000, 0x2000 };
	struct ib_pool_fmr *one, *other;
	struct ib_fmr_pool_param params;
	struct ib_fmr_pool *pool;
	struct flushed flushed;
	struct kt_env env;
	int i;

	if (!kt_start(t, &env))
		return;
	params = pool_params(&flushed);
	params.cache = 1;
	pool = ib_create_fmr_pool(env.pd, &params);
	if (!KT_EXPECT_ERR(t, pool, 0))
		goto out;
	one = ib_fmr_pool_map_phys(pool, pages, 2, 0);
	for (i = 1; i < 3000 && !IS_ERR(one); i++) {
		other = ib_fmr_pool_map_phys(pool, pages, 2, i * 0x1000ULL);
		if (!KT_EXPECT_ERR(t, other, 0) || !KT_EXPECT(t, other != one))
			break;
		ib_fmr_pool_unmap(other);
		ib_flush_fmr_pool(pool);
	}
	if (KT_EXPECT_ERR(t, one, 0))
		ib_fmr_pool_unmap(one);
	ib_destroy_fmr_pool(pool);
out:
	kt_end(t, &env);
}

static void test_cache(struct ktap *t)
{
	u64 pages[] = { 0x1000, 0x2000 }, others[] = { 0x1000, 0x3000 };
	struct ib_pool_fmr *one, *same, *other;
	struct ib_fmr_pool_param params;
	struct ib_fmr_pool *pool;
	struct flushed flushed;
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	params = pool_params(&flushed);
	params.cache = 1;
	pool = ib_create_fmr_pool(env.pd, &params);
	if (!KT_EXPECT_ERR(t, pool, 0))
		goto out;
	one = ib_fmr_pool_map_phys(pool, pages, 2, 0x7000);
	same = ib_fmr_pool_map_phys(pool, pages, 2, 0x7000);
	other = ib_fmr_pool_map_phys(pool, others, 2, 0x7000);
	if (KT_EXPECT_ERR(t, one, 0) && KT_EXPECT_ERR(t, other, 0)) {
		KT_EXPECT(t, same == one && other != one);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_MAP_FMR), 2);
		ib_fmr_pool_unmap(one);
		KT_EXPECT_ERR(t, ib_fmr_pool_map_phys(pool, pages, 1, 0x7000), -EAGAIN);
		ib_fmr_pool_unmap(one);

		/* The mapping is found until it has been unmapped, or the region mapped anew. */
		KT_EXPECT(t, ib_fmr_pool_map_phys(pool, pages, 2, 0x7000) == one);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_MAP_FMR), 2);
		ib_fmr_pool_unmap(one);
		KT_EXPECT_EQ(t, ib_flush_fmr_pool(pool), 0);
		KT_EXPECT(t, ib_fmr_pool_map_phys(pool, pages, 2, 0x7000) == one);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_MAP_FMR), 3);
		ib_fmr_pool_unmap(one);
		KT_EXPECT(t, ib_fmr_pool_map_phys(pool, pages, 2, 0x8000) == one);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_MAP_FMR), 4);
		KT_EXPECT_ERR(t, ib_fmr_pool_map_phys(pool, pages, 2, 0x7000), -EAGAIN);
		ib_fmr_pool_unmap(one);
		ib_fmr_pool_unmap(other);
	}
	ib_destroy_fmr_pool(pool);
out:
	kt_end(t, &env);
}

static void test_pool_refused(struct ktap *t)
{
	struct ib_fmr_pool_param params;
	struct flushed flushed;
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	params = pool_params(&flushed);
	params.pool_size = 0;
	KT_EXPECT_ERR(t, ib_create_fmr_pool(env.pd, &params), -EINVAL);
	params = pool_params(&flushed);
	params.max_pages_per_fmr = 0;
	KT_EXPECT_ERR(t, ib_create_fmr_pool(env.pd, &params), -EINVAL);
	params = pool_params(&flushed);
	params.page_shift = 256 + PAGE_SHIFT;
	KT_EXPECT_ERR(t, ib_create_fmr_pool(env.pd, &params), -EINVAL);
	params.page_shift = PAGE_SHIFT - 256;
	KT_EXPECT_ERR(t, ib_create_fmr_pool(env.pd, &params), -EINVAL);
	params = pool_params(&flushed);
	params.max_pages_per_fmr = -1;
	params.cache = 1;
	KT_EXPECT_ERR(t, ib_create_fmr_pool(env.pd, &params), -EINVAL);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_ALLOC_FMR), 0);
	/* The smallest values; and the largest page shift, which ib_alloc_fmr() refuses. */
	params = pool_params(&flushed);
	params.max_pages_per_fmr = 1;
	params.page_shift = 0;
	fakedev_fail(env.fd, FAKEDEV_ALLOC_FMR, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_create_fmr_pool(env.pd, &params), -ENOSPC);
	params.page_shift = U8_MAX;
	KT_EXPECT_ERR(t, ib_create_fmr_pool(env.pd, &params), -EINVAL);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_ALLOC_FMR), 1);
	params = pool_params(&flushed);
	fakedev_fail(env.fd, FAKEDEV_ALLOC_FMR, 2, -ENOSPC);
	KT_EXPECT_ERR(t, ib_create_fmr_pool(env.pd, &params), -ENOSPC);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DEALLOC_FMR), 1);
	KT_WITHOUT(&env, alloc_fmr,
		   KT_EXPECT_ERR(t, ib_create_fmr_pool(env.pd, &params), -EOPNOTSUPP));
	kt_end(t, &env);
}

static const struct ktap_case fmr_pool_cases[] = {
	{ "regions are mapped, given back and flushed", test_use },
	{ "a region that was mapped too often is unmapped", test_dirty },
	{ "only dirty regions are unmapped in the background", test_flush_of_dirty },
	{ "a mapping is used again", test_cache },
	{ "a mapping at another address is another one", test_cached_addresses },
	{ "refused pools", test_pool_refused },
};

KTAP_SUITE(kt_fmr_pool_suite, "fmr_pool", fmr_pool_cases);
