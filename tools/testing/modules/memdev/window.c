// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory windows of types 1 and 2B, and the invalidation of keys. A window is an entry in the table
 * of regions without memory of its own: what names a bound window reaches the region.
 */
#include "internal.h"

#define RIGHTS	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

struct memdev_mw {
	struct ib_mw ibmw;
	struct memdev_mr *entry;
};

static int alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct memdev_mr *entry;
	int ret;

	ret = fakedev_count_call(ibmw->device, FAKEDEV_ALLOC_MW);
	if (ret)
		return ret;
	entry = memdev_make_mr(ibmw->pd, 0);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	entry->window = ibmw->type;
	ibmw->rkey = entry->key;
	container_of(ibmw, struct memdev_mw, ibmw)->entry = entry;
	return 0;
}

static void unbind(struct memdev_mr *window)
{
	lockdep_assert_held(&memdev_fabric.mutex);
	window->valid = false;
	if (!window->parent)
		return;
	window->parent->nr_windows--;
	window->parent = NULL;
	window->qp = NULL;
}

static int dealloc_mw(struct ib_mw *ibmw)
{
	struct memdev_mr *entry = container_of(ibmw, struct memdev_mw, ibmw)->entry;
	int ret;

	ret = fakedev_count_call(ibmw->device, FAKEDEV_DEALLOC_MW);
	if (ret)
		return ret;
	mutex_lock(&memdev_fabric.mutex);
	unbind(entry);
	mutex_unlock(&memdev_fabric.mutex);
	return memdev_free_mr(entry);
}

bool memdev_bind(struct memdev_qp *qp, const struct memdev_wqe *wqe)
{
	struct memdev_mr *window = xa_load(&to_memdev(qp->ibqp.device)->mrs, wqe->key >> 8);
	bool writes = wqe->access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC);
	struct memdev_mr *parent = NULL;

	if (!window || !window->window || window->pd != qp->ibqp.pd || (wqe->access & ~RIGHTS))
		return false;
	if (window->window == IB_MW_TYPE_2 && (window->parent || !wqe->bind_length))
		return false;
	if (wqe->bind_length) {
		parent = memdev_find_mr(qp->ibqp.pd, wqe->bind_lkey);
		if (!parent || parent->window || parent->is_fmr || parent->pi ||
		    !(parent->access & IB_ACCESS_MW_BIND))
			return false;
		if (writes && !(parent->access & IB_ACCESS_LOCAL_WRITE))
			return false;
		if (!memdev_in_bounds(parent, wqe->remote_addr, wqe->bind_length))
			return false;
	}
	unbind(window);
	window->key = wqe->key;
	if (!parent)
		return true;
	parent->nr_windows++;
	window->parent = parent;
	window->qp = window->window == IB_MW_TYPE_2 ? qp : NULL;
	window->iova = wqe->remote_addr;
	window->length = wqe->bind_length;
	window->access = wqe->access;
	window->valid = true;
	return true;
}

bool memdev_invalidate(struct memdev_qp *qp, struct ib_pd *pd, u32 rkey)
{
	struct memdev_mr *mr = memdev_find_mr(pd, rkey);

	/* What a process or a call has registered is not invalidated by requests. */
	if (!mr || mr->all_memory || mr->umem || mr->is_fmr || mr->nr_windows)
		return false;
	if (!mr->window) {
		mr->valid = false;
		return true;
	}
	if (mr->window != IB_MW_TYPE_2 || mr->qp != qp)
		return false;
	unbind(mr);
	return true;
}

void memdev_unbind_all(struct memdev_qp *qp)
{
	struct memdev_mr *mr;
	unsigned long i;

	xa_for_each(&to_memdev(qp->ibqp.device)->mrs, i, mr)
		if (mr->qp == qp)
			unbind(mr);
}

const struct ib_device_ops memdev_window_ops = {
	.alloc_mw = alloc_mw,
	.dealloc_mw = dealloc_mw,

	INIT_RDMA_OBJ_SIZE(ib_mw, memdev_mw, ibmw),
};
