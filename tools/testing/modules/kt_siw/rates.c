// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_siw_rates.ko: how many regions are registered, windows bound, fast memory regions mapped, and
 * address handles made in a second. Each case checks that the operations succeed, and notes its
 * rate; no rate makes it fail.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <rdma/krdma.h>

#include "link.h"
#include "../memdev/memdev.h"

KRDMA_NEEDS_IB_CORE;

#define BATCH		8	/* objects that a list of requests names, by two requests each */
#define MAX_PAGES	16
#define MAX_MAPS	32

static unsigned int count = 200;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "number of lists of requests, and of other operations, in a case");

static void note_rate(struct ktap *t, const char *what, ktime_t begin, u64 number)
{
	u64 nsec = max_t(s64, ktime_to_ns(ktime_sub(ktime_get(), begin)), 1);

	ktap_note(t, "%s: %llu a second", what, div64_u64(number * NSEC_PER_SEC, nsec));
}

/* A connection, pages of A's memory, and BATCH regions or windows. */
struct bench {
	struct ktap *t;
	struct kt_hosts hosts;
	struct kt_link link;
	struct scatterlist sg[MAX_PAGES];
	struct ib_mr *mr[BATCH];
	struct ib_mw *mw[BATCH];
	unsigned int pages;
};

static bool alloc_pages_of(struct bench *b)
{
	unsigned int i;
	void *page;

	sg_init_table(b->sg, MAX_PAGES);
	for (i = 0; i < MAX_PAGES; i++) {
		page = (void *)get_zeroed_page(GFP_KERNEL);
		if (!KT_EXPECT(b->t, page))
			return false;
		sg_set_buf(&b->sg[i], page, PAGE_SIZE);
	}
	return KT_EXPECT_EQ(b->t, ib_dma_map_sg(b->hosts.a.dev, b->sg, MAX_PAGES,
						DMA_BIDIRECTIONAL), MAX_PAGES);
}

static void bench_close(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < BATCH; i++)
		if (b->mw[i])
			KT_EXPECT_EQ(b->t, ib_dealloc_mw(b->mw[i]), 0);
	for (i = 0; i < BATCH; i++)
		if (b->mr[i])
			KT_EXPECT_EQ(b->t, ib_dereg_mr(b->mr[i]), 0);
	kt_link_close(&b->link);
	kt_hosts_close(&b->hosts);
	for (i = 0; i < MAX_PAGES && b->sg[i].page_link & ~SG_PAGE_LINK_MASK; i++)
		free_page((unsigned long)sg_virt(&b->sg[i]));
	kfree(b);
}

static bool make_regions(struct bench *b)
{
	struct ib_mr *mr;
	unsigned int i;

	for (i = 0; i < BATCH; i++) {
		mr = ib_alloc_mr(b->hosts.a.pd, IB_MR_TYPE_MEM_REG, b->pages);
		if (!KT_EXPECT_ERR(b->t, mr, 0))
			return false;
		b->mr[i] = mr;
	}
	return true;
}

static struct bench *bench_open(struct ktap *t, unsigned int pages)
{
	struct bench *b = kzalloc(sizeof(*b), GFP_KERNEL);

	if (!KT_EXPECT(t, b))
		return NULL;
	b->t = t;
	b->pages = pages;
	if (kt_hosts_open(t, &b->hosts) && kt_link_open(t, &b->hosts, &b->link, true) &&
	    alloc_pages_of(b) && make_regions(b))
		return b;
	bench_close(b);
	return NULL;
}

/* Chains @num requests, and returns the status of the last one's completion. */
static int run_all(struct bench *b, struct ib_send_wr *wr[], unsigned int num)
{
	unsigned int i;

	for (i = 0; i < num; i++)
		wr[i]->next = i + 1 < num ? wr[i + 1] : NULL;
	return kt_run(b->link.a->qp, &b->link.op[0], wr[0]);
}

static struct ib_send_wr inv_wr(u32 rkey)
{
	return (struct ib_send_wr) {
		.opcode = IB_WR_LOCAL_INV,
		.ex.invalidate_rkey = rkey,
	};
}

