// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests and regions that the QP of rdma_rw contexts needs, and when a context takes regions.
 *
 * The device determines whether a READ needs a region as sink: always, never, or only for a long
 * list. WRITEs need no region, because local_dma_lkey covers their memory.
 */
#include <linux/minmax.h>
#include <linux/module.h>
#include <rdma/rw.h>

#include "verbs/rw_qp.h"
#include "verbs/verbs.h"

/* Largest number of pages of a region: with more, pools would take memory that is rarely used. */
#define MAX_MR_PAGES	256u

static bool force_mr;
module_param(force_mr, bool, 0444);
MODULE_PARM_DESC(force_mr, "rdma_rw registers memory regions even where the device needs none (for tests)");

static bool mr_is_forced(const struct ib_device *dev)
{
	return force_mr && dev->attrs.max_fast_reg_page_list_len;
}

bool verbs_rw_sink_needs_right(const struct ib_device *dev, u32 port_num)
{
	return rdma_protocol_iwarp(dev, port_num) &&
	       !(dev->attrs.kernel_cap_flags & IBK_READ_LOCAL_SINK);
}

bool verbs_rw_takes_mr(const struct ib_device *dev, u32 port_num, enum dma_data_direction dir,
		       u32 nents)
{
	if (mr_is_forced(dev))
		return true;
	if (dir == DMA_TO_DEVICE)
		return false;
	return verbs_rw_sink_needs_right(dev, port_num) ||
	       (dev->attrs.max_sgl_rd && nents > dev->attrs.max_sgl_rd);
}

/* Returns whether a transfer, if it is long enough, takes regions. */
static bool may_take_mr(const struct ib_device *dev, u32 port_num)
{
	return verbs_rw_takes_mr(dev, port_num, DMA_FROM_DEVICE, U32_MAX);
}

u32 verbs_rw_mr_pages(const struct ib_device *dev, bool integrity)
{
	return min(integrity ? dev->attrs.max_pi_fast_reg_page_list_len :
			       dev->attrs.max_fast_reg_page_list_len, MAX_MR_PAGES);
}

unsigned int rdma_rw_mr_factor(struct ib_device *device, u32 port_num, unsigned int maxpages)
{
	u32 pages = may_take_mr(device, port_num) ? verbs_rw_mr_pages(device, false) :
						    device->attrs.max_sge_rd;

	return DIV_ROUND_UP(maxpages, max(pages, 1u));
}
EXPORT_SYMBOL(rdma_rw_mr_factor);

unsigned int rdma_rw_max_send_wr(struct ib_device *dev, u32 port_num, unsigned int max_rdma_ctxs,
				 u32 create_flags)
{
	u64 wrs = max_rdma_ctxs;

	/* A context with a region also registers the region, and invalidates its last key. */
	if (create_flags & IB_QP_CREATE_INTEGRITY_EN || may_take_mr(dev, port_num))
		wrs *= 3;
	return min_t(u64, wrs, UINT_MAX);
}
EXPORT_SYMBOL(rdma_rw_max_send_wr);

int verbs_rw_prepare_qp(struct ib_device *dev, struct ib_qp_init_attr *attr)
{
	struct ib_qp_cap *cap = &attr->cap;
	u32 limit = dev->attrs.max_qp_wr > 0 ? dev->attrs.max_qp_wr : U32_MAX;
	u64 wanted;

	if (!cap->max_rdma_ctxs)
		return 0;
	if (!rdma_is_port_valid(dev, attr->port_num))
		return -EINVAL;
	wanted = (u64)cap->max_send_wr + rdma_rw_max_send_wr(dev, attr->port_num,
							      cap->max_rdma_ctxs,
							      attr->create_flags);
	/*
	 * Do not go below what the ULP asked for. If that number alone exceeds the limit, creating
	 * the QP has to fail.
	 */
	cap->max_send_wr = max_t(u64, cap->max_send_wr, min_t(u64, wanted, limit));
	return 0;
}

int verbs_rw_fill_pools(struct ib_qp *qp, const struct ib_qp_init_attr *attr)
{
	bool integrity = attr->create_flags & IB_QP_CREATE_INTEGRITY_EN;
	u32 num = attr->cap.max_rdma_ctxs, pages;
	int ret = 0;

	if (!num)
		return 0;
	if (may_take_mr(qp->device, attr->port_num))
		ret = ib_mr_pool_init(qp, &qp->rdma_mrs, num, IB_MR_TYPE_MEM_REG,
				      verbs_rw_mr_pages(qp->device, false), 0);
	if (ret || !integrity)
		return ret;
	pages = verbs_rw_mr_pages(qp->device, true);
	ret = ib_mr_pool_init(qp, &qp->sig_mrs, num, IB_MR_TYPE_INTEGRITY, pages, pages);
	if (ret)
		verbs_rw_empty_pools(qp);
	return ret;
}

void verbs_rw_empty_pools(struct ib_qp *qp)
{
	ib_mr_pool_destroy(qp, &qp->rdma_mrs);
	ib_mr_pool_destroy(qp, &qp->sig_mrs);
}
