/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared receive queues.
 */
#ifndef SOFT_SRQ_H
#define SOFT_SRQ_H

#include <linux/interrupt.h>
#include <rdma/ib_verbs.h>

#include "soft/recv_ring.h"

/**
 * struct soft_srq - shared receive queue
 * @base: the verbs object
 * @lock: taken with interrupts off; no lock nests in it
 * @shared: a process posts to a ring that the provider shares with it. @ring has no entries then,
 *	and @head and @tail stay zero
 * @ring: the entries
 * @max_wr: largest number of receives in the queue
 * @max_sge: largest number of SGEs of a receive
 * @head: next free entry; free running
 * @tail: oldest posted entry; free running
 * @limit: a limit event is due when fewer receives than this are left; 0 if no event is wanted
 * @event: tasklet that dispatches the limit event. The event becomes due while @lock is held, and
 *	its handler may post to the SRQ, which takes @lock. Therefore the tasklet calls the
 *	handler later
 */
struct soft_srq {
	struct ib_srq base;
	spinlock_t lock; /* protects what follows, except @event */
	bool shared;
	struct soft_recv_ring ring;
	u32 max_wr;
	u32 max_sge;
	u32 head;
	u32 tail;
	u32 limit;
	struct tasklet_struct event;
};

static inline struct soft_srq *to_soft_srq(struct ib_srq *base)
{
	return container_of(base, struct soft_srq, base);
}

/*
 * soft_srq_init() initialises @srq with the sizes in @attr, and stores the actual number of
 * receives in @attr->max_wr. The caller has zeroed all of @srq except @base. If @shared is true, a
 * process posts, and the provider has to create the ring, with soft_srq.ring.mask + 1 entries.
 * Returns 0; -ENOMEM if memory is short, or the device has too many SRQs. soft_srq_exit() ends an
 * SRQ that no QP uses any more. Process context.
 */
int soft_srq_init(struct soft_srq *srq, struct ib_srq_attr *attr, bool shared);
void soft_srq_exit(struct soft_srq *srq);

/* verbs; soft_modify_srq() is not for SRQs to which a process posts */
int soft_modify_srq(struct ib_srq *base, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		    struct ib_udata *udata);
int soft_query_srq(struct ib_srq *base, struct ib_srq_attr *attr);
int soft_post_srq_recv(struct ib_srq *base, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad_wr);

/*
 * Copies the oldest receive to @wqe and frees its place. Returns false if no receive is posted. Not
 * for SRQs to which a process posts. Any context.
 */
bool soft_srq_pop(struct soft_srq *srq, struct soft_recv_wqe *wqe);
/*
 * Schedules the limit event, and sets the limit to 0, so that the event is not due again. Called
 * with the lock of the SRQ held.
 */
void soft_srq_limit_reached(struct soft_srq *srq);

#endif /* SOFT_SRQ_H */
