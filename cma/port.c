// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Port spaces: the ports of a network namespace, and the identifiers that have and share them.
 *
 * The rules for sharing a port are those of sockets. The identifier of a request has the port
 * number of its listener, but is not in the table of ports.
 */
#include "cma/port.h"

#include <linux/capability.h>
#include <linux/net.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/netns/generic.h>
#include <net/sock.h>

#include "cma/addr.h"
#include "cma/id.h"

enum space {
	SPACE_TCP,
	SPACE_UDP,
	SPACE_IPOIB,
	SPACE_IB,
	NR_SPACES
};

/**
 * struct cma_port - a port that identifiers are bound to
 * @number: port number, in the host's byte order
 * @ids: the identifiers, by cma_id.port_entry
 */
struct cma_port {
	u16 number;
	struct list_head ids;
};

/**
 * struct port_net - the ports of a network namespace
 * @lock: protects @spaces, the ports in them, cma_id.port and cma_id.port_entry. A thread that
 *	takes it holds no locks other than handler locks
 * @spaces: for each port space a table of struct cma_port by number
 */
struct port_net {
	struct mutex lock; /* protects @spaces and the ports in it */
	struct xarray spaces[NR_SPACES];
};

static unsigned int port_net_id __read_mostly;

static struct port_net *ports_of(const struct cma_id *id)
{
	return net_generic(id->net, port_net_id);
}

static enum space space_of(enum rdma_ucm_port_space ps)
{
	switch (ps) {
	case RDMA_PS_TCP:
		return SPACE_TCP;
	case RDMA_PS_UDP:
		return SPACE_UDP;
	case RDMA_PS_IPOIB:
		return SPACE_IPOIB;
	default:
		return SPACE_IB;
	}
}

/* Returns whether @id, which is being bound, may have the port of @other. */
static bool may_share(struct cma_id *id, struct cma_id *other)
{
	lockdep_assert_held(&ports_of(id)->lock);
	if (!cma_addr_overlap(id, other))
		return true;
	if (cma_state(other) == RDMA_CM_LISTEN)
		return false;
	/* Connections may share address and port if their peers differ. */
	if (id->autobound && other->autobound)
		return !krdma_addr_same_host(cma_dst(id), cma_dst(other)) ||
		       krdma_addr_port(cma_dst(id)) != krdma_addr_port(cma_dst(other));
	return id->reuse && other->reuse;
}

/*
 * Binds the identifier to a port. @exclusive: fails if another identifier has the port, even an
 * identifier that would share the port.
 */
static int bind_port(struct cma_id *id, u16 number, bool exclusive)
{
	struct port_net *ports = ports_of(id);
	struct xarray *space = &ports->spaces[space_of(id->base.ps)];
	gfp_t gfp = cma_gfp(id->caller);
	struct cma_port *port;
	struct cma_id *other;
	int ret = 0;

	mutex_lock(&ports->lock);
	port = xa_load(space, number);
	if (port) {
		ret = -EADDRINUSE;
		if (exclusive)
			goto unlock;
		list_for_each_entry(other, &port->ids, port_entry)
			if (!may_share(id, other))
				goto unlock;
		ret = 0;
	} else {
		port = kmalloc(sizeof(*port), gfp);
		if (!port) {
			ret = -ENOMEM;
			goto unlock;
		}
		port->number = number;
		INIT_LIST_HEAD(&port->ids);
		ret = xa_insert(space, number, port, gfp);
		if (ret) {
			kfree(port);
			goto unlock;
		}
	}
	list_add_tail(&id->port_entry, &port->ids);
	id->port = port;
	krdma_addr_set_port(cma_src(id), htons(number));
unlock:
	mutex_unlock(&ports->lock);
	return ret;
}

void cma_port_put(struct cma_id *id)
{
	struct port_net *ports = ports_of(id);
	struct cma_port *port = id->port;

	if (!port)
		return;
	mutex_lock(&ports->lock);
	list_del_init(&id->port_entry);
	id->port = NULL;
	if (list_empty(&port->ids)) {
		xa_erase(&ports->spaces[space_of(id->base.ps)], port->number);
		kfree(port);
	}
	mutex_unlock(&ports->lock);
}

/*
 * Binds a socket to the port for a moment, to find out whether the port is free for TCP sockets. If
 * @exclusive is set, also fails if only connections use the port, including those in TIME_WAIT.
 */
