// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Events on their way to the owner's handler.
 */
#include <trace/events/rdma_cm.h>

#include "cma/cma.h"

int cma_tell(struct cma_id *id, struct rdma_cm_event *event)
{
	int verdict;

	lockdep_assert_held(&id->handler);
	verdict = id->base.event_handler(&id->base, event);
	trace_rdma_cm_event(&id->base, event, verdict);
	return verdict;
}

bool cma_told(struct cma_id *id, int verdict)
{
	bool give_up = verdict && cma_set_state(id, RDMA_CM_DESTROYING);

	lockdep_assert_held(&id->handler);
	mutex_unlock(&id->handler);
	return give_up;
}
