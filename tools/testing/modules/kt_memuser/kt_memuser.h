/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * kt_memuser.ko: objects of the kernel that are made and destroyed on request.
 */
#ifndef _KRDMA_TESTING_KT_MEMUSER_H_
#define _KRDMA_TESTING_KT_MEMUSER_H_

struct ib_device;

/*
 * Makes an object of the kernel on an InfiniBand device, and what it needs, and destroys all.
 * Returns 0 or a negative errno: -ENOENT if no kind of object has this name. Process context, may
 * sleep.
 */
int memuser_make(struct ib_device *dev, const char *name);

#endif /* _KRDMA_TESTING_KT_MEMUSER_H_ */
