// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Creation and destruction of contexts.
 */
#include "ucma/create.h"

#include <linux/fs.h>
#include <uapi/rdma/rdma_user_cm.h>

#include "ucma/command.h"
#include "ucma/ctx.h"
#include "ucma/event.h"
#include "ucma/reply.h"

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

int ucma_create_id(struct file *filp, const void *in, u16 out)
{
	struct ucma_file *file = filp->private_data;
	struct ucma_ctx *ctx = ucma_ctx_new(file, GFP_KERNEL_ACCOUNT);
	const struct rdma_ucm_create_id *cmd = in;
	struct rdma_ucm_create_id_resp resp;
	struct rdma_cm_id *cm_id;
	int ret;

	if (!ctx)
		return -ENOMEM;
	ctx->uid = cmd->uid;
	ctx->has_uid = true;
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
	ucma_ctx_publish(ctx);
	mutex_unlock(&file->lock);
	return 0;

destroy_id:
	rdma_destroy_id(cm_id);
free_ctx:
	ucma_ctx_free(ctx);
	return ret;
}

/*
 * Destroys a context that has been removed from the table. Returns the number of the context's
 * events that the process has fetched.
 */
static u32 ctx_destroy(struct ucma_ctx *ctx)
{
	struct ucma_event *event, *next;
	u32 reported;

	ucma_ctx_end(ctx);
	/* Remove the unfetched events from the file's list, but not yet from the list of @ctx. */
	mutex_lock(&ctx->file->lock);
	list_del(&ctx->entry);
	list_for_each_entry(event, &ctx->events, ctx_entry)
		list_del(&event->entry);
	reported = ctx->events_reported;
	mutex_unlock(&ctx->file->lock);
	/*
	 * Drop the events after the lock is released, because ucma_event_drop() may destroy the
	 * identifier of a connection request. That identifier's context has no events of its own,
	 * because events are queued only after the request was accepted.
	 */
	list_for_each_entry_safe(event, next, &ctx->events, ctx_entry)
		ucma_event_drop(event);
	ucma_ctx_free(ctx);
	return reported;
}

int ucma_destroy_id(struct file *filp, const void *in, u16 out)
{
	const struct rdma_ucm_destroy_id *cmd = in;
	struct rdma_ucm_destroy_id_resp resp;
	struct ucma_ctx *ctx;

	ctx = ucma_ctx_remove(filp->private_data, cmd->id);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	resp.events_reported = ctx_destroy(ctx);
	return ucma_respond(cmd->response, &resp, sizeof(resp));
}

void ucma_ctx_destroy_all(struct ucma_file *file)
{
	struct ucma_ctx *ctx;

	while ((ctx = ucma_ctx_remove_any(file)))
		ctx_destroy(ctx);
}
