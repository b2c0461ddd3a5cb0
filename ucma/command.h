/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Commands: write() on the file, which runs a command, and the commands' handlers.
 *
 * Handlers get the command in the present layout, with zeros for the members that the process has
 * left out. Handlers return 0 or a negative errno.
 */
#ifndef _KRDMA_UCMA_COMMAND_H_
#define _KRDMA_UCMA_COMMAND_H_

#include <linux/types.h>

struct file;
struct ucma_ctx;
struct ucma_reply;

/* Runs the command at @from. Returns @len or a negative errno. */
ssize_t ucma_write(struct file *filp, const char __user *from, size_t len, loff_t *pos);

/*
 * Commands on a file write their reply themselves. @out: size of the process's buffer for the
 * reply, in bytes. Called without locks. May sleep.
 */

/* create.c */
int ucma_create_id(struct file *filp, const void *in, u16 out);
int ucma_destroy_id(struct file *filp, const void *in, u16 out);
/* migrate.c */
int ucma_migrate_id(struct file *filp, const void *in, u16 out);
/* address.c */
int ucma_leave(struct file *filp, const void *in, u16 out);
/* event.c */
int ucma_get_event(struct file *filp, const void *in, u16 out);
/*
 * option.c: SET_OPTION is a command on a file, because the handler reads the process's memory
 * before it locks the context.
 */
int ucma_set_option(struct file *filp, const void *in, u16 out);

/* Commands on a context are called with ctx->lock held, and ctx->cm_id is not NULL. */

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

/* connect.c: the sysctl for the largest backlog, which a listener also gets if it asks for 0 */
extern int ucma_max_backlog;
/* event.c: the sysctl for the largest number of connection requests that a file may queue */
extern int ucma_max_requests;

#endif /* _KRDMA_UCMA_COMMAND_H_ */
