/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * TCP sockets of a device. They are created in its network namespace, and released before the
 * namespace is.
 */
#ifndef SIW_SOCK_H
#define SIW_SOCK_H

#include <linux/list.h>
#include <linux/net.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/krdma_addr.h>

struct siw_device;

/**
 * struct siw_net - siw in one network namespace
 * @lsocks: listening sockets; under lsocks_mutex (listen.c)
 * @lock: protects @num_ceps; taken under siw_device.cm_lock
 * @num_ceps: endpoints that have a socket, or are about to create one
 * @idle: woken when @num_ceps becomes 0
 */
struct siw_net {
	struct list_head lsocks;
	spinlock_t lock; /* protects num_ceps */
	unsigned int num_ceps;
	wait_queue_head_t idle;
};

extern unsigned int siw_net_id;
struct siw_net *siw_net(const struct net *net);

/* Count an endpoint in and out. @net stays valid in between, because its exit waits. */
void siw_net_get(const struct net *net);
void siw_net_put(const struct net *net);

/*
 * Creates a TCP socket with our options, which sockets accepted from it inherit. Returns 0 or the
 * errno of socket(). Process context, like all functions below.
 */
int siw_sock_create(struct net *net, int family, struct socket **out);
/* Releases a socket, with a reset if @abort and the connection is still open. */
void siw_sock_release(struct socket *sock, bool abort);

/* Binds to @addr; a link-local one without scope is the netdev's. Returns the errno of bind(). */
int siw_sock_bind(struct siw_device *dev, struct socket *sock, const struct sockaddr_storage *addr);

/*
 * iwpmd reserves a mapped port by binding it. Between siw_sock_share_port() and
 * siw_sock_keep_port(), our socket can bind the same port and listen.
 */
void siw_sock_share_port(struct socket *sock);
void siw_sock_keep_port(struct socket *sock);

/*
 * Begins to connect; later calls poll. Returns 0 when connected, -EINPROGRESS until then, or the
 * errno of connect(). Does not wait.
 */
int siw_sock_connect(struct siw_device *dev, struct socket *sock,
		     const struct sockaddr_storage *addr);

void siw_sock_set_tos(struct socket *sock, u8 tos);

/* Returns the addresses in use; mapped IPv4 addresses of an IPv6 socket as IPv4. */
void siw_sock_names(struct socket *sock, struct sockaddr_storage *local,
		    struct sockaddr_storage *remote);

/* Does not wait. Returns bytes received, 0 after the peer's FIN, -EAGAIN if there are none yet. */
int siw_sock_recv(struct socket *sock, void *buf, size_t len);
/*
 * Does not wait. For short data on an idle socket only. Returns bytes sent or an errno, which is
 * -ENOBUFS if memory is short.
 */
int siw_sock_send(struct socket *sock, const void *buf, size_t len);

#endif /* SIW_SOCK_H */