/* Registers all regions anew; @again says that they are registered, and are invalidated first. */
static bool register_all(struct bench *b, bool again)
{
	struct ib_send_wr inv[BATCH], *wr[2 * BATCH];
	struct ib_reg_wr reg[BATCH];
	unsigned int i, num = 0;

	for (i = 0; i < BATCH; i++) {
		struct ib_mr *mr = b->mr[i];

		inv[i] = inv_wr(mr->rkey);
		if (ib_map_mr_sg(mr, b->sg, b->pages, NULL, PAGE_SIZE) != b->pages)
			return false;
		ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
		reg[i] = (struct ib_reg_wr) {
			.wr.opcode = IB_WR_REG_MR,
			.mr = mr,
			.key = mr->rkey,
			.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
				  IB_ACCESS_MW_BIND,
		};
		if (again)
			wr[num++] = &inv[i];
		wr[num++] = &reg[i].wr;
	}
	return run_all(b, wr, num) == IB_WC_SUCCESS;
}

static void measure_regions(struct ktap *t, unsigned int pages, const char *what)
{
	struct bench *b = bench_open(t, pages);
	ktime_t begin;
	unsigned int i;

	if (!b)
		return;
	if (KT_EXPECT(t, register_all(b, false))) {
		begin = ktime_get();
		for (i = 0; i < count; i++)
			if (!KT_EXPECT(t, register_all(b, true)))
				break;
		note_rate(t, what, begin, (u64)i * BATCH);
	}
	bench_close(b);
}

static void test_regions(struct ktap *t)
{
	measure_regions(t, 1, "map, LOCAL_INV and REG_MR of 1 page");
	measure_regions(t, MAX_PAGES, "map, LOCAL_INV and REG_MR of 16 pages");
}

static bool make_windows(struct bench *b)
{
	struct ib_mw *mw;
	unsigned int i;

	for (i = 0; i < BATCH; i++) {
		mw = ib_alloc_mw(b->hosts.a.pd, IB_MW_TYPE_2);
		if (!KT_EXPECT_ERR(b->t, mw, 0))
			return false;
		b->mw[i] = mw;
	}
	return true;
}

static bool bind_all(struct bench *b)
{
	struct ib_send_wr inv[BATCH], *wr[2 * BATCH];
	struct ib_bind_mw_wr bind[BATCH];
	unsigned int i;

	for (i = 0; i < BATCH; i++) {
		struct ib_mw *mw = b->mw[i];

		mw->rkey = ib_inc_rkey(mw->rkey);
		bind[i] = (struct ib_bind_mw_wr) {
			.wr.opcode = IB_WR_BIND_MW,
			.mw = mw,
			.rkey = mw->rkey,
			.bind_info = {
				.mr = b->mr[i],
				.addr = b->mr[i]->iova,
				.length = b->mr[i]->length,
				.mw_access_flags = IB_ACCESS_REMOTE_WRITE,
			},
		};
		inv[i] = inv_wr(mw->rkey);
		wr[2 * i] = &bind[i].wr;
		wr[2 * i + 1] = &inv[i];
	}
	return run_all(b, wr, 2 * BATCH) == IB_WC_SUCCESS;
}

static void test_windows(struct ktap *t)
{
	struct bench *b = bench_open(t, 1);
	ktime_t begin;
	unsigned int i;

	if (!b)
		return;
	if (KT_EXPECT(t, register_all(b, false)) && make_windows(b)) {
		begin = ktime_get();
		for (i = 0; i < count; i++)
			if (!KT_EXPECT(t, bind_all(b)))
				break;
		note_rate(t, "BIND_MW and LOCAL_INV", begin, (u64)i * BATCH);
	}
	bench_close(b);
}

/* Maps @maps times, unmaps, and so on. */
static void measure_fmr(struct bench *b, struct ib_fmr *fmr, int maps, const char *what)
{
	ktime_t begin = ktime_get();
	u64 pages[MAX_PAGES];
	unsigned int i;
	LIST_HEAD(list);

	for (i = 0; i < MAX_PAGES; i++)
		pages[i] = sg_dma_address(&b->sg[i]);
	list_add(&fmr->list, &list);
	for (i = 0; i < count * maps; i++) {
		if (!KT_EXPECT_EQ(b->t, ib_map_phys_fmr(fmr, pages, b->pages, 0), 0))
			break;
		if (i % maps == maps - 1 && !KT_EXPECT_EQ(b->t, ib_unmap_fmr(&list), 0))
			break;
	}
	note_rate(b->t, what, begin, i);
}

