// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * MIGRATE_ID: a process moves a context to another file.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <uapi/rdma/rdma_user_cm.h>

#include "ucma/command.h"
#include "ucma/ctx.h"
#include "ucma/event.h"
#include "ucma/file.h"
#include "ucma/reply.h"

/*
 * Moves the context with all its unfetched events. Returns the number of the context's events that
 * the process has fetched, or a negative errno. Called with ctx->lock and the handler lock held.
 * While the handler lock is held, no event is queued to the old file.
 */
static int move_ctx(struct ucma_ctx *ctx, struct ucma_file *from, struct ucma_file *to)
{
	struct ucma_file *first = min(from, to);
	struct ucma_file *second = max(from, to);
	struct ucma_event *event;
	int ret;

	lockdep_assert_held(&ctx->lock);
	mutex_lock(&first->lock);
	if (first != second)
		mutex_lock_nested(&second->lock, SINGLE_DEPTH_NESTING);
	ret = ucma_ctx_set_file(ctx, from, to);
	if (!ret) {
		list_for_each_entry(event, &ctx->events, ctx_entry) {
			if (!list_empty(&event->entry))
				list_move_tail(&event->entry, &to->events);
			if (event->request) {
				atomic_dec(&from->requests);
				atomic_inc(&to->requests);
			}
		}
		list_move_tail(&ctx->entry, &to->ctxs);
		ret = ctx->events_reported;
	}
	if (first != second)
		mutex_unlock(&second->lock);
	mutex_unlock(&first->lock);
	wake_up_interruptible(&to->wait);
	return ret;
}

int ucma_migrate_id(struct file *filp, const void *in, u16 out)
{
	const struct rdma_ucm_migrate_id *cmd = in;
	struct rdma_ucm_migrate_resp resp;
	struct fd fd = fdget(cmd->fd);
	struct ucma_file *from;
	struct ucma_ctx *ctx;
	int ret = -EINVAL;

	if (!fd_file(fd))
		return -EBADF;
	from = ucma_file_of(fd_file(fd));
	if (!from)
		goto put_fd;
	ctx = ucma_ctx_lock(from, cmd->id);
	if (IS_ERR(ctx)) {
		ret = PTR_ERR(ctx);
		goto put_fd;
	}
	rdma_lock_handler(ctx->cm_id);
	ret = move_ctx(ctx, from, filp->private_data);
	rdma_unlock_handler(ctx->cm_id);
	ucma_ctx_unlock(ctx);
put_fd:
	fdput(fd);
	if (ret < 0)
		return ret;
	resp.events_reported = ret;
	return ucma_respond(cmd->response, &resp, sizeof(resp));
}
