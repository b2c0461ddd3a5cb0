// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A server of the test ULP over kernel verbs: accepts connections and carries out the requests in
 * the client's messages.
 */
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "tools/testing/modules/kulp/kulp.h"

/**
 * struct verbs_server - a server over kernel verbs
 * @base: common part
 * @listener: listener of the server
 * @pool: receives that all connections share, or NULL
 * @file: file of GET and PUT, or NULL
 * @num_conns: number of connections that are not freed yet
 */
struct verbs_server {
	struct kulp_server base;
	struct kulp_listener listener;
	struct kulp_pool *pool;
	struct file *file;
	atomic_t num_conns;
};

static struct verbs_server *to_verbs(struct kulp_server *server)
{
	return container_of(server, struct verbs_server, base);
}

static void record_error(struct kulp_conn *conn, int error)
{
	cmpxchg(&conn->server->first_error, 0, error);
	kulp_conn_fail(conn, error);
}

static void reply(struct kulp_conn *conn, enum kulp_msg_type type, s64 value, u32 inv_stag)
{
	struct kulp_msg msg = {
		.type = cpu_to_be32(type),
		.value = cpu_to_be64(value),
	};

	kulp_send_msg(conn, &msg, inv_stag);
}

static s64 file_window(struct kulp_conn *conn, const struct kulp_msg *msg, bool store)
{
	struct file *file = to_verbs(conn->server)->file;

	if (!file)
		return -ENOENT;
	return kulp_buf_file(&conn->data, 0, be32_to_cpu(msg->len), file, be64_to_cpu(msg->seed),
			     store);
}

static void handle_request(struct work_struct *work)
{
	struct kulp_conn *conn = container_of(work, struct kulp_conn, work);
	const struct kulp_msg *msg = &conn->request;
	u32 offset = be32_to_cpu(msg->offset), len = be32_to_cpu(msg->len);
	s64 wrong, value = 0;

	/* The peer has chosen the range. */
	if ((u64)offset + len > conn->data.size) {
		record_error(conn, -EPROTO);
		return;
	}
	switch (be32_to_cpu(msg->type)) {
	case KULP_MSG_FILL:
		kulp_buf_fill(&conn->data, offset, len, be64_to_cpu(msg->seed));
		break;
	case KULP_MSG_CHECK:
		wrong = kulp_buf_check(&conn->data, offset, len, be64_to_cpu(msg->seed));
		if (wrong < 0)
			break;
		pr_info_ratelimited("kulp: server: byte %lld of %u is wrong\n", wrong, len);
		record_error(conn, -EBADMSG);
		value = -EBADMSG;
		break;
	case KULP_MSG_LOAD:
		value = file_window(conn, msg, false);
		break;
	case KULP_MSG_STORE:
		value = file_window(conn, msg, true);
		break;
	default:
		record_error(conn, -EPROTO);
		return;
	}
	/*
	 * @busy is cleared before the answer is sent, because the client may send its next request
	 * as soon as it has the answer. Pairs with xchg() in handle_msg().
	 */
	smp_store_release(&conn->busy, false);
	reply(conn, KULP_MSG_RESULT, value, 0);
}

static void handle_msg(struct kulp_conn *conn, struct kulp_slot *slot)
{
	struct kulp_msg msg;

	memcpy(&msg, slot->buf.chunk[0], sizeof(msg));
	kulp_post_recv(slot);
	switch (be32_to_cpu(msg.type)) {
	case KULP_MSG_NOP:
		reply(conn, KULP_MSG_RESULT, 0, 0);
		break;
	case KULP_MSG_INVALIDATE:
		reply(conn, KULP_MSG_RESULT, 0, be32_to_cpu(msg.rkey));
		break;
	default:
		/*
		 * A request is refused while another one is carried out, because conn->request must
		 * not change after it has been checked.
		 */
		if (xchg(&conn->busy, true)) {
			record_error(conn, -EPROTO);
			break;
		}
		conn->request = msg;
		queue_work(conn->server->wq, &conn->work);
		break;
	}
}

