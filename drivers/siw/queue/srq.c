// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shared receive queues. The code of soft/ serves SRQs of the kernel; the functions here also serve
 * an SRQ whose process posts to a ring that it maps.
 */
#include "drivers/siw/queue/srq.h"
#include "drivers/siw/queue/user.h"
#include "drivers/siw/queue/user_rq.h"
#include "soft/wqe.h"

int siw_create_srq(struct ib_srq *base, struct ib_srq_init_attr *attr, struct ib_udata *udata)
{
	struct siw_srq *srq = to_siw_srq(base);
	int ret;

	ret = soft_srq_init(&srq->soft, &attr->attr, udata);
	if (ret || !udata)
		return ret;
	ret = siw_user_srq_create(srq, udata);
	if (ret)
		soft_srq_exit(&srq->soft);
	return ret;
}

int siw_destroy_srq(struct ib_srq *base, struct ib_udata *udata)
{
	struct siw_srq *srq = to_siw_srq(base);

	soft_srq_exit(&srq->soft);
	siw_user_srq_destroy(srq);
	return 0;
}

static void user_srq_check_limit(struct siw_srq *srq)
{
	lockdep_assert_held(&srq->soft.lock);
	if (!siw_user_rq_has(&srq->user, srq->soft.limit))
		soft_srq_limit_reached(&srq->soft);
}

static int user_srq_set_limit(struct siw_srq *srq, u32 limit)
{
	int ret = -EINVAL;

	spin_lock_irq(&srq->soft.lock);
	if (limit <= srq->soft.max_wr) {
		srq->soft.limit = limit;
		user_srq_check_limit(srq);
		ret = 0;
	}
	spin_unlock_irq(&srq->soft.lock);
	return ret;
}

int siw_modify_srq(struct ib_srq *base, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		   struct ib_udata *udata)
{
	struct siw_srq *srq = to_siw_srq(base);

	if (!srq->soft.shared)
		return soft_modify_srq(base, attr, mask, udata);
	/* The ring of a process cannot be replaced, because the process has mapped it. */
	if (mask & IB_SRQ_MAX_WR)
		return -EOPNOTSUPP;
	return mask & IB_SRQ_LIMIT ? user_srq_set_limit(srq, attr->srq_limit) : 0;
}

bool siw_srq_pop(struct siw_srq *srq, struct soft_recv_wqe *wqe)
{
	unsigned long flags;
	bool found;

	spin_lock_irqsave(&srq->soft.lock, flags);
	found = siw_user_rq_pop(&srq->user, wqe, srq->soft.max_sge);
	if (found)
		user_srq_check_limit(srq);
	spin_unlock_irqrestore(&srq->soft.lock, flags);
	return found;
}
