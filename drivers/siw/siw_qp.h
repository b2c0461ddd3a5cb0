/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queue pairs: the verbs object, its queues of posted work, its states.
 */
#ifndef SIW_QP_H
#define SIW_QP_H

#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/kref.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/siw.h"
#include "drivers/siw/siw_cq.h"
#include "drivers/siw/siw_mem.h"
#include "drivers/siw/siw_stream.h"
#include "drivers/siw/siw_user_rq.h"
#include "drivers/siw/siw_user_sq.h"
#include "iwarp/atomic.h"

struct siw_cep;

/* Life of a send queue entry. */
enum siw_swqe_state {
	SIW_SQE_POSTED,		/* not wholly handed to TCP */
	SIW_SQE_READING,	/* a read whose request is on the wire */
	SIW_SQE_DONE,		/* completes as soon as all before it have */
};

/**
 * struct siw_swqe - a posted send request
 * @wr_id: the consumer's, for the completion
 * @opcode: enum ib_wr_opcode
 * @state: enum siw_swqe_state
 * @status: enum ib_wc_status it completes with; of one that is posted: why it has to fail
 * @signaled: a completion is due on success too
 * @solicited: the peer's completion is a solicited event
 * @fence: waits for all reads before it
 * @num_sge: entries in @sge
 * @length: bytes in @sge
 * @rkey: remote STag of a write or read
 * @raddr: remote address of a write or read
 * @inv_stag: STag to invalidate: the peer's (send), ours (local invalidate, read with invalidate)
 * @imm: immediate data that follow a write
 * @mr: region of a REG_MR
 * @key: its new STag
 * @access: its new rights
 * @atomic: atomic operation
 * @is_inline: the data is @inline_data, @length bytes
 * @sge: where the data is (send, write) or goes (read)
 * @inline_data: the data itself
 */
struct siw_swqe {
	u64 wr_id;
	u8 opcode;
	u8 state;
	u8 status;
	bool signaled;
	bool solicited;
	bool fence;
	u8 num_sge;
	u32 length;
	u32 rkey;
	u64 raddr;
	u32 inv_stag;
	__be32 imm;
	union {
		struct {
			struct ib_mr *mr;
			u32 key;
			int access;
		};
		struct rdmap_atomic_req atomic;
	};
	bool is_inline;
	union {
		struct ib_sge sge[SIW_SGE_MAX];
		u8 inline_data[SIW_INLINE_MAX];
	};
};

/**
 * struct siw_sq - send queue: [tail, next) in flight or done, [next, head) waiting
 * @lock: guards @head and @tail and the entries' states; interrupts off; a CQ's lock nests in it
 * @ring: entries; @mask + 1 of them
 * @mask: turns an index into a place in @ring
 * @max_wr: how many may be posted at a time
 * @signal_all: every request is signalled
 * @flushed: the QP is in error: posts complete at once
 * @shared: it is a process's, which posts by @user
 * @head: next free entry; free running
 * @next: next entry to transmit; only the QP's engine moves it
 * @tail: oldest entry that has not completed
 * @user: where a process's requests come from, as the engine gets to sending them
 */
struct siw_sq {
	spinlock_t lock; /* guards head, tail, the states of the entries, what is taken of user */
	struct siw_swqe *ring;
	u32 mask;
	u32 max_wr;
	bool signal_all;
	bool flushed;
	bool shared;
	u32 head;
	u32 tail;
	u32 next ____cacheline_aligned_in_smp;
	struct siw_user_sq user;
};

/**
 * struct siw_rwqe - a posted receive request
 * @wr_id: the consumer's, for the completion
 * @num_sge: entries in @sge
 * @length: bytes in @sge
 * @sge: where the message goes
 */
struct siw_rwqe {
	u64 wr_id;
	u8 num_sge;
	u32 length;
	struct ib_sge sge[SIW_SGE_MAX];
};

/**
 * struct siw_rq - receive queue
 * @lock: guards all of it; interrupts off; a CQ's lock nests in it
 * @ring: entries; @mask + 1 of them
 * @mask: turns an index into a place in @ring
 * @max_wr: how many may be posted at a time
 * @flushed: the QP is in error: posts complete at once
 * @head: next free entry; free running
 * @tail: oldest posted entry
 * @user: of a process's QP, in the place of @ring, @head and @tail
 */
