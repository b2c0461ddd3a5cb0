/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * TCP sockets of a device: made in its network namespace, and gone before that goes.
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
 * @lsocks: listening sockets; listen.c's
 * @lock: guards @num_ceps
 * @num_ceps: connections that have a socket, or are about to
 * @idle: woken when @num_ceps becomes 0
 */
struct siw_net {
	struct list_head lsocks;
	spinlock_t lock; /* guards num_ceps; nests in a device's cm_lock */
	unsigned int num_ceps;
	wait_queue_head_t idle;
};

/* net.c: once, when the module is loaded and unloaded. */
int siw_net_init(void);
void siw_net_exit(void);

/* sock.c */
extern unsigned int siw_net_id;
struct siw_net *siw_net(const struct net *net);

/* A connection comes and goes: between the two, @net stays. */
void siw_net_get(const struct net *net);
void siw_net_put(const struct net *net);

/*
 * siw_sock_create() makes a socket with our options. Those that a listening one hands out have
 * them too. siw_sock_release() ends either: with a reset if @abort and the connection is not
 * closed yet. Process context.
 */
int siw_sock_create(struct net *net, int family, struct socket **out);
void siw_sock_release(struct socket *sock, bool abort);

/* Binds to @addr; a link-local address means the one on the device's netdev. errno of bind(). */
int siw_sock_bind(struct siw_device *dev, struct socket *sock, const struct sockaddr_storage *addr);

/*
 * A port that the port mapper's daemon has reserved for us is bound already: between
 * siw_sock_share_port() and siw_sock_keep_port() the socket may bind it, too, and listen.
 */
void siw_sock_share_port(struct socket *sock);
void siw_sock_keep_port(struct socket *sock);

/*
 * Begins to connect, or tells how far that is: 0 connected, -EINPROGRESS not yet, else the reason
 * of the failure. Does not wait.
 */
int siw_sock_connect(struct siw_device *dev, struct socket *sock,
		     const struct sockaddr_storage *addr);

void siw_sock_set_tos(struct socket *sock, u8 tos);

/* Addresses as they are in fact; IPv4 addresses of an IPv6 socket as IPv4. */
void siw_sock_names(struct socket *sock, struct sockaddr_storage *local,
		    struct sockaddr_storage *remote);

/*
 * Without waiting: bytes moved, or the reason of the failure. Received: 0 is the end of the stream,
 * -EAGAIN nothing yet. Sent, what is short and the first that a stream sends: -ENOBUFS no memory.
 */
int siw_sock_recv(struct socket *sock, void *buf, size_t len);
int siw_sock_send(struct socket *sock, const void *buf, size_t len);

#endif /* SIW_SOCK_H */
