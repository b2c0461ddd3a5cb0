// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues: creation, destruction, resizing, moderation, peeking, and notification after a
 * number of completions.
 */
#include "verbs/cq.h"

#include "core/registry.h"
#include "verbs/track.h"
#include "verbs/verbs.h"

/* Returns whether a CQ may have @cqe entries. A negative number is more than INT_MAX here. */
static bool cq_size_valid(const struct ib_device *dev, u32 cqe)
{
	return cqe && cqe <= INT_MAX && !verbs_exceeds(cqe, dev->attrs.max_cqe);
}

struct ib_cq *verbs_cq_alloc(struct ib_device *dev, const struct ib_cq_init_attr *attr,
			     struct ib_uobject *uobject)
{
	struct ib_cq *cq;

	if (!cq_size_valid(dev, attr->cqe) ||
	    attr->comp_vector >= max(dev->num_comp_vectors, 1))
		return ERR_PTR(-EINVAL);
	if (!dev->ops.create_cq)
		return ERR_PTR(-EOPNOTSUPP);
	if (!ib_core_device_usable(dev))
		return ERR_PTR(-ENODEV);

	cq = verbs_zalloc(dev, ib_cq, uobject);
	if (!cq)
		return ERR_PTR(-ENOMEM);
	cq->device = dev;
	cq->cqe = attr->cqe;
	cq->comp_vector = attr->comp_vector;
	cq->uobject = uobject;
	atomic_set(&cq->usecnt, 0);
	return cq;
}

int verbs_cq_start(struct ib_cq *cq, const struct ib_cq_init_attr *attr, struct ib_udata *udata,
		   const char *caller)
{
	struct ib_device *dev = cq->device;
	int ret;

	ret = dev->ops.create_cq(cq, attr, udata);
	if (ret)
		return ret;
	ret = verbs_track(dev, &cq->res, RDMA_RESTRACK_CQ, caller);
	if (ret)
		dev->ops.destroy_cq(cq, udata);
	return ret;
}

int verbs_cq_end(struct ib_cq *cq, struct ib_udata *udata)
{
	struct ib_device *dev = cq->device;
	struct task_struct *owner;
	int ret;

	might_sleep();
	if (atomic_read(&cq->usecnt))
		return -EBUSY;

	owner = verbs_untrack(dev, &cq->res);
	ret = dev->ops.destroy_cq(cq, udata);
	verbs_untrack_end(dev, &cq->res, owner, ret);
	return ret;
}

static struct ib_cq *create_cq(struct ib_device *device, ib_comp_handler comp_handler,
			       void (*event_handler)(struct ib_event *event, void *context),
			       void *cq_context, const struct ib_cq_init_attr *attr,
			       struct ib_uobject *uobject, struct ib_udata *udata,
			       const char *caller)
{
	struct ib_cq *cq;
	int ret;

	cq = verbs_cq_alloc(device, attr, uobject);
	if (IS_ERR(cq))
		return cq;
	cq->comp_handler = comp_handler;
	cq->event_handler = event_handler;
	cq->cq_context = cq_context;

	ret = verbs_cq_start(cq, attr, udata, caller);
	if (ret) {
		kfree(cq);
		return ERR_PTR(ret);
	}
	return cq;
}

struct ib_cq *__ib_create_cq(struct ib_device *device, ib_comp_handler comp_handler,
			     void (*event_handler)(struct ib_event *event, void *context),
			     void *cq_context, const struct ib_cq_init_attr *cq_attr,
			     const char *caller)
{
	return create_cq(device, comp_handler, event_handler, cq_context, cq_attr, NULL, NULL,
			 caller);
}
EXPORT_SYMBOL(__ib_create_cq);

struct ib_cq *ib_create_cq_user(struct ib_device *device, ib_comp_handler comp_handler,
				void (*event_handler)(struct ib_event *event, void *context),
				void *cq_context, const struct ib_cq_init_attr *attr,
				struct ib_uobject *uobject, struct ib_udata *udata)
{
	return create_cq(device, comp_handler, event_handler, cq_context, attr, uobject, udata,
			 NULL);
}
EXPORT_SYMBOL(ib_create_cq_user);

int ib_destroy_cq_user(struct ib_cq *cq, struct ib_udata *udata)
{
	int ret;

	if (verbs_cq_polled_by_core(cq))
		return -EINVAL;
	ret = verbs_cq_end(cq, udata);
	if (!ret)
		kfree(cq);
	return ret;
}
EXPORT_SYMBOL(ib_destroy_cq_user);

int ib_destroy_cq(struct ib_cq *cq)
{
	return ib_destroy_cq_user(cq, NULL);
}
EXPORT_SYMBOL(ib_destroy_cq);

int ib_resize_cq_user(struct ib_cq *cq, int cqe, struct ib_udata *udata)
{
	struct ib_device *dev = cq->device;

	if (cq->shared || !cq_size_valid(dev, cqe))
		return -EINVAL;
	if (!dev->ops.resize_cq)
		return -EOPNOTSUPP;
	return dev->ops.resize_cq(cq, cqe, udata);
}
EXPORT_SYMBOL(ib_resize_cq_user);

int ib_resize_cq(struct ib_cq *cq, int cqe)
{
	return ib_resize_cq_user(cq, cqe, NULL);
}
EXPORT_SYMBOL(ib_resize_cq);

int rdma_set_cq_moderation(struct ib_cq *cq, u16 cq_count, u16 cq_period)
{
	struct ib_device *dev = cq->device;

	if (cq->shared)
		return -EINVAL;
	if (!dev->ops.modify_cq)
		return -EOPNOTSUPP;
	return dev->ops.modify_cq(cq, cq_count, cq_period);
}
EXPORT_SYMBOL(rdma_set_cq_moderation);

int ib_peek_cq(struct ib_cq *cq, int wc_cnt)
{
	if (wc_cnt < 1)
		return -EINVAL;
	if (!cq->device->ops.peek_cq)
		return -EOPNOTSUPP;
	return cq->device->ops.peek_cq(cq, wc_cnt);
}
EXPORT_SYMBOL(ib_peek_cq);

int ib_req_ncomp_notif(struct ib_cq *cq, int wc_cnt)
{
	if (wc_cnt < 1 || wc_cnt > cq->cqe)
		return -EINVAL;
	if (!cq->device->ops.req_ncomp_notif)
		return -EOPNOTSUPP;
	return cq->device->ops.req_ncomp_notif(cq, wc_cnt);
}
EXPORT_SYMBOL(ib_req_ncomp_notif);
