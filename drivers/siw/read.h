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
struct siw_send_wqe;
struct siw_stream_cfg;

/**
 * struct siw_orrq_entry - a read we asked for
 * @sqe: the request; NULL for the ready-to-receive read
 * @msn: message sequence number of its request; of an atomic operation its identifier, too
 * @atomic: it is an atomic operation
 * @sink: what must come next, of a read
 */
struct siw_orrq_entry {
	struct siw_send_wqe *sqe;
	u32 msn;
	bool atomic;
	struct rdmap_read_sink sink;
};

/**
 * struct siw_irrq_entry - a read we owe
 * @mem: the source, referenced and checked; NULL when no byte was asked for
 * @is_atomic: it is an atomic operation: done when its turn to be answered comes
 * @req: the request, of a read
 * @atomic: the request, of an atomic operation
 * @head: its head as it came, to be told which one we had to leave
 */
struct siw_irrq_entry {
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
 * @orrq: ring of our reads, in the order of their requests
 * @orrq_max: how many may be in flight, a ready-to-receive read included
 * @orrq_mask: size of the ring, less one
 * @orrq_head: next free; free running
 * @orrq_tail: the oldest, whose response comes next
 * @irrq: ring of the peer's
 * @irrq_max: how many the peer may have in flight
 * @irrq_mask: size of the ring, less one
 * @irrq_head: next free; free running
 * @irrq_tail: the oldest, answered next or being answered
 */
struct siw_reads {
	struct siw_orrq_entry *orrq;
	u32 orrq_max;
	u32 orrq_mask;
	u32 orrq_head;
	u32 orrq_tail;
	struct siw_irrq_entry *irrq;
	u32 irrq_max;
	u32 irrq_mask;
	u32 irrq_head;
	u32 irrq_tail;
};

/* Sized by @cfg, with room for a ready-to-receive read. 0 or -ENOMEM. Process context. */
int siw_reads_alloc(struct siw_reads *reads, const struct siw_stream_cfg *cfg);
/* Forgets all reads; siw_reads_free() gives the rings back too. */
void siw_reads_clear(struct siw_reads *reads);
void siw_reads_free(struct siw_reads *reads);

static inline u32 siw_orrq_used(const struct siw_reads *reads)
{
	return reads->orrq_head - reads->orrq_tail;
}

static inline u32 siw_irrq_used(const struct siw_reads *reads)
{
	return reads->irrq_head - reads->irrq_tail;
}

/* The caller has made sure of room. */
void siw_orrq_add(struct siw_reads *reads, struct siw_send_wqe *sqe, u32 msn,
		  const struct rdmap_read_req *req);
void siw_orrq_add_atomic(struct siw_reads *reads, struct siw_send_wqe *sqe, u32 msn);
/* The oldest one, or NULL. */
struct siw_orrq_entry *siw_orrq_head(struct siw_reads *reads);
void siw_orrq_pop(struct siw_reads *reads);
/* The one whose request had @msn, or NULL. */
struct siw_orrq_entry *siw_orrq_find(struct siw_reads *reads, u32 msn);

/* The peer has as many in flight as IRD allows. */
static inline bool siw_irrq_full(const struct siw_reads *reads)
{
	return siw_irrq_used(reads) == reads->irrq_max;
}

/*
 * Take over the reference to @mem. @head: DDP_UNTAGGED_HEAD bytes. The caller has made sure of
 * room.
 */
void siw_irrq_add(struct siw_reads *reads, struct siw_mem *mem, const struct rdmap_read_req *req,
		  const u8 *head);
void siw_irrq_add_atomic(struct siw_reads *reads, struct siw_mem *mem,
			 const struct rdmap_atomic_req *req, const u8 *head);
/* The oldest one, or NULL. */
struct siw_irrq_entry *siw_irrq_head(struct siw_reads *reads);
void siw_irrq_pop(struct siw_reads *reads);

#endif /* SIW_READ_H */