static void test_fmr(struct ktap *t)
{
	struct ib_fmr_attr attr = {
		.max_pages = MAX_PAGES, .max_maps = MAX_MAPS, .page_shift = PAGE_SHIFT,
	};
	struct bench *b = bench_open(t, MAX_PAGES);
	struct ib_fmr *fmr;

	if (!b)
		return;
	fmr = ib_alloc_fmr(b->hosts.a.pd, IB_ACCESS_LOCAL_WRITE, &attr);
	if (KT_EXPECT_ERR(t, fmr, 0)) {
		measure_fmr(b, fmr, 1, "map and unmap of an FMR of 16 pages");
		measure_fmr(b, fmr, MAX_MAPS, "map of an FMR of 16 pages, unmapped after 32");
		KT_EXPECT_EQ(t, ib_dealloc_fmr(fmr), 0);
	}
	bench_close(b);
}

/* Makes and destroys handles of an address; the address is resolved if @resolve is true. */
static void measure_ah(struct ktap *t, struct ib_pd *pd, const struct rdma_ah_attr *attr,
		       bool resolve, const char *what)
{
	ktime_t begin = ktime_get();
	struct rdma_ah_attr given;
	unsigned int i;
	struct ib_ah *ah;

	for (i = 0; i < count; i++) {
		given = *attr;
		ah = resolve ? rdma_create_user_ah(pd, &given, NULL) :
			       rdma_create_ah(pd, &given, RDMA_CREATE_AH_SLEEPABLE);
		if (!KT_EXPECT_ERR(t, ah, 0) ||
		    !KT_EXPECT_EQ(t, rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE), 0))
			break;
	}
	note_rate(t, what, begin, i);
}

/* Returns the index of the GID of a RoCE port's address, or an errno. */
static int source_index(struct ib_device *dev)
{
	union ib_gid gid = kt_gid_of("10.77.9.1");
	const struct ib_gid_attr *attr;
	int index;

	attr = rdma_find_gid(dev, &gid, IB_GID_TYPE_ROCE_UDP_ENCAP, NULL);
	if (IS_ERR(attr))
		return PTR_ERR(attr);
	index = attr->index;
	rdma_put_gid_attr(attr);
	return index;
}

/* Measures address handles of a device, whose port is an InfiniBand port if @ndev is NULL. */
static void measure_ahs(struct ktap *t, struct net_device *ndev)
{
	const struct memdev_config config = { .ndev = ndev };
	struct fakedev *fd = memdev_create(&config);
	struct rdma_ah_attr attr = { .port_num = 1 };
	struct ib_pd *pd;

	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	pd = ib_alloc_pd(&fd->ibdev, 0);
	if (!KT_EXPECT_ERR(t, pd, 0))
		goto out;
	attr.type = rdma_ah_find_type(&fd->ibdev, 1);
	if (ndev) {
		attr.ah_flags = IB_AH_GRH;
		attr.grh.dgid = kt_gid_of("10.77.9.2");
		KT_WAIT(t, source_index(&fd->ibdev) >= 0);
		attr.grh.sgid_index = source_index(&fd->ibdev);
		measure_ah(t, pd, &attr, true, "RoCE address handles, resolved by a neighbour");
	} else {
		attr.ib.dlid = memdev_lid(&fd->ibdev, 1);
		measure_ah(t, pd, &attr, false, "InfiniBand address handles");
	}
	ib_dealloc_pd(pd);
out:
	memdev_destroy(fd);
}

static void test_ib_ah(struct ktap *t)
{
	measure_ahs(t, NULL);
}

static void test_roce_ah(struct ktap *t)
{
	struct net_device *ndev;

	if (!KT_EXPECT_EQ(t, kt_sh("ip link add ktr type dummy && ip link set ktr up"), 0))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.77.9.1/24 dev ktr"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip neigh add 10.77.9.2 lladdr 02:00:00:00:09:02 dev ktr"), 0);
	ndev = dev_get_by_name(&init_net, "ktr");
	measure_ahs(t, ndev);
	dev_put(ndev);
	kt_sh("ip link del ktr");
}

static const struct ktap_case cases[] = {
	{ "regions", test_regions },
	{ "windows", test_windows },
	{ "fast memory regions", test_fmr },
	{ "InfiniBand address handles", test_ib_ah },
	{ "RoCE address handles", test_roce_ah },
};

static KTAP_SUITE(kt_siw_rates_suite, "rates", cases);
static const struct ktap_suite *const suites[] = { &kt_siw_rates_suite };

KTAP_MODULE(suites);
