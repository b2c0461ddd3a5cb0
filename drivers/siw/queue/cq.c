// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues: the verbs that differ for the CQ of a process.
 */
#include "drivers/siw/queue/cq.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/queue/user.h"
#include "drivers/siw/queue/user_cq.h"

int siw_create_cq(struct ib_cq *base, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
{
	struct siw_cq *cq = to_siw_cq(base);
	int ret;

	ret = soft_cq_init(&cq->soft, attr, udata);
	if (ret || !udata)
		return ret;
	cq->user.id = atomic_inc_return(&to_siw_dev(base->device)->last_cq_id);
	ret = siw_user_cq_create(cq, udata);
	if (ret)
		soft_cq_exit(&cq->soft);
	return ret;
}

int siw_destroy_cq(struct ib_cq *base, struct ib_udata *udata)
{
	struct siw_cq *cq = to_siw_cq(base);

	soft_cq_exit(&cq->soft);
	siw_user_cq_destroy(cq);
	return 0;
}
