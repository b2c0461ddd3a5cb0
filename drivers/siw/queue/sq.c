// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Send queues. The code of soft/ serves QPs of the kernel; the functions here also serve a QP to
 * which a process posts: the process's requests wait in the ring that it maps, and become entries
 * when they are about to be sent.
 */
#include <trace/events/siw.h>

#include "drivers/siw/queue/sq.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/queue/user_sq.h"
#include "soft/cq.h"
#include "soft/sq.h"
#include "soft/wqe.h"

/*
 * Allocates memory for the entry at the head of a process's queue, unless the entry has memory
 * already. Returns false if memory is short. Called by the stream's owner; nobody else moves the
 * head of a process's queue.
 */
static bool user_sq_reserve(struct siw_qp *qp)
{
	struct soft_sq *sq = &qp->soft.sq;
	struct soft_send_wqe **chunk = soft_sq_chunk(sq);

	if (!*chunk)
		*chunk = siw_qp_kmalloc(qp, soft_sq_chunk_size(sq), GFP_ATOMIC | __GFP_NOWARN);
	return *chunk;
}

/* Moves a request from a process's ring to the send queue. Returns whether a request was moved. */
static bool user_sq_take(struct siw_qp *qp)
{
	struct siw_user_sq *user = &qp->user_sq;

	user->no_memory = false;
	/* Look without the lock first, because the ring is often empty. */
	if (!siw_user_sq_pending(qp))
		return false;
	user->no_memory = !user_sq_reserve(qp);
	return !user->no_memory && siw_user_sq_pull(qp);
}

struct soft_send_wqe *siw_sq_peek(struct siw_qp *qp)
{
	struct soft_send_wqe *wqe = soft_sq_peek(&qp->soft.sq);

	/*
	 * A process's request becomes an entry only now, when the owner is about to send the
	 * request, or has to decide whether the request may wait.
	 */
	if (wqe || !siw_qp_is_user(qp) || !user_sq_take(qp))
		return wqe;
	return soft_sq_peek(&qp->soft.sq);
}

bool siw_sq_empty(struct siw_qp *qp)
{
	struct soft_sq *sq = &qp->soft.sq;
	unsigned long flags;
	bool empty;

	spin_lock_irqsave(&sq->lock, flags);
	empty = sq->tail == sq->head && !siw_user_sq_pending(qp);
	spin_unlock_irqrestore(&sq->lock, flags);
	return empty;
}

/* Flushes a batch of a process's queue. Returns whether requests are left. */
static bool user_sq_flush_batch(struct siw_qp *qp)
{
	u32 left = soft_sq_flush_batch(&qp->soft), count;
	struct soft_send_wqe wqe;

	for (count = 0; count < left && siw_user_sq_pop(qp, &wqe); count++)
		soft_sq_flush_wr(&qp->soft, wqe.wr_id, wqe.opcode, wqe.length);
	trace_siw_flush(&qp->soft.base, false, count);
	return qp->soft.sq.tail != qp->soft.sq.head || siw_user_sq_pending(qp);
}

bool siw_sq_flush(struct siw_qp *qp)
{
	struct soft_sq *sq = &qp->soft.sq;
	unsigned long flags;
	bool more = false;

	if (!siw_qp_is_user(qp))
		return soft_sq_flush(&qp->soft);
	spin_lock_irqsave(&sq->lock, flags);
	if (READ_ONCE(qp->soft.state) == IB_QPS_ERR) {
		more = user_sq_flush_batch(qp);
		soft_cq_schedule_notify(to_soft_cq(qp->soft.base.send_cq));
	}
	spin_unlock_irqrestore(&sq->lock, flags);
	return more;
}

void siw_sq_reset(struct siw_qp *qp)
{
	bool flushed;

	soft_sq_reset(&qp->soft);
	if (siw_qp_is_user(qp))
		siw_user_sq_doorbell(qp, &flushed);
}
