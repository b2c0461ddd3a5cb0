/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The provider's operations.
 */
#ifndef _KRDMA_CORE_OPS_H_
#define _KRDMA_CORE_OPS_H_

struct ib_device;

/*
 * Checks the operations of a device that is to be registered as @name. Sets dev->kverbs_provider if
 * the device has all operations that kernel verbs need. Returns 0; or -EINVAL, after logging the
 * reason: a mandatory operation is missing, or the size of an object is too small.
 */
int ib_core_ops_check(struct ib_device *dev, const char *name);

#endif /* _KRDMA_CORE_OPS_H_ */
