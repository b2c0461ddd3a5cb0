/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Protection domains.
 */
#ifndef _RDMA_VERBS_PD_H_
#define _RDMA_VERBS_PD_H_

#include <rdma/restrack.h>
#include <rdma/verbs/types.h>

/**
 * struct ib_pd - a protection domain: a QP can access only the memory regions of its own domain
 * @local_dma_lkey: L_Key that covers all memory for local access; valid in every PD of the kernel
 * @flags: as given to ib_alloc_pd(), &enum ib_pd_flags
 * @device: device it lives on
 * @uobject: handle of a user process, NULL for a kernel PD
 * @usecnt: number of QPs, memory regions and other objects that use this PD
 * @unsafe_global_rkey: R_Key with which peers access all memory; 0 if @flags does not have
 *	%IB_PD_UNSAFE_GLOBAL_RKEY
 * @__internal_mr: core: region that @local_dma_lkey or @unsafe_global_rkey is a key of; NULL if
 *	there is none
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
 * @IB_PD_UNSAFE_GLOBAL_RKEY: make an R_Key with which every peer of the PD's QPs can read and write
 *	all of the host's memory. For trusted networks only; the core logs a warning.
 */
enum ib_pd_flags {
	IB_PD_UNSAFE_GLOBAL_RKEY = 0x01,
};

/**
 * __ib_alloc_pd - make a protection domain under the caller's name
 * @device: device to make it on
 * @flags: &enum ib_pd_flags
 * @caller: name of the module that owns the PD, for the resource table; must outlive the PD
 *
 * Callers use ib_alloc_pd(). Process context, may sleep. The PD is destroyed with ib_dealloc_pd().
 *
 * Return: the PD; or an ERR_PTR: -EINVAL if @flags has unknown bits; -EOPNOTSUPP if the device has
 * no PDs, or if one of the two keys (local_dma_lkey, unsafe_global_rkey) needs a region that covers
 * all memory, and the device has no such regions; -ENODEV if the device is being unregistered;
 * -ENOMEM; or the provider's error.
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
 * @udata: the process's data for the provider
 *
 * Process context, may sleep. The PD has neither a local_dma_lkey nor an unsafe_global_rkey,
 * because a process uses only memory that it has registered. The calling process is the PD's owner
 * in the resource table. The PD is destroyed with ib_dealloc_pd_user().
 *
 * Return: the PD; or an ERR_PTR: -EOPNOTSUPP if the device has no PDs; -ENODEV if the device is
 * being unregistered; -ENOMEM; or the provider's error.
 */
struct ib_pd *ib_alloc_pd_user(struct ib_device *device, struct ib_uobject *uobject,
			       struct ib_udata *udata);

/**
 * ib_dealloc_pd_user - destroy a protection domain
 * @pd: the PD
 * @udata: the process's data for the provider; NULL for a kernel PD
 *
 * Process context, may sleep.
 *
 * Return: 0 if @pd was destroyed; -EBUSY if objects use it; or the provider's error. After -EBUSY
 * @pd is as before. After an error of the provider @pd can still be used, but its local_dma_lkey
 * and unsafe_global_rkey may have changed; if no new keys could be made, the log says so, and
 * unsafe_global_rkey is 0.
 */
int ib_dealloc_pd_user(struct ib_pd *pd, struct ib_udata *udata);

/**
 * ib_dealloc_pd - destroy a kernel protection domain
 * @pd: the PD
 *
 * Process context, may sleep. If the PD is still in use, the caller has a bug: the function warns,
 * and does not destroy the PD.
 */
void ib_dealloc_pd(struct ib_pd *pd);

#endif /* _RDMA_VERBS_PD_H_ */
