// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A client of the test ULP over TCP: runs the operations that have an equivalent in TCP.
 */
#include <linux/in.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "tools/testing/modules/kulp/kulp.h"

/**
 * struct tcp_run - a run of an operation
 * @tcp: the connection
 * @args: parameters and results
 * @samples: times of single operations
 * @start: the common start
 * @verify: the content of each message is checked
 */
struct tcp_run {
	struct kulp_tcp tcp;
	struct kulp_args *args;
	struct kulp_samples *samples;
	struct kulp_start **start;
	bool verify;
};

/* Returns whether operation @i has to be run. */
static bool is_to_do(const struct tcp_run *run, u32 i)
{
	return i < run->args->count || run->args->flags & KULP_F_ENDLESS;
}

static int check_stopped(const struct tcp_run *run)
{
	return READ_ONCE(*run->tcp.stop) ? -EINTR : 0;
}

static u64 tcp_account(struct tcp_run *run, ktime_t begin, u64 ops, u64 bytes)
{
	u64 nsec = ktime_to_ns(ktime_sub(ktime_get(), begin));

	run->args->ops += ops;
	run->args->bytes += bytes;
	run->args->nsec += nsec;
	return nsec;
}

static void fill(struct tcp_run *run, u64 seed)
{
	kulp_buf_fill(&run->tcp.data, run->args->offset, run->args->size, seed);
}

static int check(struct tcp_run *run, u64 seed)
{
	s64 wrong = kulp_buf_check(&run->tcp.data, run->args->offset, run->args->size, seed);

	if (wrong < 0)
		return 0;
	pr_info_ratelimited("kulp: client: byte %lld of %u is wrong\n", wrong, run->args->size);
	return -EBADMSG;
}

static int recv_message(struct tcp_run *run)
{
	int n = kulp_tcp_recv_data(&run->tcp);

	if (n < 0)
		return n;
	return n < run->args->size ? -ECONNRESET : 0;
}

static int ping(struct tcp_run *run)
{
	ktime_t begin;
	u64 nsec;
	u32 i;
	int ret = 0;

	for (i = 0; !ret && is_to_do(run, i); i++) {
		if (!i || run->verify)
			fill(run, run->args->seed + i);
		begin = ktime_get();
		ret = kulp_tcp_send_data(&run->tcp, false) ?: recv_message(run);
		nsec = tcp_account(run, begin, 1, 2ULL * run->args->size);
		if (!ret)
			kulp_samples_add(run->samples, nsec);
		if (!ret && run->verify)
			ret = check(run, kulp_spoil(run->args, run->args->seed + i));
		ret = ret ?: check_stopped(run);
	}
	return ret;
}

/*
 * Runs KULP_OP_SEND or KULP_OP_WRITE, which are the same over TCP. The measured time ends when the
 * server has received all data, before the server checks the data at the end of the stream. If the
 * server checks each message, waits for the server's status after each: until then TCP may send the
 * pages again, so their contents must not change.
 */
static int stream_tcp(struct tcp_run *run)
{
	ktime_t begin;
	u32 i;
	int ret = 0;

	fill(run, run->args->seed);
	begin = kulp_begin(run->start);
	for (i = 0; !ret && is_to_do(run, i); i++) {
		bool more = is_to_do(run, i + 1) && (i + 1) % run->args->depth;

		ret = check_stopped(run);
		if (!ret && run->verify) {
			fill(run, run->args->seed + i);
			ret = kulp_tcp_send_data(&run->tcp, false) ?:
			      kulp_tcp_recv_status(&run->tcp);
		} else if (!ret) {
			ret = kulp_tcp_send_data(&run->tcp, more);
		}
	}
	if (!ret)
		ret = kernel_sock_shutdown(run->tcp.sock, SHUT_WR) ?:
		      kulp_tcp_recv_status(&run->tcp);
	tcp_account(run, begin, i, (u64)i * run->args->size);
	return ret ?: kulp_tcp_recv_status(&run->tcp);
}

/*
 * Does nothing while more than half of the messages that may be outstanding are outstanding.
 * Otherwise requests messages until the limit is reached. A request is a big-endian u32: the size
 * of the message in bytes.
 */
