/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queue pairs: the object, its references, states and events.
 */
#ifndef SIW_QP_STATE_H
#define SIW_QP_STATE_H

#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/base/siw.h"
#include "drivers/siw/queue/user_rq.h"
#include "drivers/siw/queue/user_sq.h"
#include "soft/qp.h"

struct mem_cgroup;
struct siw_cep;
struct siw_stream;

/**
 * struct siw_qp - queue pair
 * @soft: the verbs object, and its queues; has to be at offset 0. soft_qp.state is changed under
 *	@state_lock
 * @user_sq: ring of a process's requests, from which the stream's owner takes a request to send it;
 *	protected by the lock of the SQ
 * @user_rq: ring of a process's receives; protected by the lock of the RQ
 * @dev: our device
 * @ref: references, held by the verbs object, iw_cm, and the connection
 * @freed: completed when the last reference is dropped
 * @state_lock: taken with interrupts off; nests in the socket's spinlock and in
 *	siw_stream.live_lock
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
 * @attr: attributes that ib_query_qp() returns: access flags, read depths, capabilities
 * @stream: state of transmit and receive (stream_state.h)
 */
struct siw_qp {
	struct soft_qp soft;
	struct siw_user_sq user_sq;
	struct siw_user_rq user_rq;
	struct siw_device *dev;
	struct kref ref;
	struct completion freed;

	struct mutex modify; /* serialises siw_modify_qp() */
	spinlock_t state_lock; /* protects soft_qp.state, @cep and @resetting */
	struct siw_cep *cep;
	bool resetting;

	bool destroying;
	unsigned long events;
	struct tasklet_struct event;
	struct work_struct flush_work;
	struct mem_cgroup *memcg;
	struct ib_qp_attr attr;
	struct siw_stream *stream;
};

static inline struct siw_qp *to_siw_qp(struct ib_qp *base)
{
	return container_of(base, struct siw_qp, soft.base);
}

/* Returns whether a process posts to the QP, in rings that the process maps. */
static inline bool siw_qp_is_user(const struct siw_qp *qp)
{
	return qp->soft.sq.on_demand;
}

/*
 * Allocates memory for the QP, to be freed by kfree(). If the QP belongs to a process, the memory
 * is charged to siw_qp.memcg, whatever context the caller runs in. @gfp: GFP_KERNEL or GFP_ATOMIC,
 * perhaps with further flags. Returns NULL if memory is short.
 */
static inline void *siw_qp_kmalloc(const struct siw_qp *qp, size_t size, gfp_t gfp)
{
	struct mem_cgroup *memcg = set_active_memcg(qp->memcg);
	void *mem = kmalloc(size, siw_qp_is_user(qp) ? gfp | __GFP_ACCOUNT : gfp);

	set_active_memcg(memcg);
	return mem;
}

/* Create and destroy the workqueue that flushes QPs. siw_flush_init() returns 0 or -ENOMEM. */
int siw_flush_init(void);
void siw_flush_exit(void);

void siw_qp_state_init(struct siw_qp *qp);
/* Stops the tasklet and the work item of a QP without references and stream. Process context. */
void siw_qp_state_exit(struct siw_qp *qp);

/* Returns the QP with a reference, or NULL. Softirq or process context. */
struct siw_qp *siw_qp_find(struct siw_device *dev, u32 qpn);
void siw_qp_get(struct siw_qp *qp);
void siw_qp_put(struct siw_qp *qp);

/**
 * siw_qp_bind() - bind a QP to a connection, at connect or accept
 * @qp: the QP
 * @cep: the connection, which holds a reference to @qp
 *
 * On success the caller's reference to @cep becomes that of @qp. Process context.
 *
 * Return: 0; -EISCONN if @qp is bound to a connection; -EINVAL if the state of @qp is past RTR, or
 * if @qp is being reset or destroyed.
 */
int siw_qp_bind(struct siw_qp *qp, struct siw_cep *cep);
/**
 * siw_qp_unbind() - unbind a QP, at the end of its connection or when the QP is destroyed
 * @qp: the QP
 * @cep: the connection; NULL when the QP is destroyed, which unbinds @qp from any connection. With
 *	NULL, the caller has to call siw_cep_qp_destroyed() for the connection that is returned.
 *
 * Any context.
 *
 * Return: the connection that was bound, whose reference becomes the caller's; NULL if @qp was not
 * bound, or was bound to a connection other than @cep.
 */
struct siw_cep *siw_qp_unbind(struct siw_qp *qp, struct siw_cep *cep);

/*
 * siw_qp_begin_reset() moves the QP to RESET, in which nothing is flushed any more. Returns 0;
 * -EBUSY if the QP is bound to a connection, as it is in RTS and SQD. After success, the caller
 * empties the queues, and calls siw_qp_end_reset(). Until then, no connection can be bound. Process
 * context.
 */
int siw_qp_begin_reset(struct siw_qp *qp);
void siw_qp_end_reset(struct siw_qp *qp);

/* Moves the QP from RESET, INIT or RTR to RTS. Returns 0; -EINVAL in other states. Any context. */
int siw_qp_connected(struct siw_qp *qp);
/*
 * Moves the QP from RTS to SQD; leaves a QP in SQD or ERR as it is. Returns 0, or -EINVAL if the QP
 * is in another state. Any context.
 */
int siw_qp_drain(struct siw_qp *qp);
/*
 * Moves the QP to INIT or RTR, the states that need no connection. Returns 0; -EINVAL if the QP is
 * in a later state than @to. Any context.
 */
int siw_qp_modify_unconnected(struct siw_qp *qp, enum ib_qp_state to);
/*
 * Moves the QP from any state to ERR; siw_qp_flush() has to follow. Called when the stream uses no
 * entries of the queues any more and has completed its current receive request. Any context.
 */
void siw_qp_set_err(struct siw_qp *qp);
/*
 * Flushes a batch of each queue of a QP in ERR. A work item flushes the next batches, until both
 * queues are empty. The work item cannot leave entries to the next doorbell, because a process
 * rings no doorbell while the ring has entries. Any context.
 */
void siw_qp_flush(struct siw_qp *qp);

/*
 * Raises an asynchronous event, whose handler runs later, in softirq context. May be called in any
 * context and with any lock held.
 */
void siw_qp_event(struct siw_qp *qp, enum ib_event_type event);

#endif /* SIW_QP_STATE_H */
