// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory windows.
 *
 * A window is an entry of the STag table that has no memory of its own: a bind lends it a part of a
 * region. Windows are bound and unbound with soft_device.mw_lock held. Copies do not take the lock:
 * whoever unbinds a window clears its soft_mem.valid and waits for its copies, before the part of
 * the region is given back. Until then the region cannot change.
 */
#include "soft/mw.h"
#include "soft/device.h"
#include "soft/mem.h"

#define WINDOW_RIGHTS	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

int soft_alloc_mw(struct ib_mw *base, struct ib_udata *udata)
{
	struct soft_device *dev = to_soft_dev(base->device);
	struct soft_mw *mw = to_soft_mw(base);
	int ret = -ENOMEM;

	if (atomic_inc_return(&dev->num_mw) > dev->base.attrs.max_mw)
		goto uncount;
	mw->mem = soft_mem_alloc(dev, base->pd, 0);
	if (IS_ERR(mw->mem)) {
		ret = PTR_ERR(mw->mem);
		goto uncount;
	}
	mw->mem->window = base->type;
	base->rkey = mw->mem->stag;
	return 0;

uncount:
	atomic_dec(&dev->num_mw);
	return ret;
}

static void mw_unbind(struct soft_mem *window)
{
	struct soft_mem *parent = window->parent;

	lockdep_assert_held(&window->dev->mw_lock);
	if (!parent)
		return;
	WRITE_ONCE(window->valid, false);
	soft_mem_wait_for_copies(window);
	window->parent = NULL;
	if (window->qp)
		list_del(&window->qp_entry);
	WRITE_ONCE(window->qp, NULL);
	soft_mem_take_back(parent);
	soft_mem_put(parent);
}

int soft_dealloc_mw(struct ib_mw *base)
{
	struct soft_device *dev = to_soft_dev(base->device);
	struct soft_mw *mw = to_soft_mw(base);

	/* A bind request that is still queued will not find the window any more. */
	spin_lock_bh(&dev->mw_lock);
	mw_unbind(mw->mem);
	soft_mem_remove(mw->mem);
	spin_unlock_bh(&dev->mw_lock);
	atomic_dec(&dev->num_mw);
	return 0;
}

/* Binds @window to a part of @parent. First unbinds a window of type 1 that is bound already. */
static int mw_bind_to(const struct ib_qp *qp, struct list_head *windows, struct soft_mem *window,
		      struct soft_mem *parent, const struct soft_mw_bind *bind)
{
	int ret;

	lockdep_assert_held(&window->dev->mw_lock);
	ret = soft_mem_lend(parent, qp->pd, bind->lkey, bind->addr, bind->length, bind->access);
	if (ret)
		return ret;
	mw_unbind(window);
	kref_get(&parent->ref);
	window->parent = parent;
	window->access = bind->access;
	window->va = bind->addr;
	window->len = bind->length;
	WRITE_ONCE(window->stag, bind->stag);
	if (window->window == IB_MW_TYPE_2) {
		WRITE_ONCE(window->qp, qp);
		list_add(&window->qp_entry, windows);
	}
	soft_mem_set_valid(window);
	return 0;
}

static int mw_bind(const struct ib_qp *qp, struct list_head *windows, struct soft_mem *window,
		   const struct soft_mw_bind *bind)
{
	struct soft_mem *parent;
	int ret;

	lockdep_assert_held(&window->dev->mw_lock);
	if (window->pd != qp->pd)
		return -EPERM;
	if (bind->access & ~WINDOW_RIGHTS)
		return -EINVAL;
	if (!bind->length) {
		if (window->window == IB_MW_TYPE_2)
			return -EINVAL;
		mw_unbind(window);
		WRITE_ONCE(window->stag, bind->stag);
		return 0;
	}
	if (window->window == IB_MW_TYPE_2 && window->parent)
		return -EBUSY;

	parent = soft_mem_get(window->dev, bind->lkey);
	if (!parent)
		return -ENOENT;
	ret = mw_bind_to(qp, windows, window, parent, bind);
	soft_mem_put(parent);
	return ret;
}

int soft_mw_bind(const struct ib_qp *qp, struct list_head *windows, const struct soft_mw_bind *bind)
{
	struct soft_device *dev = to_soft_dev(qp->device);
	struct soft_mem *window;
	int ret = -ENOENT;

	/* The lock keeps soft_dealloc_mw() from removing the window between look-up and bind. */
	spin_lock(&dev->mw_lock);
	window = soft_mem_get_index(dev, bind->stag);
	if (window) {
		if (window->window)
			ret = mw_bind(qp, windows, window, bind);
		soft_mem_put(window);
	}
	spin_unlock(&dev->mw_lock);
	return ret;
}

/* Invalidates @window if it is bound and has the STag @stag. Refuses windows of type 1. */
static int mw_invalidate(const struct ib_qp *qp, struct soft_mem *window, u32 stag, bool by_peer)
{
	lockdep_assert_held(&window->dev->mw_lock);
	if (window->pd != qp->pd)
		return -EPERM;
	if (window->window != IB_MW_TYPE_2)
		return -EACCES;
	if (!window->parent || window->stag != stag)
		return by_peer ? -ENOENT : 0;
	if (window->qp != qp)
		return -EPERM;
	if (by_peer && !window->access)
		return -EACCES;
	mw_unbind(window);
	return 0;
}

static int invalidate(const struct ib_qp *qp, u32 stag, bool by_peer)
{
	struct soft_device *dev = to_soft_dev(qp->device);
	struct soft_mem *mem = soft_mem_get(dev, stag);
	int ret;

	if (!mem)
		return -ENOENT;
	if (mem->window) {
		spin_lock(&dev->mw_lock);
		ret = mw_invalidate(qp, mem, stag, by_peer);
		spin_unlock(&dev->mw_lock);
	} else {
		ret = soft_mem_invalidate(mem, qp->pd, stag, by_peer);
	}
	soft_mem_put(mem);
	return ret;
}

int soft_mw_invalidate(const struct ib_qp *qp, u32 stag)
{
	return invalidate(qp, stag, false);
}

int soft_mw_invalidate_by_peer(const struct ib_qp *qp, u32 stag)
{
	return invalidate(qp, stag, true);
}

void soft_mw_unbind_all(struct soft_device *dev, struct list_head *windows)
{
	struct soft_mem *window;

	do {
		/* Let others have the lock after each window: a QP may have many. */
		spin_lock_bh(&dev->mw_lock);
		window = list_first_entry_or_null(windows, struct soft_mem, qp_entry);
		if (window)
			mw_unbind(window);
		spin_unlock_bh(&dev->mw_lock);
	} while (window);
}
