// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Flows, which steer received packets to QPs.
 */
#include "core/registry.h"
#include "verbs/verbs.h"

static int check_flow(struct ib_qp *qp, const struct ib_flow_attr *attr)
{
	bool is_default = attr->type == IB_FLOW_ATTR_ALL_DEFAULT ||
			  attr->type == IB_FLOW_ATTR_MC_DEFAULT;
	struct ib_device *dev = qp->device;

	if (!dev->ops.create_flow || !dev->ops.destroy_flow)
		return -EOPNOTSUPP;
	if (qp->qp_type != IB_QPT_UD && qp->qp_type != IB_QPT_RAW_PACKET)
		return -EINVAL;
	if (!rdma_is_port_valid(dev, attr->port))
		return -EINVAL;
	if (is_default && (attr->flags & IB_FLOW_ATTR_FLAGS_DONT_TRAP))
		return -EINVAL;
	return ib_core_device_usable(dev) ? 0 : -ENODEV;
}

struct ib_flow *ib_create_flow_user(struct ib_qp *qp, struct ib_flow_attr *attr,
				    struct ib_uobject *uobject, struct ib_udata *udata)
{
	struct ib_flow *flow;
	int ret;

	might_sleep();
	ret = check_flow(qp, attr);
	if (ret)
		return ERR_PTR(ret);
	flow = qp->device->ops.create_flow(qp, attr, udata);
	if (IS_ERR(flow))
		return flow;
	flow->qp = qp;
	flow->device = qp->device;
	flow->uobject = uobject;
	atomic_inc(&qp->usecnt);
	return flow;
}
EXPORT_SYMBOL(ib_create_flow_user);

/* Reads flow->qp first, because the provider frees @flow. */
int ib_destroy_flow(struct ib_flow *flow)
{
	struct ib_qp *qp = flow->qp;
	int ret;

	might_sleep();
	ret = flow->device->ops.destroy_flow(flow);
	if (!ret)
		atomic_dec(&qp->usecnt);
	return ret;
}
EXPORT_SYMBOL(ib_destroy_flow);
