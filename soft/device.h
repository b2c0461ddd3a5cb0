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
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

/*
 * The lkey that names all memory of the kernel. No peer can use it as an STag, because the STag
 * table has no region at index 0. Value of ib_device.local_dma_lkey.
 */
#define SOFT_LOCAL_DMA_LKEY 0

struct soft_cq;

/**
 * struct soft_provider - what the files of this folder need from the provider of a device
 * @counters: the counters of a device; the first @num_qp_counters are also kept for sets of QPs
 * @num_counters: number of counters of a device
 * @num_qp_counters: number of counters of a set of QPs
 * @cq_overflows: the counter of completions that found no room in their CQ
 * @user_cq_add: adds a completion to a CQ that a process polls, in the provider's format. Returns 1
 *	if the process is to be notified, 0 if not, -ENOSPC if the ring is full. Called with the
 *	lock of the CQ held. NULL if the provider has no such CQs
 * @traced_post: calls the provider's tracepoint for a request that was posted; see trace.h
 * @traced_flush: calls the tracepoint for a batch of @count requests, or receives, that were
 *	flushed; @count may be 0
 * @traced_complete: calls the tracepoint for a completion that is added to a CQ
 */
struct soft_provider {
	const struct rdma_stat_desc *counters;
	u16 num_counters;
	u16 num_qp_counters;
	u16 cq_overflows;
	int (*user_cq_add)(struct soft_cq *cq, const struct ib_wc *wc, bool solicited);
	void (*traced_post)(const struct ib_qp *qp, u64 wr_id, int opcode, u32 length);
	void (*traced_flush)(const struct ib_qp *qp, bool recv, u32 count);
	void (*traced_complete)(const struct ib_wc *wc);
};

/**
 * struct soft_device - a device of a provider in software
 * @base: the core's object; has to be at offset 0. The limits for objects are in base.attrs,
 *	which the core has from query_device, and by which the core checks sizes before it calls an
 *	operation: max_srq_sge is SOFT_SGE_MAX at most, and no limit is 0, which the core takes for
 *	none
 * @provider: what the files of this folder need from the provider
 * @stats: counters, per CPU: soft_provider.num_counters values
 * @stags: memory by STag index; looked up under RCU
 * @mw_lock: protects what windows are bound to: soft_mem.parent, .qp and .qp_entry of each window,
 *	and the lists of windows of QPs; taken with BHs off; the lock of @stags nests in it
 * @num_mr: existing MRs and FMRs
 * @num_mw: existing memory windows
 * @num_cq: existing CQs
 * @num_srq: existing SRQs
 */
struct soft_device {
	struct ib_device base;
	const struct soft_provider *provider;
	u64 __percpu *stats;
	struct xarray stags;
	spinlock_t mw_lock; /* protects what windows are bound to */
	atomic_t num_mr;
	atomic_t num_mw;
	atomic_t num_cq;
	atomic_t num_srq;
};

static inline struct soft_device *to_soft_dev(const struct ib_device *base)
{
	return container_of(base, struct soft_device, base);
}

/*
 * Initialises @dev. The caller has zeroed all of @dev except @dev->base. Returns 0; -ENOMEM if
 * memory is short. Process context.
 */
int soft_device_init(struct soft_device *dev, const struct soft_provider *provider);
/*
 * Called by the provider's dealloc_driver(), when no object of the device exists any more. Process
 * context.
 */
void soft_device_exit(struct soft_device *dev);

/*
 * Returns the flags with which an object is allocated. An object of a process, which has a
 * @uobject, is charged to the memory cgroup of the process.
 */
static inline gfp_t soft_gfp(const struct ib_uobject *uobject)
{
	return uobject ? GFP_KERNEL_ACCOUNT : GFP_KERNEL;
}

#endif /* SOFT_DEVICE_H */
