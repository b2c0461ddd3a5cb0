/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Open files, their contexts and the workqueue, which all parts of rdma_ucm.ko use. A context holds
 * an identifier (struct rdma_cm_id) of a process.
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
 * Limit of the unfetched events of a context. When the limit is reached, commands that lead to
 * events fail, and ADDR_CHANGE is dropped.
 */
#define UCMA_MAX_UNFETCHED 64

/**
 * struct ucma_file - an open file: an event channel of librdmacm
 * @refs: number of references: one until the file is closed, and one for each thread between
 *	ctx_file_lock() and ctx_file_unlock(). Such a thread needs a reference, because the thread's
 *	context may move to another file, and this file may be closed, while the thread waits for
 *	@lock
 * @lock: protects the members below; may be taken with the handler lock of an identifier held. The
 *	locks of two files are taken in the order of the files' addresses
 * @ctxs: published contexts, by ucma_ctx.entry
 * @events: unfetched events, by ucma_event.entry
 * @wait: threads that wait for an event
 * @requests: number of unfetched requests on the listeners of the file, including requests that are
 *	just being queued
 */
struct ucma_file {
	refcount_t		refs;
	struct mutex		lock; /* protects the members below */
	struct list_head	ctxs;
	struct list_head	events;
	wait_queue_head_t	wait;
	atomic_t		requests;
};

/**
 * struct ucma_ctx - a process's identifier
 * @id: number by which the process names the context
 * @refs: number of references: one until the context is destroyed, one for each command that uses
 *	the context, and one for @close from when it is queued until it has run. A thread that has a
 *	reference never waits for a page fault in the process's memory
 * @unused: completed when @refs drops to zero
 * @lock: serializes commands; protects @cm_id and @listening. Taken before the handler lock
 * @ending: serializes the threads that end the connection. Taken before @lock; @cm_id is cleared
 *	with @lock and @ending held
 * @cm_id: identifier of rdma_cm; NULL: destroyed, because its device was removed or the context is
 *	being destroyed
 * @close: destroys @cm_id when its device is removed
 * @file: file that receives the events. Changed with the handler lock, the locks of both files and
 *	the lock of the table of contexts held. Before a context is published, end_fetch() changes
 *	this member with only the lock of the new file held
 * @entry: in ucma_file.ctxs; empty for a request that has not been fetched
 * @uid: number that the process gives to the context; protected by the handler lock
 * @has_uid: @uid is set: the process has created the context, or accepted its request; protected by
 *	the handler lock
 * @listening: LISTEN has succeeded
 * @events: unfetched events, including requests on a listener and events that are just being
 *	fetched. ucma_file.lock protects this list and the next two members
 * @events_reported: number of events that the process has fetched
 * @unfetched: number of events that the process has not fetched; also read without the lock
 * @backlog: for a listener: number of further requests that may be queued; fetching a request makes
 *	room for one more
 */
struct ucma_ctx {
	u32			id;
	refcount_t		refs;
	struct completion	unused;
	struct mutex		lock; /* serializes commands; protects @cm_id and @listening */
	struct mutex		ending; /* held while @cm_id is cleared */
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
