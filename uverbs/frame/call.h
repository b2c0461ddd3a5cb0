/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The common parts of all calls of a process.
 *
 * A call has three phases. First, the data of the process is copied to memory of
 * uverbs_call_alloc(). Second, uverbs_call_run() does the work, with the device's SRCU held: the
 * removal of the device waits for the end of this phase. No memory of the process is accessed in
 * this phase, because a page fault may take any time. If a provider tries such an access
 * nevertheless, the access fails instead of waiting, because page faults are disabled. Third, the
 * answers are copied to the process, and uverbs_call_end() publishes what the call has created.
 */
#ifndef _KRDMA_UVERBS_FRAME_CALL_H_
#define _KRDMA_UVERBS_FRAME_CALL_H_

#include <linux/types.h>

struct ib_uverbs_file;
struct uverbs_attr_bundle;

/*
 * Does the work of a call. Returns 0, or a negative errno, after which uverbs_call_run() destroys
 * what the call has created. The function has to fail if it needs memory of the process that is not
 * pinned, or a DMA-BUF whose memory the exporter is moving. uverbs_call_run() then pins the memory
 * or waits for the DMA-BUF, and calls the function again.
 */
typedef int uverbs_call_fn(struct uverbs_attr_bundle *call, void *arg);

/**
 * uverbs_call_alloc - get memory for the data and the answers of a call
 * @call: the call; call->mem is set to the memory. The function is called once for each call
 * @size: number of bytes; bounded, because write() and ioctl() compute it from lengths of 16 bits
 *
 * Return: 0; -ENOMEM: no memory.
 */
int uverbs_call_alloc(struct uverbs_attr_bundle *call, size_t size);

/**
 * uverbs_call_run - do the work of a call
 * @file: the file by which the process calls
 * @call: the call; zeroed, except for what uverbs_call_alloc() has set and what @run needs
 * @run: does the work, and accesses no memory of the process
 * @arg: passed to @run
 *
 * Ensures that the device is not removed while @run runs. If @run fails because it needs memory of
 * the process that is not pinned, or a DMA-BUF that is busy, pins the memory or waits for the
 * DMA-BUF, and calls @run again. May sleep.
 *
 * Return: the result of @run; -EIO: the device was removed; -EBUSY: @run asks for other memory in
 * each run, because another call changes what @run needs; or an errno of uverbs_umem_pin() or
 * uverbs_dmabuf_wait().
 */
int uverbs_call_run(struct ib_uverbs_file *file, struct uverbs_attr_bundle *call,
		    uverbs_call_fn *run, void *arg);

/**
 * uverbs_call_end - end a call
 * @call: the call
 * @ret: the result of the call: 0, or the errno of the phase that has failed
 *
 * If the call has succeeded, publishes what it has created; if the call has failed, destroys what
 * it has created. Frees the call's memory. May sleep.
 *
 * Return: @ret; -EIO: the device was removed, and with it what the call has created.
 */
int uverbs_call_end(struct uverbs_attr_bundle *call, int ret);

/**
 * uverbs_call_needs_context - refuse a call of a process that has no context yet
 * @call: the call
 *
 * Return: 0; -EINVAL: the process has no context.
 */
int uverbs_call_needs_context(const struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_FRAME_CALL_H_ */
