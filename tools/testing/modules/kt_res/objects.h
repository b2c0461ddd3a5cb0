/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Devices of link type "objects", which have objects in the resource table but no function.
 */
#ifndef _KRDMA_TESTING_KT_OBJECTS_H_
#define _KRDMA_TESTING_KT_OBJECTS_H_

struct ib_device;

void kt_objects_init(void);
void kt_objects_exit(void);

/*
 * kt_objects_track() adds the objects of a registered device to the resource table, and returns 0
 * or a negative errno. kt_objects_untrack() deletes the objects. Both ignore devices of other link
 * types.
 */
int kt_objects_track(struct ib_device *dev);
void kt_objects_untrack(struct ib_device *dev);

#endif /* _KRDMA_TESTING_KT_OBJECTS_H_ */
