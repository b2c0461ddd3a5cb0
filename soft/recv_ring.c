// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory of the rings of receive requests.
 */
#include <linux/mm.h>

#include "soft/recv_ring.h"

int soft_recv_ring_init(struct soft_recv_ring *ring, u32 max_wr, u32 max_sge, bool shared)
{
	ring->size = offsetof(struct soft_recv_wqe, sge[max_sge]);
	ring->mask = soft_ring_size(max_wr) - 1;
	if (shared)
		return 0;
	/* The ring is not cleared, because an entry is built before it is read. */
	ring->entries = kvmalloc_array(ring->mask + 1, ring->size, GFP_KERNEL);
	return ring->entries ? 0 : -ENOMEM;
}

void soft_recv_ring_exit(struct soft_recv_ring *ring)
{
	kvfree(ring->entries);
}