static int request_more(struct tcp_run *run, u32 received, u32 *requested)
{
	/* The server has one buffer, so verified messages, which differ, come one at a time. */
	u32 depth = run->verify ? 1 : run->args->depth;
	__be32 requests[KULP_MAX_DEPTH];
	u32 n = 0;

	if (*requested - received > depth / 2)
		return 0;
	while (*requested - received < depth && is_to_do(run, *requested)) {
		requests[n++] = cpu_to_be32(run->args->size);
		++*requested;
	}
	return kulp_tcp_send(&run->tcp, requests, n * sizeof(*requests));
}

static int fetch(struct tcp_run *run)
{
	ktime_t begin = kulp_begin(run->start);
	u32 i, requested = 0;
	int ret = 0;

	for (i = 0; !ret && is_to_do(run, i); i++) {
		ret = request_more(run, i, &requested) ?: recv_message(run) ?: check_stopped(run);
		if (!ret && run->verify)
			ret = check(run, run->args->seed + i);
	}
	tcp_account(run, begin, i, (u64)i * run->args->size);
	if (ret || run->verify)
		return ret;
	return check(run, run->args->seed);
}

static int (*const tcp_ops[KULP_OP_COUNT])(struct tcp_run *run) = {
	[KULP_OP_PING] = ping,
	[KULP_OP_SEND] = stream_tcp,
	[KULP_OP_WRITE] = stream_tcp,
	[KULP_OP_READ] = fetch,
};

/*
 * Connects, and exchanges one message in each direction, as the MPA handshake does, before the
 * connection counts as established.
 */
static int tcp_connect_to(struct kulp_tcp *tcp, const struct kulp_site *site)
{
	struct sockaddr_unsized *from = (struct sockaddr_unsized *)&tcp->args.from;
	unsigned long end = kulp_tcp_deadline(tcp);
	struct kulp_hello *hello;
	u16 len;
	int ret;

	ret = sock_create_kern(site->net, tcp->args.addr.ss_family, SOCK_STREAM, IPPROTO_TCP,
			       &tcp->sock);
	if (ret) {
		tcp->sock = NULL;
		return ret;
	}
	kulp_tcp_init(tcp, tcp->sock);
	if (tcp->args.from.ss_family)
		ret = kernel_bind(tcp->sock, from, sizeof(tcp->args.from));
	while (!ret) {
		ret = kernel_connect(tcp->sock, (struct sockaddr_unsized *)&tcp->args.addr,
				     sizeof(tcp->args.addr), 0);
		if (ret != -EINPROGRESS && ret != -EALREADY)
			break;
		ret = kulp_tcp_wait_on(tcp, end);
	}
	if (ret)
		return ret;
	hello = kulp_hello_make(&tcp->args, &len);
	if (!hello)
		return -ENOMEM;
	/* The server expects exactly this length, because the message does not carry its length. */
	ret = len == sizeof(*hello) ? kulp_tcp_send(tcp, hello, len) : -EINVAL;
	kfree(hello);
	return ret ?: kulp_tcp_recv_status(tcp);
}

int kulp_tcp_run(const struct kulp_site *site, struct kulp_args *args, bool *stop,
		 struct kulp_samples *samples, struct kulp_start **start)
{
	struct tcp_run run = {
		.tcp = { .args = *args, .stop = stop }, .args = args, .samples = samples,
		.start = start, .verify = args->flags & KULP_F_VERIFY,
	};
	ktime_t begin;
	int ret;

	if (!tcp_ops[args->op] && args->op != KULP_OP_CONNECT)
		return -EOPNOTSUPP;
	if (!args->size)
		return -EINVAL;
	ret = kulp_buf_alloc(&run.tcp.data, NULL, args->offset + args->size);
	if (ret)
		return ret;
	begin = ktime_get();
	ret = tcp_connect_to(&run.tcp, site);
	if (!ret && args->op == KULP_OP_CONNECT)
		kulp_samples_add(samples, ktime_to_ns(ktime_sub(ktime_get(), begin)));
	if (!ret && tcp_ops[args->op])
		ret = tcp_ops[args->op](&run);
	kulp_tcp_free(&run.tcp);
	return ret;
}
