/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared receive queues: the kernel posts to the queues of soft/, and processes post to rings.
 */
#ifndef SIW_SRQ_H
#define SIW_SRQ_H

#include <rdma/ib_verbs.h>

#include "drivers/siw/queue/user_rq.h"
#include "soft/srq.h"

struct soft_recv_wqe;

/**
 * struct siw_srq - shared receive queue
 * @soft: the verbs object, and the queue; has to be at offset 0
 * @user: ring of a process's receives; protected by the lock of @soft
 */
struct siw_srq {
	struct soft_srq soft;
	struct siw_user_rq user;
};

static inline struct siw_srq *to_siw_srq(struct ib_srq *base)
{
	return container_of(base, struct siw_srq, soft.base);
}

/* verbs */
int siw_create_srq(struct ib_srq *base, struct ib_srq_init_attr *attr, struct ib_udata *udata);
int siw_modify_srq(struct ib_srq *base, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		   struct ib_udata *udata);
int siw_destroy_srq(struct ib_srq *base, struct ib_udata *udata);

/*
 * Copies the oldest receive of a process's SRQ to @wqe and frees its place. soft_srq_pop() is for
 * an SRQ of the kernel. Returns false if no receive is posted. Any context.
 */
bool siw_srq_pop(struct siw_srq *srq, struct soft_recv_wqe *wqe);

#endif /* SIW_SRQ_H */
