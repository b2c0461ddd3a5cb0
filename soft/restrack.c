// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Driver attributes of QPs, CQs and MRs for netlink. They are read without the locks of the data
 * path: each number is correct, but two numbers may be of different moments.
 */
#include <net/netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "soft/restrack.h"
#include "soft/cq.h"
#include "soft/mem.h"
#include "soft/mr.h"
#include "soft/qp.h"

int soft_put_queues(struct sk_buff *msg, const struct soft_qp *qp, u32 sq_size)
{
	const struct soft_sq *sq = &qp->sq;
	const struct soft_rq *rq = &qp->rq;

	if (rdma_nl_put_driver_u32(msg, "sq_size", sq_size) ||
	    rdma_nl_put_driver_u32(msg, "sq_posted", READ_ONCE(sq->head) - READ_ONCE(sq->tail)))
		return -EMSGSIZE;
	if (qp->base.srq)
		return rdma_nl_put_driver_u32(msg, "srqn", qp->base.srq->res.id);
	if (rdma_nl_put_driver_u32(msg, "rq_size", rq->max_wr))
		return -EMSGSIZE;
	/* If a process posts receives, only the process knows how many are in the ring. */
	if (rq->ring.entries &&
	    rdma_nl_put_driver_u32(msg, "rq_posted", READ_ONCE(rq->head) - READ_ONCE(rq->tail)))
		return -EMSGSIZE;
	return 0;
}

int soft_put_cq(struct sk_buff *msg, const struct soft_cq *cq, int armed)
{
	const char *armed_for = armed & IB_CQ_NEXT_COMP ? "next" :
				armed & IB_CQ_SOLICITED ? "solicited" : "nothing";

	/* If a process polls the CQ, only the process knows how many completions are waiting. */
	if (!cq->shared &&
	    rdma_nl_put_driver_u32(msg, "waiting", READ_ONCE(cq->head) - READ_ONCE(cq->tail)))
		return -EMSGSIZE;
	if (rdma_nl_put_driver_string(msg, "armed", armed_for) ||
	    rdma_nl_put_driver_u32(msg, "overflow", READ_ONCE(cq->overflow) != SOFT_CQ_FITS))
		return -EMSGSIZE;
	return 0;
}

/* Returns how many pages, or elements in a region with gaps, the region has room for. */
static u32 mr_max_pages(const struct soft_mem *mem)
{
	/* The inverse of SOFT_GAPS_WORDS(). */
	return mem->has_gaps ? mem->max_pages / 2 - 1 : mem->max_pages;
}

/* Does not show the keys of the region, because every user may read these attributes. */
int soft_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *base)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	const struct soft_mem *mem = to_soft_mr(base)->mem;

	if (!table ||
	    rdma_nl_put_driver_u32(msg, "valid", READ_ONCE(mem->valid)) ||
	    rdma_nl_put_driver_u32_hex(msg, "access", READ_ONCE(mem->access)))
		return -EMSGSIZE;
	if (mem->pages && !mem->pi &&
	    (rdma_nl_put_driver_u32(msg, "pages", READ_ONCE(mem->num_pages)) ||
	     rdma_nl_put_driver_u32(msg, "max_pages", mr_max_pages(mem))))
		return -EMSGSIZE;
	nla_nest_end(msg, table);
	return 0;
}
