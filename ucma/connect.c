// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands that establish and end connections.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched/signal.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdma_user_cm.h>

#include "ucma/command.h"
#include "ucma/reply.h"
#include "ucma/ucma.h"

int ucma_max_backlog = 1024;

/*
 * Converts the parameters that a process has passed. Leaves out the Q_Key, because a controlled
 * Q_Key is for privileged processes only.
 */
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
	};
}

/*
 * Returns whether the QP belongs to this process, or to a process with the same real and the same
 * effective user ID. Both IDs are compared, so that a user who runs a set-user-ID program has no
 * access to that program's QPs.
 */
static bool may_use_qp(const struct rdma_restrack_entry *qp)
{
	if (!qp->user)
		return false;
	return same_thread_group(qp->task, current) ||
	       (uid_eq(task_uid(qp->task), current_uid()) &&
		uid_eq(task_cred_xxx(qp->task, euid), current_euid()));
}

/*
 * Returns the entry of QP @qpn in the resource table. Until the caller drops its reference to the
 * entry, the QP is not destroyed. Returns ERR_PTR(-EINVAL) if the identifier has no device, or the
 * device has no such QP; ERR_PTR(-EPERM) if the process may not use the QP. Only the administrator
 * may use QPs of other users and of the kernel, because QP numbers can be guessed.
 */
static struct rdma_restrack_entry *get_qp(const struct ucma_ctx *ctx, u32 qpn)
{
	struct ib_device *ibdev = ctx->cm_id->device;
	struct rdma_restrack_entry *qp;

	lockdep_assert_held(&ctx->lock);
	if (!ibdev)
		return ERR_PTR(-EINVAL);
	qp = rdma_restrack_get_byid(ibdev, RDMA_RESTRACK_QP, qpn);
	if (IS_ERR(qp))
		return ERR_PTR(-EINVAL);
	if (may_use_qp(qp) || capable(CAP_NET_ADMIN))
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
	qp = get_qp(ctx, param.qp_num);
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

	lockdep_assert_held(&ctx->lock);
	if (ctx->listening)
		return -EINVAL;
	if (!backlog || backlog > max)
		backlog = max;
	/* Set the backlog first, because requests may be delivered before rdma_listen() returns. */
	atomic_set(&ctx->backlog, backlog);
	ret = rdma_listen(ctx->cm_id, backlog);
	ctx->listening = !ret;
	return ret;
}

/*
 * Accepts the request with @param. If @param is NULL, rdma_accept_ece() rejects the request and
 * fails.
 */
static int accept_request(struct ucma_ctx *ctx, const struct rdma_ucm_accept *cmd,
			  struct rdma_conn_param *param)
{
	struct rdma_ucm_ece ece = cmd->ece;
	int ret;

	lockdep_assert_held(&ctx->lock);
	rdma_lock_handler(ctx->cm_id);
	ret = rdma_accept_ece(ctx->cm_id, param, &ece);
	/*
	 * Set both members together: once has_uid is set, events are queued, and each carries the
	 * uid.
	 */
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
		return accept_request(ctx, cmd, NULL);
	qp = get_qp(ctx, param.qp_num);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	ret = accept_request(ctx, cmd, &param);
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

int ucma_init_qp_attr(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_init_qp_attr *cmd = in;
	struct ib_qp_attr attr = { .qp_state = cmd->qp_state };
	struct ib_uverbs_qp_attr resp = {};
	int mask, ret;

	rdma_lock_handler(ctx->cm_id);
	ret = rdma_init_qp_attr(ctx->cm_id, &attr, &mask);
	rdma_unlock_handler(ctx->cm_id);
	if (ret)
		return ret;
	resp.qp_attr_mask = mask;
	/* Address vectors are left out, because iWARP has no paths. */
	IB_USER_COPY_QP_ATTR(&resp, &attr);
	IB_USER_COPY_QP_CAP(&resp, &attr.cap);
	resp.en_sqd_async_notify = attr.en_sqd_async_notify;
	resp.sq_draining = attr.sq_draining;
	ucma_reply(reply, cmd->response, &resp, sizeof(resp));
	return 0;
}
