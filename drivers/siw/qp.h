/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queue pairs: the verbs object.
 */
#ifndef SIW_QP_H
#define SIW_QP_H

#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/base/siw.h"
#include "drivers/siw/queue/rq.h"
#include "drivers/siw/queue/sq.h"

struct mem_cgroup;
struct siw_cep;
struct siw_stream;

/**
 * struct siw_qp - queue pair
 * @base: the verbs object; its memory is the core's
 * @dev: our device
 * @ref: references, held by the verbs object, iw_cm, and the connection
 * @freed: completed when the last reference is dropped
 * @state_lock: taken with interrupts off; nests in the socket's spinlock and in
 *	siw_stream.live_lock
 * @state: verbs state; read without the lock where an outdated value does no harm
 * @cep: connection that the QP is bound to, from connect or accept to the connection's end;
 *	referenced
 * @events: mask of the pending asynchronous events, BIT(enum ib_event_type); changed atomically
 * @destroying: the QP is being destroyed, and raises no more events; set before @state_lock is
 *	taken to unbind the QP, and read under it
 * @resetting: the QP is being reset, and no connection may be bound to it
 * @modify: serialises changes of the state by the consumer; taken before all locks of siw
 * @event: tasklet that dispatches @events, so that events may be raised under any lock
 * @flush_work: flushes the entries that a batch has left; see siw_qp_flush()
 * @memcg: memory cgroup of the process that created the QP; memory that its connections need is
 *	charged to the cgroup; referenced; NULL for a QP of the kernel
 * @stats: values of the set that the QP is bound to (counter.h), or NULL; read under RCU
 * @windows: windows of type 2 that are bound to the QP, protected by siw_device.mw_lock
 * @attr: attributes that ib_query_qp() returns: access flags, read depths, capabilities
 * @sq: send queue
 * @rq: receive queue
 * @stream: state of transmit and receive (stream_state.h)
 */
struct siw_qp {
	struct ib_qp base;
	struct siw_device *dev;
	struct kref ref;
	struct completion freed;

	struct mutex modify; /* serialises siw_modify_qp() */
	spinlock_t state_lock; /* protects @state, @cep and @resetting */
	enum ib_qp_state state;
	struct siw_cep *cep;
	bool resetting;

	unsigned long events;
	bool destroying;
	struct tasklet_struct event;
	struct work_struct flush_work;
	struct mem_cgroup *memcg;
	struct siw_stats __percpu *stats;
	struct list_head windows;
	struct ib_qp_attr attr;

	struct siw_sq sq;
	struct siw_rq rq;
	struct siw_stream *stream;
};

static inline struct siw_qp *to_siw_qp(struct ib_qp *base)
{
	return container_of(base, struct siw_qp, base);
}

/* Returns whether a process posts to the QP, in rings that the process maps. */
static inline bool siw_qp_is_user(const struct siw_qp *qp)
{
	return qp->sq.shared;
}

/*
 * Allocates memory for the QP, to be freed by kfree(). If the QP belongs to a process, its cgroup
 * is charged, whatever context the caller runs in. @gfp: GFP_KERNEL or GFP_ATOMIC, perhaps with
 * further flags. Returns NULL if memory is short.
 */
static inline void *siw_qp_kmalloc(const struct siw_qp *qp, size_t size, gfp_t gfp)
{
	struct mem_cgroup *memcg = set_active_memcg(qp->memcg);
	void *mem = kmalloc(size, siw_qp_is_user(qp) ? gfp | __GFP_ACCOUNT : gfp);

	set_active_memcg(memcg);
	return mem;
}

/* Returns the protection domain that the lkeys of the QP's receives belong to. */
static inline struct ib_pd *siw_rq_pd(const struct siw_qp *qp)
{
	return qp->base.srq ? qp->base.srq->pd : qp->base.pd;
}

/* verbs */
int siw_create_qp(struct ib_qp *base, struct ib_qp_init_attr *attr, struct ib_udata *udata);
int siw_modify_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int siw_query_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init_attr);
int siw_destroy_qp(struct ib_qp *base, struct ib_udata *udata);
void siw_iw_add_ref(struct ib_qp *base);
void siw_iw_rem_ref(struct ib_qp *base);
struct ib_qp *siw_iw_get_qp(struct ib_device *base, int qpn);

#endif /* SIW_QP_H */
