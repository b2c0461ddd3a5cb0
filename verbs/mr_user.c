// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions of the memory of processes: registration, reregistration and advice.
 */
#include <linux/overflow.h>

#include "core/registry.h"
#include "core/restrack.h"
#include "verbs/mr.h"
#include "verbs/verbs.h"

static bool same_page_offset(u64 start, u64 virt_addr)
{
	return !((start ^ virt_addr) & ~PAGE_MASK);
}

/*
 * Refuses more memory than a region of the device can have. Without on-demand paging, also
 * refuses memory whose end, rounded up to a page, overflows a pointer, because no process has
 * such memory. With on-demand paging, a region may be the whole address space.
 */
static int check_range(const struct ib_device *dev, u64 start, u64 length, int access)
{
	u64 max = dev->attrs.max_mr_size;
	u64 end;

	if (max && length > max)
		return -EINVAL;
	if (access & IB_ACCESS_ON_DEMAND)
		return 0;
	if (check_add_overflow(start, length, &end) || end > ULONG_MAX - PAGE_SIZE + 1)
		return -EINVAL;
	return 0;
}

int ib_check_reg_mr(struct ib_device *dev, u64 start, u64 length, u64 virt_addr, int access)
{
	int ret;

	if (!same_page_offset(start, virt_addr))
		return -EINVAL;
	ret = ib_check_mr_access(dev, access);
	return ret ?: check_range(dev, start, length, access);
}
EXPORT_SYMBOL(ib_check_reg_mr);

static int check_registration(struct ib_device *dev, u64 start, u64 length, u64 virt_addr,
			      int access)
{
	int ret = ib_check_reg_mr(dev, start, length, virt_addr, access);

	if (ret)
		return ret;
	return ib_core_device_usable(dev) ? 0 : -ENODEV;
}

/*
 * Initialises the region that the provider has returned. @owner: name of the module that owns the
 * region; NULL: the calling process owns it. Returns @mr itself if it is an ERR_PTR.
 */
static struct ib_mr *mr_init_user(struct ib_mr *mr, struct ib_pd *pd, u64 iova, u64 length,
				  struct ib_uobject *uobject, struct ib_udata *udata,
				  const char *owner)
{
	if (IS_ERR(mr))
		return mr;
	mr->iova = iova;
	mr->length = length;
	mr->uobject = uobject;
	return verbs_mr_init(mr, pd, IB_MR_TYPE_USER, udata, owner);
}

static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
				 struct ib_uobject *uobject, struct ib_udata *udata,
				 const char *owner)
{
	struct ib_device *dev = pd->device;
	struct ib_mr *mr;
	int ret;

	ret = check_registration(dev, start, length, virt_addr, access);
	if (ret)
		return ERR_PTR(ret);
	if (!dev->ops.reg_user_mr)
		return ERR_PTR(-EOPNOTSUPP);
	mr = dev->ops.reg_user_mr(pd, start, length, virt_addr, access, udata);
	return mr_init_user(mr, pd, virt_addr, length, uobject, udata, owner);
}

struct ib_mr *ib_reg_mr_user(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
			     struct ib_uobject *uobject, struct ib_udata *udata)
{
	return reg_user_mr(pd, start, length, virt_addr, access, uobject, udata, NULL);
}
EXPORT_SYMBOL(ib_reg_mr_user);

struct ib_mr *ib_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
			     int mr_access_flags)
{
	return reg_user_mr(pd, start, length, virt_addr, mr_access_flags, NULL, NULL,
			   pd->res.kern_name);
}
EXPORT_SYMBOL(ib_reg_user_mr);

int ib_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		 struct ib_sge *sg_list, u32 num_sge)
{
	if (!pd->device->ops.advise_mr)
		return -EOPNOTSUPP;
	if (!num_sge)
		return 0;
	return pd->device->ops.advise_mr(pd, advice, flags, sg_list, num_sge, NULL);
}
EXPORT_SYMBOL(ib_advise_mr);

