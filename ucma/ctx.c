// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Contexts: the table of their numbers, the references to them, and the file that each is in.
 *
 * A command finds a context by its number and holds a reference. The thread that destroys a context
 * first removes the context from the table. The thread then ends the connection, so that no more
 * events come, and waits until all references are dropped.
 *
 * When the device of a context is removed, the context's rdma_cm identifier has to be destroyed at
 * once. A work item destroys the identifier, and afterwards commands on the context fail. The rest
 * of the context stays until the process destroys the context.
 *
 * A context that has been removed from the table never moves to another file, because the thread
 * that destroys the context uses ucma_ctx.file without the table's lock.
 */
#include "ucma/ctx.h"

#include <linux/slab.h>
#include <linux/xarray.h>

/*
 * Table of the contexts by number. A context that is not published has a reserved entry, which
 * look-ups do not find. The lock of the table also protects ucma_ctx.file of published contexts.
 */
static struct xarray ctxs = XARRAY_INIT(ctxs, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);

/*
 * Destroys the context's identifier. Afterwards no event comes, and commands on the context fail
 * with -ENODEV.
 */
static void end_connection(struct ucma_ctx *ctx)
{
	struct rdma_cm_id *cm_id;

	mutex_lock(&ctx->ending);
	/*
	 * Cancel a LISTEN command that is running, because it holds ctx->lock while it waits for
	 * the port mapper's daemon.
	 */
	if (ctx->cm_id)
		rdma_cancel_listen(ctx->cm_id);
	mutex_lock(&ctx->lock);
	cm_id = ctx->cm_id;
	ctx->cm_id = NULL;
	mutex_unlock(&ctx->lock);
	mutex_unlock(&ctx->ending);
	if (cm_id)
		rdma_destroy_id(cm_id);
}

/* Runs after DEVICE_REMOVAL. The removal of the device waits until the identifier is destroyed. */
static void ctx_close_work(struct work_struct *work)
{
	struct ucma_ctx *ctx = container_of(work, struct ucma_ctx, close);

	end_connection(ctx);
	ucma_ctx_put(ctx);
}

struct ucma_ctx *ucma_ctx_new(struct ucma_file *file, gfp_t gfp)
{
	struct ucma_ctx *ctx = kzalloc(sizeof(*ctx), gfp);

	if (!ctx)
		return NULL;
	refcount_set(&ctx->refs, 1);
	init_completion(&ctx->unused);
	mutex_init(&ctx->lock);
	mutex_init(&ctx->ending);
	INIT_WORK(&ctx->close, ctx_close_work);
	INIT_LIST_HEAD(&ctx->entry);
	INIT_LIST_HEAD(&ctx->events);
	ctx->file = file;
	/* Reserve the number with NULL, which ucma_ctx_publish() replaces with the context. */
	if (xa_alloc(&ctxs, &ctx->id, NULL, xa_limit_31b, gfp)) {
		kfree(ctx);
		return NULL;
	}
	return ctx;
}

void ucma_ctx_free(struct ucma_ctx *ctx)
{
	/* The work item has dropped its reference, but may not have returned yet. */
	flush_work(&ctx->close);
	xa_erase(&ctxs, ctx->id);
	mutex_destroy(&ctx->ending);
	mutex_destroy(&ctx->lock);
	kfree(ctx);
}

void ucma_ctx_publish(struct ucma_ctx *ctx)
{
	lockdep_assert_held(&ctx->file->lock);
	list_add_tail(&ctx->entry, &ctx->file->ctxs);
	/* xa_store() cannot fail, because the entry is reserved. */
	xa_store(&ctxs, ctx->id, ctx, GFP_KERNEL);
}

static struct ucma_ctx *find_ctx(struct ucma_file *file, u32 id)
	__must_hold(&ctxs.xa_lock)
{
	struct ucma_ctx *ctx = xa_load(&ctxs, id);

	lockdep_assert_held(&ctxs.xa_lock);
	if (!ctx)
		return ERR_PTR(-ENOENT);
	return !file || READ_ONCE(ctx->file) == file ? ctx : ERR_PTR(-EINVAL);
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

struct ucma_ctx *ucma_ctx_lock(struct ucma_file *file, u32 id)
{
	struct ucma_ctx *ctx = ucma_ctx_get(file, id);

	if (IS_ERR(ctx))
		return ctx;
	/*
	 * Let a signal that kills the process end the wait, which may be long: the LISTEN command
	 * holds the lock while it waits for the port mapper's daemon.
	 */
	if (mutex_lock_killable(&ctx->lock)) {
		ucma_ctx_put(ctx);
		return ERR_PTR(-EINTR);
	}
	if (ctx->cm_id)
		return ctx;
	ucma_ctx_unlock(ctx);
	return ERR_PTR(-ENODEV);
}

void ucma_ctx_unlock(struct ucma_ctx *ctx)
{
	mutex_unlock(&ctx->lock);
	ucma_ctx_put(ctx);
}

/*
 * ctx->file is valid, because the caller has a reference to the context. A file is freed only after
 * each of its contexts has moved to another file or has lost its last reference.
 */
struct ucma_file *ucma_ctx_file_get(struct ucma_ctx *ctx)
{
	struct ucma_file *file;

	xa_lock(&ctxs);
	file = ctx->file;
	refcount_inc(&file->refs);
	xa_unlock(&ctxs);
	return file;
}

void ucma_file_put(struct ucma_file *file)
{
	if (!refcount_dec_and_test(&file->refs))
		return;
	mutex_destroy(&file->lock);
	kfree(file);
}

void ucma_ctx_end(struct ucma_ctx *ctx)
{
	might_sleep();
	end_connection(ctx);
	ucma_ctx_put(ctx);
	wait_for_completion(&ctx->unused);
}

/* Hides a context: from now on, no command finds it, and it does not move to another file. */
static void unpublish(struct ucma_ctx *ctx)
	__must_hold(&ctxs.xa_lock)
{
	lockdep_assert_held(&ctxs.xa_lock);
	__xa_cmpxchg(&ctxs, ctx->id, ctx, XA_ZERO_ENTRY, 0);
}

struct ucma_ctx *ucma_ctx_remove(struct ucma_file *file, u32 id)
{
	struct ucma_ctx *ctx;

	xa_lock(&ctxs);
	ctx = find_ctx(file, id);
	if (!IS_ERR(ctx))
		unpublish(ctx);
	xa_unlock(&ctxs);
	return ctx;
}

struct ucma_ctx *ucma_ctx_remove_any(struct ucma_file *file)
{
	struct ucma_ctx *ctx, *found = NULL;

	mutex_lock(&file->lock);
	xa_lock(&ctxs);
	list_for_each_entry(ctx, &file->ctxs, entry)
		if (xa_load(&ctxs, ctx->id) == ctx) {
			unpublish(ctx);
			found = ctx;
			break;
		}
	xa_unlock(&ctxs);
	mutex_unlock(&file->lock);
	return found;
}

int ucma_ctx_set_file(struct ucma_ctx *ctx, struct ucma_file *from, struct ucma_file *to)
{
	struct ucma_ctx *found;

	lockdep_assert_held(&from->lock);
	lockdep_assert_held(&to->lock);
	xa_lock(&ctxs);
	found = find_ctx(from, ctx->id);
	if (!IS_ERR(found))
		WRITE_ONCE(ctx->file, to);
	xa_unlock(&ctxs);
	return PTR_ERR_OR_ZERO(found);
}

void ucma_ctxs_exit(void)
{
	WARN_ON(!xa_empty(&ctxs));
	xa_destroy(&ctxs);
}
