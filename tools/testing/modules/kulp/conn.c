// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A connection of the test ULP: its verbs objects, receives, control messages and orderly end.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "tools/testing/modules/kulp/kulp.h"

/* Number of requests for other purposes than data: registration, control messages, drain. */
#define EXTRA_WR	32
#define MIN_SLOTS	4
#define SLOT_MEMORY	(64u << 20)

const struct kulp_cm_ops *kulp_cm_of(u32 over)
{
	return over == KULP_OVER_RDMA ? &kulp_cm_rdma : &kulp_cm_iw;
}

struct kulp_conn *kulp_conn_alloc(const struct kulp_site *site, const struct kulp_args *args,
				  struct kulp_pool *pool)
{
	struct kulp_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return NULL;
	conn->args = *args;
	conn->site = *site;
	conn->cm = kulp_cm_of(args->over);
	conn->on_event = kulp_conn_event;
	conn->pool = pool;
	init_completion(&conn->resolved);
	init_completion(&conn->established);
	init_completion(&conn->closed);
	init_completion(&conn->ready);
	init_completion(&conn->reply);
	init_completion(&conn->wait.done);
	init_waitqueue_head(&conn->wake);
	INIT_LIST_HEAD(&conn->entry);
	return conn;
}

void kulp_conn_fail(struct kulp_conn *conn, int status)
{
	cmpxchg(&conn->status, 0, status);
	wake_up_all(&conn->wake);
}

/* Returns whether @wc is a success. If not, fails the connection with the errno for @wc. */
bool kulp_wc_ok(struct kulp_conn *conn, const struct ib_wc *wc)
{
	if (wc->status == IB_WC_SUCCESS)
		return true;
	if (wc->status != IB_WC_WR_FLUSH_ERR)
		pr_info_ratelimited("kulp: %s\n", ib_wc_status_msg(wc->status));
	kulp_conn_fail(conn, wc->status == IB_WC_WR_FLUSH_ERR ? -ECONNRESET : -EIO);
	return false;
}

static void send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	kulp_wc_ok(cq->cq_context, wc);
}

u32 kulp_batch_offset(const struct kulp_conn *conn, u32 i)
{
	return conn->args.offset + i * conn->args.size;
}

/*
 * Handles the completion of an operation. With KULP_F_SCRIBBLE, overwrites the data of the
 * operation, to test that the peer never gets the new data.
 */
static void data_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kulp_conn *conn = cq->cq_context;

	if (kulp_wc_ok(conn, wc) && conn->args.flags & KULP_F_SCRIBBLE)
		kulp_buf_fill(&conn->data, kulp_batch_offset(conn, conn->completed++),
			      conn->args.size, ~conn->args.seed);
	atomic_dec(&conn->outstanding);
	wake_up(&conn->wake);
}

static void wait_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kulp_conn *conn = cq->cq_context;

	conn->wait.status = wc->status;
	kulp_wc_ok(conn, wc);
	complete(&conn->wait.done);
}

/* Waits in short steps, so that a failed or stopped connection ends the wait. */
int kulp_wait_completion(struct kulp_conn *conn, struct completion *done)
{
	unsigned long end = jiffies + msecs_to_jiffies(conn->args.timeout_ms);

	while (!wait_for_completion_timeout(done, HZ / 20)) {
		if (READ_ONCE(conn->status))
			return conn->status;
		if (conn->stop && READ_ONCE(*conn->stop))
			return -EINTR;
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
	}
	return 0;
}

int kulp_post_wait(struct kulp_conn *conn, struct ib_send_wr *wr)
{
	struct ib_send_wr *last = wr;
	int ret;

	while (last->next)
		last = last->next;
	reinit_completion(&conn->wait.done);
	last->wr_cqe = &conn->wait.cqe;
	last->send_flags |= IB_SEND_SIGNALED;

	ret = ib_post_send(conn->qp, wr, NULL);
	if (!ret)
		ret = kulp_wait_completion(conn, &conn->wait.done);
	if (!ret && conn->wait.status != IB_WC_SUCCESS)
		ret = conn->status;
	return ret;
}

int kulp_post_recv(struct kulp_slot *slot)
{
	struct ib_sge sges[KULP_MAX_CHUNKS];
	struct ib_recv_wr wr = { .wr_cqe = &slot->cqe, .sg_list = sges };
	struct ib_pd *pd = slot->pool ? slot->pool->pd : slot->conn->pd;

	wr.num_sge = kulp_buf_sges(&slot->buf, 0, slot->buf.size, pd->local_dma_lkey, sges);
	if (slot->pool)
		return ib_post_srq_recv(slot->pool->srq, &wr, NULL);
	return ib_post_recv(slot->conn->qp, &wr, NULL);
}

