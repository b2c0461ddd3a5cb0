/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_NET_TCP_H
#define KRDMA_COMPAT_NET_TCP_H

#include <linux/version.h>
#include_next <net/tcp.h>

#include <linux/bvec.h>
#include <linux/uio.h>

/*
 * krdma_tcp_send_page_locked() hands @len bytes of @page to TCP, by reference where the route's
 * device gathers and as a copy elsewhere. @flags: MSG_DONTWAIT, MSG_NOSIGNAL; @more: other bytes
 * follow at once. Bytes taken, or an error; the socket is locked and allocates where nobody may
 * sleep: any context.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
/*
 * What tcp_sendpage_locked() falls back to may sleep, in kmap(). TCP that has looked for a route in
 * vain takes it, too, that nothing gathers.
 */
static inline int krdma_tcp_send_copy_locked(struct sock *sk, struct page *page, int off,
					     size_t len, int flags)
{
	struct bio_vec bvec = { .bv_page = page, .bv_offset = off, .bv_len = len };
	struct msghdr msg = { .msg_flags = flags };

	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, &bvec, 1, len);
	return tcp_sendmsg_locked(sk, &msg, len);
}

static inline int krdma_tcp_send_page_locked(struct sock *sk, struct page *page, int off,
					     size_t len, int flags, bool more)
{
	flags |= more ? MSG_MORE : 0;
	if (!(sk->sk_route_caps & NETIF_F_SG))
		return krdma_tcp_send_copy_locked(sk, page, off, len, flags);
	return tcp_sendpage_locked(sk, page, off, len, flags | (more ? MSG_SENDPAGE_NOTLAST : 0));
}
#else
static inline int krdma_tcp_send_page_locked(struct sock *sk, struct page *page, int off,
					     size_t len, int flags, bool more)
{
	struct msghdr msg = { .msg_flags = flags | MSG_SPLICE_PAGES | (more ? MSG_MORE : 0) };
	struct bio_vec bvec;

	bvec_set_page(&bvec, page, len, off);
	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, &bvec, 1, len);
	return tcp_sendmsg_locked(sk, &msg, len);
}
#endif

#endif
