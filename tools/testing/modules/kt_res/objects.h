/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Devices of link type "objects", which have objects in the resource table but no function.
 */
#ifndef _KRDMA_TESTING_KT_OBJECTS_H_
#define _KRDMA_TESTING_KT_OBJECTS_H_

int kt_objects_init(void);
void kt_objects_exit(void);

#endif /* _KRDMA_TESTING_KT_OBJECTS_H_ */
