// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Identifiers of processes: their numbers, their life, and their way from file to file.
 *
 * A command finds an identifier by its number and holds a reference; who destroys takes the number
 * away first, ends the connection, so that there are no events any more, and waits for the
 * references. When the device of an identifier goes, the identifier of rdma_cm has to, at once: a
 * work item destroys that, and commands find none. The rest stays until the process destroys it.
 *
 * What is hidden from commands does not change its file, and who has hidden it works on that.
 */
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "ucma/ucma.h"

/* By number; NULL for one that is not to be found. */
static struct xarray ctxs = XARRAY_INIT(ctxs, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);

/* Afterwards there are no events, and commands find no identifier. */
static void end_connection(struct ucma_ctx *ctx)
{
	struct rdma_cm_id *cm_id;

	mutex_lock(&ctx->lock);
	cm_id = ctx->cm_id;
	ctx->cm_id = NULL;
	mutex_unlock(&ctx->lock);
	if (cm_id)
		rdma_destroy_id(cm_id);
}

/* rdma_cm waits for this one before the device goes. */
static void close_work(struct work_struct *work)
{
	struct ucma_ctx *ctx = container_of(work, struct ucma_ctx, close);

	end_connection(ctx);
	ucma_ctx_put(ctx);
}

struct ucma_ctx *ucma_ctx_new(struct ucma_file *file)
{
	struct ucma_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);

	if (!ctx)
		return NULL;
	refcount_set(&ctx->refs, 1);
	init_completion(&ctx->unused);
	mutex_init(&ctx->lock);
	INIT_WORK(&ctx->close, close_work);
	INIT_LIST_HEAD(&ctx->entry);
	INIT_LIST_HEAD(&ctx->events);
	ctx->file = file;
	/* The number, and no identifier yet. */
	if (xa_alloc(&ctxs, &ctx->id, NULL, xa_limit_31b, GFP_KERNEL_ACCOUNT)) {
		kfree(ctx);
		return NULL;
	}
	return ctx;
}

void ucma_ctx_free(struct ucma_ctx *ctx)
{
	/* It has put its reference, and may be on its way back. */
	flush_work(&ctx->close);
	xa_erase(&ctxs, ctx->id);
	mutex_destroy(&ctx->lock);
	kfree(ctx);
}

/* The process knows the number, or is about to. The lock of the file is held. */
void ucma_ctx_show(struct ucma_ctx *ctx)
{
	lockdep_assert_held(&ctx->file->lock);
	list_add_tail(&ctx->entry, &ctx->file->ctxs);
	/* There is an entry for it already. */
	xa_store(&ctxs, ctx->id, ctx, GFP_KERNEL);
}

static struct ucma_ctx *find_ctx(struct ucma_file *file, u32 id)
{
	struct ucma_ctx *ctx = xa_load(&ctxs, id);

	lockdep_assert_held(&ctxs.xa_lock);
	if (!ctx)
		return ERR_PTR(-ENOENT);
	return READ_ONCE(ctx->file) == file ? ctx : ERR_PTR(-EINVAL);
}

struct ucma_ctx *ucma_ctx_get(struct ucma_file *file, u32 id)
{
	struct ucma_ctx *ctx;

	xa_lock(&ctxs);
	ctx = find_ctx(file, id);
	if (!IS_ERR(ctx))
		refcount_inc(&ctx->refs);
	xa_unlock(&ctxs);
	return ctx;
}

void ucma_ctx_put(struct ucma_ctx *ctx)
{
	if (refcount_dec_and_test(&ctx->refs))
		complete(&ctx->unused);
}

/* A file is not closed before it has lost its identifiers, or they their users. */
struct ucma_file *ucma_ctx_file_get(struct ucma_ctx *ctx)
{
	struct ucma_file *file;

	xa_lock(&ctxs);
	file = ctx->file;
	refcount_inc(&file->refs);
	xa_unlock(&ctxs);
	return file;
}

static void wait_for_users(struct ucma_ctx *ctx)
{
	ucma_ctx_put(ctx);
	wait_for_completion(&ctx->unused);
}

void ucma_ctx_reject(struct ucma_ctx *ctx)
{
	end_connection(ctx);
	wait_for_users(ctx);
	ucma_ctx_free(ctx);
}

/* It leaves its file, and its events with it: they are in its own list only. */
static void leave_file(struct ucma_ctx *ctx)
{
	struct ucma_event *event;

	lockdep_assert_held(&ctx->file->lock);
	list_del(&ctx->entry);
	list_for_each_entry(event, &ctx->events, ctx_entry)
		list_del(&event->entry);
}

