// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Driver attributes of QPs and CQs for netlink, read without the locks of the data path. */
#include <net/netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "drivers/sib/restrack.h"
#include "drivers/sib/sib.h"
#include "soft/restrack.h"

int sib_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *base)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct sib_qp *qp = to_sib_qp(base);
	int err;

	err = table ? soft_put_queues(msg, &qp->soft, qp->cap.max_send_wr) : -EMSGSIZE;
	if (!err)
		err = rdma_nl_put_driver_u32(msg, "pkey_index", READ_ONCE(qp->pkey_index));
	if (!err)
		nla_nest_end(msg, table);
	return err;
}

int sib_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *base)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	const struct soft_cq *cq = to_soft_cq(base);
	int err;

	err = table ? soft_put_cq(msg, cq, READ_ONCE(cq->armed)) : -EMSGSIZE;
	if (!err)
		nla_nest_end(msg, table);
	return err;
}
