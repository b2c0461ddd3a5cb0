// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * TCP sockets of a device.
 */
#include <linux/net.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/netns/generic.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "drivers/siw/base/sock.h"
#include "drivers/siw/base/siw.h"

unsigned int siw_net_id __read_mostly;

struct siw_net *siw_net(const struct net *net)
{
	return net_generic(net, siw_net_id);
}

void siw_net_get(const struct net *net)
{
	struct siw_net *sn = siw_net(net);

	spin_lock(&sn->lock);
	sn->num_ceps++;
	spin_unlock(&sn->lock);
}

void siw_net_put(const struct net *net)
{
	struct siw_net *sn = siw_net(net);

	/*
	 * Wake under the lock, because @sn may be freed as soon as pernet_exit() sees that num_ceps
	 * is 0.
	 */
	spin_lock(&sn->lock);
	if (!--sn->num_ceps)
		wake_up_all(&sn->idle);
	spin_unlock(&sn->lock);
}

static void set_hooks(struct sock *sk, const struct siw_sock_hooks *hooks)
{
	lockdep_assert_held_write(&sk->sk_callback_lock);
	sk->sk_state_change = hooks->state_change;
	sk->sk_data_ready = hooks->data_ready;
	sk->sk_write_space = hooks->write_space;
	sk->sk_error_report = hooks->error_report;
	rcu_assign_sk_user_data(sk, hooks->user_data);
}

void siw_sock_hook(struct sock *sk, const struct siw_sock_hooks *hooks,
		   struct siw_sock_hooks *saved)
{
	*saved = (struct siw_sock_hooks) {
		.state_change = sk->sk_state_change,
		.data_ready = sk->sk_data_ready,
		.write_space = sk->sk_write_space,
		.error_report = sk->sk_error_report,
		.user_data = sk->sk_user_data,
	};
	set_hooks(sk, hooks);
}

void siw_sock_unhook(struct sock *sk, const struct siw_sock_hooks *saved)
{
	set_hooks(sk, saved);
}

int siw_sock_create(struct net *net, int family, struct socket **out)
{
	struct sock *sk;
	int err;

	err = sock_create_kern(net, family, SOCK_STREAM, IPPROTO_TCP, out);
	if (err)
		return err;
	/*
	 * The stream sends in softirq context, so TCP must not sleep, and must not use the page
	 * fragment of the current task, which the softirq has interrupted.
	 */
	sk = (*out)->sk;
	sk->sk_allocation = GFP_ATOMIC;
	sk->sk_use_task_frag = false;
	tcp_sock_set_nodelay(sk);
	/*
	 * TCP must not take the urgent byte out of the stream. Accepted sockets inherit the flag.
	 */
	lock_sock(sk);
	sock_set_flag(sk, SOCK_URGINLINE);
	release_sock(sk);
	sock_set_reuseaddr(sk);
	return 0;
}

void siw_sock_release(struct socket *sock, bool abort)
{
	if (abort)
		sock_no_linger(sock->sk);
	sock_release(sock);
}

/* Makes the device's netdev the scope of an IPv6 link-local address that has no scope. */
static void set_scope(const struct siw_device *dev, struct sockaddr_storage *addr)
{
	struct sockaddr_in6 *in6 = krdma_addr6(addr);

	if (addr->ss_family == AF_INET6 && !in6->sin6_scope_id &&
	    ipv6_addr_type(&in6->sin6_addr) & IPV6_ADDR_LINKLOCAL)
		in6->sin6_scope_id = dev->netdev->ifindex;
}

int siw_sock_vrf(const struct siw_device *dev)
{
	return l3mdev_master_upper_ifindex_by_index(dev_net(dev->netdev), dev->netdev->ifindex);
}

int siw_sock_bind(struct siw_device *dev, struct socket *sock, const struct sockaddr_storage *addr,
		  int vrf)
{
	struct sockaddr_storage scoped = *addr;
	int err;

	err = vrf ? sock_bindtoindex(sock->sk, vrf, true) : 0;
	if (err)
		return err;
	set_scope(dev, &scoped);
	return kernel_bind(sock, (struct sockaddr_unsized *)&scoped, krdma_addr_len(&scoped));
}

void siw_sock_set_force_reuse(struct socket *sock)
{
	lock_sock(sock->sk);
	sock->sk->sk_reuse = SK_FORCE_REUSE;
	release_sock(sock->sk);
}

void siw_sock_clear_force_reuse(struct socket *sock)
{
	sock_set_reuseaddr(sock->sk);
}

int siw_sock_connect(struct siw_device *dev, struct socket *sock,
		     const struct sockaddr_storage *addr)
{
	struct sockaddr_storage scoped = *addr;
	int err;

	set_scope(dev, &scoped);
	err = kernel_connect(sock, (struct sockaddr_unsized *)&scoped, krdma_addr_len(&scoped),
			     O_NONBLOCK);
	return err == -EALREADY ? -EINPROGRESS : err;
}

void siw_sock_set_tos(struct socket *sock, u8 tos)
{
	struct sock *sk = sock->sk;

	ip_sock_set_tos(sk, tos);
	if (sk->sk_family != AF_INET6)
		return;
	lock_sock(sk);
	inet6_sk(sk)->tclass = tos;
	release_sock(sk);
}

void siw_sock_limit_rcvbuf(struct socket *sock, int bytes)
{
	/* sock_set_rcvbuf() doubles its argument. */
	sock_set_rcvbuf(sock->sk, bytes / 2);
}

