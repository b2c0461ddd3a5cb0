/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Receive queues.
 */
#ifndef SOFT_RQ_H
#define SOFT_RQ_H

#include <linux/spinlock.h>

#include "soft/recv_ring.h"

struct soft_qp;

/**
 * struct soft_rq - receive queue
 * @lock: taken with interrupts off; a CQ's lock nests in it
 * @ring: the entries; if a process posts, to a ring of the provider, there are none, and @head and
 *	@tail stay zero
 * @max_wr: largest number of receives in the queue
 * @max_sge: largest number of SGEs of a receive
 * @flushed: the QP is in ERR: receives complete as flushed, a batch at a time. A new receive
 *	completes at once if the queue is empty, and otherwise after the receives before it
 * @head: next free entry; free running
 * @tail: oldest posted entry; free running
 * @cq_end: soft_cq.head as it was after the queue's last completion was added; protected by the
 *	CQ's lock
 */
struct soft_rq {
	spinlock_t lock; /* protects what follows, except @cq_end */
	struct soft_recv_ring ring;
	u32 max_wr;
	u8 max_sge;
	bool flushed;
	u32 head;
	u32 tail;
	u32 cq_end;
};

/**
 * struct soft_rq_result - how a receive request ended
 * @status: status of the completion
 * @length: bytes of the message
 * @solicited: the sender asked for a solicited completion
 * @invalidated: the message has invalidated @inv_stag
 * @inv_stag: local STag, if @invalidated is true
 * @immediate: the message was an Immediate Data message, with @imm
 * @imm: immediate data
 */
struct soft_rq_result {
	enum ib_wc_status status;
	u32 length;
	bool solicited;
	bool invalidated;
	u32 inv_stag;
	bool immediate;
	__be32 imm;
};

/* Results of soft_rq_pop_fitting(). */
enum soft_rq_popped {
	SOFT_RQ_POPPED,
	SOFT_RQ_EMPTY, /* no receive is posted */
	SOFT_RQ_SHORT, /* the oldest receive has less memory, and stays */
};

/*
 * soft_rq_init() initialises @rq, which the caller has zeroed, with the sizes in @cap. @shared: a
 * process posts receives to a ring of the provider. Returns 0 or -ENOMEM. soft_rq_exit() may also
 * be called if soft_rq_init() has failed or was never called. Process context.
 */
int soft_rq_init(struct soft_rq *rq, const struct ib_qp_cap *cap, bool shared);
void soft_rq_exit(struct soft_rq *rq);

/*
 * Posts the kernel's receives, or completes them as flushed if the QP is in ERR. On failure
 * *@bad_wr is the first receive that was not posted. Returns 0; -EINVAL for an invalid receive or a
 * QP in RESET; -ENOMEM if the queue is full. Any context.
 */
int soft_rq_post(struct soft_qp *qp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr);
/*
 * Copies the oldest posted receive to @wqe and frees its place. Takes the receive from the SRQ, if
 * the QP has one. Returns false if no receive is posted. Not for queues to which a process posts.
 * Any context.
 */
bool soft_rq_pop(struct soft_qp *qp, struct soft_recv_wqe *wqe);
/*
 * Does what soft_rq_pop() does, if the oldest receive has memory for @length bytes. For datagrams,
 * which are dropped if they do not fit. Not for QPs with an SRQ. Any context.
 */
enum soft_rq_popped soft_rq_pop_fitting(struct soft_qp *qp, u32 length, struct soft_recv_wqe *wqe);
/*
 * Completes a receive that soft_rq_pop() has returned. The caller has to notify the CQ after it has
 * completed its last receive. Any context.
 */
void soft_rq_complete(struct soft_qp *qp, const struct soft_recv_wqe *wqe,
		      const struct soft_rq_result *result);
/*
 * Completes up to SOFT_FLUSH_BATCH of the posted receives as flushed, oldest first. Receives that
 * are posted after this call are flushed, too; completions keep the order of posting. Does nothing
 * if the QP is not in ERR. Returns whether receives are left; if so, the function has to be called
 * again. Any context.
 */
bool soft_rq_flush(struct soft_qp *qp);
/*
 * Called by a provider that shares a ring with a process. Called with the lock of the queue held,
 * which keeps completions in order. soft_rq_flush_batch() does what soft_rq_flush() does for a QP
 * in ERR, but does not notify the CQ. soft_rq_flush_wr() completes as flushed a receive that the
 * provider has taken from the process's ring.
 */
void soft_rq_flush_batch(struct soft_qp *qp);
void soft_rq_flush_wr(struct soft_qp *qp, u64 wr_id);
/* Empties the queue of a QP in RESET, without completions. Process context. */
void soft_rq_reset(struct soft_qp *qp);

#endif /* SOFT_RQ_H */
