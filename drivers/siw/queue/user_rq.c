// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receive requests of processes: how the kernel takes them from the ring.
 *
 * Sharing: an entry belongs to the process while its flags lack SIW_WQE_VALID, and to the kernel
 * while they have it. Receive requests are posted without a doorbell; the kernel reads the ring
 * when a message arrives.
 */
#include <linux/string.h>
#include <uapi/rdma/siw-abi.h>

#include "drivers/siw/queue/user_rq.h"
#include "drivers/siw/base/siw.h"
#include "soft/wqe.h"

bool siw_user_rq_pop(struct siw_user_rq *user, struct soft_recv_wqe *wqe, u32 max_sge)
{
	struct siw_rqe *from;
	u64 length = 0;
	int i;

	if (!user->ring)
		return false;
	from = &user->ring[user->tail & user->mask];
	/* Acquire: the process fills in the entry before it sets the flag. */
	if (!(smp_load_acquire(&from->flags) & SIW_WQE_VALID))
		return false;
	wqe->wr_id = READ_ONCE(from->id);
	wqe->num_sge = READ_ONCE(from->num_sge);
	memcpy(wqe->sge, from->sge, min_t(u8, wqe->num_sge, SOFT_SGE_MAX) * sizeof(*wqe->sge));
	smp_store_release(&from->flags, 0); /* after the last read of the entry */
	user->tail++;

	/* Check only the copy, which the process cannot change. */
	if (wqe->num_sge > max_sge)
		wqe->num_sge = 0;
	for (i = 0; i < wqe->num_sge; i++)
		length += wqe->sge[i].length;
	if (length > SOFT_MAX_MSG) {
		wqe->num_sge = 0;
		length = 0;
	}
	wqe->length = length;
	return true;
}

/* A process posts entries in order, so only the last of @count entries is checked. */
bool siw_user_rq_has(const struct siw_user_rq *user, u32 count)
{
	if (!count)
		return true;
	return user->ring &&
	       READ_ONCE(user->ring[(user->tail + count - 1) & user->mask].flags) & SIW_WQE_VALID;
}
