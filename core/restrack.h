/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The resource tables of a device, apart from what <rdma/restrack.h> offers other modules.
 */
#ifndef _KRDMA_CORE_RESTRACK_H_
#define _KRDMA_CORE_RESTRACK_H_

struct ib_device;
struct rdma_restrack_entry;

/* Allocates the tables. Returns 0 or -ENOMEM. */
int ib_core_restrack_init(struct ib_device *dev);

/* Logs the objects that still exist, by kind and owner, when the device has no users left. */
void ib_core_restrack_report_leaks(struct ib_device *dev);
void ib_core_restrack_free(struct ib_device *dev);

/*
 * From the return of unpublish() to publish(), the object has no readers, and look-ups do not find
 * it; it keeps its number. unpublish() waits for readers, so it may sleep. Returns 0; -ENOMEM:
 * nothing has changed.
 */
int ib_core_restrack_unpublish(struct ib_device *dev, struct rdma_restrack_entry *res);
void ib_core_restrack_publish(struct ib_device *dev, struct rdma_restrack_entry *res);

#endif /* _KRDMA_CORE_RESTRACK_H_ */
