/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * RDMA Reads in flight: those we asked for (bounded by ORD), and those we owe the peer (bounded by
 * IRD). Atomic operations count as reads, and are answered in the order of the requests of both.
 */
#ifndef SIW_READ_H
#define SIW_READ_H

#include <linux/types.h>

#include "iwarp/atomic.h"
#include "iwarp/rdmap.h"

struct siw_mem;
struct siw_swqe;
struct siw_stream_cfg;

/**
 * struct siw_read - a read we asked for
 * @sqe: the request; NULL for the ready-to-receive read
 * @msn: message sequence number of its request; of an atomic operation its identifier, too
 * @atomic: it is an atomic operation
 * @sink: what must come next, of a read
 */
struct siw_read {
	struct siw_swqe *sqe;
	u32 msn;
	bool atomic;
	struct rdmap_read_sink sink;
};

/**
 * struct siw_response - a read we owe
 * @mem: the source, referenced and checked; NULL when no byte was asked for
 * @is_atomic: it is an atomic operation: done when its turn to be answered comes
 * @req: the request, of a read
 * @atomic: the request, of an atomic operation
 * @head: its head as it came, to be told which one we had to leave
 */
struct siw_response {
	struct siw_mem *mem;
	bool is_atomic;
	union {
		struct rdmap_read_req req;
		struct rdmap_atomic_req atomic;
	};
	u8 head[DDP_UNTAGGED_HEAD];
};

/**
 * struct siw_reads - both sides; only the engine's runner touches them
 * @asked: ring of our reads, in the order of their requests
 * @max_asked: how many may be in flight, a ready-to-receive read included
 * @asked_mask: size of the ring, less one
 * @asked_head: next free; free running
 * @asked_tail: the oldest, whose response comes next
 * @owed: ring of the peer's
 * @max_owed: how many the peer may have in flight
 * @owed_mask: size of the ring, less one
 * @owed_head: next free; free running
 * @owed_tail: the oldest, answered next or being answered
 */
struct siw_reads {
	struct siw_read *asked;
	u32 max_asked;
	u32 asked_mask;
	u32 asked_head;
	u32 asked_tail;
	struct siw_response *owed;
	u32 max_owed;
	u32 owed_mask;
	u32 owed_head;
	u32 owed_tail;
};

/* Sized by @cfg, with room for a ready-to-receive read. 0 or -ENOMEM. Process context. */
int siw_reads_alloc(struct siw_reads *reads, const struct siw_stream_cfg *cfg);
/* Forgets all reads; siw_reads_free() gives the rings back too. */
void siw_reads_clear(struct siw_reads *reads);
void siw_reads_free(struct siw_reads *reads);

static inline u32 siw_reads_asked(const struct siw_reads *reads)
{
	return reads->asked_head - reads->asked_tail;
}

static inline u32 siw_reads_owed(const struct siw_reads *reads)
{
	return reads->owed_head - reads->owed_tail;
}

/* The caller has made sure of room. */
void siw_reads_ask(struct siw_reads *reads, struct siw_swqe *sqe, u32 msn,
		   const struct rdmap_read_req *req);
void siw_reads_ask_atomic(struct siw_reads *reads, struct siw_swqe *sqe, u32 msn);
/* The oldest one, or NULL. */
struct siw_read *siw_reads_expected(struct siw_reads *reads);
void siw_reads_received(struct siw_reads *reads);
/* The one whose request had @msn, or NULL. */
struct siw_read *siw_reads_find(struct siw_reads *reads, u32 msn);

/* The peer has as many in flight as IRD allows. */
static inline bool siw_reads_full(const struct siw_reads *reads)
{
	return siw_reads_owed(reads) == reads->max_owed;
}

/*
 * Take over the reference to @mem. @head: DDP_UNTAGGED_HEAD bytes. The caller has made sure of
 * room.
 */
void siw_reads_owe(struct siw_reads *reads, struct siw_mem *mem, const struct rdmap_read_req *req,
		   const u8 *head);
void siw_reads_owe_atomic(struct siw_reads *reads, struct siw_mem *mem,
			  const struct rdmap_atomic_req *req, const u8 *head);
/* The oldest one, or NULL. */
struct siw_response *siw_reads_due(struct siw_reads *reads);
void siw_reads_answered(struct siw_reads *reads);

#endif /* SIW_READ_H */
