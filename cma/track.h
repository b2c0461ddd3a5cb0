/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Identifiers and listeners in the resource tables of devices.
 */
#ifndef _KRDMA_CMA_TRACK_H_
#define _KRDMA_CMA_TRACK_H_

struct cma_id;
struct cma_listener;

/*
 * Initializes the entry of a new identifier. The owner is that of @parent, or the consumer if
 * @parent is NULL. cma_untrack() releases the owner, even if cma_track() was never called.
 */
void cma_track_new(struct cma_id *id, const struct cma_id *parent);

/* Adds the identifier to the table of its device. Returns 0 or the error of rdma_restrack_add(). */
int cma_track(struct cma_id *id);
void cma_untrack(struct cma_id *id);

/*
 * Adds the listener of a wildcard to the table of its device. Returns 0 or the error of
 * rdma_restrack_add(). After an error, too, cma_untrack_listener() has to be called.
 */
int cma_track_listener(struct cma_listener *listener);

/*
 * Removes the listener from the table if it was added, and releases the owner of its entry. Does
 * nothing if cma_track_listener() was never called.
 */
void cma_untrack_listener(struct cma_listener *listener);

#endif /* _KRDMA_CMA_TRACK_H_ */