void siw_sock_free_rcvbuf(struct socket *sock)
{
	struct sock *sk = sock->sk;
	int usual = READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_rmem[1]);
	const struct dst_entry *dst;
	u32 window;

	lock_sock(sk);
	sk->sk_userlocks &= ~SOCK_RCVBUF_LOCK;
	WRITE_ONCE(sk->sk_rcvbuf, max(sk->sk_rcvbuf, usual));
	/*
	 * Newer kernels also limit the window when they limit the buffer. Lift that limit, unless
	 * the route sets one.
	 */
	dst = __sk_dst_get(sk);
	window = tcp_win_from_space(sk, sk->sk_rcvbuf);
	if (dst && !dst_metric(dst, RTAX_WINDOW) && tcp_sk(sk)->window_clamp < window)
		WRITE_ONCE(tcp_sk(sk)->window_clamp, window);
	release_sock(sk);
}

void siw_sock_set_timeouts(struct socket *sock, const struct siw_settings *settings)
{
	struct sock *sk = sock->sk;

	if (settings->keepalive_time) {
		tcp_sock_set_keepidle(sk, settings->keepalive_time);
		tcp_sock_set_keepintvl(sk, settings->keepalive_intvl);
		tcp_sock_set_keepcnt(sk, settings->keepalive_probes);
		sock_set_keepalive(sk);
	}
	if (settings->user_timeout_ms)
		tcp_sock_set_user_timeout(sk, settings->user_timeout_ms);
}

static void unmap_v4(struct sockaddr_storage *addr)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = krdma_addr6(addr)->sin6_port,
		.sin_addr.s_addr = krdma_addr6(addr)->sin6_addr.s6_addr32[3],
	};

	if (addr->ss_family != AF_INET6 || !ipv6_addr_v4mapped(&krdma_addr6(addr)->sin6_addr))
		return;
	memset(addr, 0, sizeof(*addr));
	memcpy(addr, &in, sizeof(in));
}

void siw_sock_names(struct socket *sock, struct sockaddr_storage *local,
		    struct sockaddr_storage *remote)
{
	memset(local, 0, sizeof(*local));
	memset(remote, 0, sizeof(*remote));
	kernel_getsockname(sock, (struct sockaddr *)local);
	kernel_getpeername(sock, (struct sockaddr *)remote);
	unmap_v4(local);
	unmap_v4(remote);
}

/*
 * Reads the peer's address from @sk itself, because getpeername() fails once the socket is aborted.
 */
static void sk_remote(const struct sock *sk, struct sockaddr_storage *remote)
{
	memset(remote, 0, sizeof(*remote));
	remote->ss_family = sk->sk_family;
	if (sk->sk_family == AF_INET)
		krdma_addr4(remote)->sin_addr.s_addr = sk->sk_daddr;
#if IS_ENABLED(CONFIG_IPV6)
	else
		krdma_addr6(remote)->sin6_addr = sk->sk_v6_daddr;
#endif
	krdma_addr_set_port(remote, sk->sk_dport);
	unmap_v4(remote);
}

void siw_sock_log_abort(const struct siw_device *dev, const struct sock *sk)
{
	struct sockaddr_storage remote;

	/* Only somebody on this host causes this errno; neither the network nor the peer does. */
	if (READ_ONCE(sk->sk_err) != ECONNABORTED)
		return;
	sk_remote(sk, &remote);
	ibdev_warn_ratelimited(&dev->soft.base,
			       "connection with %pISpc ended, because somebody on this host has closed its socket\n",
			       &remote);
}

u32 siw_sock_acked(const struct socket *sock)
{
	const struct tcp_sock *tp = tcp_sk(sock->sk);
	u32 acked = READ_ONCE(tp->snd_una);
	u32 end = READ_ONCE(tp->write_seq);

	return READ_ONCE(sock->sk->sk_shutdown) & SEND_SHUTDOWN && end - acked == 1 ? end : acked;
}

bool siw_sock_is_acked(const struct socket *sock)
{
	return siw_sock_acked(sock) == READ_ONCE(tcp_sk(sock->sk)->write_seq);
}

int siw_sock_recv(struct socket *sock, void *buf, size_t len)
{
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };

	return kernel_recvmsg(sock, &msg, &vec, 1, len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int siw_sock_drop(struct socket *sock, size_t len)
{
	struct kvec vec = { .iov_len = len };
	struct msghdr msg = { };

	return kernel_recvmsg(sock, &msg, &vec, 1, len, MSG_DONTWAIT | MSG_NOSIGNAL | MSG_TRUNC);
}

int siw_sock_send(struct socket *sock, const void *buf, size_t len)
{
	struct sock *sk = sock->sk;
	struct page *page;
	int sent;

	/*
	 * Pass the bytes in a page of their own, which TCP frees when the peer has acknowledged the
	 * bytes. Otherwise TCP would copy the bytes into a page fragment of 32 KiB, and keep the
	 * fragment until the socket is released.
	 */
	page = alloc_page(GFP_KERNEL | __GFP_NOWARN);
	if (!page)
		return -ENOBUFS;
	memcpy(page_address(page), buf, len);
	lock_sock(sk);
	sent = krdma_tcp_send_page_locked(sk, page, 0, len, MSG_DONTWAIT | MSG_NOSIGNAL, false);
	release_sock(sk);
	put_page(page);
	/*
	 * -EAGAIN means a lack of memory, not a full send buffer: only short MPA frames and
	 * Terminates are sent here, and no earlier bytes wait in the socket.
	 */
	return sent == -EAGAIN ? -ENOBUFS : sent;
}
