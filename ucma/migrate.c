// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Identifiers that a process moves to another file.
 */
#include <linux/file.h>

#include "ucma/ucma.h"

static void lock_both(struct ucma_file *a, struct ucma_file *b)
{
	if (a > b)
		swap(a, b);
	mutex_lock(&a->lock);
	if (a != b)
		mutex_lock_nested(&b->lock, SINGLE_DEPTH_NESTING);
}

static void unlock_both(struct ucma_file *a, struct ucma_file *b)
{
	mutex_unlock(&a->lock);
	if (a != b)
		mutex_unlock(&b->lock);
}

/* With all events that have not been fetched; how many had been. */
static int move_locked(struct ucma_ctx *ctx, struct ucma_file *from, struct ucma_file *to)
{
	struct ucma_event *event;
	int ret;

	ret = ucma_ctx_set_file(ctx, from, to);
	if (ret)
		return ret;
	list_for_each_entry(event, &ctx->events, ctx_entry)
		list_move_tail(&event->entry, &to->events);
	list_move_tail(&ctx->entry, &to->ctxs);
	return ctx->events_reported;
}

static int move(struct ucma_ctx *ctx, struct ucma_file *from, struct ucma_file *to)
{
	int ret;

	lock_both(from, to);
	ret = move_locked(ctx, from, to);
	unlock_both(from, to);
	wake_up_interruptible(&to->wait);
	return ret;
}

/* While the handler lock is held, no event is on its way to the old file. */
static int ctx_migrate(struct ucma_ctx *ctx, struct ucma_file *from, struct ucma_file *to)
{
	int ret = -ENODEV;

	mutex_lock(&ctx->lock);
	if (ctx->cm_id) {
		rdma_lock_handler(ctx->cm_id);
		ret = move(ctx, from, to);
		rdma_unlock_handler(ctx->cm_id);
	}
	mutex_unlock(&ctx->lock);
	return ret;
}

int ucma_ctx_migrate(struct ucma_file *to, const struct rdma_ucm_migrate_id *cmd)
{
	struct rdma_ucm_migrate_resp resp;
	struct fd fd = fdget(cmd->fd);
	struct ucma_file *from;
	struct ucma_ctx *ctx;
	int ret = -EINVAL;

	if (!fd.file)
		return -EBADF;
	from = ucma_file_of(fd.file);
	if (!from)
		goto put_fd;
	ctx = ucma_ctx_get(from, cmd->id);
	if (IS_ERR(ctx)) {
		ret = PTR_ERR(ctx);
		goto put_fd;
	}
	ret = ctx_migrate(ctx, from, to);
	ucma_ctx_put(ctx);
put_fd:
	fdput(fd);
	if (ret < 0)
		return ret;
	resp.events_reported = ret;
	return ucma_respond(cmd->response, &resp, sizeof(resp));
}
