/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Driver attributes of QPs and CQs, which `rdma resource show ... -dd` prints. */
#ifndef SIB_RESTRACK_H
#define SIB_RESTRACK_H

struct ib_cq;
struct ib_qp;
struct sk_buff;

/* Operations of a device. */
int sib_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *base);
int sib_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *base);

#endif /* SIB_RESTRACK_H */
