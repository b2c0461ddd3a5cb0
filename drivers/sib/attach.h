/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Multicast groups that QPs receive from: verbs, see <rdma/ib_verbs.h>. */
#ifndef SIB_ATTACH_H
#define SIB_ATTACH_H

#include <rdma/ib_verbs.h>

int sib_attach_mcast(struct ib_qp *base, union ib_gid *gid, u16 lid);
int sib_detach_mcast(struct ib_qp *base, union ib_gid *gid, u16 lid);

#endif /* SIB_ATTACH_H */
