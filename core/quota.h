/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Counts and limits the devices that the owners of user namespaces make.
 */
#ifndef _KRDMA_CORE_QUOTA_H_
#define _KRDMA_CORE_QUOTA_H_

#include <linux/list.h>

struct ib_device;
struct task_struct;
struct user_namespace;

/*
 * A call of newlink() in progress, on behalf of the owner of a user namespace. @ns is this user
 * namespace or its outermost ancestor, not counting the initial user namespace. The structure is on
 * the stack of the function that calls newlink().
 */
struct ib_core_maker {
	struct list_head	list;
	struct task_struct	*task;
	struct user_namespace	*ns;
};

/* Returns whether owners of user namespaces may make devices at all. Any context. */
bool ib_core_quota_allows(void);

/*
 * Between these two calls, the devices that the calling thread registers count as made by the owner
 * of @ns. The caller holds a reference to @ns. @ns is not the initial user namespace. Process
 * context.
 */
void ib_core_maker_begin(struct ib_core_maker *maker, struct user_namespace *ns);
void ib_core_maker_end(struct ib_core_maker *maker);

/**
 * ib_core_quota_charge - count a device as made by the owner of a user namespace
 * @dev: a device that is being registered, and has a number
 *
 * Process context. Has no effect unless the thread is between ib_core_maker_begin() and
 * ib_core_maker_end(). The device is counted as long as it has a number, even after a move to
 * another network namespace.
 *
 * Return: 0; -ENOSPC: the limit is reached that the user namespace shares with others (quota.c).
 */
int ib_core_quota_charge(struct ib_device *dev);

/* Drops the device's reference to dev->maker_ns. Called when the device is freed. */
void ib_core_quota_release(struct ib_device *dev);

#endif /* _KRDMA_CORE_QUOTA_H_ */
