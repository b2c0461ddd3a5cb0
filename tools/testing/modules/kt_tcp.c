// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_tcp.ko: tests that TCP takes the pages that krdma passes to it by reference.
 */
#include <linux/in.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <net/tcp.h>

#include <rdma/krdma.h>

#include "ktap.h"

KRDMA_NEEDS_IB_CORE;

#define LEN	3000
#define OFFSET	77

/* The two ends of a connection over the loopback device, and the socket that accepted it. */
struct pair {
	struct socket *listener;
	struct socket *from;
	struct socket *to;
};

static void close_socket(struct socket *sock)
{
	if (sock)
		sock_release(sock);
}

static void close_pair(struct pair *pair)
{
	close_socket(pair->to);
	close_socket(pair->from);
	close_socket(pair->listener);
}

static int open_pair(struct pair *pair)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct sockaddr_unsized *any = (struct sockaddr_unsized *)&addr;

	*pair = (struct pair) {};
	return sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &pair->listener) ?:
	       sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &pair->from) ?:
	       kernel_bind(pair->listener, any, sizeof(addr)) ?:
	       kernel_listen(pair->listener, 1) ?:
	       min(kernel_getsockname(pair->listener, (struct sockaddr *)&addr), 0) ?:
	       kernel_connect(pair->from, any, sizeof(addr), 0) ?:
	       kernel_accept(pair->listener, &pair->to, 0);
}

static int send(struct socket *sock, struct page *page, bool more)
{
	int sent;

	lock_sock(sock->sk);
	sent = krdma_tcp_send_page_locked(sock->sk, page, OFFSET, LEN, MSG_NOSIGNAL, more);
	release_sock(sock->sk);
	return sent;
}

static int receive(struct socket *sock, void *to)
{
	struct kvec vec = { .iov_base = to, .iov_len = LEN };
	struct msghdr msg = {};

	return kernel_recvmsg(sock, &msg, &vec, 1, LEN, MSG_WAITALL);
}

/*
 * A copy would have the bytes that the page had when it was sent. TCP has a reference, so the
 * receiver sees the bytes of now.
 */
static void check_reference(struct ktap *t, struct pair *pair, u8 *sent, u8 *received, bool more)
{
	struct page *page = virt_to_page(sent);

	memset(sent, 1, PAGE_SIZE);
	KT_EXPECT_EQ(t, send(pair->from, page, more), LEN);
	KT_EXPECT(t, page_ref_count(page) > 1);
	memset(sent, 2, PAGE_SIZE);
	if (more)
		KT_EXPECT_EQ(t, send(pair->from, page, false), LEN);
	KT_EXPECT_EQ(t, receive(pair->to, received), LEN);
	KT_EXPECT(t, !memchr_inv(received, 2, LEN));
	if (more)
		KT_EXPECT_EQ(t, receive(pair->to, received), LEN);
}

static void test_reference(struct ktap *t)
{
	u8 *sent = (u8 *)__get_free_page(GFP_KERNEL);
	u8 *received = (u8 *)__get_free_page(GFP_KERNEL);
	struct pair pair = {};

	if (KT_EXPECT(t, sent && received) && KT_EXPECT_EQ(t, open_pair(&pair), 0)) {
		check_reference(t, &pair, sent, received, false);
		check_reference(t, &pair, sent, received, true);
	}
	close_pair(&pair);
	free_page((unsigned long)received);
	free_page((unsigned long)sent);
}

static const struct ktap_case cases[] = {
	{ "TCP takes pages by reference", test_reference },
};

static KTAP_SUITE(kt_tcp_suite, "tcp", cases);

static const struct ktap_suite * const suites[] = { &kt_tcp_suite };

KTAP_MODULE(suites);
