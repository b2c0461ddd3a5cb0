/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * TCP sockets of a device. They are created in the device's network namespace, and released before
 * the namespace is released.
 */
#ifndef SIW_SOCK_H
#define SIW_SOCK_H

#include <linux/list.h>
#include <linux/net.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/krdma_addr.h>

struct siw_device;
struct siw_settings;

/**
 * struct siw_net - state of siw in one network namespace
 * @lsocks: listening sockets; protected by lsocks_mutex (listen.c)
 * @relisten: replaces those of @lsocks that somebody else has closed (listen.c)
 * @lock: protects @num_ceps; nests in siw_device.cm_lock
 * @num_ceps: number of endpoints that have a socket, or are about to create one
 * @idle: woken when @num_ceps becomes 0
 */
struct siw_net {
	struct list_head lsocks;
	struct delayed_work relisten;
	spinlock_t lock; /* protects @num_ceps */
	unsigned int num_ceps;
	wait_queue_head_t idle;
};

extern unsigned int siw_net_id;
struct siw_net *siw_net(const struct net *net);

/*
 * siw_net_get() counts an endpoint in siw_net.num_ceps until siw_net_put(). Between the two calls,
 * @net is valid, because pernet_exit() waits until the count is 0.
 */
void siw_net_get(const struct net *net);
void siw_net_put(const struct net *net);

/**
 * struct siw_sock_hooks - a socket's callbacks, and the user data that leads them to their object
 * @state_change: sk_state_change
 * @data_ready: sk_data_ready
 * @write_space: sk_write_space
 * @error_report: sk_error_report
 * @user_data: sk_user_data
 */
struct siw_sock_hooks {
	void (*state_change)(struct sock *sk);
	void (*data_ready)(struct sock *sk);
	void (*write_space)(struct sock *sk);
	void (*error_report)(struct sock *sk);
	void *user_data;
};

/*
 * siw_sock_hook() saves the socket's callbacks and user data in *@saved, and replaces them by
 * *@hooks; siw_sock_unhook() restores *@saved. Called with sk_callback_lock held for writing.
 */
void siw_sock_hook(struct sock *sk, const struct siw_sock_hooks *hooks,
		   struct siw_sock_hooks *saved);
void siw_sock_unhook(struct sock *sk, const struct siw_sock_hooks *saved);

/*
 * Creates a TCP socket with our options, which sockets accepted from it inherit. Returns 0 or the
 * errno of socket(). Process context, like all functions below except siw_sock_log_abort().
 */
int siw_sock_create(struct net *net, int family, struct socket **out);
/* Releases a socket. Resets its connection if @abort is true and the connection is still open. */
void siw_sock_release(struct socket *sock, bool abort);

/* Returns the index of the VRF's master if the device's netdev is in a VRF, or 0 if not. */
int siw_sock_vrf(const struct siw_device *dev);

/*
 * Binds the socket to @addr and, if @vrf is not 0, to the VRF whose master has this index. If @addr
 * is a link-local address without a scope, the device's netdev becomes its scope. Returns 0 or the
 * errno of bind().
 *
 * A socket is bound to the VRF of the netdev, but not to the netdev: the routes decide by which
 * netdev packets leave, as they do for other TCP sockets.
 */
int siw_sock_bind(struct siw_device *dev, struct socket *sock, const struct sockaddr_storage *addr,
		  int vrf);

/*
 * iwpmd reserves a mapped port by binding a socket of its own to the port. Between these two calls,
 * our socket can nevertheless be bound to the same port, and listen.
 */
void siw_sock_set_force_reuse(struct socket *sock);
void siw_sock_clear_force_reuse(struct socket *sock);

/*
 * The first call for a socket begins to connect it, and later calls check for the outcome. Returns
 * 0 if the socket is connected, -EINPROGRESS if it is not yet, or the errno of connect(). Does not
 * wait.
 */
int siw_sock_connect(struct siw_device *dev, struct socket *sock,
		     const struct sockaddr_storage *addr);

void siw_sock_set_tos(struct socket *sock, u8 tos);

/*
 * Limits the received bytes that the socket holds to @bytes, TCP's overhead included, until
 * siw_sock_free_rcvbuf() is called. The window already offered to the peer does not shrink: TCP
 * drops what does not fit, and the peer sends it again.
 */
void siw_sock_limit_rcvbuf(struct socket *sock, int bytes);
/*
 * Ends the limit. Gives the receive buffer at least TCP's default size, and lets TCP adapt the
 * size.
 */
void siw_sock_free_rcvbuf(struct socket *sock);

/* Sets keepalive and user timeout of a connection whose stream is about to start. */
void siw_sock_set_timeouts(struct socket *sock, const struct siw_settings *settings);

/* Returns the addresses of the socket. An IPv4 address that is mapped into IPv6 becomes IPv4. */
void siw_sock_names(struct socket *sock, struct sockaddr_storage *local,
		    struct sockaddr_storage *remote);

/*
 * Logs the end of the connection if somebody on this host has ended it (SOCK_DESTROY, "ss -K").
 * Called as part of sk_error_report.
 */
void siw_sock_log_abort(const struct siw_device *dev, const struct sock *sk);

/*
 * Returns the sequence number up to which the peer has acknowledged our bytes and our FIN. The FIN
 * also counts as acknowledged if the FIN alone is outstanding.
 */
u32 siw_sock_acked(const struct socket *sock);
/* Returns whether the peer has acknowledged all our bytes; our FIN need not be acknowledged. */
bool siw_sock_is_acked(const struct socket *sock);

/*
 * Receives without waiting. Returns the number of bytes, 0 after the peer's FIN, -EAGAIN if no
 * bytes have arrived yet, or the error of the connection.
 */
int siw_sock_recv(struct socket *sock, void *buf, size_t len);
/* Receives and drops up to @len bytes, without waiting. Returns the same as siw_sock_recv(). */
int siw_sock_drop(struct socket *sock, size_t len);
/*
 * Sends @len bytes, a page at most, without waiting. No earlier bytes may be waiting in the socket.
 * Returns the number of bytes that were sent, -ENOBUFS if memory is short, or the error of the
 * connection.
 */
int siw_sock_send(struct socket *sock, const void *buf, size_t len);

#endif /* SIW_SOCK_H */
