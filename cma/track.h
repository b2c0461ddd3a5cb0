/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Identifiers and listeners in the resource tables of devices.
 */
#ifndef _KRDMA_CMA_TRACK_H_
#define _KRDMA_CMA_TRACK_H_

struct cma_id;
struct cma_listener;

/*
 * Initializes the resource-table entry of a new identifier. The entry belongs to the same task or
 * kernel module as the entry of @parent or, if @parent is NULL, to the consumer. The entry has a
 * reference to the task; cma_untrack() drops this reference, even if cma_track() was never called.
 */
void cma_track_new(struct cma_id *id, const struct cma_id *parent);

/* Adds the identifier to the table of its device. Returns 0 or the error of rdma_restrack_add(). */
int cma_track(struct cma_id *id);
void cma_untrack(struct cma_id *id);

/*
 * Adds a wildcard identifier's listener on one device to the resource table of that device. Returns
 * 0 or the error of rdma_restrack_add(). The caller has to call cma_untrack_listener() even after
 * an error, because the entry keeps a reference to the task that owns it.
 */
int cma_track_listener(struct cma_listener *listener);

/*
 * Removes the listener from the table, if cma_track_listener() succeeded. Drops the entry's
 * reference to the task that owns it even if cma_track_listener() failed. Does nothing if
 * cma_track_listener() was never called.
 */
void cma_untrack_listener(struct cma_listener *listener);

#endif /* _KRDMA_CMA_TRACK_H_ */
