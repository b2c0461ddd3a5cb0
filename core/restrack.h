/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The resource tables of a device: functions for ib_core only. <rdma/restrack.h> has those for
 * other modules.
 */
#ifndef _KRDMA_CORE_RESTRACK_H_
#define _KRDMA_CORE_RESTRACK_H_

struct ib_device;
struct rdma_restrack_entry;

/* Allocates the tables. Returns 0 or -ENOMEM. */
int ib_core_restrack_init(struct ib_device *dev);

/*
 * Logs the objects that still exist, by kind and by the process or module that owns them. Called
 * when the device has no users left.
 */
void ib_core_restrack_report_leaks(struct ib_device *dev);
void ib_core_restrack_free(struct ib_device *dev);

/*
 * ib_core_restrack_unpublish() hides the object from look-ups, and returns when no reader uses the
 * object any more. ib_core_restrack_publish() makes the object visible again, with the number that
 * the object had before. Both functions may sleep.
 */
void ib_core_restrack_unpublish(struct ib_device *dev, struct rdma_restrack_entry *res);
void ib_core_restrack_publish(struct ib_device *dev, struct rdma_restrack_entry *res);

#endif /* _KRDMA_CORE_RESTRACK_H_ */
