/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion queues: the kernel uses the queues of soft/, and processes poll rings.
 */
#ifndef SIW_CQ_H
#define SIW_CQ_H

#include <rdma/ib_verbs.h>

#include "drivers/siw/queue/user_cq.h"
#include "soft/cq.h"

/**
 * struct siw_cq - completion queue
 * @soft: the verbs object, and the queue; has to be at offset 0
 * @user: ring that a process polls
 */
struct siw_cq {
	struct soft_cq soft;
	struct siw_user_cq user;
};

static inline struct siw_cq *to_siw_cq(struct ib_cq *base)
{
	return container_of(base, struct siw_cq, soft.base);
}

/* verbs */
int siw_create_cq(struct ib_cq *base, const struct ib_cq_init_attr *attr, struct ib_udata *udata);
int siw_destroy_cq(struct ib_cq *base, struct ib_udata *udata);

#endif /* SIW_CQ_H */
