/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Rings of receive requests. An entry has room for as many SGEs as its queue allows, and no more.
 */
#ifndef SOFT_RECV_RING_H
#define SOFT_RECV_RING_H

#include "soft/wqe.h"

/**
 * struct soft_recv_ring - posted receive requests
 * @entries: memory of @mask + 1 entries; NULL if a process posts, to a ring of the provider
 * @size: bytes of an entry: a struct soft_recv_wqe that ends after the last SGE that it may have
 * @mask: turns a free-running index into a place in the ring
 */
struct soft_recv_ring {
	void *entries;
	u32 size;
	u32 mask;
};

/*
 * soft_recv_ring_init() sets the size of a ring for @max_wr receives, and allocates its entries,
 * for @max_sge SGEs each, unless @shared is true, which means that a process posts. Returns 0 or
 * -ENOMEM. soft_recv_ring_exit() may also be called if soft_recv_ring_init() has failed, or was
 * never called for memory that is zero. Process context.
 */
int soft_recv_ring_init(struct soft_recv_ring *ring, u32 max_wr, u32 max_sge, bool shared);
void soft_recv_ring_exit(struct soft_recv_ring *ring);

/* Returns the entry at a free-running index. Only the SGEs that it has may be read. */
static inline struct soft_recv_wqe *soft_recv_ring_at(const struct soft_recv_ring *ring, u32 index)
{
	return ring->entries + (size_t)(index & ring->mask) * ring->size;
}

/* Copies an entry of a ring. The SGEs that it does not have are left as they are. */
static inline void soft_recv_ring_copy(struct soft_recv_wqe *to, const struct soft_recv_wqe *from)
{
	memcpy(to, from, offsetof(struct soft_recv_wqe, sge[from->num_sge]));
}

#endif /* SOFT_RECV_RING_H */
