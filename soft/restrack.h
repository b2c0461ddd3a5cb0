/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Driver attributes of QPs, CQs and MRs, which `rdma resource show ... -dd` prints.
 */
#ifndef SOFT_RESTRACK_H
#define SOFT_RESTRACK_H

#include <linux/types.h>

struct ib_mr;
struct sk_buff;
struct soft_cq;
struct soft_qp;

/*
 * Append attributes to RDMA_NLDEV_ATTR_DRIVER, which the caller has begun in @msg. @sq_size: number
 * of requests that the consumer may post. @armed: what the consumer has armed the CQ for:
 * IB_CQ_SOLICITED, IB_CQ_NEXT_COMP, or 0. Return 0; -EMSGSIZE if @msg is full. Process context.
 */
int soft_put_queues(struct sk_buff *msg, const struct soft_qp *qp, u32 sq_size);
int soft_put_cq(struct sk_buff *msg, const struct soft_cq *cq, int armed);

/* Operation of a device: puts the driver attributes of a region into @msg. */
int soft_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *base);

#endif /* SOFT_RESTRACK_H */