static int try_tcp(struct cma_id *id, bool exclusive)
{
	struct sockaddr_storage addr = *cma_src(id);
	struct socket *sock;
	int ret;

	if (addr.ss_family == AF_INET6)
		krdma_addr6(&addr)->sin6_scope_id = id->scope;
	ret = sock_create_kern(id->net, addr.ss_family, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (ret)
		return ret;
	if (!exclusive)
		sock_set_reuseaddr(sock->sk);
	/*
	 * Bind in the VRF that has the address, because each VRF has ports of its own, and the
	 * address may be unknown outside of the VRF.
	 */
	if (!krdma_addr_is_any(&addr))
		sock_bindtoindex(sock->sk, krdma_addr_vrf(id->net, &addr, id->scope), true);
	sock->sk->sk_ipv6only = id->afonly;
	ret = kernel_bind(sock, (struct sockaddr_unsized *)&addr, krdma_addr_len(&addr));
	sock_release(sock);
	return ret;
}

/*
 * Tries all ports of the local range, from a random one on, so that the port is unpredictable.
 * Skips ports that are reserved, or that a TCP socket has. Thousands of ports may be in use, so the
 * search lets other tasks run between two attempts, and ends if the process is killed.
 */
static int bind_any_port(struct cma_id *id, bool exclusive)
{
	int low, high, count, start, number, i, ret;

	inet_get_local_port_range(id->net, &low, &high);
	count = high - low + 1;
	start = reciprocal_scale(get_random_u32(), count);
	for (i = 0; i < count; i++) {
		number = low + (start + i) % count;
		if (inet_is_local_reserved_port(id->net, number))
			continue;
		ret = bind_port(id, number, exclusive);
		if (!ret && id->base.ps == RDMA_PS_TCP) {
			ret = try_tcp(id, exclusive);
			if (ret)
				cma_port_put(id);
		}
		if (ret != -EADDRINUSE)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return -EADDRINUSE;
}

int cma_port_get(struct cma_id *id)
{
	u16 number = ntohs(krdma_addr_port(cma_src(id)));
	int ret;

	if (number) {
		if (inet_port_requires_bind_service(id->net, number) &&
		    !ns_capable(id->net->user_ns, CAP_NET_BIND_SERVICE))
			return -EACCES;
		return bind_port(id, number, false);
	}
	ret = bind_any_port(id, true);
	/* If every port is in use, share one with identifiers that connect to other peers. */
	if (ret == -EADDRINUSE)
		ret = bind_any_port(id, false);
	if (ret)
		krdma_addr_set_port(cma_src(id), 0);
	return ret == -EADDRINUSE ? -EADDRNOTAVAIL : ret;
}

int cma_port_listen(struct cma_id *id)
{
	struct port_net *ports = ports_of(id);
	struct cma_id *other;
	int ret = -EINVAL;

	mutex_lock(&ports->lock);
	if (!id->port)
		goto unlock;
	/* Identifiers that have all set reuse may share a port, but only one of them may listen. */
	list_for_each_entry(other, &id->port->ids, port_entry) {
		if (other == id || !cma_addr_overlap(id, other))
			continue;
		if (!id->reuse || !other->reuse || cma_state(other) == RDMA_CM_LISTEN) {
			ret = -EADDRINUSE;
			goto unlock;
		}
	}
	if (cma_cmpxchg_state(id, RDMA_CM_ADDR_BOUND, RDMA_CM_LISTEN))
		ret = 0;
unlock:
	mutex_unlock(&ports->lock);
	return ret;
}

static int port_net_init(struct net *net)
{
	struct port_net *ports = net_generic(net, port_net_id);
	unsigned int i;

	mutex_init(&ports->lock);
	for (i = 0; i < NR_SPACES; i++)
		xa_init(&ports->spaces[i]);
	return 0;
}

/* Frees the tables. No port is left, because identifiers hold a reference to their namespace. */
static void port_net_exit(struct net *net)
{
	struct port_net *ports = net_generic(net, port_net_id);
	unsigned int i;

	for (i = 0; i < NR_SPACES; i++)
		WARN_ON(!xa_empty(&ports->spaces[i]));
	mutex_destroy(&ports->lock);
}

static struct pernet_operations port_net_ops = {
	.init = port_net_init,
	.exit = port_net_exit,
	.id = &port_net_id,
	.size = sizeof(struct port_net),
};

int cma_ports_init(void)
{
	return register_pernet_subsys(&port_net_ops);
}

void cma_ports_exit(void)
{
	unregister_pernet_subsys(&port_net_ops);
}
