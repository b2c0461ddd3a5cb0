// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A server of the test ULP over TCP. One work item accepts connections, and each connection has a
 * work item that serves it.
 */
#include <linux/in.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "tools/testing/modules/kulp/kulp.h"

/**
 * struct tcp_server - a server over TCP
 * @base: common part
 * @sock: listening socket
 * @work: accepts connections
 */
struct tcp_server {
	struct kulp_server base;
	struct socket *sock;
	struct work_struct work;
};

/**
 * struct tcp_conn - a connection at the server
 * @entry: entry in kulp_server.conns
 * @work: serves the connection to its end
 * @server: the server of the connection
 * @tcp: the connection
 * @others: buffers that take turns with tcp.data
 * @num_others: number of @others
 */
struct tcp_conn {
	struct list_head entry;
	struct work_struct work;
	struct kulp_server *server;
	struct kulp_tcp tcp;
	struct kulp_buf *others;
	int num_others;
};

static int check_message(struct tcp_conn *conn, u64 number)
{
	const struct kulp_args *args = &conn->tcp.args;
	s64 wrong = kulp_buf_check(&conn->tcp.data, args->offset, args->size, args->seed + number);

	if (wrong < 0)
		return 0;
	pr_info_ratelimited("kulp: server: byte %lld of message %llu is wrong\n", wrong, number);
	return -EBADMSG;
}

/*
 * Returns 1 if a message has come, 0 at the end of the stream, -EPROTO if the stream ends within a
 * message, or another negative errno.
 */
static int next_message(struct tcp_conn *conn)
{
	int n = kulp_tcp_recv_data(&conn->tcp);

	if (n <= 0)
		return n;
	return n < conn->tcp.args.size ? -EPROTO : 1;
}

static int echo(struct tcp_conn *conn)
{
	int ret;

	while ((ret = next_message(conn)) > 0) {
		ret = kulp_tcp_send_data(&conn->tcp, false);
		if (ret)
			break;
	}
	return ret;
}

/*
 * Exchanges tcp.data, which has message @number, for another buffer, or a second time for the one
 * that has the message.
 */
static void take_turns(struct tcp_conn *conn, u64 number)
{
	if (conn->num_others)
		swap(conn->tcp.data, conn->others[number % conn->num_others]);
}

/*
 * Receives messages until the stream ends. Sends a status after each verified message, a status of
 * 0 when the stream has ended, and finally a status with the result of all checks. Returns
 * -EBADMSG for a wrong message even if the client closes the connection at the first bad status.
 */
static int sink(struct tcp_conn *conn)
{
	bool verify = conn->tcp.args.flags & KULP_F_VERIFY;
	u64 n;
	int ret, bad = 0;

	for (n = 0; (ret = next_message(conn)) > 0; n++) {
		if (!verify) {
			take_turns(conn, n);
			continue;
		}
		bad = bad ?: check_message(conn, n);
		ret = kulp_tcp_send_status(&conn->tcp, bad);
		if (ret)
			break;
	}
	if (!ret)
		ret = kulp_tcp_send_status(&conn->tcp, 0);
	if (!ret && n && !verify) {
		take_turns(conn, n - 1);
		bad = check_message(conn, 0);
	}
	ret = ret ?: kulp_tcp_send_status(&conn->tcp, bad);
	return bad ?: ret;
}

/* Sends a message for each request, which is the size of the message in bytes. */
static int source(struct tcp_conn *conn)
{
	struct kulp_args *args = &conn->tcp.args;
	__be32 size;
	u64 n;
	int ret;

	for (n = 0; (ret = kulp_tcp_recv(&conn->tcp, &size, sizeof(size))) > 0; n++) {
		if (ret < sizeof(size) || be32_to_cpu(size) != args->size)
			return -EPROTO;
		if (args->flags & KULP_F_VERIFY)
			kulp_buf_fill(&conn->tcp.data, args->offset, args->size, args->seed + n);
		ret = kulp_tcp_send_data(&conn->tcp, kulp_tcp_has(&conn->tcp, sizeof(__be32)));
		if (ret)
			break;
	}
	return ret;
}

static int (*const services[KULP_OP_COUNT])(struct tcp_conn *conn) = {
	[KULP_OP_PING] = echo,
	[KULP_OP_SEND] = sink,
	[KULP_OP_WRITE] = sink,
	[KULP_OP_READ] = source,
	[KULP_OP_CONNECT] = next_message,
};

/*
 * With KULP_F_COPY, Sends are received into as many buffers as a server over RDMA posts, because
 * the number of buffers determines whether they stay in the processor's caches.
 */
static int alloc_others(struct tcp_conn *conn)
{
	const struct kulp_args *args = &conn->tcp.args;
	int num = kulp_num_slots(max(args->size, 1u), args->depth) - 1;
	int ret = 0;

	if (args->op != KULP_OP_SEND || !(args->flags & KULP_F_COPY))
		return 0;
	conn->others = kvcalloc(num, sizeof(*conn->others), GFP_KERNEL);
	if (!conn->others)
		return -ENOMEM;
	while (!ret && conn->num_others < num) {
		ret = kulp_buf_alloc(&conn->others[conn->num_others], NULL,
				     args->offset + args->size);
		if (!ret)
			conn->num_others++;
	}
	return ret;
}

