// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_memuser.ko: one object of the kernel of each kind that siw does not have or that drivers have
 * newly got, made and destroyed, for tests in which allocations fail.
 */
#include <rdma/ib_fmr_pool.h>
#include <rdma/rw.h>

#include "kt_memuser.h"
#include "../memdev/memdev.h"

#define ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE)

static int make_ah(struct ib_pd *pd)
{
	struct rdma_ah_attr attr = {
		.type = RDMA_AH_ATTR_TYPE_IB,
		.port_num = 1,
		.ib.dlid = memdev_lid(pd->device, 1),
	};
	struct ib_ah *ah;

	/* With a GRH, so that the handle refers to a GID. */
	rdma_ah_set_grh(&attr, NULL, 0, 0, 64, 0);
	rdma_ah_set_dgid_raw(&attr, memdev_gid(pd->device, 1, 0).raw);
	ah = rdma_create_ah(pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	return IS_ERR(ah) ? PTR_ERR(ah) : rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
}

static int make_mw(struct ib_pd *pd)
{
	struct ib_mw *mw = ib_alloc_mw(pd, IB_MW_TYPE_2);

	return IS_ERR(mw) ? PTR_ERR(mw) : ib_dealloc_mw(mw);
}

static int make_fmr(struct ib_pd *pd)
{
	struct ib_fmr_attr attr = { .max_pages = 16, .max_maps = 4, .page_shift = PAGE_SHIFT };
	struct ib_fmr *fmr = ib_alloc_fmr(pd, ACCESS, &attr);

	return IS_ERR(fmr) ? PTR_ERR(fmr) : ib_dealloc_fmr(fmr);
}

static int make_fmr_pool(struct ib_pd *pd)
{
	struct ib_fmr_pool_param param = {
		.max_pages_per_fmr = 4, .page_shift = PAGE_SHIFT, .access = ACCESS,
		.pool_size = 4, .dirty_watermark = 2, .cache = 1,
	};
	struct ib_fmr_pool *pool = ib_create_fmr_pool(pd, &param);

	if (IS_ERR(pool))
		return PTR_ERR(pool);
	ib_destroy_fmr_pool(pool);
	return 0;
}

static int make_integrity(struct ib_pd *pd)
{
	struct ib_mr *mr = ib_alloc_mr_integrity(pd, 2, 2);

	return IS_ERR(mr) ? PTR_ERR(mr) : ib_dereg_mr(mr);
}

static int make_cq(struct ib_pd *pd)
{
	struct ib_cq_init_attr attr = { .cqe = 16 };
	struct ib_cq *cq = ib_create_cq(pd->device, NULL, NULL, NULL, &attr);

	return IS_ERR(cq) ? PTR_ERR(cq) : ib_destroy_cq_user(cq, NULL);
}

/* A CQ that the core polls, with adaptive moderation. */
static int make_polled_cq(struct ib_pd *pd)
{
	struct ib_cq *cq;

	pd->device->use_cq_dim = true;
	cq = ib_alloc_cq(pd->device, NULL, 16, 0, IB_POLL_SOFTIRQ);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ib_free_cq(cq);
	return 0;
}

static int make_srq(struct ib_pd *pd)
{
	struct ib_srq_init_attr attr = {
		.attr = { .max_wr = 8, .max_sge = 2 }, .srq_type = IB_SRQT_BASIC,
	};
	struct ib_srq *srq = ib_create_srq(pd, &attr);

	return IS_ERR(srq) ? PTR_ERR(srq) : ib_destroy_srq(srq);
}

static int make_domain(struct ib_pd *pd)
{
	struct ib_xrcd *xrcd = ib_alloc_xrcd_user(pd->device, NULL, NULL);

	return IS_ERR(xrcd) ? PTR_ERR(xrcd) : ib_dealloc_xrcd_user(xrcd, NULL);
}

/* A target QP of XRC, and a second handle of it. */
static int make_target(struct ib_pd *pd)
{
	struct ib_qp_init_attr attr = { .qp_type = IB_QPT_XRC_TGT };
	struct ib_qp_open_attr open_attr = { .qp_type = IB_QPT_XRC_TGT };
	struct ib_qp *qp, *handle;
	int ret;

	attr.xrcd = ib_alloc_xrcd_user(pd->device, NULL, NULL);
	if (IS_ERR(attr.xrcd))
		return PTR_ERR(attr.xrcd);
	qp = ib_create_qp(pd, &attr);
	if (IS_ERR(qp)) {
		ret = PTR_ERR(qp);
	} else {
		open_attr.qp_num = qp->qp_num;
		handle = ib_open_qp(attr.xrcd, &open_attr);
		ret = IS_ERR(handle) ? PTR_ERR(handle) : ib_close_qp(handle);
		ret = ib_destroy_qp(qp) ?: ret;
	}
	return ib_dealloc_xrcd_user(attr.xrcd, NULL) ?: ret;
}

/* A list of two pages with a gap between them, and an element behind its end for other data. */
#define PAGES	4

static void make_list(struct scatterlist *sg, struct page *pages)
{
	sg_init_table(sg, 3);
	sg_set_page(&sg[0], pages, PAGE_SIZE, 0);
	sg_set_page(&sg[1], pages + 2, PAGE_SIZE, 0);
	sg_set_page(&sg[2], pages + 3, 64, 0);
	sg_mark_end(&sg[1]);
}

static int make_list_transfer(struct ib_qp *qp, struct scatterlist *sg,
			      enum dma_data_direction dir)
{
	struct rdma_rw_ctx ctx;
	int ret;

	ret = rdma_rw_ctx_init(&ctx, qp, 1, sg, 2, 0, 0, 0, dir);
	if (ret < 0)
		return ret;
	rdma_rw_ctx_destroy(&ctx, qp, 1, sg, 2, dir);
	return 0;
}

static int make_bvec_transfer(struct ib_qp *qp, struct page *pages)
{
	struct bio_vec bvecs[] = { { pages, PAGE_SIZE, 0 }, { pages + 2, PAGE_SIZE, 0 } };
	struct bvec_iter iter = { .bi_size = 2 * PAGE_SIZE };
	struct rdma_rw_ctx ctx;
	int ret;

	ret = rdma_rw_ctx_init_bvec(&ctx, qp, 1, bvecs, 2, iter, 0, 0, DMA_TO_DEVICE);
	if (ret < 0)
		return ret;
	rdma_rw_ctx_destroy_bvec(&ctx, qp, 1, bvecs, 2, DMA_TO_DEVICE);
	return 0;
}

static int make_protected_transfer(struct ib_qp *qp, struct scatterlist *sg)
{
	/* Eight intervals, each with eight bytes of protection information. */
	const struct ib_sig_domain dif = {
		.sig_type = IB_SIG_TYPE_T10_DIF,
		.sig.dif = { .bg_type = IB_T10DIF_CRC, .pi_interval = PAGE_SIZE / 4 },
	};
	struct ib_sig_attrs attrs = {
		.check_mask = IB_SIG_CHECK_GUARD, .mem = dif, .wire = dif, .meta_length = 64,
	};
	struct rdma_rw_ctx ctx;
	int ret;

	ret = rdma_rw_ctx_signature_init(&ctx, qp, 1, sg, 2, &sg[2], 1, &attrs, 0, 0,
					 DMA_TO_DEVICE);
	if (ret < 0)
		return ret;
	rdma_rw_ctx_destroy_signature(&ctx, qp, 1, sg, 2, &sg[2], 1, DMA_TO_DEVICE);
	return 0;
}

/*
 * Transfers of rdma_rw that are not posted: to the device as a list of WRITEs, from it by way of
 * regions, of bio_vecs, and with protection information.
 */
static int make_transfers(struct ib_qp *qp)
{
	struct page *pages = alloc_pages(GFP_KERNEL, order_base_2(PAGES));
	struct scatterlist sg[3];
	int ret;

	if (!pages)
		return -ENOMEM;
	make_list(sg, pages);
	ret = make_list_transfer(qp, sg, DMA_TO_DEVICE) ?:
	      make_list_transfer(qp, sg, DMA_FROM_DEVICE) ?: make_bvec_transfer(qp, pages) ?:
	      make_protected_transfer(qp, sg);
	__free_pages(pages, order_base_2(PAGES));
	return ret;
}

/*
 * A QP with the pools of regions that rdma_rw uses, for data with protection information, too, and
 * transfers of this QP. The device takes a region for a READ of more than one element.
 */
static int make_qp(struct ib_pd *pd)
{
	struct ib_cq_init_attr cq_attr = { .cqe = 16 };
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_RC, .port_num = 1, .create_flags = IB_QP_CREATE_INTEGRITY_EN,
		.cap = { .max_send_wr = 16, .max_recv_wr = 4, .max_send_sge = 1,
			 .max_recv_sge = 1, .max_rdma_ctxs = 2 },
	};
	struct ib_cq *cq = ib_create_cq(pd->device, NULL, NULL, NULL, &cq_attr);
	struct ib_qp *qp;
	int ret;

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	pd->device->attrs.max_sgl_rd = 1;
	attr.send_cq = cq;
	attr.recv_cq = cq;
	qp = ib_create_qp(pd, &attr);
	if (IS_ERR(qp)) {
		ret = PTR_ERR(qp);
	} else {
		ret = make_transfers(qp);
		ret = ib_destroy_qp(qp) ?: ret;
	}
	return ib_destroy_cq_user(cq, NULL) ?: ret;
}

