// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Port spaces: who has which port of a network namespace, and who may share one.
 *
 * The rules are those of sockets. Identifiers of requests have their listener's port, and are not
 * in the table.
 */
#include <linux/capability.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/netns/generic.h>
#include <net/sock.h>

#include "cma/cma.h"

enum space {
	SPACE_TCP,
	SPACE_UDP,
	SPACE_IPOIB,
	SPACE_IB,
	NR_SPACES
};

/**
 * struct cma_port - a port that is taken
 * @number: its number, in the host's byte order
 * @ids: by whom
 */
struct cma_port {
	u16 number;
	struct list_head ids;
};

/**
 * struct port_net - the ports of a network namespace
 * @lock: guards all; taken with nothing else held but a handler lock
 * @spaces: for each port space, struct cma_port by number
 */
struct port_net {
	struct mutex lock; /* guards all */
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

static bool may_share(struct cma_id *a, struct cma_id *b)
{
	if (!cma_addr_overlap(a, b))
		return true;
	if (cma_state(a) == RDMA_CM_LISTEN || cma_state(b) == RDMA_CM_LISTEN)
		return false;
	if (a->autobound && b->autobound)
		return !krdma_addr_same_host(cma_dst(a), cma_dst(b)) ||
		       krdma_addr_port(cma_dst(a)) != krdma_addr_port(cma_dst(b));
	return a->reuse && b->reuse;
}

static bool may_join(struct cma_id *id, struct cma_port *port)
{
	struct cma_id *other;

	list_for_each_entry(other, &port->ids, port_entry)
		if (!may_share(id, other))
			return false;
	return true;
}

static struct cma_port *new_port(struct xarray *space, u16 number, gfp_t gfp)
{
	struct cma_port *port = kmalloc(sizeof(*port), gfp);
	int ret;

	if (!port)
		return ERR_PTR(-ENOMEM);
	port->number = number;
	INIT_LIST_HEAD(&port->ids);
	ret = xa_insert(space, number, port, gfp);
	if (ret) {
		kfree(port);
		return ERR_PTR(ret);
	}
	return port;
}

static int take_locked(struct cma_id *id, struct port_net *ports, u16 number, bool alone)
{
	struct xarray *space = &ports->spaces[space_of(id->base.ps)];
	struct cma_port *port = xa_load(space, number);

	lockdep_assert_held(&ports->lock);
	if (port && (alone || !may_join(id, port)))
		return -EADDRINUSE;
	if (!port)
		port = new_port(space, number, cma_gfp(id->caller));
	if (IS_ERR(port))
		return PTR_ERR(port);
	list_add_tail(&id->port_entry, &port->ids);
	id->port = port;
	krdma_addr_set_port(cma_src(id), htons(number));
	return 0;
}

/* @alone: not a port that another has, even one who would share it */
static int take(struct cma_id *id, u16 number, bool alone)
{
	struct port_net *ports = ports_of(id);
	int ret;

	mutex_lock(&ports->lock);
	ret = take_locked(id, ports, number, alone);
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
 * A socket that binds the port for a moment tells whether one could.
 * @alone: so that no connection has it, not even one that is over and still remembered
 */
static int try_tcp(struct cma_id *id, bool alone)
{
	struct sockaddr_storage addr = *cma_src(id);
	struct socket *sock;
	int ret;

	if (addr.ss_family == AF_INET6)
		krdma_addr6(&addr)->sin6_scope_id = id->scope;
	ret = sock_create_kern(id->net, addr.ss_family, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (ret)
		return ret;
	if (!alone)
		sock_set_reuseaddr(sock->sk);
	sock->sk->sk_ipv6only = id->afonly;
	ret = kernel_bind(sock, (struct sockaddr *)&addr, krdma_addr_len(&addr));
	sock_release(sock);
	return ret;
}

static int take_if_free(struct cma_id *id, u16 number, bool alone)
{
	int ret;

	if (inet_is_local_reserved_port(id->net, number))
		return -EADDRINUSE;
	ret = take(id, number, alone);
	if (ret || id->base.ps != RDMA_PS_TCP)
		return ret;
	ret = try_tcp(id, alone);
	if (ret)
		cma_port_put(id);
	return ret;
}

/* From a place that nobody can foretell on, all ports that are for this. */
static int take_one_of_all(struct cma_id *id, bool alone)
{
	int low, high, count, start, i, ret;

	inet_get_local_port_range(id->net, &low, &high);
	count = high - low + 1;
	start = reciprocal_scale(get_random_u32(), count);
	for (i = 0; i < count; i++) {
		ret = take_if_free(id, low + (start + i) % count, alone);
		if (ret != -EADDRINUSE)
			return ret;
	}
	return -EADDRINUSE;
}

/* When every port has its connections, those to other peers leave room for one more. */
static int take_any(struct cma_id *id)
{
	int ret;

	ret = take_one_of_all(id, true);
	if (ret == -EADDRINUSE)
		ret = take_one_of_all(id, false);
	if (ret)
		krdma_addr_set_port(cma_src(id), 0);
	return ret == -EADDRINUSE ? -EADDRNOTAVAIL : ret;
}

/* The port of the source address; 0: any, which the address has on return. */
int cma_port_get(struct cma_id *id)
{
	u16 number = ntohs(krdma_addr_port(cma_src(id)));

	if (!number)
		return take_any(id);
	if (inet_port_requires_bind_service(id->net, number) &&
	    !ns_capable(id->net->user_ns, CAP_NET_BIND_SERVICE))
		return -EACCES;
	return take(id, number, false);
}

/* Others that also want to may have bound its port, and then cannot listen. */
static bool port_conflicts(struct cma_id *other, struct cma_id *id)
{
	if (other == id || !cma_addr_overlap(id, other))
		return false;
	return !id->reuse || !other->reuse || cma_state(other) == RDMA_CM_LISTEN;
}

static int listen_locked(struct cma_id *id)
{
	struct cma_id *other;

	list_for_each_entry(other, &id->port->ids, port_entry)
		if (port_conflicts(other, id))
			return -EADDRINUSE;
	return cma_cmpxchg_state(id, RDMA_CM_ADDR_BOUND, RDMA_CM_LISTEN) ? 0 : -EINVAL;
}

int cma_port_listen(struct cma_id *id)
{
	struct port_net *ports = ports_of(id);
	int ret = -EINVAL;

	mutex_lock(&ports->lock);
	if (id->port)
		ret = listen_locked(id);
	mutex_unlock(&ports->lock);
	return ret;
}

static int net_begin(struct net *net)
{
	struct port_net *ports = net_generic(net, port_net_id);
	unsigned int i;

	mutex_init(&ports->lock);
	for (i = 0; i < NR_SPACES; i++)
		xa_init(&ports->spaces[i]);
	return 0;
}

/* Identifiers keep their namespace: no port is left. */
static void net_end(struct net *net)
{
	struct port_net *ports = net_generic(net, port_net_id);
	unsigned int i;

	for (i = 0; i < NR_SPACES; i++)
		WARN_ON(!xa_empty(&ports->spaces[i]));
	mutex_destroy(&ports->lock);
}

static struct pernet_operations net_ops = {
	.init = net_begin,
	.exit = net_end,
	.id = &port_net_id,
	.size = sizeof(struct port_net),
};

int cma_ports_init(void)
{
	return register_pernet_subsys(&net_ops);
}

void cma_ports_exit(void)
{
	unregister_pernet_subsys(&net_ops);
}
