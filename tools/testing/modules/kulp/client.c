// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The client side of the test ULP: runs many connections in parallel. Each connects, runs an
 * operation and disconnects.
 */
#include <linux/file.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "tools/testing/modules/kulp/kulp.h"

/**
 * struct worker - runs one connection after another
 * @work: work item that runs the connections
 * @site: device and namespace
 * @pool: receives that all connections share, or NULL
 * @start: the common start, until the connection has arrived there; NULL if there is none
 * @samples: times of operations
 * @args: parameters and results
 * @stop: flag that is set when the worker has to end early
 * @ret: first error of a connection, or 0
 */
struct worker {
	struct work_struct work;
	const struct kulp_site *site;
	struct kulp_pool *pool;
	struct kulp_start *start;
	struct kulp_samples samples;
	struct kulp_args args;
	bool *stop;
	int ret;
};

/* Handles the answer to a ping, or a control message. */
static void on_client_recv(struct ib_cq *cq, struct ib_wc *wc)
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
	memcpy(&msg, slot->buf.chunk[0], sizeof(msg));
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

/*
 * Connects. The sample of KULP_OP_CONNECT is the time from the connect request to the end of the
 * handshake.
 */
static int connect(struct kulp_conn *conn)
{
	struct kulp_hello *hello;
	ktime_t begin;
	u16 len;
	int ret;

	ret = conn->cm->open(conn) ?: kulp_conn_setup(conn, on_client_recv);
	if (ret)
		return ret;
	hello = kulp_hello_make(&conn->args, &len);
	if (!hello)
		return -ENOMEM;
	begin = ktime_get();
	ret = conn->cm->connect(conn, hello, len) ?:
	      kulp_wait_completion(conn, &conn->established) ?: conn->status;
	if (!ret && conn->args.op == KULP_OP_CONNECT)
		kulp_samples_add(conn->samples, ktime_to_ns(ktime_sub(ktime_get(), begin)));
	kfree(hello);
	return ret;
}

static int run_connection(struct worker *worker)
{
	struct kulp_conn *conn = kulp_conn_alloc(worker->site, &worker->args, worker->pool);
	struct kulp_msg first = { .type = cpu_to_be32(KULP_MSG_START) };
	int ret;

	if (!conn)
		return -ENOMEM;
	conn->stop = worker->stop;
	conn->samples = &worker->samples;
	conn->common_start = &worker->start;
	ret = connect(conn);
	/* Some transports do not let the server send first. */
	if (!ret && conn->args.flags & KULP_F_CLIENT_FIRST)
		ret = kulp_send_msg(conn, &first, 0);
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

static int run_once(struct worker *worker)
{
	if (worker->args.over != KULP_OVER_TCP)
		return run_connection(worker);
	return kulp_tcp_run(worker->site, &worker->args, worker->stop, &worker->samples,
			    &worker->start);
}

static void run_worker(struct work_struct *work)
{
	struct worker *worker = container_of(work, struct worker, work);
	ktime_t begin = ktime_get();
	u32 i;

	if (worker->args.op != KULP_OP_CONNECT) {
		worker->ret = run_once(worker);
		kulp_start_arrive(&worker->start);
		return;
	}
	for (i = 0; i < worker->args.count && !worker->ret && !READ_ONCE(*worker->stop); i++)
		worker->ret = run_once(worker);
	worker->args.ops = i;
	worker->args.nsec = ktime_to_ns(ktime_sub(ktime_get(), begin));
}

static int run_workers(struct worker *workers, u32 n, bool *stop)
{
	struct kulp_start start = {
		.missing = ATOMIC_INIT(n), .stop = stop,
		.limit = msecs_to_jiffies(workers->args.timeout_ms),
	};
	struct workqueue_struct *wq;
	u32 i;

	init_completion(&start.all);
	wq = alloc_workqueue("kulp_client", WQ_UNBOUND, WQ_UNBOUND_MAX_ACTIVE);
	if (!wq)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		INIT_WORK(&workers[i].work, run_worker);
		if (workers[i].args.flags & KULP_F_TOGETHER)
			workers[i].start = &start;
		/* These need the file descriptors of the process, which work items do not have. */
		if (workers[i].args.op == KULP_OP_GET || workers[i].args.op == KULP_OP_PUT)
			run_worker(&workers[i].work);
		else
			queue_work(wq, &workers[i].work);
	}
	for (i = 0; i < n; i++) {
		while (work_busy(&workers[i].work)) {
			if (signal_pending(current))
				WRITE_ONCE(*stop, true);
			schedule_timeout_uninterruptible(1);
		}
		flush_work(&workers[i].work);
	}
	destroy_workqueue(wq);
	return 0;
}

/*
 * Sums the operations and bytes of all workers, and copies their samples to the process, one after
 * another. The time is that of the slowest worker. Returns the first error.
 */
static int collect(struct worker *workers, struct kulp_args *args)
{
	u64 __user *to = u64_to_user_ptr(args->samples);
	u32 i, samples = 0;
	int ret = 0;

	args->ops = 0;
	args->bytes = 0;
	args->nsec = 0;
	for (i = 0; i < args->qps; i++) {
		args->ops += workers[i].args.ops;
		args->bytes += workers[i].args.bytes;
		args->nsec = max(args->nsec, workers[i].args.nsec);
		ret = ret ?: workers[i].ret;
	}
	for (i = 0; i < args->qps && !ret; i++) {
		if (copy_to_user(to + samples, workers[i].samples.nsec,
				 workers[i].samples.num * sizeof(*to)))
			ret = -EFAULT;
		samples += workers[i].samples.num;
	}
	if (!ret)
		args->num_samples = samples;
	return ret;
}

static struct worker *make_workers(const struct kulp_site *site, const struct kulp_args *args,
				   struct kulp_pool *pool, bool *stop, u64 *samples)
{
	struct worker *workers = kvcalloc(args->qps, sizeof(*workers), GFP_KERNEL);
	u32 share = args->max_samples / args->qps;
	u32 i;

	for (i = 0; workers && i < args->qps; i++) {
		workers[i].site = site;
		workers[i].pool = pool;
		workers[i].args = *args;
		workers[i].stop = stop;
		workers[i].samples = (struct kulp_samples) {
			.nsec = samples + i * share, .room = share,
		};
	}
	return workers;
}

int kulp_client_run(const struct kulp_site *site, struct kulp_args *args, bool *stop)
{
	struct kulp_pool *pool = kulp_pool_make(site->dev, args, on_client_recv);
	struct worker *workers;
	u64 *samples;
	int ret = -ENOMEM;

	if (IS_ERR(pool))
		return PTR_ERR(pool);
	/* One entry is added, so that a run without samples needs no special case. */
	samples = kvcalloc(args->max_samples + 1, sizeof(*samples), GFP_KERNEL);
	if (!samples)
		goto free_pool;
	workers = make_workers(site, args, pool, stop, samples);
	if (!workers)
		goto free_samples;
	ret = run_workers(workers, args->qps, stop);
	if (!ret)
		ret = collect(workers, args);
	kvfree(workers);
free_samples:
	kvfree(samples);
free_pool:
	kulp_pool_free(pool);
	return ret;
}
