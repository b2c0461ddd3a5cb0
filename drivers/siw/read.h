/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * RDMA Reads in flight: ours in the ORRQ (bounded by ORD), the peer's in the IRRQ (bounded by IRD).
 * Atomic operations count as reads, and are responded to in order with them.
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
 * struct siw_orrq_entry - a read that we have requested
 * @wqe: the request; NULL for the ready-to-receive read
 * @msn: message sequence number of the request; the identifier of an atomic operation, too
 * @atomic: the request is an atomic operation
 * @sink: of a read: the segment that must come next
 */
struct siw_orrq_entry {
	struct siw_send_wqe *wqe;
	u32 msn;
	bool atomic;
	struct rdmap_read_sink sink;
};

/**
 * struct siw_irrq_entry - a read that the peer has requested
 * @mem: the source, referenced and checked; NULL if the length is 0
 * @is_atomic: the request is an atomic operation, which is carried out when it is responded to
 * @req: request of a read
 * @atomic: request of an atomic operation
 * @head: length field and DDP header of the request as received, for a Terminate that quotes them
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
 * struct siw_reads - reads in flight, both ways; for the owner of the stream
 * @orrq: ring of our reads, in the order of their requests
 * @orrq_max: how many may be in flight, a ready-to-receive read included
 * @orrq_mask: size of the ring, less one
 * @orrq_head: next free; free running
 * @orrq_tail: the oldest, whose response comes next; free running
 * @irrq: ring of the peer's reads
 * @irrq_max: how many the peer may have in flight
 * @irrq_mask: size of the ring, less one
 * @irrq_head: next free; free running
 * @irrq_tail: the oldest, which is responded to next or now; free running
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

/*
 * Allocates rings as @cfg says, with room for a ready-to-receive read. Returns 0 or -ENOMEM.
 * Process context.
 */
int siw_reads_alloc(struct siw_reads *reads, const struct siw_stream_cfg *cfg);
/* Drops all reads; siw_reads_free() frees the rings, too. */
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

/* The caller has made sure that fewer than @orrq_max are in flight. */
void siw_orrq_add(struct siw_reads *reads, struct siw_send_wqe *wqe, u32 msn,
		  const struct rdmap_read_req *req);
void siw_orrq_add_atomic(struct siw_reads *reads, struct siw_send_wqe *wqe, u32 msn);
/* Returns our oldest read, or NULL. */
struct siw_orrq_entry *siw_orrq_first(struct siw_reads *reads);
void siw_orrq_pop(struct siw_reads *reads);
/* Returns the read whose request had @msn, or NULL. */
struct siw_orrq_entry *siw_orrq_find(struct siw_reads *reads, u32 msn);

/* Returns whether the peer has as many in flight as IRD allows. */
static inline bool siw_irrq_full(const struct siw_reads *reads)
{
	return siw_irrq_used(reads) == reads->irrq_max;
}

/*
 * Both take over the reference to @mem. @head: DDP_UNTAGGED_HEAD bytes. Called if siw_irrq_full()
 * returns false.
 */
void siw_irrq_add(struct siw_reads *reads, struct siw_mem *mem, const struct rdmap_read_req *req,
		  const u8 *head);
void siw_irrq_add_atomic(struct siw_reads *reads, struct siw_mem *mem,
			 const struct rdmap_atomic_req *req, const u8 *head);
/* Returns the peer's oldest read, or NULL. */
struct siw_irrq_entry *siw_irrq_first(struct siw_reads *reads);
void siw_irrq_pop(struct siw_reads *reads);

#endif /* SIW_READ_H */
