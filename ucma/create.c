// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Identifiers that processes create and destroy.
 */
#include "ucma/ucma.h"

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

	ucma_ctx_end(ctx);
	mutex_lock(&ctx->file->lock);
	leave_file(ctx);
	reported = ctx->events_reported;
	mutex_unlock(&ctx->file->lock);
	list_for_each_entry_safe(event, next, &ctx->events, ctx_entry)
		ucma_event_drop(event);
	ucma_ctx_free(ctx);
	return reported;
}

void ucma_ctx_destroy_all(struct ucma_file *file)
{
	struct ucma_ctx *ctx;

	while ((ctx = ucma_ctx_remove_any(file)))
		ucma_ctx_destroy(ctx);
}
