/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * XRC domains of processes: operations for write() and ioctl(). Each returns 0 or an errno.
 */
#ifndef _KRDMA_UVERBS_OBJECT_XRCD_H_
#define _KRDMA_UVERBS_OBJECT_XRCD_H_

#include "uverbs/frame/object.h"

struct ib_xrcd;
struct uverbs_xrcd;

extern const struct uverbs_object_type uverbs_xrcd_type;

/**
 * uverbs_open_xrcd - open an XRC domain
 * @call: the call
 * @fd: file descriptor of the file by which processes share the domain; -1: a domain that is not
 *	shared
 * @oflags: O_CREAT and O_EXCL, with the meaning that they have for open(2); other flags are ignored
 * @handle: is set to the handle
 *
 * Return: 0; -EOPNOTSUPP: the device has no XRC domains; -EBADF: @fd is not open; -EAGAIN: the file
 * has no domain, and @oflags is without O_CREAT; -EINVAL: the file has a domain, and @oflags
 * includes O_EXCL; or an errno of uverbs_object_new(), dentry_open() or ib_alloc_xrcd_user().
 */
int uverbs_open_xrcd(struct uverbs_attr_bundle *call, int fd, int oflags, u32 *handle);
/* Fails with -EBUSY if QPs or SRQs that were made with this handle exist. */
int uverbs_close_xrcd(struct uverbs_attr_bundle *call, u32 handle);

/**
 * uverbs_xrcd_get - look up an XRC domain in which an object is made
 * @call: the call
 * @handle: handle of the domain
 * @xrcd: is set to the domain
 *
 * Return: the handle, which the creator of the object passes to uverbs_xrcd_use(); or an ERR_PTR of
 * uverbs_object_get().
 */
struct uverbs_xrcd *uverbs_xrcd_get(struct uverbs_attr_bundle *call, u32 handle,
				    struct ib_xrcd **xrcd);
/* Keeps the handle from being closed, until uverbs_xrcd_unuse(). */
void uverbs_xrcd_use(struct uverbs_xrcd *uxrcd);
/* Ends a use of the handle. Does nothing if @uxrcd is NULL, as for objects without a domain. */
void uverbs_xrcd_unuse(struct uverbs_xrcd *uxrcd);

#endif /* _KRDMA_UVERBS_OBJECT_XRCD_H_ */
