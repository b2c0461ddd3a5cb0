/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The part of a device that the files of this folder use. A provider in software embeds it.
 *
 * An STag is the name of memory on the wire and in work requests: what InfiniBand calls an L_Key or
 * R_Key.
 */
#ifndef SOFT_DEVICE_H
#define SOFT_DEVICE_H

#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

/*
 * The lkey that names all memory of the kernel. No peer can use it as an STag, because the STag
 * table has no region at index 0. Value of ib_device.local_dma_lkey.
 */
#define SOFT_LOCAL_DMA_LKEY 0

/**
 * struct soft_device - a device of a provider in software
 * @base: the core's object; has to be at offset 0. Its attrs, which the core has from query_device,
 *	are the limits of what is created
 * @stags: memory by STag index; looked up under RCU
 * @mw_lock: protects what windows are bound to: soft_mem.parent, .qp and .qp_entry of each window,
 *	and the lists of windows of QPs; taken with BHs off; the lock of @stags nests in it
 * @num_mr: existing MRs and FMRs
 * @num_mw: existing memory windows
 */
struct soft_device {
	struct ib_device base;
	struct xarray stags;
	spinlock_t mw_lock; /* protects what windows are bound to */
	atomic_t num_mr;
	atomic_t num_mw;
};

static inline struct soft_device *to_soft_dev(const struct ib_device *base)
{
	return container_of(base, struct soft_device, base);
}

/* Initialises what is not @dev->base, of zeroed memory. Process context. */
static inline void soft_device_init(struct soft_device *dev)
{
	xa_init_flags(&dev->stags, XA_FLAGS_LOCK_BH);
	spin_lock_init(&dev->mw_lock);
}

/* Called by dealloc_driver(), when no object of the device exists any more. Process context. */
static inline void soft_device_exit(struct soft_device *dev)
{
	WARN_ON(!xa_empty(&dev->stags));
	xa_destroy(&dev->stags);
}

/*
 * Returns the flags with which an object is allocated. An object of a process, which has a
 * @uobject, is charged to the memory cgroup of the process.
 */
static inline gfp_t soft_gfp(const struct ib_uobject *uobject)
{
	return uobject ? GFP_KERNEL_ACCOUNT : GFP_KERNEL;
}

#endif /* SOFT_DEVICE_H */
