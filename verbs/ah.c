// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Address handles: creation, destruction, change and query.
 */
#include "core/registry.h"
#include "verbs/ah_attr.h"
#include "verbs/verbs.h"

typedef int create_fn(struct ib_ah *ah, struct rdma_ah_init_attr *attr, struct ib_udata *udata);

/*
 * Makes an address handle with @create, from an address vector that verbs_ah_attr_resolve() made.
 */
static struct ib_ah *ah_create(struct ib_pd *pd, struct rdma_ah_attr *attr, u32 flags, gfp_t gfp,
			       create_fn *create, struct ib_udata *udata)
{
	struct rdma_ah_init_attr init = { .ah_attr = attr, .flags = flags };
	struct ib_ah *ah;
	int ret;

	ah = verbs_zalloc_gfp(pd->device, ib_ah, gfp);
	if (!ah)
		return ERR_PTR(-ENOMEM);
	ah->device = pd->device;
	ah->pd = pd;
	ah->type = attr->type;
	ah->sgid_attr = attr->grh.sgid_attr;
	ret = create(ah, &init, udata);
	if (ret) {
		kfree(ah);
		return ERR_PTR(ret);
	}
	atomic_inc(&pd->usecnt);
	return ah;
}

struct ib_ah *__rdma_create_ah(struct ib_pd *pd, struct rdma_ah_attr *ah_attr, u32 flags)
{
	bool may_sleep = flags & RDMA_CREATE_AH_SLEEPABLE;
	struct ib_device *dev = pd->device;
	struct rdma_ah_attr attr;
	struct ib_ah *ah;
	int ret;

	might_sleep_if(may_sleep);
	if (!dev->ops.create_ah)
		return ERR_PTR(-EOPNOTSUPP);
	if (flags & ~RDMA_CREATE_AH_SLEEPABLE)
		return ERR_PTR(-EINVAL);
	if (!ib_core_device_usable(dev))
		return ERR_PTR(-ENODEV);
	ret = verbs_ah_attr_resolve(dev, ah_attr, &attr, may_sleep ? VERBS_AH_MAY_SLEEP : 0);
	if (ret)
		return ERR_PTR(ret);
	ah = ah_create(pd, &attr, flags, may_sleep ? GFP_KERNEL : GFP_ATOMIC, dev->ops.create_ah,
		       NULL);
	if (IS_ERR(ah))
		rdma_destroy_ah_attr(&attr);
	return ah;
}
EXPORT_SYMBOL(__rdma_create_ah);

struct ib_ah *rdma_create_user_ah(struct ib_pd *pd, struct rdma_ah_attr *ah_attr,
				  struct ib_udata *udata)
{
	struct ib_device *dev = pd->device;
	struct rdma_ah_attr attr;
	struct ib_ah *ah;
	int ret;

	might_sleep();
	if (!dev->ops.create_user_ah)
		return ERR_PTR(-EOPNOTSUPP);
	if (!ib_core_device_usable(dev))
		return ERR_PTR(-ENODEV);
	ret = verbs_ah_attr_resolve(dev, ah_attr, &attr, VERBS_AH_MAY_SLEEP | VERBS_AH_OF_PROCESS);
	if (ret)
		return ERR_PTR(ret);
	ah = ah_create(pd, &attr, RDMA_CREATE_AH_SLEEPABLE, GFP_KERNEL_ACCOUNT,
		       dev->ops.create_user_ah, udata);
	if (IS_ERR(ah))
		rdma_destroy_ah_attr(&attr);
	return ah;
}
EXPORT_SYMBOL(rdma_create_user_ah);

int rdma_modify_ah(struct ib_ah *ah, struct rdma_ah_attr *ah_attr)
{
	struct ib_device *dev = ah->device;
	struct rdma_ah_attr attr;
	int ret;

	if (!dev->ops.modify_ah)
		return -EOPNOTSUPP;
	ret = verbs_ah_attr_resolve(dev, ah_attr, &attr, 0);
	if (ret)
		return ret;
	ret = dev->ops.modify_ah(ah, &attr);
	if (!ret) {
		ah->type = attr.type;
		swap(ah->sgid_attr, attr.grh.sgid_attr);
	}
	rdma_destroy_ah_attr(&attr);
	return ret;
}
EXPORT_SYMBOL(rdma_modify_ah);

int rdma_query_ah(struct ib_ah *ah, struct rdma_ah_attr *ah_attr)
{
	int ret;

	if (!ah->device->ops.query_ah)
		return -EOPNOTSUPP;
	ret = ah->device->ops.query_ah(ah, ah_attr);
	/*
	 * The provider may have copied this pointer from its own address vector, without a
	 * reference.
	 */
	ah_attr->grh.sgid_attr = NULL;
	return ret;
}
EXPORT_SYMBOL(rdma_query_ah);

int rdma_destroy_ah_user(struct ib_ah *ah, u32 flags, struct ib_udata *udata)
{
	int ret;

	might_sleep_if(flags & RDMA_DESTROY_AH_SLEEPABLE);
	if (flags & ~RDMA_DESTROY_AH_SLEEPABLE)
		return -EINVAL;
	ret = ah->device->ops.destroy_ah ? ah->device->ops.destroy_ah(ah, flags) : 0;
	if (ret)
		return ret;
	atomic_dec(&ah->pd->usecnt);
	if (ah->sgid_attr)
		rdma_put_gid_attr(ah->sgid_attr);
	kfree(ah);
	return 0;
}
EXPORT_SYMBOL(rdma_destroy_ah_user);