struct siw_rq {
	spinlock_t lock; /* guards all of it */
	struct siw_rwqe *ring;
	u32 mask;
	u32 max_wr;
	bool flushed;
	u32 head;
	u32 tail;
	struct siw_user_rq user;
};

/**
 * struct siw_qp - queue pair
 * @base: the verbs object; its memory is the core's
 * @dev: our device
 * @ref: held by the verbs object, iw_cm, and the connection
 * @freed: the last reference went
 * @state_lock: guards @state and @cep; interrupts off; nests in the socket's spinlock and in
 *	siw_engine.live_lock; SQ and RQ locks nest in it
 * @state: verbs state
 * @cep: connection the QP is bound to, from connect or accept to its end; referenced
 * @events: asynchronous events that are due, a bit each; set and taken atomically
 * @destroying: the QP is being destroyed: no event becomes due any more
 * @event: dispatches them; a tasklet, so that events may become due under any lock
 * @flush_work: flushes what a process has posted beyond a batch; see siw_qp_schedule_flush()
 * @stats: counts of the counter that it is bound to, or NULL; read under RCU
 * @attr: what query returns: access flags, read depths, capabilities
 * @sq: send queue
 * @rq: receive queue
 * @stream: connection, transmit and receive engine
 */
struct siw_qp {
	struct ib_qp base;
	struct siw_device *dev;
	struct kref ref;
	struct completion freed;

	spinlock_t state_lock; /* guards state and cep */
	enum ib_qp_state state;
	struct siw_cep *cep;

	unsigned long events;
	bool destroying;
	struct tasklet_struct event;
	struct work_struct flush_work;
	struct siw_stats __percpu *stats;
	struct ib_qp_attr attr;

	struct siw_sq sq;
	struct siw_rq rq;
	struct siw_stream stream;
};

static inline struct siw_qp *to_siw_qp(struct ib_qp *base)
{
	return container_of(base, struct siw_qp, base);
}

static inline bool siw_qp_is_user(const struct siw_qp *qp)
{
	return qp->sq.shared;
}

/* qp_state.c */
void siw_qp_state_init(struct siw_qp *qp);
/* When neither references nor a stream are left. */
void siw_qp_state_exit(struct siw_qp *qp);

/* With a reference, or NULL. */
struct siw_qp *siw_qp_find(struct siw_device *dev, u32 qpn);
void siw_qp_get(struct siw_qp *qp);
void siw_qp_put(struct siw_qp *qp);

/*
 * The binding of a QP and its connection, which has a reference to @cep. siw_qp_bind(): at connect
 * or accept. Returns 0, and the caller's reference goes with it; -EINVAL if the QP is not in INIT
 * or RTR (or RESET), -EISCONN if it is bound. siw_qp_unbind(): at the connection's end, and with
 * NULL when the QP is destroyed, which then calls siw_cep_qp_gone(). Returns the connection that
 * was bound, whose reference is the caller's now; NULL if the other one was first. Any context.
 */
int siw_qp_bind(struct siw_qp *qp, struct siw_cep *cep);
struct siw_cep *siw_qp_unbind(struct siw_qp *qp, struct siw_cep *cep);

/*
 * States. siw_qp_connected() moves INIT or RTR to RTS, or returns -EINVAL. siw_qp_drain() moves RTS
 * to SQD; 0 in SQD and ERR, too, else -EINVAL. siw_qp_modify_unconnected(): between the states that
 * a consumer may choose without a connection; -EINVAL for others. siw_qp_fail() moves any state to
 * ERR and flushes both queues: later posts complete with IB_WC_WR_FLUSH_ERR; a second call flushes
 * what a process has posted since. The engine must have stopped touching the queues' entries, and
 * completed its own receive in progress.
 */
int siw_qp_connected(struct siw_qp *qp);
int siw_qp_drain(struct siw_qp *qp);
int siw_qp_modify_unconnected(struct siw_qp *qp, enum ib_qp_state to);
void siw_qp_fail(struct siw_qp *qp);

