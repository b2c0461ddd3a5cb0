/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory regions of processes: operations for write() and ioctl(). Each returns 0 or an errno.
 */
#ifndef _KRDMA_UVERBS_OBJECT_MR_H_
#define _KRDMA_UVERBS_OBJECT_MR_H_

#include "uverbs/frame/object.h"

struct ib_dm_mr_attr;
struct ib_mr;

extern const struct uverbs_object_type uverbs_mr_type;

/**
 * struct uverbs_mr_args - a memory region
 * @pd: handle of the protection domain
 * @start: first address in the process; for a DMA-BUF: offset of the first byte in it
 * @length: length in bytes
 * @iova: address by which work requests name the first byte
 * @access: &enum ib_access_flags
 * @fd: file descriptor of a DMA-BUF; -1: the region is the process's own memory
 */
struct uverbs_mr_args {
	u32			pd;
	u64			start;
	u64			length;
	u64			iova;
	u32			access;
	int			fd;
};

int uverbs_reg_mr(struct uverbs_attr_bundle *call, const struct uverbs_mr_args *args,
		  struct ib_mr **mr);
/* Registers a region in memory of the device. @pd and @dm: handles of the PD and the memory. */
int uverbs_reg_dm_mr(struct uverbs_attr_bundle *call, u32 pd, u32 dm, struct ib_dm_mr_attr *attr,
		     struct ib_mr **mr);

/**
 * uverbs_rereg_mr - change a memory region
 * @call: the call
 * @handle: handle of the region
 * @flags: &enum ib_mr_rereg_flags, which select the members of @args that apply
 * @args: the new values
 * @mr: is set to the region, which the provider may have replaced
 *
 * Return: 0; -EBUSY: another call uses the region; or another errno.
 */
int uverbs_rereg_mr(struct uverbs_attr_bundle *call, u32 handle, u32 flags,
		    const struct uverbs_mr_args *args, struct ib_mr **mr);
int uverbs_dereg_mr(struct uverbs_attr_bundle *call, u32 handle);

#endif /* _KRDMA_UVERBS_OBJECT_MR_H_ */
