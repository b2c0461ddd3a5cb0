// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RDMA Reads in flight: two rings, ours by ORD and the peer's by IRD.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "drivers/siw/siw_mem.h"
#include "drivers/siw/siw_read.h"
#include "drivers/siw/siw_stream.h"

int siw_reads_alloc(struct siw_reads *reads, const struct siw_stream_cfg *cfg)
{
	u32 rtr = cfg->rtr == SIW_RTR_READ;
	u32 max_asked = max_t(u32, cfg->ord, rtr);
	u32 max_owed = max_t(u32, cfg->ird, rtr);

	*reads = (struct siw_reads) {
		.max_asked = max_asked,
		.max_owed = max_owed,
		.asked_mask = roundup_pow_of_two(max(max_asked, 1u)) - 1,
		.owed_mask = roundup_pow_of_two(max(max_owed, 1u)) - 1,
	};
	reads->asked = kcalloc(reads->asked_mask + 1, sizeof(*reads->asked), GFP_KERNEL);
	reads->owed = kcalloc(reads->owed_mask + 1, sizeof(*reads->owed), GFP_KERNEL);
	if (reads->asked && reads->owed)
		return 0;
	siw_reads_free(reads);
	return -ENOMEM;
}

void siw_reads_clear(struct siw_reads *reads)
{
	reads->asked_tail = reads->asked_head;
	while (siw_reads_owed(reads))
		siw_reads_answered(reads);
}

void siw_reads_free(struct siw_reads *reads)
{
	siw_reads_clear(reads);
	kfree(reads->asked);
	kfree(reads->owed);
	memset(reads, 0, sizeof(*reads));
}

void siw_reads_ask(struct siw_reads *reads, struct siw_swqe *sqe, u32 msn,
		   const struct rdmap_read_req *req)
{
	struct siw_read *read = &reads->asked[reads->asked_head++ & reads->asked_mask];

	read->sqe = sqe;
	read->msn = msn;
	read->atomic = false;
	rdmap_read_sink_init(&read->sink, req);
}

void siw_reads_ask_atomic(struct siw_reads *reads, struct siw_swqe *sqe, u32 msn)
{
	struct siw_read *read = &reads->asked[reads->asked_head++ & reads->asked_mask];

	*read = (struct siw_read) { .sqe = sqe, .msn = msn, .atomic = true };
}

struct siw_read *siw_reads_expected(struct siw_reads *reads)
{
	if (!siw_reads_asked(reads))
		return NULL;
	return &reads->asked[reads->asked_tail & reads->asked_mask];
}

void siw_reads_received(struct siw_reads *reads)
{
	reads->asked_tail++;
}

struct siw_read *siw_reads_find(struct siw_reads *reads, u32 msn)
{
	u32 i;

	for (i = reads->asked_tail; i != reads->asked_head; i++) {
		struct siw_read *read = &reads->asked[i & reads->asked_mask];

		if (read->msn == msn)
			return read;
	}
	return NULL;
}

void siw_reads_owe(struct siw_reads *reads, struct siw_mem *mem, const struct rdmap_read_req *req,
		   const u8 *head)
{
	struct siw_response *response = &reads->owed[reads->owed_head++ & reads->owed_mask];

	response->mem = mem;
	response->is_atomic = false;
	response->req = *req;
	memcpy(response->head, head, sizeof(response->head));
}

void siw_reads_owe_atomic(struct siw_reads *reads, struct siw_mem *mem,
			  const struct rdmap_atomic_req *req, const u8 *head)
{
	struct siw_response *response = &reads->owed[reads->owed_head++ & reads->owed_mask];

	response->mem = mem;
	response->is_atomic = true;
	response->atomic = *req;
	memcpy(response->head, head, sizeof(response->head));
}

struct siw_response *siw_reads_due(struct siw_reads *reads)
{
	if (!siw_reads_owed(reads))
		return NULL;
	return &reads->owed[reads->owed_tail & reads->owed_mask];
}

void siw_reads_answered(struct siw_reads *reads)
{
	struct siw_response *response = siw_reads_due(reads);

	if (response->mem)
		siw_mem_put(response->mem);
	response->mem = NULL;
	reads->owed_tail++;
}
