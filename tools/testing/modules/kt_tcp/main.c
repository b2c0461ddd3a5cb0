// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_tcp.ko: tests how TCP takes the pages that krdma passes to it.
 */
#include <linux/in.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/random.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <net/tcp.h>

#include <rdma/krdma.h>

#include "../support/ktap.h"

KRDMA_NEEDS_IB_CORE;

#define LEN	3000
#define OFFSET	77

/* A segment size for which MANY is more than TCP may make socket buffers of in one call. */
#define SMALL_MSS	536
#define MANY		(8 * PAGE_SIZE)

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

/* @mss: largest segment in bytes, or 0 */
static int open_pair(struct pair *pair, u16 mss)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct sockaddr_unsized *any = (struct sockaddr_unsized *)&addr;
	int ret;

	*pair = (struct pair) {};
	ret = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &pair->listener) ?:
	      sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &pair->from);
	if (ret)
		return ret;
	tcp_sk(pair->from->sk)->rx_opt.user_mss = mss;
	return kernel_bind(pair->listener, any, sizeof(addr)) ?:
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

	if (KT_EXPECT(t, sent && received) && KT_EXPECT_EQ(t, open_pair(&pair, 0), 0)) {
		check_reference(t, &pair, sent, received, false);
		check_reference(t, &pair, sent, received, true);
	}
	close_pair(&pair);
	free_page((unsigned long)received);
	free_page((unsigned long)sent);
}

/* Sends @sent, in as many calls as it takes. Expects that no call makes 16 socket buffers. */
static void send_many(struct ktap *t, struct pair *pair, const u8 *sent)
{
	struct sock *sk = pair->from->sk;
	u32 done;
	int n;

	lock_sock(sk);
	/* A device that can neither gather nor segment: TCP copies, a segment to a buffer. */
	sk->sk_route_caps &= ~(NETIF_F_SG | NETIF_F_GSO_MASK);
	sk->sk_gso_max_segs = 1;
	WRITE_ONCE(sk->sk_sndbuf, 8 * MANY);
	for (done = 0; done < MANY; done += n) {
		n = krdma_tcp_send_page_locked(sk, virt_to_page(sent), done, MANY - done,
					       MSG_NOSIGNAL | MSG_DONTWAIT, false);
		if (!KT_EXPECT(t, n > 0 && n < 16 * SMALL_MSS))
			break;
	}
	release_sock(sk);
}

static void test_many(struct ktap *t)
{
	u8 *sent = (u8 *)__get_free_pages(GFP_KERNEL | __GFP_COMP, get_order(MANY));
	u8 *received = (u8 *)__get_free_pages(GFP_KERNEL | __GFP_COMP, get_order(MANY));
	struct kvec vec = { .iov_base = received, .iov_len = MANY };
	struct msghdr msg = {};
	struct pair pair = {};

	if (KT_EXPECT(t, sent && received) && KT_EXPECT_EQ(t, open_pair(&pair, SMALL_MSS), 0)) {
		get_random_bytes(sent, MANY);
		pair.to->sk->sk_rcvtimeo = HZ;
		send_many(t, &pair, sent);
		KT_EXPECT_EQ(t, kernel_recvmsg(pair.to, &msg, &vec, 1, MANY, MSG_WAITALL), MANY);
		KT_EXPECT(t, !memcmp(sent, received, MANY));
	}
	close_pair(&pair);
	free_pages((unsigned long)received, get_order(MANY));
	free_pages((unsigned long)sent, get_order(MANY));
}

static const struct ktap_case cases[] = {
	{ "TCP takes pages by reference", test_reference },
	{ "no call makes 16 socket buffers", test_many },
};

static KTAP_SUITE(kt_tcp_suite, "tcp", cases);

static const struct ktap_suite * const suites[] = { &kt_tcp_suite };

KTAP_MODULE(suites);