/* Has an asynchronous event of the QP raised, in softirq context. Any context, any lock. */
void siw_qp_event(struct siw_qp *qp, enum ib_event_type event);

/* Entries of a process that are flushed at a time, with interrupts off. */
#define SIW_FLUSH_BATCH	256u

/*
 * Has a work item flush what a batch has left in both queues. It queues itself again until it has
 * found an end of both: the process may go on posting as fast as we flush, and need not ring for
 * what is left.
 */
static inline void siw_qp_schedule_flush(struct siw_qp *qp)
{
	queue_work(system_unbound_wq, &qp->flush_work);
}

/* verbs (qp.c) */
int siw_create_qp(struct ib_qp *base, struct ib_qp_init_attr *attr, struct ib_udata *udata);
int siw_modify_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int siw_query_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init_attr);
int siw_destroy_qp(struct ib_qp *base, struct ib_udata *udata);
void siw_iw_add_ref(struct ib_qp *base);
void siw_iw_rem_ref(struct ib_qp *base);
struct ib_qp *siw_iw_get_qp(struct ib_device *base, int qpn);

/* post.c: verbs */
int siw_post_send(struct ib_qp *base, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int siw_post_recv(struct ib_qp *base, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);

/*
 * sq.c. siw_sq_post() posts the kernel's requests, or completes them as flushed if the QP is in
 * error. The engine alone calls peek, advance and done. siw_sq_peek() returns the entry at next, or
 * NULL; siw_sq_advance() moves past it; siw_sq_done() marks @sqe with its status and completes, in
 * order, all that can. The CQ is notified when the engine's pass is over.
 */
int siw_sq_post(struct siw_qp *qp, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr);
struct siw_swqe *siw_sq_peek(struct siw_qp *qp);
void siw_sq_advance(struct siw_qp *qp);
void siw_sq_done(struct siw_qp *qp, struct siw_swqe *sqe, enum ib_wc_status status);
/* Begins the walk over an entry's data; errno of siw_sgl_begin(). */
int siw_swqe_begin(struct siw_qp *qp, struct siw_swqe *sqe, struct siw_sgl *sgl, int access);
bool siw_sq_empty(struct siw_qp *qp);		/* nothing posted that has not completed */

/* Completes all that is posted, as flushed where it is not done, and all that will be. */
void siw_sq_flush(struct siw_qp *qp);

/**
 * struct siw_rq_result - how a receive ended
 * @status: of the completion
 * @length: bytes of the message
 * @solicited: the sender asked for an event
 * @invalidated: the message invalidated @inv_stag
 * @inv_stag: an STag of ours
 * @immediate: it was an Immediate Data message
 * @imm: the data
 */
struct siw_rq_result {
	enum ib_wc_status status;
	u32 length;
	bool solicited;
	bool invalidated;
	u32 inv_stag;
	bool immediate;
	__be32 imm;
};

/*
 * rq.c. siw_rq_post() posts the kernel's receives, or completes them as flushed if the QP is in
 * error. siw_rq_take() copies the oldest posted receive to @rqe, of the SRQ where there is one, and
 * frees its place; false: none is posted. siw_rq_complete() completes a taken one, by the engine,
 * which notifies the CQ when its pass is over. siw_rq_flush() completes all that are posted as
 * flushed, and all that will be. Any context.
 */
int siw_rq_post(struct siw_qp *qp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr);
bool siw_rq_take(struct siw_qp *qp, struct siw_rwqe *rqe);
void siw_rq_complete(struct siw_qp *qp, const struct siw_rwqe *rqe,
		     const struct siw_rq_result *result);
void siw_rq_flush(struct siw_qp *qp);

/*
 * wqe.c. Copies a receive request. Returns 0, or -EINVAL if that is longer than a message or has
 * more than @max_sge elements.
 */
int siw_rwqe_fill(struct siw_rwqe *rqe, const struct ib_recv_wr *wr, u32 max_sge);

/* The domain that the L_Keys of its receives belong to. */
static inline struct ib_pd *siw_rq_pd(const struct siw_qp *qp)
{
	return qp->base.srq ? qp->base.srq->pd : qp->base.pd;
}

#endif /* SIW_QP_H */
