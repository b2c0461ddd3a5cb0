/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Send queues.
 */
#ifndef SOFT_SQ_H
#define SOFT_SQ_H

#include <linux/bits.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "soft/wqe.h"

struct soft_qp;

/* Largest number of entries that complete, or are dropped, while interrupts are off. */
#define SOFT_FLUSH_BATCH	256u

/* If entries are allocated on demand, largest number of entries in a chunk, and of chunks. */
#define SOFT_SQ_CHUNK		16u
#define SOFT_SQ_CHUNKS		8u
/* Largest number of entries of a queue whose entries are allocated on demand. */
#define SOFT_SQ_ON_DEMAND_MAX	(SOFT_SQ_CHUNKS * SOFT_SQ_CHUNK)

/**
 * struct soft_sq - send queue: [tail, next) is in flight or done, [next, head) is waiting
 * @lock: protects @flushed, @head and @tail; taken with interrupts off; a CQ's lock nests in it.
 *	The entries from @tail to @head belong to the sender, and, when the sender does not use the
 *	queue any more, to a flush. The sender is the context that sends the requests; there is one
 *	at a time
 * @mask: turns an index into the place of its entry; there are @mask + 1 places
 * @max_wr: largest number of requests in @chunks
 * @max_sge: largest number of SGEs of a request
 * @max_inline: largest number of bytes of inline data
 * @chunk_shift: a chunk has the entries of 1 << @chunk_shift places
 * @signal_all: every request is signalled
 * @flushed: the QP is in ERR: entries complete as flushed, a batch at a time. A new request
 *	completes at once if the queue is empty, and otherwise after the entries before it
 * @on_demand: entries are allocated on demand, because a process posts to a ring of the provider,
 *	and a request becomes an entry only when the provider is about to send it; does not change
 * @head: next free entry; free running; read by the sender without @lock
 * @tail: oldest entry that has not completed; free running
 * @chunks: memory of the entries, in the order of their places. A queue of the kernel has a single
 *	chunk, from the start. If @on_demand is true, the sender allocates a chunk when it needs
 *	the first of its entries; until then the chunk is NULL. Chunks are freed with @lock held,
 *	and not while the queue holds requests, so no entry moves
 * @cq_end: soft_cq.head as it was after the queue's last completion was added; protected by the
 *	CQ's lock
 * @next: next entry to transmit; free running; changed by the sender, and by a flush
 */
struct soft_sq {
	spinlock_t lock; /* protects @flushed, @head, @tail */
	u32 mask;
	u32 max_wr;
	u8 max_sge;
	u8 max_inline;
	u8 chunk_shift;
	bool signal_all;
	bool flushed;
	bool on_demand;
	u32 head;
	u32 tail;
	u32 cq_end;
	struct soft_send_wqe *chunks[SOFT_SQ_CHUNKS];
	u32 next;
};

/* The sender changes @next often, and must not wait for the cache line that posters write. */
static_assert(offsetof(struct soft_sq, next) - offsetof(struct soft_sq, cq_end) >= 64);

/* Returns the entry of @index, a free-running number. Its chunk has to exist. */
static inline struct soft_send_wqe *soft_sq_entry(const struct soft_sq *sq, u32 index)
{
	u32 place = index & sq->mask;

	return &sq->chunks[place >> sq->chunk_shift][place & (BIT(sq->chunk_shift) - 1)];
}

/*
 * soft_sq_init() initialises @sq, which the caller has zeroed, with the sizes in @cap. @signal_all:
 * every request is signalled. @on_demand: entries are allocated on demand; the queue then has at
 * most SOFT_SQ_ON_DEMAND_MAX entries. Returns 0 or -ENOMEM. soft_sq_exit() may also be called if
 * soft_sq_init() has failed or was never called. Process context.
 */
int soft_sq_init(struct soft_sq *sq, const struct ib_qp_cap *cap, bool signal_all, bool on_demand);
void soft_sq_exit(struct soft_sq *sq);

