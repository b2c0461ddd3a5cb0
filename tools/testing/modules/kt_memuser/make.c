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

static int make_domain(struct ib_pd *pd)
{
	struct ib_xrcd *xrcd = ib_alloc_xrcd_user(pd->device, NULL, NULL);

	return IS_ERR(xrcd) ? PTR_ERR(xrcd) : ib_dealloc_xrcd_user(xrcd, NULL);
}

/* A QP with the pools of regions that rdma_rw uses, for data with protection information, too. */
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
	attr.send_cq = cq;
	attr.recv_cq = cq;
	qp = ib_create_qp(pd, &attr);
	ret = IS_ERR(qp) ? PTR_ERR(qp) : ib_destroy_qp(qp);
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
	{ "domain", make_domain },
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
