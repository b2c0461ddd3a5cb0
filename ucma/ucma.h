/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of rdma_ucm.ko share: open files, their identifiers and events, and commands.
 */
#ifndef _KRDMA_UCMA_UCMA_H_
#define _KRDMA_UCMA_UCMA_H_

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/refcount.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>
#include <uapi/rdma/rdma_user_cm.h>

/* Events of an identifier that the process may leave lying about. */
#define UCMA_MAX_UNFETCHED 64

/**
 * struct ucma_file - an open file: an event channel of librdmacm
 * @refs: one until it is closed, one of each that locks it by way of an identifier, which may leave
 *	it meanwhile
 * @lock: guards all below; inside of the handler lock of an identifier, two of them nest in the
 *	order of their addresses
 * @ctxs: identifiers
 * @events: that have not been fetched
 * @wait: those who wait for one
 */
struct ucma_file {
	refcount_t		refs;
	struct mutex		lock; /* guards what follows */
	struct list_head	ctxs;
	struct list_head	events;
	wait_queue_head_t	wait;
};

/**
 * struct ucma_ctx - a process's identifier
 * @id: number that the process knows
 * @refs: one until it is destroyed, one of each command and of the work
 * @unused: completed by the last reference
 * @lock: one command at a time; guards @cm_id. Outside of the handler lock
 * @cm_id: identifier of rdma_cm; NULL: its device has gone
 * @close: destroys @cm_id when that happens
 * @file: where its events go. Changed with the handler lock, and the locks of both files and of the
 *	table held
 * @entry: in its list; a request that nobody has fetched is in none
 * @uid: how the process calls it; guarded by the handler lock, as
 * @has_uid: that it does: it has made it, or accepted it
 * @listening: LISTEN has succeeded; guarded by @lock
 * @events: its own, and requests on it, that are in its file's list; guarded by ucma_file.lock, as
 * @events_reported: fetched by the process
 * @unfetched: not yet; looked at without the lock, too
 * @backlog: LISTEN: how many more requests may be waiting to be fetched
 */
struct ucma_ctx {
	u32			id;
	refcount_t		refs;
	struct completion	unused;
	struct mutex		lock; /* cm_id */
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

/**
 * struct ucma_event - an event that a process has not fetched yet
 * @entry: in ucma_file.events; in none while it is being fetched, as
 * @ctx_entry: in ucma_ctx.events
 * @ctx: whose it is; of a request, the listener's
 * @request: CONNECT_REQUEST: the new identifier
 * @resp: what the process will read
 */
struct ucma_event {
	struct list_head	entry;
	struct list_head	ctx_entry;
	struct ucma_ctx		*ctx;
	struct ucma_ctx		*request;
	struct rdma_ucm_event_resp resp;
};

/**
 * struct ucma_reply - what a command on an identifier will tell, when nothing is locked any more
 * @room: bytes that the process has for it
 * @len: bytes in @data
 * @response: where they go
 * @data: the answer
 */
struct ucma_reply {
	u16			room;
	u16			len;
	u64			response;
	u8			data[320];
};

/* reply.c */
/* Writes the reply to a command into the process's memory. */
int ucma_respond(u64 response, const void *data, size_t len);
/* Keeps as much of a reply as the process has room for, until nothing is locked. */
void ucma_reply(struct ucma_reply *reply, u64 response, const void *data, size_t len);

/* ctx.c */
/* Not known to the process before ucma_ctx_publish(). */
struct ucma_ctx *ucma_ctx_new(struct ucma_file *file);
void ucma_ctx_free(struct ucma_ctx *ctx);
void ucma_ctx_publish(struct ucma_ctx *ctx);
/* With a reference, and of this file; or ERR_PTR. */
struct ucma_ctx *ucma_ctx_get(struct ucma_file *file, u32 id);
void ucma_ctx_put(struct ucma_ctx *ctx);
/* The same with its lock held, until ucma_ctx_unlock(); -ENODEV if its device has gone. */
struct ucma_ctx *ucma_ctx_lock(struct ucma_file *file, u32 id);
void ucma_ctx_unlock(struct ucma_ctx *ctx);
/* The file that it is in now, with a reference; the caller has one to the identifier. */
struct ucma_file *ucma_ctx_file_get(struct ucma_ctx *ctx);
void ucma_file_put(struct ucma_file *file);
/* Fails if it has left @from, or is unpublished: who did that relies on its file. */
int ucma_ctx_set_file(struct ucma_ctx *ctx, struct ucma_file *from, struct ucma_file *to);
/* Unpublishes it: commands do not find it any more. The caller destroys it. */
struct ucma_ctx *ucma_ctx_remove(struct ucma_file *file, u32 id);
/* The same with any that is still published; NULL if there is none. */
struct ucma_ctx *ucma_ctx_remove_any(struct ucma_file *file);
/* Ends the connection, or rejects the request, and waits for the last user: no event follows. */
void ucma_ctx_end(struct ucma_ctx *ctx);
void ucma_ctxs_exit(void);

/* event.c */
int ucma_event_handler(struct rdma_cm_id *cm_id, struct rdma_cm_event *event);
int ucma_event_fetch(struct ucma_file *file, bool nonblock, const struct rdma_ucm_get_event *cmd,
		     u16 out);
void ucma_event_drop(struct ucma_event *event);
bool ucma_event_pending(struct ucma_file *file);

/* create.c */
int ucma_ctx_create(struct ucma_file *file, const struct rdma_ucm_create_id *cmd);
/* One that ucma_ctx_remove() returned. Returns how many of its events the process has fetched. */
u32 ucma_ctx_destroy(struct ucma_ctx *ctx);
/* All that are still published. */
void ucma_ctx_destroy_all(struct ucma_file *file);

/* migrate.c */
int ucma_ctx_migrate(struct ucma_file *to, const struct rdma_ucm_migrate_id *cmd);

/* command.c */
ssize_t ucma_command(struct file *filp, const char __user *from, size_t len);

/* file.c */
extern const struct file_operations ucma_fops;
struct ucma_file *ucma_file_of(struct file *filp);

/* Commands on an identifier, whose lock is held. */
/* address.c */
int ucma_bind_ip(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_bind(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_resolve_ip(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_resolve_addr(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_resolve_route(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_join_ip(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_join(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
/* query.c */
int ucma_query_route(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_query(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
/* connect.c */
int ucma_connect(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_listen(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_accept(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_reject(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_disconnect(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_notify(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
int ucma_init_qp_attr(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
extern int ucma_max_backlog;

/* option.c: with the file, as it reads the process's memory first */
int ucma_set_option(struct ucma_file *file, const struct rdma_ucm_set_option *cmd);

/* main.c */
extern struct workqueue_struct *ucma_wq;

#endif /* _KRDMA_UCMA_UCMA_H_ */