struct ib_mr *ib_reg_mr_dmabuf_user(struct ib_pd *pd, u64 offset, u64 length, u64 virt_addr, int fd,
				    int access, struct ib_uobject *uobject, struct ib_udata *udata)
{
	struct ib_device *dev = pd->device;
	struct ib_mr *mr;
	int ret;

	ret = check_registration(dev, offset, length, virt_addr, access);
	if (ret)
		return ERR_PTR(ret);
	if (!dev->ops.reg_user_mr_dmabuf)
		return ERR_PTR(-EOPNOTSUPP);
	mr = dev->ops.reg_user_mr_dmabuf(pd, offset, length, virt_addr, fd, access, udata);
	return mr_init_user(mr, pd, virt_addr, length, uobject, udata, NULL);
}
EXPORT_SYMBOL(ib_reg_mr_dmabuf_user);

int ib_check_rereg_mr(const struct ib_mr *mr, int flags, u64 start, u64 length, u64 virt_addr,
		      int access, const struct ib_pd *pd)
{
	int ret;

	if (flags & ~IB_MR_REREG_SUPPORTED)
		return -EOPNOTSUPP;
	if (!flags)
		return -EINVAL;
	if (mr->type != IB_MR_TYPE_USER)
		return -EINVAL;
	if ((flags & IB_MR_REREG_TRANS) && !same_page_offset(start, virt_addr))
		return -EINVAL;
	if ((flags & IB_MR_REREG_PD) && pd->device != mr->device)
		return -EINVAL;
	if (!mr->device->ops.rereg_user_mr)
		return -EOPNOTSUPP;
	if (!(flags & IB_MR_REREG_ACCESS))
		access = 0;
	ret = ib_check_mr_access(mr->device, access);
	if (ret || !(flags & IB_MR_REREG_TRANS))
		return ret;
	return length ? check_range(mr->device, start, length, access) : -EINVAL;
}
EXPORT_SYMBOL(ib_check_rereg_mr);

/*
 * Replaces the region *@mr by @new, which the provider has made, and destroys the old one. If the
 * old region cannot be destroyed, @new, which has no users yet, is destroyed instead.
 */
static int replace_mr(struct ib_mr **mr, struct ib_mr *new, struct ib_pd *pd, u64 iova, u64 length,
		      struct ib_udata *udata)
{
	int ret;

	new = mr_init_user(new, pd, iova, length, (*mr)->uobject, udata, NULL);
	if (IS_ERR(new))
		return PTR_ERR(new);
	ret = ib_dereg_mr_user(*mr, udata);
	if (ret)
		ib_dereg_mr_user(new, udata);
	else
		*mr = new;
	return ret;
}

int ib_rereg_mr_user(struct ib_mr **mr, int flags, u64 start, u64 length, u64 virt_addr, int access,
		     struct ib_pd *pd, struct ib_udata *udata)
{
	struct ib_mr *old = *mr, *new;
	struct ib_device *dev = old->device;
	int ret;

	ret = ib_check_rereg_mr(old, flags, start, length, virt_addr, access, pd);
	if (ret)
		return ret;
	if (!(flags & IB_MR_REREG_PD))
		pd = old->pd;
	if (!(flags & IB_MR_REREG_TRANS)) {
		virt_addr = old->iova;
		length = old->length;
	}

	/*
	 * Hide the region while it changes. Otherwise a reader could see half of the change, or
	 * use the old PD after the region's use count on the old PD was dropped.
	 */
	ib_core_restrack_unpublish(dev, &old->res);
	new = dev->ops.rereg_user_mr(old, flags, start, length, virt_addr, access, pd, udata);
	if (!new) {
		/* The provider has changed the region in place. */
		atomic_inc(&pd->usecnt);
		atomic_dec(&old->pd->usecnt);
		old->pd = pd;
		old->iova = virt_addr;
		old->length = length;
	}
	ib_core_restrack_publish(dev, &old->res);
	return new ? replace_mr(mr, new, pd, virt_addr, length, udata) : 0;
}
EXPORT_SYMBOL(ib_rereg_mr_user);
