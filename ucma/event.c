// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Events on their way to processes.
 */
#include <linux/slab.h>

#include "ucma/ucma.h"

static void put_conn(struct rdma_ucm_conn_param *to, const struct rdma_conn_param *from)
{
	if (from->private_data_len)
		memcpy(to->private_data, from->private_data, from->private_data_len);
	to->private_data_len = from->private_data_len;
	to->responder_resources = from->responder_resources;
	to->initiator_depth = from->initiator_depth;
	to->flow_control = from->flow_control;
	to->retry_count = from->retry_count;
	to->rnr_retry_count = from->rnr_retry_count;
	to->srq = from->srq;
	to->qp_num = from->qp_num;
}

static struct ucma_event *new_event(struct ucma_ctx *ctx, const struct rdma_cm_event *event)
{
	struct ucma_event *uevent = kzalloc(sizeof(*uevent), GFP_KERNEL_ACCOUNT);

	if (!uevent)
		return NULL;
	uevent->ctx = ctx;
	uevent->resp.uid = ctx->uid;
	uevent->resp.id = ctx->id;
	uevent->resp.event = event->event;
	uevent->resp.status = event->status;
	uevent->resp.ece = event->ece;
	put_conn(&uevent->resp.param.conn, &event->param.conn);
	return uevent;
}

static void queue(struct ucma_event *uevent)
{
	struct ucma_file *file = uevent->ctx->file;

	mutex_lock(&file->lock);
	list_add_tail(&uevent->entry, &file->events);
	list_add_tail(&uevent->ctx_entry, &uevent->ctx->events);
	WRITE_ONCE(uevent->ctx->unfetched, uevent->ctx->unfetched + 1);
	mutex_unlock(&file->lock);
	wake_up_interruptible(&file->wait);
}

/* An event that nobody will fetch. */
void ucma_event_drop(struct ucma_event *uevent)
{
	if (uevent->request) {
		atomic_inc(&uevent->ctx->backlog);
		/* That rejects it. */
		ucma_ctx_end(uevent->request);
		ucma_ctx_free(uevent->request);
	}
	kfree(uevent);
}

/* Not 0: the request is rejected. */
static int take_request(struct ucma_ctx *listener, struct rdma_cm_id *cm_id,
			struct rdma_cm_event *event)
{
	struct ucma_event *uevent;
	struct ucma_ctx *ctx;

	if (!atomic_add_unless(&listener->backlog, -1, 0))
		return -ECONNREFUSED;
	ctx = ucma_ctx_new(listener->file);
	if (!ctx)
		goto restore;
	uevent = new_event(listener, event);
	if (!uevent)
		goto free_ctx;
	ctx->cm_id = cm_id;
	cm_id->context = ctx;
	uevent->request = ctx;
	uevent->resp.id = ctx->id;
	queue(uevent);
	return 0;

free_ctx:
	ucma_ctx_free(ctx);
restore:
	atomic_inc(&listener->backlog);
	return -ENOMEM;
}

/* The device waits for the identifier of rdma_cm, which cannot be destroyed in its own handler. */
static void schedule_close(struct ucma_ctx *ctx)
{
	refcount_inc(&ctx->refs);
	queue_work(ucma_wq, &ctx->close);
}

/* One that no command leads to, which could come for ever. */
static bool over_limit(const struct ucma_ctx *ctx, const struct rdma_cm_event *event)
{
	return event->event == RDMA_CM_EVENT_ADDR_CHANGE &&
	       READ_ONCE(ctx->unfetched) >= UCMA_MAX_UNFETCHED;
}

/*
 * Events of a request that the process has not accepted yet have nobody to go to: the accept will
 * fail.
 */
int ucma_event_handler(struct rdma_cm_id *cm_id, struct rdma_cm_event *event)
{
	struct ucma_ctx *ctx = cm_id->context;
	struct ucma_event *uevent;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		return take_request(ctx, cm_id, event);
	if (event->event == RDMA_CM_EVENT_DEVICE_REMOVAL)
		schedule_close(ctx);
	if (!ctx->has_uid || over_limit(ctx, event))
		return 0;
	uevent = new_event(ctx, event);
	/* Without memory the process hears nothing; it has to know by its queues. */
	if (uevent)
		queue(uevent);
	return 0;
}

bool ucma_event_pending(struct ucma_file *file)
{
	return !list_empty_careful(&file->events);
}

/* The first one, with a reference to its identifier; those being destroyed take theirs along. */
static struct ucma_event *take_event(struct ucma_file *file)
{
	struct ucma_event *uevent, *found = NULL;

	mutex_lock(&file->lock);
	list_for_each_entry(uevent, &file->events, entry)
		if (refcount_inc_not_zero(&uevent->ctx->refs)) {
			list_del(&uevent->entry);
			list_del(&uevent->ctx_entry);
			found = uevent;
			break;
		}
	mutex_unlock(&file->lock);
	return found;
}

static struct ucma_event *wait_for_event(struct ucma_file *file, bool nonblock)
{
	struct ucma_event *uevent;
	int ret;

	for (;;) {
		uevent = take_event(file);
		if (uevent)
			return uevent;
		if (nonblock)
			return ERR_PTR(-EAGAIN);
		ret = wait_event_interruptible(file->wait, ucma_event_pending(file));
		if (ret)
			return ERR_PTR(ret);
	}
}

static void unlock_file(struct ucma_file *file)
{
	mutex_unlock(&file->lock);
	ucma_file_put(file);
}

/*
 * Its identifier may have moved while nobody held a lock, and may move on while this waits for one:
 * then the file that it left may be closed.
 */
static struct ucma_file *lock_file(struct ucma_ctx *ctx)
{
	struct ucma_file *file;

	for (;;) {
		file = ucma_ctx_file_get(ctx);
		mutex_lock(&file->lock);
		if (file == ctx->file)
			return file;
		unlock_file(file);
	}
}

/* The process has it: now it may command a request's identifier. */
static void settle(struct ucma_event *uevent)
{
	struct ucma_ctx *ctx = uevent->ctx;
	struct ucma_file *file = lock_file(ctx);

	ctx->events_reported++;
	WRITE_ONCE(ctx->unfetched, ctx->unfetched - 1);
	if (uevent->request) {
		atomic_inc(&ctx->backlog);
		WRITE_ONCE(uevent->request->file, file);
		ucma_ctx_publish(uevent->request);
	}
	unlock_file(file);
}

static void requeue_event(struct ucma_event *uevent)
{
	struct ucma_file *file = lock_file(uevent->ctx);

	list_add(&uevent->entry, &file->events);
	list_add(&uevent->ctx_entry, &uevent->ctx->events);
	wake_up_interruptible(&file->wait);
	unlock_file(file);
}

/* Nothing is locked while the process's memory is written, which may take as long as it likes. */
int ucma_event_fetch(struct ucma_file *file, bool nonblock, const struct rdma_ucm_get_event *cmd,
		     u16 out)
{
	struct ucma_event *uevent;
	struct ucma_ctx *ctx;
	int ret;

	uevent = wait_for_event(file, nonblock);
	if (IS_ERR(uevent))
		return PTR_ERR(uevent);
	ctx = uevent->ctx;
	ret = ucma_respond(cmd->response, &uevent->resp,
			   min_t(size_t, out, sizeof(uevent->resp)));
	if (ret) {
		requeue_event(uevent);
	} else {
		settle(uevent);
		kfree(uevent);
	}
	ucma_ctx_put(ctx);
	return ret;
}
