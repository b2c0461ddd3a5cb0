/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Devices with one object of each kind that netlink can show, and nothing behind it.
 */
#ifndef _KRDMA_TESTING_KT_OBJECTS_H_
#define _KRDMA_TESTING_KT_OBJECTS_H_

struct ib_device;

void kt_objects_init(void);
void kt_objects_exit(void);

/* The objects of a device, while it is registered. Of devices of another kind there are none. */
int kt_objects_track(struct ib_device *dev);
void kt_objects_untrack(struct ib_device *dev);

#endif /* _KRDMA_TESTING_KT_OBJECTS_H_ */
