// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A TCP socket in place of a queue pair, for messages of one size from and to pages of the kernel.
 * RDMA is compared with TCP, so TCP gets every advantage. TCP sends pages by reference, unless
 * KULP_F_COPY asks for copies, after which the sender may change the pages. TCP is informed if the
 * next message follows at once, which a sender with many messages outstanding knows. Only the
 * socket buffers limit the number of bytes outstanding.
 *
 * For RDMA, args.depth is the number of messages outstanding. As a window for TCP, args.depth could
 * only reduce the window that TCP has chosen itself. Here args.depth limits the number of messages
 * that are sent in a row with the information that another one follows and, for KULP_OP_READ, the
 * number of messages requested in advance.
 */
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp.h>
#include "tools/testing/modules/kulp/kulp.h"

/*
 * Jiffies of a single wait, as many as over RDMA. After each wait, kulp_tcp_wait_on() checks
 * whether the connection has to end.
 */
#define STEP	(HZ / 20)

void kulp_tcp_init(struct kulp_tcp *tcp, struct socket *sock)
{
	tcp->sock = sock;
	tcp_sock_set_nodelay(sock->sk);
	if (tcp->stop) {
		sock->sk->sk_rcvtimeo = STEP;
		sock->sk->sk_sndtimeo = STEP;
	}
}

void kulp_tcp_free(struct kulp_tcp *tcp)
{
	if (tcp->sock)
		sock_release(tcp->sock);
	kulp_buf_free(&tcp->data);
}

unsigned long kulp_tcp_deadline(const struct kulp_tcp *tcp)
{
	return jiffies + msecs_to_jiffies(tcp->args.timeout_ms);
}

int kulp_tcp_wait_on(const struct kulp_tcp *tcp, unsigned long end)
{
	if (!tcp->stop)
		return 0;
	if (READ_ONCE(*tcp->stop))
		return -EINTR;
	return time_after(jiffies, end) ? -ETIMEDOUT : 0;
}

int kulp_tcp_recv(struct kulp_tcp *tcp, void *to, u32 len)
{
	unsigned long end = kulp_tcp_deadline(tcp);
	u32 received = 0;

	while (received < len) {
		struct kvec vec = { .iov_base = to + received, .iov_len = len - received };
		struct msghdr msg = {};
		int n;

		n = kernel_recvmsg(tcp->sock, &msg, &vec, 1, vec.iov_len, MSG_WAITALL);
		if (!n)
			break;
		if (n == -EAGAIN)
			n = kulp_tcp_wait_on(tcp, end);
		if (n < 0)
			return n;
		received += n;
	}
	return received;
}

int kulp_tcp_send(struct kulp_tcp *tcp, const void *from, u32 len)
{
	unsigned long end = kulp_tcp_deadline(tcp);

	while (len) {
		struct kvec vec = { .iov_base = (void *)from, .iov_len = len };
		struct msghdr msg = { .msg_flags = MSG_NOSIGNAL };
		int n = kernel_sendmsg(tcp->sock, &msg, &vec, 1, len);

		if (n == -EAGAIN)
			n = kulp_tcp_wait_on(tcp, end);
		if (n < 0)
			return n;
		from += n;
		len -= n;
	}
	return 0;
}

int kulp_tcp_recv_data(struct kulp_tcp *tcp)
{
	u32 offset = tcp->args.offset, left = tcp->args.size;

	while (left) {
		u32 piece = min(left, KULP_CHUNK - offset % KULP_CHUNK);
		void *to = tcp->data.chunk[offset / KULP_CHUNK] + offset % KULP_CHUNK;
		int n = kulp_tcp_recv(tcp, to, piece);

		if (n < 0)
			return n;
		left -= n;
		offset += n;
		if (n < piece)
			break;
	}
	return tcp->args.size - left;
}

static int send_piece(struct kulp_tcp *tcp, u32 offset, u32 len, bool more)
{
	struct page *page = virt_to_page(tcp->data.chunk[offset / KULP_CHUNK]);
	struct sock *sk = tcp->sock->sk;
	int sent;

	if (tcp->args.flags & KULP_F_COPY) {
		struct kvec vec = { page_address(page) + offset % KULP_CHUNK, len };
		struct msghdr msg = { .msg_flags = MSG_NOSIGNAL | (more ? MSG_MORE : 0) };

		return kernel_sendmsg(tcp->sock, &msg, &vec, 1, len);
	}
	lock_sock(sk);
	sent = krdma_tcp_send_page_locked(sk, page, offset % KULP_CHUNK, len, MSG_NOSIGNAL, more);
	release_sock(sk);
	return sent;
}

int kulp_tcp_send_data(struct kulp_tcp *tcp, bool more)
{
	u32 offset = tcp->args.offset, left = tcp->args.size;
	unsigned long end = kulp_tcp_deadline(tcp);

	while (left) {
		u32 piece = min(left, KULP_CHUNK - offset % KULP_CHUNK);
		int n = send_piece(tcp, offset, piece, more || piece < left);

		if (n == -EAGAIN)
			n = kulp_tcp_wait_on(tcp, end);
		if (n < 0)
			return n;
		left -= n;
		offset += n;
	}
	return 0;
}

bool kulp_tcp_has(const struct kulp_tcp *tcp, u32 len)
{
	struct sock *sk = tcp->sock->sk;
	bool has;

	lock_sock(sk);
	has = tcp_inq(sk) >= len;
	release_sock(sk);
	return has;
}

int kulp_tcp_send_status(struct kulp_tcp *tcp, int status)
{
	__be32 word = cpu_to_be32(-status);

	return kulp_tcp_send(tcp, &word, sizeof(word));
}

int kulp_tcp_recv_status(struct kulp_tcp *tcp)
{
	__be32 word;
	int n = kulp_tcp_recv(tcp, &word, sizeof(word));

	if (n < 0)
		return n;
	if (n < sizeof(word))
		return -ECONNRESET;
	return -(int)be32_to_cpu(word);
}
