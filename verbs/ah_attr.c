// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Address vectors: references to source GIDs, and how the core completes an address vector that a
 * ULP or a process has filled in.
 */
#include "verbs/ah_attr.h"

#include <linux/etherdevice.h>
#include <rdma/ib_verbs.h>

#include "verbs/ah_dmac.h"

void rdma_destroy_ah_attr(struct rdma_ah_attr *ah_attr)
{
	if (ah_attr->grh.sgid_attr)
		rdma_put_gid_attr(ah_attr->grh.sgid_attr);
	ah_attr->grh.sgid_attr = NULL;
}
EXPORT_SYMBOL(rdma_destroy_ah_attr);

void rdma_copy_ah_attr(struct rdma_ah_attr *dest, const struct rdma_ah_attr *src)
{
	*dest = *src;
	if (dest->grh.sgid_attr)
		rdma_hold_gid_attr(dest->grh.sgid_attr);
}
EXPORT_SYMBOL(rdma_copy_ah_attr);

void rdma_move_ah_attr(struct rdma_ah_attr *dest, struct rdma_ah_attr *src)
{
	const struct ib_gid_attr *old = dest->grh.sgid_attr;

	*dest = *src;
	src->grh.sgid_attr = NULL;
	if (old)
		rdma_put_gid_attr(old);
}
EXPORT_SYMBOL(rdma_move_ah_attr);

void rdma_replace_ah_attr(struct rdma_ah_attr *old, const struct rdma_ah_attr *new)
{
	struct rdma_ah_attr copy;

	/* Copy @new before the reference of @old is dropped, because @new may be @old. */
	rdma_copy_ah_attr(&copy, new);
	rdma_move_ah_attr(old, &copy);
}
EXPORT_SYMBOL(rdma_replace_ah_attr);

void rdma_move_grh_sgid_attr(struct rdma_ah_attr *attr, union ib_gid *dgid, u32 flow_label,
			     u8 hop_limit, u8 traffic_class, const struct ib_gid_attr *sgid_attr)
{
	rdma_ah_set_grh(attr, dgid, flow_label, sgid_attr->index, hop_limit, traffic_class);
	attr->grh.sgid_attr = sgid_attr;
}
EXPORT_SYMBOL(rdma_move_grh_sgid_attr);

static bool ah_attr_valid(struct ib_device *dev, const struct rdma_ah_attr *attr)
{
	u32 port = attr->port_num;

	if (!rdma_is_port_valid(dev, port) || attr->type != rdma_ah_find_type(dev, port))
		return false;
	return attr->ah_flags & IB_AH_GRH ||
	       (attr->type != RDMA_AH_ATTR_TYPE_ROCE && !rdma_is_grh_required(dev, port));
}

/* Returns the source GID of a global route, with a new reference, or an ERR_PTR. */
static const struct ib_gid_attr *get_sgid(struct ib_device *dev, const struct rdma_ah_attr *attr)
{
	const struct ib_gid_attr *sgid = attr->grh.sgid_attr;

	if (!sgid)
		return rdma_get_gid_attr(dev, attr->port_num, attr->grh.sgid_index);
	if (sgid->device != dev || sgid->port_num != attr->port_num ||
	    sgid->index != attr->grh.sgid_index)
		return ERR_PTR(-EINVAL);
	rdma_hold_gid_attr(sgid);
	return sgid;
}

int verbs_ah_attr_resolve(struct ib_device *dev, const struct rdma_ah_attr *given,
			  struct rdma_ah_attr *attr, unsigned int flags)
{
	const struct ib_gid_attr *sgid = NULL;
	int ret = 0;

	if (!ah_attr_valid(dev, given))
		return -EINVAL;
	if (given->ah_flags & IB_AH_GRH) {
		sgid = get_sgid(dev, given);
		if (IS_ERR(sgid))
			return PTR_ERR(sgid);
	}
	*attr = *given;
	attr->grh.sgid_attr = sgid;
	if (attr->type == RDMA_AH_ATTR_TYPE_ROCE &&
	    (flags & VERBS_AH_OF_PROCESS || is_zero_ether_addr(attr->roce.dmac)))
		ret = verbs_ah_find_dmac(attr, flags & VERBS_AH_MAY_SLEEP);
	if (ret)
		rdma_destroy_ah_attr(attr);
	return ret;
}
