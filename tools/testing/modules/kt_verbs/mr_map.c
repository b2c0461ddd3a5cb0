// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of mapping scatter/gather lists into memory regions by ib_map_mr_sg() and ib_sg_to_pages().
 */
#include "kt_verbs.h"

#define P	0x1000ULL
#define BASE	0x7f0000000ULL
#define MOST	6

/*
 * A scatter/gather list and the expected result of mapping the list. Addresses are relative to
 * BASE; an element of length 0 ends the list.
 */
struct mapping {
	const char *name;
	struct {
		u64 addr;
		u32 len;
	} sg[MOST];
	unsigned int offset;
	u32 room;		/* number of pages that fit into the region; 0: all fit */
	int mapped;
	u64 iova;
	u64 length;
	unsigned int offset_out;
	int nr_pages;
	u64 pages[MOST];
};

static const struct mapping mappings[] = {
	{ "one page", { { 0, P } }, .mapped = 1, .iova = 0, .length = P,
	  .nr_pages = 1, .pages = { 0 } },
	{ "inside of a page", { { 0x123, 0x10 } }, .mapped = 1, .iova = 0x123, .length = 0x10,
	  .nr_pages = 1, .pages = { 0 } },
	{ "across pages", { { 0xff0, 0x1020 } }, .mapped = 1, .iova = 0xff0, .length = 0x1020,
	  .nr_pages = 3, .pages = { 0, P, 2 * P } },
	{ "pages that are apart", { { 0, P }, { 5 * P, P }, { 3 * P, P } }, .mapped = 3,
	  .length = 3 * P, .nr_pages = 3, .pages = { 0, 5 * P, 3 * P } },
	{ "ragged at both ends", { { 0x800, 0x800 }, { 4 * P, P }, { 8 * P, 0x10 } }, .mapped = 3,
	  .iova = 0x800, .length = 0x1810, .nr_pages = 3, .pages = { 0, 4 * P, 8 * P } },
	{ "adjacent pieces of a page", { { 0x100, 0x200 }, { 0x300, 0x400 }, { 0x700, 0x1000 } },
	  .mapped = 3, .iova = 0x100, .length = 0x1600, .nr_pages = 2, .pages = { 0, P } },
	{ "the first element ends inside of a page", { { 0, 0x800 }, { 4 * P, P } }, .mapped = 1,
	  .length = 0x800, .nr_pages = 1, .pages = { 0 } },
	{ "the second element begins inside of a page", { { 0, P }, { 4 * P + 8, P } }, .mapped = 1,
	  .length = P, .nr_pages = 1, .pages = { 0 } },
	{ "a hole inside of a page", { { 0, 0x100 }, { 0x200, 0x100 } }, .mapped = 1,
	  .length = 0x100, .nr_pages = 1, .pages = { 0 } },
	{ "starts at an offset", { { 0x10, 0x2000 } }, .offset = 0x1000, .mapped = 1,
	  .iova = 0x1010, .length = 0x1000, .nr_pages = 2, .pages = { P, 2 * P } },
	{ "an offset in front of a whole page", { { 0, P }, { 9 * P, P } }, .offset = 0xff0,
	  .mapped = 2, .iova = 0xff0, .length = P + 0x10, .nr_pages = 2, .pages = { 0, 9 * P } },
	{ "an offset of the whole first element", { { 0, P }, { 9 * P, P } }, .offset = P,
	  .mapped = 2, .iova = P, .length = P, .nr_pages = 1, .pages = { 9 * P } },
	{ "full at an element's end", { { 0, P }, { 4 * P, P }, { 8 * P, P } }, .room = 2,
	  .mapped = 2, .length = 2 * P, .nr_pages = 2, .pages = { 0, 4 * P } },
	{ "full inside of an element", { { 0, P }, { 4 * P, 3 * P } }, .room = 2, .mapped = 1,
	  .length = 2 * P, .offset_out = P, .nr_pages = 2, .pages = { 0, 4 * P } },
	{ "full inside of the first element", { { 0x800, 3 * P } }, .room = 2, .mapped = 0,
	  .iova = 0x800, .length = 0x1800, .offset_out = 0x1800, .nr_pages = 2,
	  .pages = { 0, P } },
	{ "continues after a full region", { { 0x800, 3 * P } }, .offset = 0x1800, .mapped = 1,
	  .iova = 0x2000, .length = 0x1800, .nr_pages = 2, .pages = { 2 * P, 3 * P } },
};

static int fill_list(const struct mapping *m, struct scatterlist *sg)
{
	int n;

	for (n = 0; n < MOST && m->sg[n].len; n++)
		;
	sg_init_table(sg, n);
	while (n--) {
		sg_dma_address(&sg[n]) = BASE + m->sg[n].addr;
		sg_dma_len(&sg[n]) = m->sg[n].len;
	}
	for (n = 0; n < MOST && m->sg[n].len; n++)
		;
	return n;
}

static void check_mapping(struct ktap *t, struct ib_mr *ibmr, const struct mapping *m)
{
	struct fakedev_mr *mr = to_fakedev_mr(ibmr);
	u32 max_pages = mr->max_pages;
	unsigned int offset = m->offset;
	struct scatterlist sg[MOST];
	int i, n = fill_list(m, sg);

	mr->max_pages = m->room ?: max_pages;
	if (!(KT_EXPECT_EQ(t, ib_map_mr_sg(ibmr, sg, n, &offset, P), m->mapped) &&
	      KT_EXPECT_EQ(t, ibmr->iova, BASE + m->iova) &&
	      KT_EXPECT_EQ(t, ibmr->length, m->length) &&
	      KT_EXPECT_EQ(t, offset, m->offset_out) &&
	      KT_EXPECT_EQ(t, mr->nr_pages, m->nr_pages)))
		ktap_note(t, "in: %s", m->name);
	for (i = 0; i < m->nr_pages; i++)
		if (!KT_EXPECT_EQ(t, mr->pages[i], BASE + m->pages[i]))
			ktap_note(t, "in: %s, page %d", m->name, i);
	mr->max_pages = max_pages;
}

