/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The provider's operations.
 */
#ifndef _KRDMA_CORE_OPS_H_
#define _KRDMA_CORE_OPS_H_

struct ib_device;

/*
 * Checks the operations of a device that is to be registered as @name, and sets kverbs_provider.
 * Returns 0; or -EINVAL with a line in the log: a mandatory operation is missing, or the size of an
 * object is too small.
 */
int ib_core_ops_check(struct ib_device *dev, const char *name);

#endif /* _KRDMA_CORE_OPS_H_ */
