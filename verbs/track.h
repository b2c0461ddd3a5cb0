/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How verbs objects enter and leave the resource table.
 */
#ifndef _KRDMA_VERBS_TRACK_H_
#define _KRDMA_VERBS_TRACK_H_

#include <rdma/restrack.h>

struct ib_device;
struct task_struct;

/**
 * verbs_track - enter an object into the resource table
 * @dev: the device
 * @res: the object's entry
 * @type: kind of object
 * @caller: module named as owner; NULL for the calling process
 *
 * Process context, may sleep. The last step of a creation, because a look-up may ask the provider
 * about the object as soon as it is in the table.
 *
 * Return: 0; -ENOMEM; -EBUSY if a provider numbered two QPs alike. On error the entry owns nothing.
 */
int verbs_track(struct ib_device *dev, struct rdma_restrack_entry *res,
		enum rdma_restrack_type type, const char *caller);

/**
 * verbs_untrack - take an object out of the resource table
 * @dev: the device
 * @res: the object's entry
 *
 * Process context, sleeps until no look-up uses the object. The first step of a destruction;
 * verbs_untrack_end() follows.
 *
 * Return: the process that owns the object, with a reference for verbs_untrack_end(), or NULL.
 */
struct task_struct *verbs_untrack(struct ib_device *dev, struct rdma_restrack_entry *res);

/**
 * verbs_untrack_end - finish what verbs_untrack() began
 * @dev: the device
 * @res: the object's entry; not touched if @ret is 0
 * @owner: as verbs_untrack() returned it; the reference is dropped
 * @ret: what the provider answered when it was asked to destroy the object
 *
 * Process context, may sleep. If @ret is an error, the object lives on and is entered again, under
 * a new number. Without memory for that it stays out of the table, with a warning.
 */
void verbs_untrack_end(struct ib_device *dev, struct rdma_restrack_entry *res,
		       struct task_struct *owner, int ret);

#endif /* _KRDMA_VERBS_TRACK_H_ */
