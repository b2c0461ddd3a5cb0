/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Driver attributes of QPs and CQs, which `rdma resource show ... -dd` prints.
 */
#ifndef SIW_RESTRACK_H
#define SIW_RESTRACK_H

struct ib_cq;
struct ib_qp;
struct sk_buff;

/* Append RDMA_NLDEV_ATTR_DRIVER to @msg. Return 0; -EMSGSIZE if @msg is full. Process context. */
int siw_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *base);
int siw_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *base);

#endif /* SIW_RESTRACK_H */