/* Handles a data message, and sends credits when half of the client's window has been received. */
static void handle_data(struct kulp_conn *conn, struct kulp_slot *slot, struct ib_wc *wc)
{
	u32 batch = max(1, (conn->num_slots - 1) / 2);
	u64 seed = conn->args.seed + conn->received;

	if (conn->args.flags & KULP_F_VERIFY &&
	    (wc->byte_len != conn->args.size ||
	     kulp_buf_check(&slot->buf, 0, wc->byte_len, seed) >= 0)) {
		pr_info_ratelimited("kulp: server: message %llu of %u bytes is wrong\n",
				    conn->received, wc->byte_len);
		record_error(conn, -EBADMSG);
	}
	conn->received++;
	kulp_post_recv(slot);
	if (conn->received % batch == 0)
		reply(conn, KULP_MSG_CREDIT, batch, 0);
}

static void echo_done(struct ib_cq *cq, struct ib_wc *wc);

static void handle_ping(struct kulp_conn *conn, struct kulp_slot *slot, struct ib_wc *wc)
{
	struct ib_sge sges[KULP_MAX_CHUNKS];
	struct ib_send_wr wr = {
		.wr_cqe = &slot->cqe,
		.sg_list = sges,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};
	void (*receive)(struct ib_cq *cq, struct ib_wc *wc);

	wr.num_sge = kulp_buf_sges(&slot->buf, 0, wc->byte_len, conn->pd->local_dma_lkey, sges);
	receive = slot->cqe.done;
	slot->cqe.done = echo_done;
	if (!ib_post_send(conn->qp, &wr, NULL))
		return;
	slot->cqe.done = receive;
	kulp_conn_fail(conn, -ECONNRESET);
	if (slot->pool)
		kulp_post_recv(slot);
}

static void on_server_recv(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kulp_slot *slot = kulp_received(cq, wc);
	struct kulp_conn *conn = cq->cq_context;

	if (!slot)
		return;
	if (conn->args.flags & KULP_F_CLIENT_FIRST && !xchg(&conn->started, true)) {
		kulp_post_recv(slot);
		queue_work(conn->server->wq, &conn->start);
	} else if (wc->wc_flags & IB_WC_WITH_IMM) {
		/* Immediate data counts up from 0, and the receive has no payload. */
		if (wc->opcode != IB_WC_RECV_RDMA_WITH_IMM || wc->byte_len ||
		    be32_to_cpu(wc->ex.imm_data) != conn->expected_imm++) {
			pr_info("kulp: server: wrong immediate data %#x\n",
				be32_to_cpu(wc->ex.imm_data));
			record_error(conn, -EBADMSG);
		}
		kulp_post_recv(slot);
	} else if (conn->args.op == KULP_OP_PING) {
		handle_ping(conn, slot, wc);
	} else if (conn->args.op == KULP_OP_SEND && wc->byte_len == conn->args.size) {
		handle_data(conn, slot, wc);
	} else if (wc->byte_len != sizeof(struct kulp_msg)) {
		record_error(conn, -EPROTO);
	} else {
		handle_msg(conn, slot);
	}
}

static void echo_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kulp_slot *slot = container_of(wc->wr_cqe, struct kulp_slot, cqe);

	slot->cqe.done = on_server_recv;
	if (kulp_wc_ok(slot->conn, wc) || slot->pool)
		kulp_post_recv(slot);
}

static void tear_down(struct work_struct *work)
{
	struct kulp_conn *conn = container_of(work, struct kulp_conn, teardown);
	struct verbs_server *server = to_verbs(conn->server);

	mutex_lock(&server->base.lock);
	list_del(&conn->entry);
	mutex_unlock(&server->base.lock);
	kulp_conn_destroy(conn);
	if (atomic_dec_and_test(&server->num_conns))
		wake_up_var(&server->num_conns);
}

/* Queues the teardown only once, even if server and connection end at the same time. */
static void queue_teardown(struct kulp_conn *conn)
{
	if (!xchg(&conn->ending, true))
		queue_work(conn->server->wq, &conn->teardown);
}

/* Runs after the handshake. Registers the region, and then announces the region to the client. */
static void start_service(struct work_struct *work)
{
	struct kulp_conn *conn = container_of(work, struct kulp_conn, start);
	int access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
		     IB_ACCESS_REMOTE_ATOMIC;
	struct kulp_msg msg = { .type = cpu_to_be32(KULP_MSG_READY) };
	int ret;

	ret = kulp_register(conn, access);
	if (ret) {
		if (ret != -ECONNRESET)
			record_error(conn, ret);
		return;
	}
	msg.rkey = cpu_to_be32(conn->mr->rkey);
	msg.addr = cpu_to_be64(conn->mr->iova);
	msg.len = cpu_to_be32(conn->mr->length);
	msg.value = cpu_to_be64(conn->num_slots - 1);
	kulp_send_msg(conn, &msg, 0);
}

