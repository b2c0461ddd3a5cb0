/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Functions that add verbs objects to the resource table and remove them.
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
 * @caller: name of the module that owns the object; NULL: the calling process owns it
 *
 * Process context, may sleep. Called as the last step of a creation, because a look-up may ask the
 * provider about the object as soon as the object is in the table.
 *
 * Return: 0; -ENOMEM; -EBUSY: the provider has given two QPs the same number. On error the entry
 * holds no reference to a process.
 */
int verbs_track(struct ib_device *dev, struct rdma_restrack_entry *res,
		enum rdma_restrack_type type, const char *caller);

/**
 * verbs_untrack - take an object out of the resource table
 * @dev: the device
 * @res: the object's entry
 *
 * Process context, sleeps until no look-up uses the object. Called as the first step of a
 * destruction, which ends with verbs_untrack_end().
 *
 * Return: the process that owns the object, with a reference for verbs_untrack_end(); NULL if a
 * module owns it.
 */
struct task_struct *verbs_untrack(struct ib_device *dev, struct rdma_restrack_entry *res);

/**
 * verbs_untrack_end - finish what verbs_untrack() began
 * @dev: the device
 * @res: the object's entry; not touched if @ret is 0
 * @owner: the result of verbs_untrack(); the reference is dropped
 * @ret: 0, or the error with which the provider has refused to destroy the object
 *
 * Process context, may sleep. If @ret is an error, the object still exists and is entered into the
 * table again, under a new number unless the object is a QP. If there is no memory for the entry,
 * the object stays out of the table, and a warning is logged.
 */
void verbs_untrack_end(struct ib_device *dev, struct rdma_restrack_entry *res,
		       struct task_struct *owner, int ret);

#endif /* _KRDMA_VERBS_TRACK_H_ */