struct kulp_slot *kulp_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kulp_slot *slot = container_of(wc->wr_cqe, struct kulp_slot, cqe);

	slot->conn = cq->cq_context;
	if (kulp_wc_ok(slot->conn, wc))
		return slot;
	/* A slot of a pool is posted again, because other connections need it. */
	if (slot->pool)
		kulp_post_recv(slot);
	return NULL;
}

int kulp_send_msg(struct kulp_conn *conn, const struct kulp_msg *msg, u32 inv_stag)
{
	struct ib_sge sge = { .addr = (uintptr_t)msg, .length = sizeof(*msg) };
	struct ib_send_wr wr = {
		.wr_cqe = &conn->send_cqe,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED | IB_SEND_INLINE | IB_SEND_SOLICITED,
		.ex.invalidate_rkey = inv_stag,
	};

	if (inv_stag) {
		/* The message is in a buffer: some providers refuse inline data in such a send. */
		memcpy(conn->inv_msg.chunk[0], msg, sizeof(*msg));
		kulp_buf_sges(&conn->inv_msg, 0, sizeof(*msg), conn->pd->local_dma_lkey, &sge);
		wr.opcode = IB_WR_SEND_WITH_INV;
		wr.send_flags &= ~IB_SEND_INLINE;
		if (!(conn->args.flags & KULP_F_SOLICITED))
			wr.send_flags &= ~IB_SEND_SOLICITED;
	}
	return ib_post_send(conn->qp, &wr, NULL);
}

/* Registers the data buffer in conn->mr with the next key, and waits for the completion. */
int kulp_register(struct kulp_conn *conn, int access)
{
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.mr = conn->mr,
		.access = access,
	};
	int ret;

	ret = kulp_buf_map(&conn->data, conn->mr, conn->mr_pages);
	if (ret)
		return ret;
	ib_update_fast_reg_key(conn->mr, ib_inc_rkey(conn->mr->rkey));
	wr.key = conn->mr->rkey;
	return kulp_post_wait(conn, &wr.wr);
}

int kulp_num_slots(u32 size, u32 depth)
{
	return clamp_t(u32, SLOT_MEMORY / size, MIN_SLOTS, 2 * depth + MIN_SLOTS);
}

static int alloc_slots(struct kulp_conn *conn, void (*on_recv)(struct ib_cq *cq, struct ib_wc *wc))
{
	bool carries_data = conn->args.op == KULP_OP_PING || conn->args.op == KULP_OP_SEND;
	u32 size = max_t(u32, carries_data ? conn->args.size : 0, sizeof(struct kulp_msg));
	int i, n, ret;

	if (conn->pool) {
		conn->num_slots = conn->pool->share;
		return 0;
	}
	n = kulp_num_slots(size, conn->args.depth);
	conn->slots = kvcalloc(n, sizeof(*conn->slots), GFP_KERNEL);
	if (!conn->slots)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		struct kulp_slot *slot = &conn->slots[i];

		slot->conn = conn;
		slot->cqe.done = on_recv;
		ret = kulp_buf_alloc(&slot->buf, conn->site.dev, size);
		if (ret)
			return ret;
		conn->num_slots++;
	}
	return 0;
}

u32 kulp_reads(const struct kulp_conn *conn)
{
	return max_t(u32, conn->args.depth, KULP_LEAST_READS);
}

int kulp_atomic_access(const struct kulp_conn *conn)
{
	return conn->site.dev->attrs.atomic_cap == IB_ATOMIC_NONE ? 0 : IB_ACCESS_REMOTE_ATOMIC;
}

static int create_queues(struct kulp_conn *conn)
{
	const struct ib_device_attr *attrs = &conn->site.dev->attrs;
	struct ib_qp_init_attr init = {
		.srq = conn->pool ? conn->pool->srq : NULL,
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = {
			.max_send_wr = conn->args.depth + EXTRA_WR + conn->num_slots,
			.max_recv_wr = conn->num_slots + 1,
			.max_send_sge = min(KULP_MAX_CHUNKS, attrs->max_send_sge),
			.max_recv_sge = min(KULP_MAX_CHUNKS, attrs->max_recv_sge),
			.max_inline_data = sizeof(struct kulp_msg),
		},
	};
	/* Completions are handled in process context if handlers check data, which takes long. */
	enum ib_poll_context ctx = conn->args.flags & KULP_F_VERIFY ? IB_POLL_WORKQUEUE :
								      IB_POLL_SOFTIRQ;
	int cqe = init.cap.max_send_wr + init.cap.max_recv_wr + 1;

	/* If the connection fails, each request completes. */
	cqe += 2 * kulp_rw_wrs(conn);
	conn->cq = ib_alloc_cq_any(conn->site.dev, conn, cqe, ctx);
	if (IS_ERR(conn->cq))
		return PTR_ERR(conn->cq);
	init.send_cq = conn->cq;
	init.recv_cq = conn->cq;
	kulp_rw_add_contexts(conn, &init);
	return conn->cm->create_qp(conn, &init);
}