static void on_event(struct kulp_conn *conn, enum kulp_event event, int status)
{
	kulp_conn_event(conn, event, status);
	/*
	 * The server offers its region without being asked, except to a client that only connects:
	 * the time for it would count as time to connect.
	 */
	if (event == KULP_ESTABLISHED && !status && conn->args.op != KULP_OP_CONNECT &&
	    !(conn->args.flags & KULP_F_CLIENT_FIRST))
		queue_work(conn->server->wq, &conn->start);
	if (event == KULP_CLOSED || (event == KULP_ESTABLISHED && status))
		queue_teardown(conn);
}

static int accept_request(struct verbs_server *server, const struct kulp_request *request)
{
	struct kulp_args args = server->base.args;
	struct kulp_conn *conn;
	int ret;

	ret = kulp_hello_parse(request->private_data, request->private_data_len, &args);
	if (ret)
		return ret;
	conn = kulp_conn_alloc(&server->base.site, &args, server->pool);
	if (!conn)
		return -ENOMEM;
	conn->server = &server->base;
	conn->id = request->id;
	conn->on_event = on_event;
	INIT_WORK(&conn->start, start_service);
	INIT_WORK(&conn->work, handle_request);
	INIT_WORK(&conn->teardown, tear_down);
	ret = kulp_conn_setup(conn, on_server_recv);
	if (ret)
		goto destroy;

	list_add_tail(&conn->entry, &server->base.conns);
	atomic_inc(&server->num_conns);
	ret = conn->cm->accept(conn, request);
	if (ret)
		goto unlist;
	server->base.served++;
	return 0;

unlist:
	list_del(&conn->entry);
	atomic_dec(&server->num_conns);
destroy:
	conn->keep_id = true; /* the connection manager destroys @id when its handler fails */
	kulp_conn_destroy(conn);
	return ret;
}

int kulp_server_handle_request(struct kulp_listener *listener, const struct kulp_request *request)
{
	struct verbs_server *server = container_of(listener, struct verbs_server, listener);
	int ret = -ECONNREFUSED;

	mutex_lock(&server->base.lock);
	if (!server->base.stopping && !(server->base.args.flags & KULP_F_REJECT))
		ret = accept_request(server, request);
	mutex_unlock(&server->base.lock);
	return ret;
}

static void stop(struct kulp_server *base)
{
	struct verbs_server *server = to_verbs(base);
	struct kulp_conn *conn;

	mutex_lock(&base->lock);
	base->stopping = true;
	mutex_unlock(&base->lock);
	server->listener.cm->destroy_id(server->listener.id);

	mutex_lock(&base->lock);
	list_for_each_entry(conn, &base->conns, entry)
		queue_teardown(conn);
	mutex_unlock(&base->lock);
	/*
	 * The workqueue goes last, because handlers queue work until all connections are destroyed.
	 */
	wait_var_event(&server->num_conns, !atomic_read(&server->num_conns));
	destroy_workqueue(base->wq);
	kulp_pool_free(server->pool);
	if (server->file)
		fput(server->file);
	kfree(server);
}

struct kulp_server *kulp_server_verbs(const struct kulp_site *site, const struct kulp_args *args)
{
	struct verbs_server *server = kzalloc(sizeof(*server), GFP_KERNEL);
	int ret;

	if (!server)
		return ERR_PTR(-ENOMEM);
	server->base.stop = stop;
	ret = kulp_server_init(&server->base, site, args);
	if (ret)
		goto free_server;
	if (args->fd >= 0) {
		server->file = fget(args->fd);
		ret = -EBADF;
		if (!server->file)
			goto free_wq;
	}
	server->pool = kulp_pool_make(site->dev, args, on_server_recv);
	if (IS_ERR(server->pool)) {
		ret = PTR_ERR(server->pool);
		goto put_file;
	}
	server->listener = (struct kulp_listener) {
		.cm = kulp_cm_of(args->over),
		.site = *site,
		.addr = &server->base.args.addr,
		.backlog = args->backlog,
	};
	ret = server->listener.cm->listen(&server->listener);
	if (ret)
		goto free_pool;
	return &server->base;

free_pool:
	kulp_pool_free(server->pool);
put_file:
	if (server->file)
		fput(server->file);
free_wq:
	destroy_workqueue(server->base.wq);
free_server:
	kfree(server);
	return ERR_PTR(ret);
}
