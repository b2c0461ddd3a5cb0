// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Events, which the handler queues and a process fetches.
 */
#include "ucma/event.h"

#include <linux/fs.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "ucma/command.h"
#include "ucma/ctx.h"
#include "ucma/reply.h"

int ucma_max_requests = 4096;

/* Number of the last event. Two events never have the same number. */
static atomic64_t last_seq;

static struct ucma_event *new_event(struct ucma_ctx *ctx, const struct rdma_cm_event *event,
				    gfp_t gfp)
{
	struct ucma_event *uevent = kzalloc(sizeof(*uevent), gfp);
	const struct rdma_conn_param *from = &event->param.conn;
	struct rdma_ucm_conn_param *to;

	if (!uevent)
		return NULL;
	uevent->ctx = ctx;
	uevent->seq = atomic64_inc_return(&last_seq);
	uevent->resp.uid = ctx->uid;
	uevent->resp.id = ctx->id;
	uevent->resp.event = event->event;
	uevent->resp.status = event->status;
	uevent->resp.ece = event->ece;
	to = &uevent->resp.param.conn;
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
	return uevent;
}

static void queue_event(struct ucma_event *uevent)
{
	struct ucma_file *file = uevent->ctx->file;

	mutex_lock(&file->lock);
	list_add_tail(&uevent->entry, &file->events);
	list_add_tail(&uevent->ctx_entry, &uevent->ctx->events);
	WRITE_ONCE(uevent->ctx->unfetched, uevent->ctx->unfetched + 1);
	mutex_unlock(&file->lock);
	wake_up_interruptible(&file->wait);
}

void ucma_event_drop(struct ucma_event *uevent)
{
	if (uevent->request) {
		atomic_inc(&uevent->ctx->backlog);
		atomic_dec(&uevent->ctx->file->requests);
		/* ucma_ctx_end() rejects the request. */
		ucma_ctx_end(uevent->request);
		ucma_ctx_free(uevent->request);
	}
	kfree(uevent);
}

/*
 * Queues the event of a connection request, and makes the context of the new identifier. Returns 0;
 * -ECONNREFUSED: the backlog is full, or the file has too many unfetched requests; -ENOMEM: no
 * memory is left, or the memory cgroup has reached its limit. Because of __GFP_NORETRY, an
 * allocation beyond that limit fails, and does not kill a process of the cgroup. After an error,
 * rdma_cm rejects the request. Called with the listener's handler lock held, so the listener stays
 * in its file.
 */
static int queue_request(struct ucma_ctx *listener, struct rdma_cm_id *cm_id,
			 struct rdma_cm_event *event)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN;
	struct ucma_file *file = listener->file;
	struct ucma_event *uevent;
	struct ucma_ctx *ctx;
	int ret;

	if (!atomic_add_unless(&listener->backlog, -1, 0))
		return -ECONNREFUSED;
	ret = -ECONNREFUSED;
	if (atomic_inc_return(&file->requests) > READ_ONCE(ucma_max_requests))
		goto put_request;
	ret = -ENOMEM;
	ctx = ucma_ctx_new(file, gfp);
	if (!ctx)
		goto put_request;
	uevent = new_event(listener, event, gfp);
	if (!uevent)
		goto free_ctx;
	ctx->cm_id = cm_id;
	cm_id->context = ctx;
	uevent->request = ctx;
	uevent->resp.id = ctx->id;
	queue_event(uevent);
	return 0;

free_ctx:
	ucma_ctx_free(ctx);
put_request:
	atomic_dec(&file->requests);
	atomic_inc(&listener->backlog);
	return ret;
}

int ucma_event_handler(struct rdma_cm_id *cm_id, struct rdma_cm_event *event)
{
	struct ucma_ctx *ctx = cm_id->context;
	struct ucma_event *uevent;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		return queue_request(ctx, cm_id, event);
	if (event->event == RDMA_CM_EVENT_DEVICE_REMOVAL) {
		/*
		 * The removal of the device waits until @cm_id is destroyed. An identifier cannot
		 * be destroyed in its own handler, so a work item destroys @cm_id.
		 */
		refcount_inc(&ctx->refs);
		queue_work(ucma_wq, &ctx->close);
	}
	/*
	 * Drop the events of a request that the process has not accepted yet. If the connection has
	 * ended meanwhile, the process learns this when accepting the request fails.
	 */
	if (!ctx->has_uid)
		return 0;
	/* Limit ADDR_CHANGE here, because this event may come many times without any command. */
	if (event->event == RDMA_CM_EVENT_ADDR_CHANGE &&
	    READ_ONCE(ctx->unfetched) >= UCMA_MAX_UNFETCHED)
		return 0;
	/*
	 * If no memory is left, the event is lost, and the kernel logs the failed allocation. The
	 * process learns of the end of a connection even without the event, because the QP flushes
	 * all requests.
	 */
	uevent = new_event(ctx, event, GFP_KERNEL_ACCOUNT);
	if (uevent)
		queue_event(uevent);
	return 0;
}