/*
 * When the identifier of rdma_cm is gone, so are its events. A request that was not fetched has
 * events of its own only after it was.
 */
u32 ucma_ctx_destroy(struct ucma_ctx *ctx)
{
	struct ucma_event *event, *next;
	u32 reported;

	end_connection(ctx);
	wait_for_users(ctx);
	mutex_lock(&ctx->file->lock);
	leave_file(ctx);
	reported = ctx->events_reported;
	mutex_unlock(&ctx->file->lock);
	list_for_each_entry_safe(event, next, &ctx->events, ctx_entry)
		ucma_event_drop(event);
	ucma_ctx_free(ctx);
	return reported;
}

static enum ib_qp_type qp_type_of(const struct rdma_ucm_create_id *cmd)
{
	switch (cmd->ps) {
	case RDMA_PS_TCP:
		return IB_QPT_RC;
	case RDMA_PS_UDP:
	case RDMA_PS_IPOIB:
		return IB_QPT_UD;
	default:
		return cmd->qp_type;
	}
}

int ucma_ctx_create(struct ucma_file *file, const struct rdma_ucm_create_id *cmd)
{
	struct ucma_ctx *ctx = ucma_ctx_new(file);
	struct rdma_ucm_create_id_resp resp;
	struct rdma_cm_id *cm_id;
	int ret;

	if (!ctx)
		return -ENOMEM;
	ctx->uid = cmd->uid;
	ctx->named = true;
	cm_id = rdma_create_user_id(ucma_event_handler, ctx, cmd->ps, qp_type_of(cmd));
	if (IS_ERR(cm_id)) {
		ret = PTR_ERR(cm_id);
		goto free_ctx;
	}
	ctx->cm_id = cm_id;
	resp.id = ctx->id;
	ret = ucma_respond(cmd->response, &resp, sizeof(resp));
	if (ret)
		goto destroy_id;
	mutex_lock(&file->lock);
	ucma_ctx_show(ctx);
	mutex_unlock(&file->lock);
	return 0;

destroy_id:
	rdma_destroy_id(cm_id);
free_ctx:
	ucma_ctx_free(ctx);
	return ret;
}

/* Its number leads nowhere from now on, and it stays with its file. */
static void hide(struct ucma_ctx *ctx)
{
	lockdep_assert_held(&ctxs.xa_lock);
	__xa_cmpxchg(&ctxs, ctx->id, ctx, XA_ZERO_ENTRY, 0);
}

struct ucma_ctx *ucma_ctx_take(struct ucma_file *file, u32 id)
{
	struct ucma_ctx *ctx;

	xa_lock(&ctxs);
	ctx = find_ctx(file, id);
	if (!IS_ERR(ctx))
		hide(ctx);
	xa_unlock(&ctxs);
	return ctx;
}

/* One that nobody else is about to destroy. */
static struct ucma_ctx *take_any(struct ucma_file *file)
{
	struct ucma_ctx *ctx, *found = NULL;

	mutex_lock(&file->lock);
	xa_lock(&ctxs);
	list_for_each_entry(ctx, &file->ctxs, entry)
		if (xa_load(&ctxs, ctx->id) == ctx) {
			hide(ctx);
			found = ctx;
			break;
		}
	xa_unlock(&ctxs);
	mutex_unlock(&file->lock);
	return found;
}

void ucma_ctx_destroy_all(struct ucma_file *file)
{
	struct ucma_ctx *ctx;

	while ((ctx = take_any(file)))
		ucma_ctx_destroy(ctx);
}

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

/* Who has hidden it counts on its file to stay. It may also have left @from meanwhile. */
static int set_file(struct ucma_ctx *ctx, struct ucma_file *from, struct ucma_file *to)
{
	struct ucma_ctx *found;

	xa_lock(&ctxs);
	found = find_ctx(from, ctx->id);
	if (!IS_ERR(found))
		WRITE_ONCE(ctx->file, to);
	xa_unlock(&ctxs);
	return PTR_ERR_OR_ZERO(found);
}

/* With all events that have not been fetched; how many had been. */
static int move_locked(struct ucma_ctx *ctx, struct ucma_file *from, struct ucma_file *to)
{
	struct ucma_event *event;
	int ret;

	ret = set_file(ctx, from, to);
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

void ucma_ctxs_exit(void)
{
	WARN_ON(!xa_empty(&ctxs));
	xa_destroy(&ctxs);
}