/* The data buffer has whole pages, because a region is mapped over them. */
static int alloc_data(struct kulp_conn *conn)
{
	u32 size = conn->args.size + conn->args.offset;

	if (conn->args.flags & KULP_F_SCRIBBLE || kulp_op_is_rw(conn->args.op))
		size = kulp_batch_offset(conn, conn->args.depth);
	if (conn->args.op == KULP_OP_REMAP)
		size = 2 * PAGE_ALIGN(size);
	if (conn->args.op == KULP_OP_GET || conn->args.op == KULP_OP_PUT)
		size = KULP_FILE_WINDOW;
	return kulp_buf_alloc(&conn->inv_msg, conn->site.dev, sizeof(struct kulp_msg)) ?:
	       kulp_buf_alloc(&conn->data, conn->site.dev, max_t(u32, PAGE_ALIGN(size), PAGE_SIZE));
}

int kulp_conn_setup(struct kulp_conn *conn, void (*on_recv)(struct ib_cq *cq, struct ib_wc *wc))
{
	int i, ret;

	conn->send_cqe.done = send_done;
	conn->data_cqe.done = data_done;
	conn->wait.cqe.done = wait_done;

	conn->pd = ib_alloc_pd(conn->site.dev, 0);
	if (IS_ERR(conn->pd))
		return PTR_ERR(conn->pd);
	ret = alloc_slots(conn, on_recv);
	if (ret)
		return ret;
	ret = alloc_data(conn);
	if (ret)
		return ret;
	ret = create_queues(conn);
	if (ret)
		return ret;
	conn->mr_pages = min_t(u32, PAGE_ALIGN(conn->data.size) >> PAGE_SHIFT,
			       conn->site.dev->attrs.max_fast_reg_page_list_len);
	conn->mr = ib_alloc_mr(conn->pd, IB_MR_TYPE_MEM_REG, conn->mr_pages);
	if (IS_ERR(conn->mr))
		return PTR_ERR(conn->mr);
	for (i = 0; conn->slots && i < conn->num_slots && !ret; i++)
		ret = kulp_post_recv(&conn->slots[i]);
	return ret;
}

void kulp_conn_event(struct kulp_conn *conn, enum kulp_event event, int status)
{
	if (status)
		kulp_conn_fail(conn, status);
	if (event == KULP_ESTABLISHED) {
		conn->up = !status;
		complete_all(&conn->established);
	} else if (event == KULP_CLOSED) {
		complete_all(&conn->closed);
	}
}

void kulp_conn_destroy(struct kulp_conn *conn)
{
	bool abrupt = conn->args.flags & KULP_F_ABRUPT || READ_ONCE(conn->status);
	int i;

	if (conn->up && conn->cm->disconnect(conn, abrupt))
		wait_for_completion_timeout(&conn->closed, msecs_to_jiffies(conn->args.timeout_ms));
	if (conn->qp) {
		ib_drain_qp(conn->qp);
		if (conn->server) {
			cancel_work_sync(&conn->start);
			cancel_work_sync(&conn->work);
		}
		conn->cm->destroy_qp(conn);
	}
	if (conn->id && !conn->keep_id)
		conn->cm->destroy_id(conn->id);
	if (!IS_ERR_OR_NULL(conn->mr))
		ib_dereg_mr(conn->mr);
	if (!IS_ERR_OR_NULL(conn->cq))
		ib_free_cq(conn->cq);
	for (i = 0; conn->slots && i < conn->num_slots; i++)
		kulp_buf_free(&conn->slots[i].buf);
	kvfree(conn->slots);
	kulp_buf_free(&conn->data);
	kulp_buf_free(&conn->inv_msg);
	if (!IS_ERR_OR_NULL(conn->pd))
		ib_dealloc_pd(conn->pd);
	kfree(conn);
}