static int recv_hello(struct tcp_conn *conn)
{
	struct kulp_args *args = &conn->tcp.args;
	struct kulp_hello hello;
	int n, ret;

	n = kulp_tcp_recv(&conn->tcp, &hello, sizeof(hello));
	if (n < 0)
		return n;
	ret = kulp_hello_parse(&hello, n, args);
	if (!ret && !services[args->op])
		ret = -EOPNOTSUPP;
	if (!ret && conn->server->args.flags & KULP_F_REJECT)
		ret = -ECONNREFUSED;
	ret = ret ?: kulp_buf_alloc(&conn->tcp.data, NULL, args->offset + args->size) ?:
	      alloc_others(conn);
	if (!ret && args->op == KULP_OP_READ)
		kulp_buf_fill(&conn->tcp.data, args->offset, args->size, args->seed);
	return kulp_tcp_send_status(&conn->tcp, ret) ?: ret;
}

static void serve_conn(struct work_struct *work)
{
	struct tcp_conn *conn = container_of(work, struct tcp_conn, work);
	struct kulp_server *server = conn->server;
	int ret;

	ret = recv_hello(conn);
	if (!ret)
		ret = services[conn->tcp.args.op](conn);
	mutex_lock(&server->lock);
	/* A lost connection is not an error of the server. */
	if (ret == -EBADMSG)
		server->first_error = server->first_error ?: ret;
	list_del(&conn->entry);
	mutex_unlock(&server->lock);
	kulp_tcp_free(&conn->tcp);
	while (conn->num_others)
		kulp_buf_free(&conn->others[--conn->num_others]);
	kvfree(conn->others);
	kfree(conn);
}

static int add_conn(struct kulp_server *server, struct socket *sock)
{
	struct tcp_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);
	bool stopping;

	if (!conn)
		return -ENOMEM;
	conn->server = server;
	conn->tcp.args = server->args;
	kulp_tcp_init(&conn->tcp, sock);
	INIT_WORK(&conn->work, serve_conn);

	mutex_lock(&server->lock);
	stopping = server->stopping;
	if (!stopping) {
		list_add_tail(&conn->entry, &server->conns);
		server->served++;
		queue_work(server->wq, &conn->work);
	}
	mutex_unlock(&server->lock);
	if (stopping)
		kfree(conn);
	return stopping ? -ESHUTDOWN : 0;
}

/* Accepts connections until the listening socket is shut down. */
static void accept_all(struct work_struct *work)
{
	struct tcp_server *server = container_of(work, struct tcp_server, work);
	struct socket *sock;

	while (!kernel_accept(server->sock, &sock, 0))
		if (add_conn(&server->base, sock))
			sock_release(sock);
}

static void stop_tcp(struct kulp_server *base)
{
	struct tcp_server *server = container_of(base, struct tcp_server, base);
	struct tcp_conn *conn;

	mutex_lock(&base->lock);
	base->stopping = true;
	/* A peer that waits for window space would not notice a shutdown, but a reset. */
	list_for_each_entry(conn, &base->conns, entry) {
		sock_no_linger(conn->tcp.sock->sk);
		kernel_sock_shutdown(conn->tcp.sock, SHUT_RDWR);
	}
	mutex_unlock(&base->lock);
	kernel_sock_shutdown(server->sock, SHUT_RDWR);
	flush_work(&server->work);
	destroy_workqueue(base->wq);
	sock_release(server->sock);
	kfree(server);
}

static int listen_on(struct tcp_server *server)
{
	struct kulp_args *args = &server->base.args;
	int ret;

	ret = sock_create_kern(server->base.site.net, args->addr.ss_family, SOCK_STREAM,
			       IPPROTO_TCP, &server->sock);
	if (ret)
		return ret;
	sock_set_reuseaddr(server->sock->sk);
	ret = kernel_bind(server->sock, (struct sockaddr_unsized *)&args->addr,
			  sizeof(args->addr)) ?:
	      kernel_listen(server->sock, args->backlog);
	if (ret)
		sock_release(server->sock);
	return ret;
}

struct kulp_server *kulp_server_tcp(const struct kulp_site *site, const struct kulp_args *args)
{
	struct tcp_server *server = kzalloc(sizeof(*server), GFP_KERNEL);
	int ret;

	if (!server)
		return ERR_PTR(-ENOMEM);
	server->base.stop = stop_tcp;
	INIT_WORK(&server->work, accept_all);
	ret = kulp_server_init(&server->base, site, args);
	if (ret)
		goto free_server;
	ret = listen_on(server);
	if (ret)
		goto free_wq;
	queue_work(server->base.wq, &server->work);
	return &server->base;

free_wq:
	destroy_workqueue(server->base.wq);
free_server:
	kfree(server);
	return ERR_PTR(ret);
}