static void test_mappings(struct ktap *t)
{
	struct kt_env env;
	struct ib_mr *mr;
	int i;

	if (!kt_start(t, &env))
		return;
	mr = ib_alloc_mr(env.pd, IB_MR_TYPE_MEM_REG, 16);
	if (KT_EXPECT_ERR(t, mr, 0)) {
		for (i = 0; i < ARRAY_SIZE(mappings); i++)
			check_mapping(t, mr, &mappings[i]);
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
	}
	kt_end(t, &env);
}

static void test_page_size(struct ktap *t)
{
	static const struct mapping m = { "", { { 0x11000, 0x3000 } } };
	struct scatterlist sg[MOST];
	struct kt_env env;
	struct ib_mr *mr;
	int n;

	if (!kt_start(t, &env))
		return;
	mr = ib_alloc_mr(env.pd, IB_MR_TYPE_MEM_REG, 16);
	if (KT_EXPECT_ERR(t, mr, 0)) {
		n = fill_list(&m, sg);
		/* The list fits into one page of 64 KiB. A NULL offset stands for the offset 0. */
		KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, n, NULL, 0x10000), 1);
		KT_EXPECT_EQ(t, mr->page_size, 0x10000);
		KT_EXPECT_EQ(t, to_fakedev_mr(mr)->nr_pages, 1);
		KT_EXPECT_EQ(t, to_fakedev_mr(mr)->pages[0], BASE + 0x10000);

		KT_EXPECT_EQ(t, ib_map_mr_sg_zbva(mr, sg, n, NULL, 0x10000), 1);
		KT_EXPECT_EQ(t, mr->iova, 0x1000);
		KT_EXPECT_EQ(t, mr->length, 0x3000);
		KT_EXPECT_EQ(t, ib_map_mr_sg_zbva(mr, sg, n, NULL, P), 1);
		KT_EXPECT_EQ(t, mr->iova, 0);
		KT_EXPECT_EQ(t, to_fakedev_mr(mr)->nr_pages, 3);
		/* The region ends inside of the first element. */
		to_fakedev_mr(mr)->max_pages = 2;
		KT_EXPECT_EQ(t, ib_map_mr_sg_zbva(mr, sg, n, NULL, P), 0);
		KT_EXPECT_EQ(t, mr->iova, 0);
		KT_EXPECT_EQ(t, mr->length, 2 * P);
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
	}
	kt_end(t, &env);
}

static int no_page(struct ib_mr *mr, u64 addr)
{
	return -EIO;
}

static void test_mr_map_errors(struct ktap *t)
{
	static const struct mapping m = { "", { { 0, P } } }, within = { "", { { 0x800, P } } };
	unsigned int beyond = P + 1;
	struct scatterlist sg[MOST];
	struct kt_env env;
	struct ib_mr *mr;
	int n;

	if (!kt_start(t, &env))
		return;
	n = fill_list(&m, sg);
	mr = ib_alloc_mr(env.pd, IB_MR_TYPE_MEM_REG, 16);
	if (!KT_EXPECT_ERR(t, mr, 0))
		goto out;
	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, 0, NULL, P), -EINVAL);
	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, -1, NULL, P), -EINVAL);
	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, n, NULL, 0), -EINVAL);
	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, n, NULL, 3000), -EINVAL);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_MAP_MR_SG), 0);
	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, n, &beyond, P), -EINVAL);
	KT_EXPECT_EQ(t, beyond, P + 1);
	/* Providers call ib_sg_to_pages() themselves. */
	mr->iova = 77;
	KT_EXPECT_EQ(t, ib_sg_to_pages(mr, sg, 0, NULL, no_page), -EINVAL);
	KT_EXPECT_EQ(t, ib_sg_to_pages(mr, sg, -1, NULL, no_page), -EINVAL);
	KT_EXPECT_EQ(t, mr->iova, 77);
	KT_WITHOUT(&env, map_mr_sg,
		   KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, n, NULL, P), -EOPNOTSUPP));
	fakedev_fail(env.fd, FAKEDEV_MAP_MR_SG, 1, -EIO);
	KT_EXPECT_EQ(t, ib_map_mr_sg_zbva(mr, sg, n, NULL, P), -EIO);
	/* Expects -ENOMEM if the region has no room for the first page. */
	to_fakedev_mr(mr)->max_pages = 0;
	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, n, NULL, P), -ENOMEM);
	n = fill_list(&within, sg);
	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, n, NULL, P), -ENOMEM);
	KT_EXPECT_EQ(t, mr->length, 0);
	KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
out:
	kt_end(t, &env);
}

static const struct ktap_case mr_map_cases[] = {
	{ "pages, adjacent pieces, gaps, offsets, full regions", test_mappings,
	  COVERS(ib_map_mr_sg sg_dma_address sg_dma_len scatterlist page) },
	{ "large pages; regions with zero-based addresses", test_page_size },
	{ "each error", test_mr_map_errors, COVERS(ib_map_mr_sg) },
};

KTAP_SUITE(kt_mr_map_suite, "mr_map", mr_map_cases);
