// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests that were posted in SQD. In all other states requests complete while they are posted, so
 * QPs have no memory for a send queue.
 */
#include "drivers/sib/hold.h"

#include <linux/slab.h>

static void hold_inline(struct sib_held *held, const struct ib_send_wr *wr)
{
	soft_copy_inline(held->inline_data, wr);
	held->sge[0].addr = (uintptr_t)held->inline_data;
	held->sge[0].length = held->length;
	held->ud.wr.num_sge = 1;
}

int sib_hold(struct sib_qp *qp, const struct ib_ud_wr *ud, u32 length)
{
	const struct ib_send_wr *wr = &ud->wr;
	struct sib_held *held;

	lockdep_assert_held(&qp->send_lock);
	if (qp->num_held >= qp->cap.max_send_wr)
		return -ENOMEM;
	held = kzalloc(sizeof(*held), GFP_ATOMIC);
	if (!held)
		return -ENOMEM;
	held->ud = *ud;
	held->ud.wr.next = NULL;
	held->length = length;
	if (wr->send_flags & IB_SEND_INLINE)
		hold_inline(held, wr);
	else
		memcpy(held->sge, wr->sg_list, wr->num_sge * sizeof(held->sge[0]));
	held->ud.wr.sg_list = held->sge;
	list_add_tail(&held->entry, &qp->held);
	qp->num_held++;
	return 0;
}

struct sib_held *sib_hold_take(struct sib_qp *qp)
{
	struct sib_held *held;

	lockdep_assert_held(&qp->send_lock);
	held = list_first_entry_or_null(&qp->held, struct sib_held, entry);
	if (!held)
		return NULL;
	list_del(&held->entry);
	qp->num_held--;
	return held;
}

void sib_hold_forget(struct sib_qp *qp)
{
	struct sib_held *held;

	do {
		spin_lock_irq(&qp->send_lock);
		held = sib_hold_take(qp);
		spin_unlock_irq(&qp->send_lock);
		kfree(held);
	} while (held);
}
