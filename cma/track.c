// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * An identifier is in the resource table of its device from when it gets the device until it is
 * destroyed. A wildcard that listens is in the table of each device on which it listens. The entry
 * of a request's identifier belongs to the same task or kernel module as the entry of the
 * identifier that listens.
 */
#include "cma/track.h"

#include <linux/export.h>

#include "cma/device.h"
#include "cma/id.h"
#include "cma/listen.h"

/*
 * Describes an identifier for readers of the table. Reads the addresses without a lock, so a reader
 * of the table may see an address that is half changed.
 */
static void describe_id(struct rdma_cm_res *cm, struct rdma_cm_res_info *info)
{
	struct cma_id *id = container_of(cm, struct cma_id, cm);

	info->ps = id->base.ps;
	info->port = id->base.port_num;
	info->local = *cma_src(id);
	info->remote = *cma_dst(id);
	info->state = cma_state(id);
	info->qpn = READ_ONCE(id->qpn);
	info->qp_type = id->base.qp_type;
}

void cma_track_new(struct cma_id *id, const struct cma_id *parent)
{
	rdma_restrack_new(&id->cm.res, RDMA_RESTRACK_CM_ID);
	id->cm.id = &id->base;
	id->cm.describe = describe_id;
	if (parent)
		rdma_restrack_parent_name(&id->cm.res, &parent->cm.res);
	else
		rdma_restrack_set_name(&id->cm.res, id->caller);
}

int cma_track(struct cma_id *id)
{
	id->cm.device = id->base.device;
	return rdma_restrack_add(id->base.device, &id->cm.res);
}

void cma_untrack(struct cma_id *id)
{
	rdma_restrack_del(id->base.device, &id->cm.res);
}

static void describe_listener(struct rdma_cm_res *cm, struct rdma_cm_res_info *info)
{
	struct cma_id *id = container_of(cm, struct cma_listener, cm)->id;

	info->ps = id->base.ps;
	info->local = *cma_src(id);
	info->state = RDMA_CM_LISTEN;
	if (cm->device->phys_port_cnt == 1)
		info->port = rdma_start_port(cm->device);
}

int cma_track_listener(struct cma_listener *listener)
{
	struct rdma_cm_res *cm = &listener->cm;

	rdma_restrack_new(&cm->res, RDMA_RESTRACK_CM_ID);
	rdma_restrack_parent_name(&cm->res, &listener->id->cm.res);
	cm->device = listener->dev->ibdev;
	cm->id = &listener->id->base;
	cm->describe = describe_listener;
	return rdma_restrack_add(cm->device, &cm->res);
}

void cma_untrack_listener(struct cma_listener *listener)
{
	rdma_restrack_del(listener->dev->ibdev, &listener->cm.res);
}

struct rdma_cm_id *rdma_res_to_id(struct rdma_restrack_entry *res)
{
	return container_of(res, struct rdma_cm_res, res)->id;
}
EXPORT_SYMBOL(rdma_res_to_id);
