/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * RDMA Reads in flight: ours in the ORRQ (bounded by ORD), the peer's in the IRRQ (bounded by IRD).
 * Atomic operations count as reads. All requests are responded to in the order of their arrival.
 */
#ifndef SIW_READ_H
#define SIW_READ_H

#include <linux/types.h>

#include "iwarp/atomic.h"
#include "iwarp/rdmap.h"

struct soft_mem;
struct siw_qp;
struct soft_send_wqe;
struct siw_stream_cfg;

/**
 * struct siw_orrq_entry - a read that we have requested
 * @wqe: the request; NULL for the ready-to-receive read
 * @msn: message sequence number of the request; an Atomic Response repeats the number
 * @atomic: the request is an atomic operation
 * @sink: what the next segment of the response has to be; not used for an atomic operation
 */
struct siw_orrq_entry {
	struct soft_send_wqe *wqe;
	u32 msn;
	bool atomic;
	struct rdmap_read_sink sink;
};

/**
 * struct siw_irrq_entry - a read that the peer has requested
 * @mem: the source, checked and referenced; NULL for a read of 0 bytes
 * @is_atomic: the request is an atomic operation, which is carried out when it is responded to
 * @req: request of a read
 * @atomic: request of an atomic operation
 * @head: length field and DDP header of the request as received, for a Terminate that quotes them
 */
struct siw_irrq_entry {
	struct soft_mem *mem;
	bool is_atomic;
	union {
		struct rdmap_read_req req;
		struct rdmap_atomic_req atomic;
	};
	u8 head[DDP_UNTAGGED_HEAD];
};

/**
 * struct siw_reads - reads in flight, in both directions; used by the owner of the stream only
 * @orrq: ring of our reads, in the order of their requests
 * @orrq_mask: present size of @orrq, less one
 * @orrq_head: next free entry of @orrq; free running
 * @orrq_tail: oldest entry of @orrq, whose response arrives next; free running
 * @irrq: ring of the peer's reads, in the order of their requests
 * @irrq_max: number of the peer's reads that may be in flight, a ready-to-receive read included
 * @irrq_mask: present size of @irrq, less one
 * @irrq_head: next free entry of @irrq; free running
 * @irrq_tail: oldest entry of @irrq, whose response is being sent or is sent next; free running
 *
 * The rings begin with few entries, and grow when more reads are in flight. An entry may move then.
 */
struct siw_reads {
	struct siw_orrq_entry *orrq;
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
 * Allocates rings for the first few reads. The rings grow up to the read depths in @cfg. A depth is
 * not 0 if the ready-to-receive message is a read of that direction. Returns 0 or -ENOMEM. Process
 * context.
 */
int siw_reads_alloc(struct siw_reads *reads, const struct siw_qp *qp,
		    const struct siw_stream_cfg *cfg);
/* Drops all reads; siw_reads_free() frees the rings, too. */
void siw_reads_clear(struct siw_reads *reads);
void siw_reads_free(struct siw_reads *reads);

/*
 * siw_reads_trim() shrinks each ring to the size that it had at first; a ring stays as it is if
 * memory is short. Called when no read is in flight. siw_reads_have_grown() returns whether a ring
 * is larger than at first.
 */
void siw_reads_trim(struct siw_reads *reads, const struct siw_qp *qp);
bool siw_reads_have_grown(const struct siw_reads *reads);

static inline u32 siw_orrq_used(const struct siw_reads *reads)
{
	return reads->orrq_head - reads->orrq_tail;
}

static inline u32 siw_irrq_used(const struct siw_reads *reads)
{
	return reads->irrq_head - reads->irrq_tail;
}

/*
 * Makes room for one more of our reads. Called if fewer than the agreed ORD are in flight. Returns
 * false if memory is short.
 */
bool siw_orrq_reserve(struct siw_reads *reads, const struct siw_qp *qp);
/*
 * Adds one of our reads; @req: the request of the read, NULL for an atomic operation. Called after
 * siw_orrq_reserve(), except for the first read of a stream.
 */
void siw_orrq_add(struct siw_reads *reads, struct soft_send_wqe *wqe, u32 msn,
		  const struct rdmap_read_req *req);
/* Returns our oldest read, or NULL. */
struct siw_orrq_entry *siw_orrq_first(struct siw_reads *reads);
void siw_orrq_pop(struct siw_reads *reads);
/* Returns the read whose request had @msn, or NULL. */
struct siw_orrq_entry *siw_orrq_find(struct siw_reads *reads, u32 msn);

/* Returns whether the peer has as many reads in flight as IRD allows. */
static inline bool siw_irrq_full(const struct siw_reads *reads)
{
	return siw_irrq_used(reads) == reads->irrq_max;
}

/*
 * Makes room for one more of the peer's reads. Does nothing, and returns true, if siw_irrq_full().
 * Returns false if memory is short.
 */
bool siw_irrq_reserve(struct siw_reads *reads, const struct siw_qp *qp);
/*
 * Adds a read of the peer, and takes over the caller's reference to @mem. @head: the
 * DDP_UNTAGGED_HEAD bytes with which the request's FPDU begins. Called after siw_irrq_reserve(), if
 * siw_irrq_full() returns false. The caller stores the request in the returned entry.
 */
struct siw_irrq_entry *siw_irrq_add(struct siw_reads *reads, struct soft_mem *mem, bool is_atomic,
				    const u8 *head);
/* Returns the peer's oldest read, or NULL. */
struct siw_irrq_entry *siw_irrq_first(struct siw_reads *reads);
void siw_irrq_pop(struct siw_reads *reads);

#endif /* SIW_READ_H */
