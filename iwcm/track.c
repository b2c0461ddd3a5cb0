// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Identifiers in the resource table of their device. An identifier is in the table from its
 * creation until it is destroyed or the device is removed, whichever comes first.
 */
#include "iwcm/track.h"
#include "iwcm/id.h"
#include "iwcm/iwcm.h"

static const enum rdma_cm_state cm_states[IWCM_NR_STATES] = {
	[IWCM_IDLE]		= RDMA_CM_IDLE,
	[IWCM_LISTEN]		= RDMA_CM_LISTEN,
	[IWCM_CONN_SENT]	= RDMA_CM_CONNECT,
	[IWCM_CONN_RECV]	= RDMA_CM_CONNECT,
	[IWCM_ESTABLISHED]	= RDMA_CM_CONNECT,
	[IWCM_CLOSING]		= RDMA_CM_DISCONNECT,
	[IWCM_DESTROYING]	= RDMA_CM_DESTROYING,
};

/*
 * Describes an identifier for readers of the table. Reads addresses without a lock, so that a
 * reader may see an address that is half changed.
 */
static void describe_id(struct rdma_cm_res *cm, struct rdma_cm_res_info *info)
{
	struct iwcm_id *id = container_of(cm, struct iwcm_id, cm);

	info->ps = RDMA_PS_TCP;
	info->local = id->base.local_addr;
	info->remote = id->base.remote_addr;
	if (cm->device->phys_port_cnt == 1)
		info->port = rdma_start_port(cm->device);

	spin_lock_irq(&id->lock);
	info->state = cm_states[id->state];
	if (id->qp) {
		info->qpn = id->qp->qp_num;
		info->qp_type = id->qp->qp_type;
	}
	spin_unlock_irq(&id->lock);
}

int iwcm_id_track(struct iwcm_id *id, const char *caller, const struct iwcm_id *listener)
{
	int ret;

	rdma_restrack_new(&id->cm.res, RDMA_RESTRACK_CM_ID);
	id->cm.device = id->base.device;
	id->cm.describe = describe_id;
	/*
	 * Leave out a request whose listener is left out, or that is reported in a softirq, because
	 * adding to the table may sleep. Leave out other identifiers if no owner is named.
	 */
	if (listener ? in_interrupt() || !rdma_restrack_is_tracked(&listener->cm.res) : !caller) {
		rdma_restrack_no_track(&id->cm.res);
		return 0;
	}
	if (listener)
		rdma_restrack_parent_name(&id->cm.res, &listener->cm.res);
	else
		rdma_restrack_set_name(&id->cm.res, caller);
	ret = rdma_restrack_add(id->base.device, &id->cm.res);
	if (ret) {
		rdma_restrack_del(id->base.device, &id->cm.res);
		return ret;
	}
	mutex_lock(&id->dev->tracking);
	id->tracked = true;
	mutex_unlock(&id->dev->tracking);
	return 0;
}

/* Uses base.device only if the identifier is tracked, because the device may be freed otherwise. */
void iwcm_id_untrack(struct iwcm_id *id)
{
	mutex_lock(&id->dev->tracking);
	if (id->tracked)
		rdma_restrack_del(id->base.device, &id->cm.res);
	id->tracked = false;
	mutex_unlock(&id->dev->tracking);
}
