/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_NET_TCP_H
#define KRDMA_COMPAT_NET_TCP_H

#include_next <net/tcp.h>

#include <krdma/has.h>
#include <linux/bvec.h>
#include <linux/uio.h>

/*
 * Returns a number of bytes for which TCP makes fewer than 16 socket buffers. After 16 buffers,
 * tcp_sendmsg_locked() processes the socket's backlog and may reschedule, which is not allowed with
 * BHs disabled. MAX_TCP_OPTION_SPACE is subtracted, because mss_cache includes no room for SACK
 * options; the difference is positive, because mss_cache is at least TCP_MIN_SND_MSS. A buffer
 * also ends early if it has the maximum number of page fragments, but the 32 KiB that siw passes at
 * most do not need so many fragments.
 */
static inline size_t krdma_tcp_send_max(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 segs = sk_can_gso(sk) ? max_t(u32, tp->gso_segs, 1) : 1;

	return (size_t)15 * segs * (tp->mss_cache - MAX_TCP_OPTION_SPACE);
}

/*
 * krdma_tcp_send_page_locked() passes @len bytes of @page to TCP, by reference if the route's
 * device supports scatter/gather, otherwise as a copy. The bytes must not change while TCP has a
 * reference; MSG_NO_SHARED_FRAGS tells TCP so, which saves a copy if the device has no checksum
 * offload. @flags are MSG_DONTWAIT and MSG_NOSIGNAL; @more is true if the caller will pass further
 * bytes immediately after this call. Any context; called with the socket locked, and with an
 * sk_allocation that does not sleep. Returns the number of bytes that TCP has accepted, which may
 * be fewer than @len, or a negative errno.
 *
 * Whether MSG_SPLICE_PAGES is defined does not tell what TCP supports, because stable trees define
 * the flag in kernels whose TCP ignores it and copies the bytes.
 */
static inline int krdma_tcp_send_page_locked(struct sock *sk, struct page *page, int off,
					     size_t len, int flags, bool more)
{
	struct bio_vec bvec = { .bv_page = page, .bv_offset = off };
	size_t max = krdma_tcp_send_max(sk);
	struct msghdr msg = {};

	flags |= MSG_NO_SHARED_FRAGS;
#if KRDMA_HAS_TCP_SENDPAGE
	/*
	 * If the route's device has no scatter/gather, or if TCP has no route,
	 * tcp_sendpage_locked() would copy with kmap(), which may sleep.
	 */
	if (sk->sk_route_caps & NETIF_F_SG)
		return tcp_sendpage_locked(sk, page, off, len, flags |
					   (more ? MSG_MORE | MSG_SENDPAGE_NOTLAST : 0));
#else
	flags |= MSG_SPLICE_PAGES;
#endif
	if (len > max) {
		len = max;
		more = true;
	}
	bvec.bv_len = len;
	msg.msg_flags = flags | (more ? MSG_MORE : 0);
	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, &bvec, 1, len);
	return tcp_sendmsg_locked(sk, &msg, len);
}

#endif
