// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands about connections.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched/signal.h>

#include "ucma/ucma.h"

/* What a process may say as its backlog, and gets if it says more or nothing. */
int ucma_max_backlog = 1024;

static struct rdma_conn_param conn_param(const struct rdma_ucm_conn_param *from)
{
	return (struct rdma_conn_param) {
		.private_data = from->private_data,
		.private_data_len = from->private_data_len,
		.responder_resources = from->responder_resources,
		.initiator_depth = from->initiator_depth,
		.flow_control = from->flow_control,
		.retry_count = from->retry_count,
		.rnr_retry_count = from->rnr_retry_count,
		.srq = from->srq,
		.qp_num = from->qp_num,
		.qkey = from->qkey,
	};
}

/* Who runs a program with rights of another user does not have its QPs. */
static bool is_same_user(struct task_struct *task)
{
	return uid_eq(task_uid(task), current_uid()) && uid_eq(task_euid(task), current_euid());
}

/* Its own process or user. */
static bool owns(const struct rdma_restrack_entry *qp)
{
	return qp->user && (same_thread_group(qp->task, current) || is_same_user(qp->task));
}

/*
 * A QP is named by its number, and any number can be guessed: those of others, and of the kernel,
 * are for the administrator only. It stays, and keeps its number, until the reference to its entry
 * is put.
 */
static struct rdma_restrack_entry *hold_qp(const struct ucma_ctx *ctx, u32 qpn)
{
	struct ib_device *ibdev = ctx->cm_id->device;
	struct rdma_restrack_entry *qp;

	if (!ibdev)
		return ERR_PTR(-EINVAL);
	qp = rdma_restrack_get_byid(ibdev, RDMA_RESTRACK_QP, qpn);
	if (IS_ERR(qp))
		return ERR_PTR(-EINVAL);
	if (owns(qp) || capable(CAP_NET_ADMIN))
		return qp;
	rdma_restrack_put(qp);
	return ERR_PTR(-EPERM);
}

int ucma_connect(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_connect *cmd = in;
	struct rdma_conn_param param = conn_param(&cmd->conn_param);
	struct rdma_ucm_ece ece = cmd->ece;
	struct rdma_restrack_entry *qp;
	int ret;

	if (!cmd->conn_param.valid)
		return -EINVAL;
	qp = hold_qp(ctx, param.qp_num);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	ret = rdma_connect_ece(ctx->cm_id, &param, &ece);
	rdma_restrack_put(qp);
	return ret;
}

int ucma_listen(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_listen *cmd = in;
	unsigned int max = READ_ONCE(ucma_max_backlog);
	unsigned int backlog = cmd->backlog;
	int ret;

	if (ctx->listening)
		return -EINVAL;
	if (!backlog || backlog > max)
		backlog = max;
	/* Requests may come before the call returns. */
	atomic_set(&ctx->backlog, backlog);
	ret = rdma_listen(ctx->cm_id, backlog);
	ctx->listening = !ret;
	return ret;
}

/* From here on its events have somebody to go to. */
static int accept(struct ucma_ctx *ctx, const struct rdma_ucm_accept *cmd,
		  struct rdma_conn_param *param)
{
	struct rdma_ucm_ece ece = cmd->ece;
	int ret;

	rdma_lock_handler(ctx->cm_id);
	ret = rdma_accept_ece(ctx->cm_id, param, &ece);
	if (!ret) {
		ctx->uid = cmd->uid;
		ctx->has_uid = true;
	}
	rdma_unlock_handler(ctx->cm_id);
	return ret;
}

int ucma_accept(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_accept *cmd = in;
	struct rdma_conn_param param = conn_param(&cmd->conn_param);
	struct rdma_restrack_entry *qp;
	int ret;

	if (!cmd->conn_param.valid)
		return accept(ctx, cmd, NULL);
	qp = hold_qp(ctx, param.qp_num);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	ret = accept(ctx, cmd, &param);
	rdma_restrack_put(qp);
	return ret;
}

int ucma_reject(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_reject *cmd = in;

	return rdma_reject(ctx->cm_id, cmd->private_data, cmd->private_data_len, cmd->reason);
}

int ucma_disconnect(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	return rdma_disconnect(ctx->cm_id);
}

int ucma_notify(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_notify *cmd = in;

	return rdma_notify(ctx->cm_id, cmd->event);
}

/* In the form that processes have; no path, as iWARP has none. */
static void put_qp_attr(struct ib_uverbs_qp_attr *to, const struct ib_qp_attr *from)
{
	IB_USER_COPY_QP_ATTR(to, from);
	IB_USER_COPY_QP_CAP(to, &from->cap);
	to->en_sqd_async_notify = from->en_sqd_async_notify;
	to->sq_draining = from->sq_draining;
}

int ucma_init_qp_attr(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_init_qp_attr *cmd = in;
	struct ib_qp_attr attr = { .qp_state = cmd->qp_state };
	struct ib_uverbs_qp_attr resp = {};
	int mask, ret;

	if (cmd->qp_state > IB_QPS_ERR)
		return -EINVAL;
	rdma_lock_handler(ctx->cm_id);
	ret = rdma_init_qp_attr(ctx->cm_id, &attr, &mask);
	rdma_unlock_handler(ctx->cm_id);
	if (ret)
		return ret;
	resp.qp_attr_mask = mask;
	put_qp_attr(&resp, &attr);
	ucma_reply(reply, cmd->response, &resp, sizeof(resp));
	return 0;
}