/*
 * Called by the sender, for a queue whose entries are allocated on demand. soft_sq_chunk() returns
 * the address of the element of soft_sq.chunks for the entry at soft_sq.head. If the element is
 * NULL, the sender sets it to a chunk of soft_sq_chunk_size() bytes from kmalloc(). soft_sq_trim()
 * frees all chunks, unless the queue holds requests. soft_sq_has_chunks() returns whether
 * there is a chunk to free. In other queues, soft_sq_trim() does nothing, and soft_sq_has_chunks()
 * returns false.
 */
static inline struct soft_send_wqe **soft_sq_chunk(struct soft_sq *sq)
{
	return &sq->chunks[(sq->head & sq->mask) >> sq->chunk_shift];
}

static inline size_t soft_sq_chunk_size(const struct soft_sq *sq)
{
	return sizeof(struct soft_send_wqe) << sq->chunk_shift;
}

bool soft_sq_has_chunks(const struct soft_sq *sq);
void soft_sq_trim(struct soft_sq *sq);

/*
 * Posts the kernel's requests, or completes them as flushed if the QP is in ERR. On failure
 * *@bad_wr is the first request that was not posted. Returns 0; -EINVAL for an invalid request or a
 * QP in RESET; -ENOTCONN before the QP is connected; -ENOMEM if the queue is full; -EOPNOTSUPP for
 * an unknown opcode. Any context.
 */
int soft_sq_post(struct soft_qp *qp, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr);

/*
 * Called by the sender. soft_sq_peek() returns the next entry to transmit, or NULL;
 * soft_sq_advance() goes on to the entry after it. soft_sq_waiting() returns the number of
 * entries that are still to be transmitted. soft_sq_newest() returns the last of these entries, and
 * is not called if there are none. soft_sq_set_done() marks @wqe as done, with @status.
 * soft_sq_complete_done() completes the oldest entries, in order, up to the first that is not
 * done. soft_sq_complete() marks @wqe as done, and completes the oldest entries. The sender has
 * to notify the CQ after the last completion.
 */
static inline struct soft_send_wqe *soft_sq_peek(const struct soft_sq *sq)
{
	/* The acquire pairs with the release of whoever has added the entry. */
	return sq->next == smp_load_acquire(&sq->head) ? NULL : soft_sq_entry(sq, sq->next);
}

static inline void soft_sq_advance(struct soft_sq *sq)
{
	sq->next++;
}

static inline u32 soft_sq_waiting(const struct soft_sq *sq)
{
	return READ_ONCE(sq->head) - sq->next;
}

static inline const struct soft_send_wqe *soft_sq_newest(const struct soft_sq *sq)
{
	/* The acquire pairs with the release of whoever has added the entry. */
	return soft_sq_entry(sq, smp_load_acquire(&sq->head) - 1);
}

static inline void soft_sq_set_done(struct soft_send_wqe *wqe, enum ib_wc_status status)
{
	wqe->status = status;
	wqe->state = SOFT_SEND_WQE_DONE;
}

void soft_sq_complete_done(struct soft_qp *qp);
void soft_sq_complete(struct soft_qp *qp, struct soft_send_wqe *wqe, enum ib_wc_status status);

/*
 * Completes the oldest SOFT_FLUSH_BATCH entries: those in state DONE with their own status, the
 * others as flushed. Requests that are posted later also complete as flushed, after the requests
 * before them. Does nothing if the QP is not in ERR. Returns whether entries are left; if so, the
 * function has to be called again. Any context.
 */
bool soft_sq_flush(struct soft_qp *qp);
/*
 * Called by a provider that shares a ring with a process. Called with the lock of the queue held,
 * which keeps completions in order. soft_sq_flush_batch() does what soft_sq_flush() does for a QP
 * in ERR, but does not notify the CQ, and returns how many more requests the caller may flush
 * before it gives up the lock. soft_sq_flush_wr() completes as flushed a request that the provider
 * has taken from the process's ring and that is in no entry. @opcode: its enum ib_wr_opcode.
 */
u32 soft_sq_flush_batch(struct soft_qp *qp);
void soft_sq_flush_wr(struct soft_qp *qp, u64 wr_id, u8 opcode, u32 length);

/* Empties the queue of a QP in RESET, without completions. Process context. */
void soft_sq_reset(struct soft_qp *qp);

#endif /* SOFT_SQ_H */