bool ucma_event_pending(struct ucma_file *file)
{
	return !list_empty_careful(&file->events);
}

/*
 * A copy of an event that a process is fetching. While the copy is written to the process's memory,
 * no reference and no lock is held, because a page fault may take for ever.
 * @ctx: number of the context, which may be destroyed meanwhile
 * @seq: the event's number
 */
struct fetch {
	u32 ctx;
	u64 seq;
	struct rdma_ucm_event_resp resp;
};

/*
 * Copies the first event of the file, and removes the event from the file. The event stays in the
 * list of its context. Returns false if the file has no event.
 */
static bool begin_fetch(struct ucma_file *file, struct fetch *fetch)
{
	struct ucma_event *uevent;

	mutex_lock(&file->lock);
	uevent = list_first_entry_or_null(&file->events, struct ucma_event, entry);
	if (uevent) {
		list_del_init(&uevent->entry);
		fetch->ctx = uevent->ctx->id;
		fetch->seq = uevent->seq;
		fetch->resp = uevent->resp;
	}
	mutex_unlock(&file->lock);
	return uevent;
}

static void ctx_file_unlock(struct ucma_file *file)
{
	mutex_unlock(&file->lock);
	ucma_file_put(file);
}

/*
 * Returns the file of the context, locked and with a reference. While the function waits for the
 * lock, the context may move to another file, and the old file may be closed. In that case the
 * function tries again with the new file.
 */
static struct ucma_file *ctx_file_lock(struct ucma_ctx *ctx)
{
	struct ucma_file *file;

	for (;;) {
		file = ucma_ctx_file_get(ctx);
		mutex_lock(&file->lock);
		if (file == ctx->file)
			return file;
		ctx_file_unlock(file);
	}
}

static struct ucma_event *find_event(struct ucma_ctx *ctx, u64 seq)
{
	struct ucma_event *uevent;

	lockdep_assert_held(&ctx->file->lock);
	list_for_each_entry(uevent, &ctx->events, ctx_entry)
		if (uevent->seq == seq)
			return uevent;
	return NULL;
}

/*
 * Counts the event as fetched and frees it. If the event is a connection request, also publishes
 * the context of the new identifier. If the event could not be copied to the process (@error), only
 * puts the event back at the head of its file's list. Returns @error; -ENOENT: the context and its
 * events were destroyed, so the process must not get the event.
 */
static int end_fetch(const struct fetch *fetch, int error)
{
	struct ucma_ctx *ctx = ucma_ctx_get(NULL, fetch->ctx);
	struct ucma_event *uevent;
	struct ucma_file *file;

	if (IS_ERR(ctx))
		return -ENOENT;
	file = ctx_file_lock(ctx);
	/*
	 * If the context was destroyed, a new context may have got the number fetch->ctx. The new
	 * context has no event with the number fetch->seq.
	 */
	uevent = find_event(ctx, fetch->seq);
	if (!uevent) {
		error = -ENOENT;
	} else if (error) {
		list_add(&uevent->entry, &file->events);
		wake_up_interruptible(&file->wait);
	} else {
		list_del(&uevent->ctx_entry);
		ctx->events_reported++;
		WRITE_ONCE(ctx->unfetched, ctx->unfetched - 1);
		if (uevent->request) {
			atomic_inc(&ctx->backlog);
			atomic_dec(&file->requests);
			WRITE_ONCE(uevent->request->file, file);
			ucma_ctx_publish(uevent->request);
		}
		kfree(uevent);
	}
	ctx_file_unlock(file);
	ucma_ctx_put(ctx);
	return error;
}

int ucma_get_event(struct file *filp, const void *in, u16 out)
{
	const struct rdma_ucm_get_event *cmd = in;
	struct ucma_file *file = filp->private_data;
	struct fetch fetch;
	int ret;

	for (;;) {
		while (!begin_fetch(file, &fetch)) {
			if (filp->f_flags & O_NONBLOCK)
				return -EAGAIN;
			ret = wait_event_interruptible(file->wait, ucma_event_pending(file));
			if (ret)
				return ret;
		}
		ret = ucma_respond(cmd->response, &fetch.resp,
				   min_t(size_t, out, sizeof(fetch.resp)));
		ret = end_fetch(&fetch, ret);
		if (ret != -ENOENT)
			return ret;
		if (signal_pending(current))
			return -ERESTARTSYS;
	}
}
