/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the files of rdma_ucm.ko share: open files, their contexts, and the workqueue. A context is
 * a process's identifier.
 */
#ifndef _KRDMA_UCMA_UCMA_H_
#define _KRDMA_UCMA_UCMA_H_

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>

/*
 * Limit of unfetched events of a context, beyond which commands that lead to events fail and
 * ADDR_CHANGE is dropped.
 */
#define UCMA_MAX_UNFETCHED 64

/**
 * struct ucma_file - an open file: an event channel of librdmacm
 * @refs: one until the file is closed, and one for each user that locks it by way of a context,
 *	which may move to another file meanwhile
 * @lock: protects the members below; taken with the handler lock of an identifier held, or without.
 *	Two of them nest in the order of their addresses
 * @ctxs: contexts that are published, by ucma_ctx.entry
 * @events: events that have not been fetched, by ucma_event.entry
 * @wait: readers that wait for an event
 */
struct ucma_file {
	refcount_t		refs;
	struct mutex		lock; /* the members below */
	struct list_head	ctxs;
	struct list_head	events;
	wait_queue_head_t	wait;
};

/**
 * struct ucma_ctx - a process's identifier
 * @id: number by which the process names the context
 * @refs: one until the context is destroyed, one for each command, event being fetched and for
 *	@close while it is queued
 * @unused: completed when @refs drops to zero
 * @lock: serializes commands; protects @cm_id and @listening. Taken before the handler lock
 * @cm_id: identifier of rdma_cm; NULL: destroyed, because its device was removed or the context is
 *	being destroyed
 * @close: destroys @cm_id when its device is removed
 * @file: file whose channel receives the events. Changed with the handler lock, the locks of both
 *	files and that of the table of contexts held
 * @entry: in ucma_file.ctxs; empty for a request that has not been fetched
 * @uid: cookie of the process; protected by the handler lock
 * @has_uid: the process has set @uid, by creating or accepting; protected by the handler lock
 * @listening: LISTEN has succeeded
 * @events: unfetched events, including requests on a listener; protected by ucma_file.lock, like
 *	the two members that follow
 * @events_reported: number of events that the process has fetched
 * @unfetched: number of events that it has not fetched; read without the lock, too
 * @backlog: of a listener: how many more requests may wait to be fetched
 */
struct ucma_ctx {
	u32			id;
	refcount_t		refs;
	struct completion	unused;
	struct mutex		lock; /* cm_id, listening */
	struct rdma_cm_id	*cm_id;
	struct work_struct	close;
	struct ucma_file	*file;
	struct list_head	entry;
	u64			uid;
	bool			has_uid;
	bool			listening;
	struct list_head	events;
	u32			events_reported;
	u32			unfetched;
	atomic_t		backlog;
};

/* main.c */
extern struct workqueue_struct *ucma_wq;

#endif /* _KRDMA_UCMA_UCMA_H_ */
