// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receives of processes, where they move.
 *
 * Sharing: an entry is the process's while its flags lack SIW_WQE_VALID, and ours while they have
 * it. Nobody tells us of a receive: we look when a message comes.
 */
#include <linux/string.h>
#include <uapi/rdma/siw-abi.h>

#include "drivers/siw/user_rq.h"
#include "drivers/siw/siw.h"
#include "drivers/siw/wqe.h"

static struct siw_rqe *user_rq_entry(const struct siw_user_rq *user, u32 index)
{
	return &user->ring[index & user->mask];
}

/* Sums up the list, which is in our memory by now. */
static void set_length(struct siw_recv_wqe *rqe, u32 max_sge)
{
	u64 length = 0;
	int i;

	rqe->length = 0;
	if (rqe->num_sge <= max_sge)
		for (i = 0; i < rqe->num_sge; i++)
			length += rqe->sge[i].length;
	if (rqe->num_sge > max_sge || length > SIW_MAX_MSG)
		rqe->num_sge = 0;
	else
		rqe->length = length;
}

bool siw_user_rq_take(struct siw_user_rq *user, struct siw_recv_wqe *rqe, u32 max_sge)
{
	struct siw_rqe *from = user_rq_entry(user, user->tail);

	/* The process fills in first, then sets the flag. */
	if (!(smp_load_acquire(&from->flags) & SIW_WQE_VALID))
		return false;
	rqe->wr_id = READ_ONCE(from->id);
	rqe->num_sge = READ_ONCE(from->num_sge);
	memcpy(rqe->sge, from->sge, min_t(u8, rqe->num_sge, SIW_SGE_MAX) * sizeof(*rqe->sge));
	smp_store_release(&from->flags, 0); /* what was read is not read again */
	user->tail++;
	set_length(rqe, max_sge);
	return true;
}

/* Entries become valid in order: the last of those tells of all. */
bool siw_user_rq_has(const struct siw_user_rq *user, u32 count)
{
	const struct siw_rqe *last = user_rq_entry(user, user->tail + count - 1);

	return !count || READ_ONCE(last->flags) & SIW_WQE_VALID;
}
