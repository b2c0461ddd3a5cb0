/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What `rdma resource show ... -dd` tells of our objects beyond what the core knows.
 */
#ifndef SIW_RESTRACK_H
#define SIW_RESTRACK_H

struct ib_cq;
struct ib_mr;
struct ib_qp;
struct sk_buff;

int siw_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *base);
int siw_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *base);
int siw_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *base);

#endif /* SIW_RESTRACK_H */
