/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Devices of link type "objects", whose objects are in the resource table without function.
 */
#ifndef _KRDMA_TESTING_KT_OBJECTS_H_
#define _KRDMA_TESTING_KT_OBJECTS_H_

struct ib_device;

void kt_objects_init(void);
void kt_objects_exit(void);

/* Add and delete the objects of a registered device; do nothing for other link types. */
int kt_objects_track(struct ib_device *dev);
void kt_objects_untrack(struct ib_device *dev);

#endif /* _KRDMA_TESTING_KT_OBJECTS_H_ */
