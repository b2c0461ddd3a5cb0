// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions of processes.
 */
#include "uverbs/object/mr.h"

#include "uverbs/frame/umem.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/object/dm.h"
#include "uverbs/object/pd.h"

/**
 * struct uverbs_mr - handle of a process's memory region
 * @uobj: the handle
 * @start: first address in the process
 * @length: length in bytes
 * @access: &enum ib_access_flags
 *
 * The members after @uobj describe the region's memory, so that a change of the region can have the
 * memory pinned again. Only calls that have exclusive use of the region change these members. All
 * of them are 0 if the region is in a DMA-BUF or in the device's memory.
 */
struct uverbs_mr {
	struct ib_uobject	uobj;
	u64			start;
	u64			length;
	u32			access;
};

static struct uverbs_mr *to_umr(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_mr, uobj);
}

static int mr_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return ib_dereg_mr_user(uobj->object, udata);
}

const struct uverbs_object_type uverbs_mr_type = {
	.id = UVERBS_OBJECT_MR,
	.size = sizeof(struct uverbs_mr),
	.destroy = mr_destroy,
};

/* Stores those properties of the region's memory that @flags (IB_MR_REREG_*) select. */
static void set_memory(struct uverbs_mr *umr, const struct uverbs_mr_args *args, u32 flags)
{
	if (flags & IB_MR_REREG_TRANS) {
		umr->start = args->start;
		umr->length = args->length;
	}
	if (flags & IB_MR_REREG_ACCESS)
		umr->access = args->access;
}

int uverbs_reg_mr(struct uverbs_attr_bundle *call, const struct uverbs_mr_args *args,
		  struct ib_mr **mr)
{
	struct ib_pd *pd = uverbs_get(call, pd, args->pd);
	struct ib_uobject *uobj;
	int ret;

	if (IS_ERR(pd))
		return PTR_ERR(pd);
	ret = ib_check_reg_mr(call->ibdev, args->start, args->length, args->iova, args->access);
	if (ret)
		return ret;
	if (args->fd < 0) {
		ret = uverbs_umem_prepare(&call->pin, call->ibdev, args->start, args->length,
					  args->access, false);
		if (ret)
			return ret;
	}
	uobj = uverbs_object_new(call, &uverbs_mr_type);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	if (args->fd >= 0)
		*mr = ib_reg_mr_dmabuf_user(pd, args->start, args->length, args->iova, args->fd,
					    args->access, uobj, &call->driver_udata);
	else
		*mr = ib_reg_mr_user(pd, args->start, args->length, args->iova, args->access, uobj,
				     &call->driver_udata);
	if (IS_ERR(*mr))
		return PTR_ERR(*mr);
	uobj->object = *mr;
	if (args->fd < 0)
		set_memory(to_umr(uobj), args, IB_MR_REREG_TRANS | IB_MR_REREG_ACCESS);
	return 0;
}

int uverbs_reg_dm_mr(struct uverbs_attr_bundle *call, u32 pd, u32 dm, struct ib_dm_mr_attr *attr,
		     struct ib_mr **mr)
{
	struct ib_uobject *uobj;
	struct ib_pd *parent;
	struct ib_dm *memory;

	if (!call->ibdev->ops.reg_dm_mr)
		return -EOPNOTSUPP;
	parent = uverbs_get(call, pd, pd);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	memory = uverbs_get(call, dm, dm);
	if (IS_ERR(memory))
		return PTR_ERR(memory);
	uobj = uverbs_object_new(call, &uverbs_mr_type);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	*mr = ib_reg_dm_mr_user(parent, memory, attr, uobj, call);
	if (IS_ERR(*mr))
		return PTR_ERR(*mr);
	uobj->object = *mr;
	return 0;
}

/*
 * Has the memory pinned that a change of the region needs. If the change sets new memory, this is
 * the new memory. If the change only adds the right to write, the present memory is pinned again,
 * for writing. Returns the result of uverbs_umem_prepare().
 */
static int prepare_change(struct uverbs_attr_bundle *call, const struct uverbs_mr *umr, u32 flags,
			  const struct uverbs_mr_args *args)
{
	u32 access = flags & IB_MR_REREG_ACCESS ? args->access : umr->access;

	if (flags & IB_MR_REREG_TRANS)
		return uverbs_umem_prepare(&call->pin, call->ibdev, args->start, args->length,
					   access, true);
	if (ib_access_writable(access) <= ib_access_writable(umr->access))
		return 0;
	return uverbs_umem_prepare(&call->pin, call->ibdev, umr->start, umr->length, access,
				   true);
}

int uverbs_rereg_mr(struct uverbs_attr_bundle *call, u32 handle, u32 flags,
		    const struct uverbs_mr_args *args, struct ib_mr **mr)
{
	struct ib_uobject *uobj;
	struct ib_pd *pd = NULL;
	int ret;

	uobj = uverbs_object_get(call, &uverbs_mr_type, handle);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	/* Keep other calls from using the region, because the provider may replace it. */
	if (atomic_cmpxchg(&uobj->users, 1, UVERBS_EXCLUSIVE) != 1)
		return -EBUSY;
	if (flags & IB_MR_REREG_PD) {
		pd = uverbs_get(call, pd, args->pd);
		if (IS_ERR(pd)) {
			ret = PTR_ERR(pd);
			goto share;
		}
	}
	*mr = uobj->object;
	ret = ib_check_rereg_mr(*mr, flags, args->start, args->length, args->iova, args->access,
				pd);
	if (!ret)
		ret = uverbs_udata_prepare(call);
	if (!ret)
		ret = prepare_change(call, to_umr(uobj), flags, args);
	if (ret)
		goto share;
	ret = ib_rereg_mr_user(mr, flags, args->start, args->length, args->iova, args->access, pd,
			       &call->driver_udata);
	if (!ret) {
		uobj->object = *mr;
		set_memory(to_umr(uobj), args, flags);
	}
share:
	atomic_set_release(&uobj->users, 1);
	return ret;
}

int uverbs_dereg_mr(struct uverbs_attr_bundle *call, u32 handle)
{
	return uverbs_object_destroy(call, &uverbs_mr_type, handle);
}