/* A QP that is attached to a multicast group. */
static int attach(struct ib_qp *qp)
{
	union ib_gid gid = { .raw = { 0xff, 0x12, [15] = 1 } };
	int ret;

	ret = ib_attach_mcast(qp, &gid, 0xc001);
	return ret ?: ib_detach_mcast(qp, &gid, 0xc001);
}

static int make_group(struct ib_pd *pd)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 1, .qkey = 1 };
	struct ib_cq_init_attr cq_attr = { .cqe = 16 };
	struct ib_qp_init_attr init_attr = {
		.qp_type = IB_QPT_UD, .cap = { .max_recv_wr = 4, .max_recv_sge = 1 },
	};
	struct ib_cq *cq = ib_create_cq(pd->device, NULL, NULL, NULL, &cq_attr);
	struct ib_qp *qp;
	int ret;

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	init_attr.send_cq = cq;
	init_attr.recv_cq = cq;
	qp = ib_create_qp(pd, &init_attr);
	if (IS_ERR(qp)) {
		ret = PTR_ERR(qp);
	} else {
		ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
				   IB_QP_QKEY) ?: attach(qp);
		ret = ib_destroy_qp(qp) ?: ret;
	}
	return ib_destroy_cq_user(cq, NULL) ?: ret;
}

static const struct {
	const char *name;
	int (*make)(struct ib_pd *pd);
} kinds[] = {
	{ "ah", make_ah },
	{ "mw", make_mw },
	{ "fmr", make_fmr },
	{ "fmr_pool", make_fmr_pool },
	{ "integrity", make_integrity },
	{ "cq", make_cq },
	{ "polled_cq", make_polled_cq },
	{ "srq", make_srq },
	{ "domain", make_domain },
	{ "target", make_target },
	{ "qp", make_qp },
	{ "group", make_group },
};

int memuser_make(struct ib_device *dev, const char *name)
{
	struct ib_pd *pd;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(kinds) && !sysfs_streq(name, kinds[i].name); i++)
		;
	if (i == ARRAY_SIZE(kinds))
		return -ENOENT;
	pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	ret = kinds[i].make(pd);
	/* A PD that is still used is an error of what was made. */
	return ib_dealloc_pd_user(pd, NULL) ?: ret;
}
