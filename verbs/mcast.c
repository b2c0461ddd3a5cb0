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

/* Returns whether @lid is valid on @port or, if @port is 0 (not known yet), on any port. */
static bool lid_valid(const struct ib_device *dev, u32 port, u16 lid)
{
	if (is_group_lid(lid))
		return true;
	if (rdma_is_port_valid(dev, port))
		return !mcast_port_needs_lid(dev, port);
	rdma_for_each_port(dev, port)
		if (!mcast_port_needs_lid(dev, port))
			return true;
	return false;
}

typedef int mcast_fn(struct ib_qp *qp, union ib_gid *gid, u16 lid);

/*
 * Calls @op, an operation of the provider. If @op succeeds, adds @n to the QP's use count, in which
 * each group of the QP counts. @port: port of the group; 0: not known.
 */
static int call_mcast(struct ib_qp *qp, u32 port, union ib_gid *gid, u16 lid, mcast_fn *op, int n)
{
	int ret;

	might_sleep();
	if (!op)
		return -EOPNOTSUPP;
	if (qp->qp_type != IB_QPT_UD || !rdma_is_multicast_addr((struct in6_addr *)gid) ||
	    !lid_valid(qp->device, port, lid))
		return -EINVAL;
	ret = op(qp, gid, lid);
	if (!ret)
		atomic_add(n, &qp->usecnt);
	return ret;
}

int ib_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	return call_mcast(qp, qp->port, gid, lid, qp->device->ops.attach_mcast, 1);
}
EXPORT_SYMBOL(ib_attach_mcast);

int ib_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	/* Pass port 0: the QP may have been attached before it got its port. */
	return call_mcast(qp, 0, gid, lid, qp->device->ops.detach_mcast, -1);
}
EXPORT_SYMBOL(ib_detach_mcast);
