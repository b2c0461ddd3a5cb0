/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared receive queues.
 */
#ifndef SIW_SRQ_H
#define SIW_SRQ_H

#include <linux/interrupt.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/base/siw.h"
#include "drivers/siw/queue/user_rq.h"

struct soft_recv_wqe;

/**
 * struct siw_srq - shared receive queue
 * @base: the verbs object
 * @lock: taken with interrupts off; nests in the socket's spinlock; no lock nests in it
 * @ring: entries, @mask + 1 of them; NULL if a process posts
 * @mask: turns an index into a place in @ring
 * @max_wr: largest number of receives in the queue
 * @max_sge: largest number of SGEs of a receive
 * @head: next free entry; free running
 * @tail: oldest posted entry; free running
 * @user: ring of a process's receives
 * @limit: a limit event is due when fewer receives than this are left; 0 if no event is wanted
 * @event: tasklet that dispatches the limit event. The event becomes due while @lock is held. Its
 *	handler may post to the SRQ, which takes @lock, so the handler has to be called later
 */
struct siw_srq {
	struct ib_srq base;
	spinlock_t lock; /* protects what follows, except @event */
	struct soft_recv_wqe *ring;
	u32 mask;
	u32 max_wr;
	u32 max_sge;
	u32 head;
	u32 tail;
	struct siw_user_rq user;
	u32 limit;
	struct tasklet_struct event;
};

static inline struct siw_srq *to_siw_srq(struct ib_srq *base)
{
	return container_of(base, struct siw_srq, base);
}

int siw_create_srq(struct ib_srq *base, struct ib_srq_init_attr *attr, struct ib_udata *udata);
int siw_modify_srq(struct ib_srq *base, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		   struct ib_udata *udata);
int siw_query_srq(struct ib_srq *base, struct ib_srq_attr *attr);
int siw_destroy_srq(struct ib_srq *base, struct ib_udata *udata);
int siw_post_srq_recv(struct ib_srq *base, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);

/*
 * Copies the oldest receive to @wqe and frees its place. Returns false if no receive is posted. Any
 * context.
 */
bool siw_srq_pop(struct siw_srq *srq, struct soft_recv_wqe *wqe);

#endif /* SIW_SRQ_H */
