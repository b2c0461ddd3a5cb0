// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RDMA Reads in flight: the ORRQ is a ring of our reads, the IRRQ is a ring of the peer's reads.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "drivers/siw/read.h"
#include "drivers/siw/mem.h"
#include "drivers/siw/stream.h"
#include "drivers/siw/wqe.h"

int siw_reads_alloc(struct siw_reads *reads, const struct siw_stream_cfg *cfg, gfp_t gfp)
{
	u32 rtr = cfg->rtr == SIW_RTR_READ;
	u32 orrq_max = max_t(u32, cfg->ord, rtr);
	u32 irrq_max = max_t(u32, cfg->ird, rtr);

	*reads = (struct siw_reads) {
		.orrq_max = orrq_max,
		.irrq_max = irrq_max,
		.orrq_mask = roundup_pow_of_two(max(orrq_max, 1u)) - 1,
		.irrq_mask = roundup_pow_of_two(max(irrq_max, 1u)) - 1,
	};
	reads->orrq = kcalloc(reads->orrq_mask + 1, sizeof(*reads->orrq), gfp);
	reads->irrq = kcalloc(reads->irrq_mask + 1, sizeof(*reads->irrq), gfp);
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

void siw_orrq_add(struct siw_reads *reads, struct siw_send_wqe *wqe, u32 msn,
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

struct siw_irrq_entry *siw_irrq_add(struct siw_reads *reads, struct siw_mem *mem, bool is_atomic,
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
		siw_mem_put(entry->mem);
	entry->mem = NULL;
	reads->irrq_tail++;
}
