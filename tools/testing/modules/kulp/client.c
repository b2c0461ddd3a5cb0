// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The client side of the test ULP: connects, runs an operation, disconnects; many connections side
 * by side.
 */
#include <linux/file.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "tools/testing/modules/kulp/kulp.h"

/**
 * struct worker - one connection after another
 * @work: runs them
 * @dev: device
 * @pool: receives of all connections, or NULL
 * @args: what to do, and the result
 * @stop: ends it early
 * @ret: first error
 */
struct worker {
	struct work_struct work;
	struct ib_device *dev;
	struct kulp_pool *pool;
	struct kulp_args args;
	bool *stop;
	int ret;
};

/* A data message of a ping, or a control message. */
static void on_recv(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kulp_slot *slot = kulp_received(cq, wc);
	struct kulp_conn *conn = cq->cq_context;
	struct kulp_msg msg;

	if (!slot)
		return;
	if (conn->args.op == KULP_OP_PING && completion_done(&conn->ready)) {
		conn->ping_slot = slot;
		complete(&conn->reply);
		return;
	}
	kulp_slot_msg(slot, &msg);
	kulp_post_recv(slot);
	switch (be32_to_cpu(msg.type)) {
	case KULP_MSG_CREDIT:
		atomic_add(be64_to_cpu(msg.value), &conn->credits);
		wake_up(&conn->wake);
		break;
	case KULP_MSG_READY:
		conn->remote_addr = be64_to_cpu(msg.addr);
		conn->remote_rkey = be32_to_cpu(msg.rkey);
		atomic_set(&conn->credits, be64_to_cpu(msg.value));
		complete_all(&conn->ready);
		break;
	default:
		conn->reply_msg = msg;
		if (wc->wc_flags & IB_WC_WITH_INVALIDATE)
			conn->reply_inv_stag = wc->ex.invalidate_rkey;
		complete(&conn->reply);
		break;
	}
}

static int handler(struct iw_cm_id *id, struct iw_cm_event *event)
{
	return kulp_conn_event(id->context, event);
}

static int connect(struct kulp_conn *conn)
{
	struct iw_cm_conn_param param = { .ird = KULP_READS, .ord = KULP_READS };
	struct kulp_hello *hello;
	int ret;

	conn->id = iw_create_cm_id(conn->dev, handler, conn);
	if (IS_ERR(conn->id)) {
		ret = PTR_ERR(conn->id);
		conn->id = NULL;
		return ret;
	}
	memcpy(&conn->id->remote_addr, &conn->args.addr, sizeof(conn->id->remote_addr));
	conn->id->local_addr.ss_family = conn->id->remote_addr.ss_family;
	ret = kulp_conn_setup(conn, on_recv);
	if (ret)
		return ret;

	hello = kulp_hello_make(&conn->args, &param.private_data_len);
	if (!hello)
		return -ENOMEM;
	param.private_data = hello;
	param.qpn = conn->qp->qp_num;
	ret = iw_cm_connect(conn->id, &param);
	kfree(hello);
	if (ret)
		return ret;
	return kulp_wait_completion(conn, &conn->established) ?: conn->status;
}

/* Where the transport does not open the stream by itself, the server must not speak first. */
static int say_hello(struct kulp_conn *conn)
{
	struct kulp_msg msg = { .type = cpu_to_be32(KULP_MSG_START) };

	return kulp_send_msg(conn, &msg, 0);
}

static int run_connection(struct worker *worker)
{
	struct kulp_conn *conn = kulp_conn_alloc(worker->dev, &worker->args,
						 worker->pool);
	int ret;

	if (!conn)
		return -ENOMEM;
	conn->stop = worker->stop;
	ret = connect(conn);
	if (!ret && conn->args.flags & KULP_F_CLIENT_FIRST)
		ret = say_hello(conn);
	if (!ret && conn->args.op != KULP_OP_CONNECT)
		ret = kulp_wait_completion(conn, &conn->ready) ?:
		      kulp_register(conn, KULP_CLIENT_ACCESS) ?:
		      kulp_op_run(conn);
	worker->args.ops = conn->args.ops;
	worker->args.bytes = conn->args.bytes;
	worker->args.nsec = conn->args.nsec;
	kulp_conn_destroy(conn);
	return ret;
}

static void run_worker(struct work_struct *work)
{
	struct worker *worker = container_of(work, struct worker, work);
	ktime_t begin = ktime_get();
	u32 i;

	if (worker->args.op != KULP_OP_CONNECT) {
		worker->ret = run_connection(worker);
		return;
	}
	for (i = 0; i < worker->args.count && !worker->ret && !READ_ONCE(*worker->stop); i++)
		worker->ret = run_connection(worker);
	worker->args.ops = i;
	worker->args.nsec = ktime_to_ns(ktime_sub(ktime_get(), begin));
}

/* The slowest connection's time is the time of all. */
static int collect(struct worker *workers, u32 n, struct kulp_args *args)
{
	int ret = 0;
	u32 i;

	args->ops = 0;
	args->bytes = 0;
	args->nsec = 0;
	for (i = 0; i < n; i++) {
		args->ops += workers[i].args.ops;
		args->bytes += workers[i].args.bytes;
		args->nsec = max(args->nsec, workers[i].args.nsec);
		ret = ret ?: workers[i].ret;
	}
	return ret;
}

/* The descriptors of the calling process do not exist in a worker: file operations run here. */
static bool runs_here(const struct kulp_args *args)
{
	return args->op == KULP_OP_GET || args->op == KULP_OP_PUT;
}

static void wait_for_workers(struct worker *workers, u32 n, bool *stop)
{
	u32 i;

	for (i = 0; i < n; i++) {
		while (work_busy(&workers[i].work)) {
			if (signal_pending(current))
				WRITE_ONCE(*stop, true);
			schedule_timeout_uninterruptible(1);
		}
		flush_work(&workers[i].work);
	}
}

int kulp_client_run(struct ib_device *dev, struct kulp_args *args, bool *stop)
{
	struct kulp_pool *pool = kulp_pool_make(dev, args, on_recv);
	struct workqueue_struct *wq;
	struct worker *workers;
	u32 i;
	int ret = -ENOMEM;

	if (IS_ERR(pool))
		return PTR_ERR(pool);
	workers = kvcalloc(args->qps, sizeof(*workers), GFP_KERNEL);
	if (!workers)
		goto free_pool;
	wq = alloc_workqueue("kulp_client", WQ_UNBOUND, WQ_UNBOUND_MAX_ACTIVE);
	if (!wq)
		goto free_workers;
	for (i = 0; i < args->qps; i++) {
		workers[i].dev = dev;
		workers[i].pool = pool;
		workers[i].args = *args;
		workers[i].stop = stop;
		INIT_WORK(&workers[i].work, run_worker);
		if (runs_here(args))
			run_worker(&workers[i].work);
		else
			queue_work(wq, &workers[i].work);
	}
	wait_for_workers(workers, args->qps, stop);
	destroy_workqueue(wq);
	ret = collect(workers, args->qps, args);

free_workers:
	kvfree(workers);
free_pool:
	kulp_pool_free(pool);
	return ret;
}
