// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Multicast groups that datagram QPs receive from.
 */
#include <linux/export.h>
#include <rdma/ib_addr.h>

static bool is_group_lid(u16 lid)
{
	return lid >= be16_to_cpu(IB_MULTICAST_LID_BASE) && lid != be16_to_cpu(IB_LID_PERMISSIVE);
}

static bool mcast_port_needs_lid(const struct ib_device *dev, u32 port)
{
	return !rdma_protocol_roce(dev, port);
}

/* Until a QP has a port, the LID must be valid on one of the ports at least. */
static bool qp_needs_lid(const struct ib_qp *qp)
{
	u32 port;

	if (rdma_is_port_valid(qp->device, qp->port))
		return mcast_port_needs_lid(qp->device, qp->port);
	rdma_for_each_port(qp->device, port)
		if (!mcast_port_needs_lid(qp->device, port))
			return false;
	return true;
}

static bool group_valid(const struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	return qp->qp_type == IB_QPT_UD && rdma_is_multicast_addr((struct in6_addr *)gid) &&
	       (is_group_lid(lid) || !qp_needs_lid(qp));
}

typedef int mcast_fn(struct ib_qp *qp, union ib_gid *gid, u16 lid);

/* Calls an operation of the provider. If it succeeds, adds @n to the number of the QP's groups. */
static int call_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid, mcast_fn *op, int n)
{
	int ret;

	might_sleep();
	if (!op)
		return -EOPNOTSUPP;
	if (!group_valid(qp, gid, lid))
		return -EINVAL;
	ret = op(qp, gid, lid);
	if (!ret)
		atomic_add(n, &qp->usecnt);
	return ret;
}

int ib_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	return call_mcast(qp, gid, lid, qp->device->ops.attach_mcast, 1);
}
EXPORT_SYMBOL(ib_attach_mcast);

int ib_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	return call_mcast(qp, gid, lid, qp->device->ops.detach_mcast, -1);
}
EXPORT_SYMBOL(ib_detach_mcast);
