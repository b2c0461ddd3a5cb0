/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Protection domains.
 */
#ifndef _RDMA_VERBS_PD_H_
#define _RDMA_VERBS_PD_H_

#include <rdma/restrack.h>
#include <rdma/verbs/types.h>

/**
 * struct ib_pd - a protection domain: QPs reach only the memory regions of their own
 * @local_dma_lkey: L_Key that covers all memory for local access; valid in every PD a kernel caller
 *	made
 * @flags: what it was allocated with, &enum ib_pd_flags
 * @device: device it lives on
 * @uobject: handle of a user process, NULL for a kernel PD
 * @usecnt: QPs, memory regions and other objects that use this PD
 * @unsafe_global_rkey: R_Key that gives peers all memory; only with %IB_PD_UNSAFE_GLOBAL_RKEY,
 *	otherwise 0
 * @__internal_mr: core: region behind @local_dma_lkey or @unsafe_global_rkey, NULL when there is
 *	none
 * @res: core: entry in the resource table
 */
struct ib_pd {
	u32			local_dma_lkey;
	u32			flags;
	struct ib_device       *device;
	struct ib_uobject      *uobject;
	atomic_t		usecnt;

	u32			unsafe_global_rkey;

	struct ib_mr	       *__internal_mr;
	struct rdma_restrack_entry res;
};

/**
 * enum ib_pd_flags - flags of ib_alloc_pd()
 * @IB_PD_UNSAFE_GLOBAL_RKEY: make an R_Key through which every peer of the PD's QPs reads and
 *	writes all of the host's memory. For trusted networks only; the core logs one line.
 */
enum ib_pd_flags {
	IB_PD_UNSAFE_GLOBAL_RKEY = 0x01,
};

/**
 * __ib_alloc_pd - make a protection domain under the caller's name
 * @device: device to make it on
 * @flags: &enum ib_pd_flags
 * @caller: module named as owner in the resource table; a string that outlives the PD
 *
 * Use ib_alloc_pd(). Process context, may sleep. Ended with ib_dealloc_pd().
 *
 * Return: the PD, or ERR_PTR: -EINVAL unknown bits in @flags; -EOPNOTSUPP the device makes no PDs,
 * or needs a DMA region for the keys and makes none; -ENODEV the device is being unregistered;
 * -ENOMEM; or what the provider answered.
 */
struct ib_pd *__ib_alloc_pd(struct ib_device *device, unsigned int flags, const char *caller);

/**
 * ib_alloc_pd - make a protection domain
 * @device: device to make it on
 * @flags: &enum ib_pd_flags
 *
 * See __ib_alloc_pd().
 */
#define ib_alloc_pd(device, flags) __ib_alloc_pd((device), (flags), KBUILD_MODNAME)

/**
 * ib_alloc_pd_user - make a protection domain for a process
 * @device: device to make it on
 * @uobject: handle of the process
 * @udata: its channel to the provider
 *
 * Process context, may sleep. The PD has no keys of its own: a process uses only memory that it has
 * registered. The calling process is the owner in the resource table. Destroyed with
 * ib_dealloc_pd_user().
 *
 * Return: the PD, or ERR_PTR: -EOPNOTSUPP the device makes no PDs; -ENODEV the device is being
 * unregistered; -ENOMEM; or what the provider answered.
 */
struct ib_pd *ib_alloc_pd_user(struct ib_device *device, struct ib_uobject *uobject,
			       struct ib_udata *udata);

/**
 * ib_dealloc_pd_user - end a protection domain
 * @pd: the PD
 * @udata: user's channel to the provider, NULL from the kernel
 *
 * Process context, may sleep.
 *
 * Return: 0, and @pd is gone; -EBUSY while objects use it, or what the provider answered, and @pd
 * is as before.
 */
int ib_dealloc_pd_user(struct ib_pd *pd, struct ib_udata *udata);

/**
 * ib_dealloc_pd - end a kernel protection domain that is not used any more
 * @pd: the PD
 *
 * Process context, may sleep. A PD that is still in use stays, with a warning: the caller has a
 * bug.
 */
void ib_dealloc_pd(struct ib_pd *pd);

#endif /* _RDMA_VERBS_PD_H_ */
