/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Send queues.
 */
#ifndef SIW_SQ_H
#define SIW_SQ_H

#include <linux/bits.h>
#include <linux/spinlock.h>

#include "drivers/siw/base/siw.h"
#include "drivers/siw/queue/user_sq.h"
#include "soft/wqe.h"

struct siw_qp;

/* Largest number of entries of a queue that complete, or are dropped, while interrupts are off. */
#define SIW_FLUSH_BATCH	256u

/*
 * Largest number of a process's requests that are under way at a time; the others wait in the ring
 * that it shares with the kernel. Enough for as many reads as may be in flight.
 */
#define SIW_USER_SQ_MAX	((u32)SIW_MAX_ORD)
/* Entries of a process's queue that are allocated at a time. */
#define SIW_SQ_CHUNK	16u
#define SIW_SQ_CHUNKS	(SIW_USER_SQ_MAX / SIW_SQ_CHUNK)

/**
 * struct siw_sq - send queue: [tail, next) is in flight or done, [next, head) is waiting
 * @lock: protects @flushed, @head, @tail and @user.next; taken with interrupts off; a CQ's lock
 *	nests in it. The entries from @tail to @head belong to the stream's owner, and, when the
 *	owner does not use the queue any more, to a flush
 * @mask: turns an index into the place of its entry; there are @mask + 1 places
 * @chunk_shift: a chunk has the entries of 1 << @chunk_shift places
 * @max_wr: largest number of requests in @chunks; if a process posts, more may wait in @user
 * @signal_all: every request is signalled
 * @flushed: the QP is in ERR: entries complete as flushed, a batch at a time. A new request
 *	completes at once if the queue is empty, and otherwise after the entries before it
 * @shared: a process posts, to @user; does not change
 * @head: next free entry; free running; read by the stream's owner without @lock
 * @tail: oldest entry that has not completed; free running
 * @chunks: memory of the entries, in the order of their places. A queue of the kernel has a single
 *	chunk, from the start. The stream's owner allocates a chunk of a process's queue when it
 *	needs the first of its entries; until then the chunk is NULL. Chunks are freed with @lock
 *	held, and not while the queue holds requests, so no entry moves
 * @cq_end: siw_cq.head as it was after the queue's last completion was added; protected by the CQ's
 *	lock
 * @next: next entry to transmit; free running; changed by the stream's owner, and by a flush
 * @no_memory: a request was left in the ring of a process, because there was no memory for its
 *	entry; used by the stream's owner
 * @user: ring of a process's requests, from which the stream's owner takes a request to send it
 */
struct siw_sq {
	spinlock_t lock; /* protects @flushed, @head, @tail, @user.next */
	u32 mask;
	u32 max_wr;
	u8 chunk_shift;
	bool signal_all;
	bool flushed;
	bool shared;
	u32 head;
	u32 tail;
	u32 cq_end;
	struct soft_send_wqe *chunks[SIW_SQ_CHUNKS];
	u32 next ____cacheline_aligned_in_smp;
	bool no_memory;
	struct siw_user_sq user;
};

/* Returns the entry of @index, a free-running number. Its chunk has to exist. */
static inline struct soft_send_wqe *siw_sq_entry(const struct siw_sq *sq, u32 index)
{
	u32 place = index & sq->mask;

	return &sq->chunks[place >> sq->chunk_shift][place & (BIT(sq->chunk_shift) - 1)];
}

/*
 * Called when a QP is created, with siw_sq.max_wr and .mask set, and destroyed. siw_sq_init()
 * returns 0 or -ENOMEM; siw_sq_exit() may also follow a failure, or no siw_sq_init(). Process
 * context.
 */
int siw_sq_init(struct siw_qp *qp);
void siw_sq_exit(struct siw_qp *qp);

/*
 * Called by the stream's owner. siw_sq_trim() frees all entries of a process's queue, but does
 * nothing while the queue holds requests. siw_sq_has_chunks() returns whether there is something
 * to free.
 */
bool siw_sq_has_chunks(const struct siw_qp *qp);
void siw_sq_trim(struct siw_qp *qp);

/*
 * Posts the kernel's requests, or completes them as flushed if the QP is in ERR. On failure
 * *@bad_wr is the first request that was not posted. Returns 0; -EINVAL for an invalid request or a
 * QP in RESET; -ENOTCONN before the QP is connected; -ENOMEM if the queue is full; -EOPNOTSUPP for
 * an unknown opcode. Any context.
 */
int siw_sq_post(struct siw_qp *qp, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr);

/*
 * Called by the stream's owner. siw_sq_peek() returns the next entry to transmit, or NULL: there is
 * none now, or siw_sq.no_memory is true, and the caller has to try again later;
 * siw_sq_advance() goes on to the entry after it. siw_sq_waiting() returns the number of entries
 * that are still to be transmitted, siw_sq_newest() the last of them; there has to be one.
 * siw_sq_set_done() marks @wqe as done, with @status. siw_sq_complete_done() completes the oldest
 * entries, in order, up to the first that is not done; siw_sq_complete() does both. The CQ is
 * notified when the owner's pass is over.
 */
struct soft_send_wqe *siw_sq_peek(struct siw_qp *qp);
void siw_sq_advance(struct siw_qp *qp);
u32 siw_sq_waiting(const struct siw_qp *qp);
const struct soft_send_wqe *siw_sq_newest(const struct siw_qp *qp);
void siw_sq_set_done(struct soft_send_wqe *wqe, enum ib_wc_status status);
void siw_sq_complete_done(struct siw_qp *qp);
void siw_sq_complete(struct siw_qp *qp, struct soft_send_wqe *wqe, enum ib_wc_status status);

/* Returns whether all posted requests have completed. Any context. */
bool siw_sq_empty(struct siw_qp *qp);

/*
 * Completes the oldest SIW_FLUSH_BATCH entries: those that are done with their own status, the
 * others as flushed. Later posts complete as flushed, after the entries. Does nothing if the QP is
 * not in ERR. Returns whether entries are left; if so, the function has to be called again. Any
 * context.
 */
bool siw_sq_flush(struct siw_qp *qp);

/*
 * Empties the queue of a QP in RESET, without completions. Requests in a process's ring are
 * dropped, but the position in the ring stays, because the process keeps its own. Process context.
 */
void siw_sq_reset(struct siw_qp *qp);

#endif /* SIW_SQ_H */
