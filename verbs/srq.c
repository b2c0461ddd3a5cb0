// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shared receive queues: creation, destruction, attributes.
 */
#include "core/registry.h"
#include "verbs/track.h"
#include "verbs/verbs.h"

static bool srq_size_valid(const struct ib_device *dev, u32 max_wr)
{
	return max_wr && !verbs_exceeds(max_wr, dev->attrs.max_srq_wr);
}

/*
 * Checks the kind of an SRQ, and the domain and the CQ of an XRC SRQ. This API does not offer
 * SRQs that match tags.
 */
static int srq_check_kind(const struct ib_device *dev, const struct ib_srq_init_attr *attr)
{
	const struct ib_xrcd *xrcd = attr->ext.xrc.xrcd;
	const struct ib_cq *cq = attr->ext.cq;

	if (attr->srq_type == IB_SRQT_BASIC)
		return 0;
	if (attr->srq_type != IB_SRQT_XRC || !dev->ops.alloc_xrcd)
		return -EOPNOTSUPP;
	return xrcd && xrcd->device == dev && cq && cq->device == dev ? 0 : -EINVAL;
}

/* Adds @n, 1 or -1, to the use counts of the objects that the SRQ uses. */
static void count_srq_parents(struct ib_srq *srq, int n)
{
	atomic_add(n, &srq->pd->usecnt);
	if (srq->srq_type == IB_SRQT_XRC) {
		atomic_add(n, &srq->ext.cq->usecnt);
		atomic_add(n, &srq->ext.xrc.xrcd->usecnt);
	}
}

struct ib_srq *ib_create_srq_user(struct ib_pd *pd, struct ib_srq_init_attr *srq_init_attr,
				  struct ib_uobject *uobject, struct ib_udata *udata)
{
	struct ib_srq_init_attr attr = *srq_init_attr;
	struct ib_device *dev = pd->device;
	struct ib_srq *srq;
	int ret;

	if (!dev->ops.create_srq)
		return ERR_PTR(-EOPNOTSUPP);
	ret = srq_check_kind(dev, &attr);
	if (ret)
		return ERR_PTR(ret);
	if (!srq_size_valid(dev, attr.attr.max_wr) ||
	    verbs_exceeds(attr.attr.max_sge, dev->attrs.max_srq_sge))
		return ERR_PTR(-EINVAL);
	if (!ib_core_device_usable(dev))
		return ERR_PTR(-ENODEV);

	srq = verbs_zalloc(dev, ib_srq, uobject);
	if (!srq)
		return ERR_PTR(-ENOMEM);
	srq->device = dev;
	srq->pd = pd;
	srq->uobject = uobject;
	srq->event_handler = attr.event_handler;
	srq->srq_context = attr.srq_context;
	srq->srq_type = attr.srq_type;
	if (srq->srq_type == IB_SRQT_XRC) {
		srq->ext.cq = attr.ext.cq;
		srq->ext.xrc.xrcd = attr.ext.xrc.xrcd;
	}
	atomic_set(&srq->usecnt, 0);

	ret = dev->ops.create_srq(srq, &attr, udata);
	if (ret)
		goto err_free;
	ret = verbs_track(dev, &srq->res, RDMA_RESTRACK_SRQ, udata ? NULL : pd->res.kern_name);
	if (ret)
		goto err_destroy;
	count_srq_parents(srq, 1);
	srq_init_attr->attr = attr.attr;
	return srq;

err_destroy:
	dev->ops.destroy_srq(srq, udata);
err_free:
	kfree(srq);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL(ib_create_srq_user);

int ib_modify_srq_user(struct ib_srq *srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		       struct ib_udata *udata)
{
	struct ib_device *dev = srq->device;
	struct ib_srq_attr wanted = *attr;
	int ret;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EINVAL;
	if ((mask & IB_SRQ_MAX_WR) && !srq_size_valid(dev, wanted.max_wr))
		return -EINVAL;
	if (!dev->ops.modify_srq)
		return -EOPNOTSUPP;

	ret = dev->ops.modify_srq(srq, &wanted, mask, udata);
	if (!ret)
		*attr = wanted;
	return ret;
}
EXPORT_SYMBOL(ib_modify_srq_user);

int ib_modify_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr,
		  enum ib_srq_attr_mask srq_attr_mask)
{
	return ib_modify_srq_user(srq, srq_attr, srq_attr_mask, NULL);
}
EXPORT_SYMBOL(ib_modify_srq);

int ib_query_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr)
{
	if (!srq->device->ops.query_srq)
		return -EOPNOTSUPP;
	return srq->device->ops.query_srq(srq, srq_attr);
}
EXPORT_SYMBOL(ib_query_srq);

int ib_destroy_srq_user(struct ib_srq *srq, struct ib_udata *udata)
{
	struct ib_device *dev = srq->device;
	struct task_struct *owner;
	int ret;

	might_sleep();
	if (atomic_read(&srq->usecnt))
		return -EBUSY;

	owner = verbs_untrack(dev, &srq->res);
	ret = dev->ops.destroy_srq(srq, udata);
	verbs_untrack_end(dev, &srq->res, owner, ret);
	if (ret)
		return ret;
	count_srq_parents(srq, -1);
	kfree(srq);
	return 0;
}
EXPORT_SYMBOL(ib_destroy_srq_user);
