/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Pins memory of processes on behalf of a call, before the provider takes it. Memory that the
 * provider does not take is unpinned. The functions for providers are declared in <rdma/ib_umem.h>.
 */
#ifndef _KRDMA_UVERBS_FRAME_UMEM_H_
#define _KRDMA_UVERBS_FRAME_UMEM_H_

#include <linux/types.h>

struct ib_device;
struct uverbs_attr_bundle;
struct uverbs_pin;

/**
 * uverbs_umem_pin - pin the memory that a call needs
 * @pin: describes the memory; the pinned memory is added to @pin->umem
 *
 * Called in the context of the process, without the device's SRCU held, because a page fault in the
 * process's memory may take any time.
 *
 * Return: 0: the memory is pinned, or could not be pinned but is not @pin->required; -EFAULT: a
 * part of the memory is not mapped, or may not be accessed as @pin says; -ENOMEM: no memory, or the
 * limit of pinned memory is reached; -EINTR: a fatal signal is pending; -EBUSY: UVERBS_MAX_PINS
 * ranges that the operation has not used are pinned already.
 */
int uverbs_umem_pin(struct uverbs_pin *pin);

/**
 * uverbs_umem_prepare - ask for memory to be pinned before the provider's operation runs
 * @pin: state of the call
 * @device: device that is to use the memory
 * @addr: first address
 * @size: length in bytes
 * @access: &enum ib_access_flags
 * @required: true: the call fails if the memory cannot be pinned; false: the provider's operation
 *	runs nevertheless, and ib_umem_get() returns the errno, so that the provider's own checks
 *	come first
 *
 * Serves operations whose memory is known beforehand. The provider's operation then runs only once,
 * and ib_umem_get() finds the memory pinned. Drivers rely on that in rereg_user_mr(), where they
 * give up the old memory before they get the new memory. Called in each run of the call, before the
 * run has done anything that would have to be undone. If an earlier run has asked for other memory,
 * that memory is unpinned.
 *
 * Return: 0: go on: ib_umem_get() will find the memory pinned, or will fail, because pinning has
 * failed or because the range is invalid; -EAGAIN: end the run with -EAGAIN.
 */
int uverbs_umem_prepare(struct uverbs_pin *pin, struct ib_device *device, unsigned long addr,
			size_t size, int access, bool required);

/**
 * uverbs_udata_prepare - let the provider's operation run only once
 * @call: the call, with its driver_udata
 *
 * Serves operations that cannot be undone, such as changing or destroying an object. If the process
 * has passed data for the provider, or room for the provider's answer, that memory is faulted in
 * before the operation runs. Other operations run a second time if the provider's access to such
 * memory fails. Called in each run of the call, before the run has done anything that would have to
 * be undone.
 *
 * Return: 0: go on; -EAGAIN: end the run with -EAGAIN.
 */
int uverbs_udata_prepare(struct uverbs_attr_bundle *call);

/**
 * uverbs_umem_unpin - unpin memory that ib_umem_get() has not returned
 * @pin: state of the call, with or without pinned memory
 *
 * Also drops the reference to a DMA-BUF for which the call has not waited.
 */
void uverbs_umem_unpin(struct uverbs_pin *pin);

/*
 * Called when ib_uverbs is loaded, and when it is unloaded. uverbs_umem_init() returns 0 or
 * -ENOMEM. uverbs_umem_exit() waits until all released memory is unpinned, even if a file system
 * has locked a page of it.
 */
int uverbs_umem_init(void);
void uverbs_umem_exit(void);

#endif /* _KRDMA_UVERBS_FRAME_UMEM_H_ */
