// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RDMA Reads in flight: the ORRQ is a ring of our reads, the IRRQ is a ring of the peer's reads.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "drivers/siw/stream/read.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/stream/stream.h"
#include "soft/mem.h"
#include "soft/wqe.h"

/* Entries that a ring has at first; a power of two. */
#define FIRST_ENTRIES	2u

/* Returns the size that a ring for up to @depth reads has at first. */
static u32 first_size(u32 depth)
{
	return min(roundup_pow_of_two(max(depth, 1u)), FIRST_ENTRIES);
}

int siw_reads_alloc(struct siw_reads *reads, const struct siw_qp *qp,
		    const struct siw_stream_cfg *cfg)
{
	u32 orrq_size = first_size(cfg->ord);
	u32 irrq_size = first_size(cfg->ird);

	*reads = (struct siw_reads) {
		.irrq_max = cfg->ird,
		.orrq_mask = orrq_size - 1,
		.irrq_mask = irrq_size - 1,
	};
	reads->orrq = siw_qp_kmalloc(qp, orrq_size * sizeof(*reads->orrq), GFP_KERNEL);
	reads->irrq = siw_qp_kmalloc(qp, irrq_size * sizeof(*reads->irrq), GFP_KERNEL);
	if (reads->orrq && reads->irrq)
		return 0;
	siw_reads_free(reads);
	return -ENOMEM;
}

void siw_reads_clear(struct siw_reads *reads)
{
	reads->orrq_tail = reads->orrq_head;
	while (siw_irrq_used(reads))
		siw_irrq_pop(reads);
}

void siw_reads_free(struct siw_reads *reads)
{
	siw_reads_clear(reads);
	kfree(reads->orrq);
	kfree(reads->irrq);
	memset(reads, 0, sizeof(*reads));
}

/*
 * Moves the entries of @ring to a new ring with room for @entries, and frees @ring. @used: number
 * of entries in use; @tail: index of the oldest one; @size: size of an entry in bytes. Returns the
 * new ring, and stores its mask in *@mask. If memory is short, returns @ring and leaves *@mask as
 * it is.
 */
static void *resize_ring(const struct siw_qp *qp, void *ring, u32 *mask, u32 tail, u32 used,
			 u32 entries, size_t size)
{
	void *resized = siw_qp_kmalloc(qp, entries * size, GFP_ATOMIC | __GFP_NOWARN);
	u32 i;

	if (!resized)
		return ring;
	for (i = tail; i != tail + used; i++)
		memcpy(resized + (i & (entries - 1)) * size, ring + (i & *mask) * size, size);
	kfree(ring);
	*mask = entries - 1;
	return resized;
}

static void resize_orrq(struct siw_reads *reads, const struct siw_qp *qp, u32 entries)
{
	reads->orrq = resize_ring(qp, reads->orrq, &reads->orrq_mask, reads->orrq_tail,
				  siw_orrq_used(reads), entries, sizeof(*reads->orrq));
}

static void resize_irrq(struct siw_reads *reads, const struct siw_qp *qp, u32 entries)
{
	reads->irrq = resize_ring(qp, reads->irrq, &reads->irrq_mask, reads->irrq_tail,
				  siw_irrq_used(reads), entries, sizeof(*reads->irrq));
}

bool siw_orrq_reserve(struct siw_reads *reads, const struct siw_qp *qp)
{
	u32 used = siw_orrq_used(reads);

	if (used > reads->orrq_mask)
		resize_orrq(reads, qp, 2 * used);
	return used <= reads->orrq_mask;
}

bool siw_irrq_reserve(struct siw_reads *reads, const struct siw_qp *qp)
{
	u32 used = siw_irrq_used(reads);

	if (siw_irrq_full(reads))
		return true;
	if (used > reads->irrq_mask)
		resize_irrq(reads, qp, 2 * used);
	return used <= reads->irrq_mask;
}

bool siw_reads_have_grown(const struct siw_reads *reads)
{
	return reads->orrq_mask >= FIRST_ENTRIES || reads->irrq_mask >= FIRST_ENTRIES;
}

void siw_reads_trim(struct siw_reads *reads, const struct siw_qp *qp)
{
	if (reads->orrq_mask >= FIRST_ENTRIES)
		resize_orrq(reads, qp, FIRST_ENTRIES);
	if (reads->irrq_mask >= FIRST_ENTRIES)
		resize_irrq(reads, qp, FIRST_ENTRIES);
}

void siw_orrq_add(struct siw_reads *reads, struct soft_send_wqe *wqe, u32 msn,
		  const struct rdmap_read_req *req)
{
	struct siw_orrq_entry *entry = &reads->orrq[reads->orrq_head++ & reads->orrq_mask];

	entry->wqe = wqe;
	entry->msn = msn;
	entry->atomic = !req;
	if (req)
		rdmap_read_sink_init(&entry->sink, req);
}

struct siw_orrq_entry *siw_orrq_first(struct siw_reads *reads)
{
	if (!siw_orrq_used(reads))
		return NULL;
	return &reads->orrq[reads->orrq_tail & reads->orrq_mask];
}

void siw_orrq_pop(struct siw_reads *reads)
{
	reads->orrq_tail++;
}

struct siw_orrq_entry *siw_orrq_find(struct siw_reads *reads, u32 msn)
{
	u32 i;

	for (i = reads->orrq_tail; i != reads->orrq_head; i++) {
		struct siw_orrq_entry *entry = &reads->orrq[i & reads->orrq_mask];

		if (entry->msn == msn)
			return entry;
	}
	return NULL;
}

struct siw_irrq_entry *siw_irrq_add(struct siw_reads *reads, struct soft_mem *mem, bool is_atomic,
				    const u8 *head)
{
	struct siw_irrq_entry *entry = &reads->irrq[reads->irrq_head++ & reads->irrq_mask];

	entry->mem = mem;
	entry->is_atomic = is_atomic;
	memcpy(entry->head, head, sizeof(entry->head));
	return entry;
}

struct siw_irrq_entry *siw_irrq_first(struct siw_reads *reads)
{
	if (!siw_irrq_used(reads))
		return NULL;
	return &reads->irrq[reads->irrq_tail & reads->irrq_mask];
}

void siw_irrq_pop(struct siw_reads *reads)
{
	struct siw_irrq_entry *entry = siw_irrq_first(reads);

	if (entry->mem)
		soft_mem_put(entry->mem);
	entry->mem = NULL;
	reads->irrq_tail++;
}
