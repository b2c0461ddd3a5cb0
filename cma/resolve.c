// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Resolution: from the peer's address to a device and a route.
 *
 * Each identifier resolves its own addresses, in its work item. If the link address of the next hop
 * is not known, the identifier waits for the next hop, see krdma_neigh_wait(), and its work item
 * runs again.
 */
#include "cma/resolve.h"

#include <linux/export.h>

#include "cma/addr.h"
#include "cma/bind.h"
#include "cma/device.h"
#include "cma/id.h"
#include "cma/port.h"
#include "cma/transport.h"

/*
 * Looks up the route from an identifier's source to its destination. @vrf: index of the master of
 * the VRF to look in, or 0 to look outside of all VRFs; ignored if the addresses determine where to
 * look.
 */
static int find_route(struct cma_id *id, int vrf, struct krdma_route *route)
{
	struct krdma_route_key key = {
		.net = id->net,
		.src = cma_src(id),
		.dst = cma_dst(id),
		.oif = vrf,
		.tos = id->tos,
		.proto = IPPROTO_TCP,
	};

	lockdep_assert_held(&id->handler);
	if (krdma_addr_is_link_local(key.dst))
		key.oif = krdma_addr6(key.dst)->sin6_scope_id;
	else if (id->scope)
		key.oif = id->scope;
	else if (!krdma_addr_is_any(key.src))
		key.oif = krdma_addr_vrf(id->net, key.src, 0);
	return krdma_route_find(&key, route);
}

/*
 * Gives an identifier that has no device the source address of the route, and a device for that
 * address.
 */
static int take_device(struct cma_id *id, const struct krdma_route *route)
{
	struct sockaddr_storage *src = cma_src(id);
	struct sockaddr_storage before = *src;
	int ret;

	*src = route->src;
	krdma_addr_set_port(src, krdma_addr_port(&before));
	if (src->ss_family == AF_INET6)
		id->scope = krdma_addr6(src)->sin6_scope_id;
	else
		id->scope = 0;
	ret = cma_device_find(id, route->ifindex);
	if (ret) {
		*src = before;
		id->scope = 0;
	}
	return ret;
}

/*
 * Looks up route and device. Returns 0 or an errno; -EAGAIN: @route->neigh is being asked for its
 * link address.
 */
static int find_path(struct cma_id *id, int vrf, struct krdma_route *route)
{
	int ret;

	lockdep_assert_held(&id->handler);
	*route = (struct krdma_route){};
	ret = find_route(id, vrf, route);
	if (ret || id->dev)
		return ret;
	return take_device(id, route);
}

/*
 * Looks up route and device, first outside of all VRFs unless the addresses determine a VRF. If no
 * route or no device is found, and the identifier has no source address yet, looks in each VRF. If
 * that fails, too, returns the result of the first look-up.
 */
static int find_path_anywhere(struct cma_id *id, struct krdma_route *route)
{
	int ret = find_path(id, 0, route);
	int vrf = 0;
	int in_vrf;

	if (id->dev || !krdma_addr_is_any(cma_src(id)))
		return ret;
	while ((ret == -ENETUNREACH || ret == -EHOSTUNREACH || ret == -ENODEV) &&
	       (vrf = krdma_vrf_next(id->net, vrf))) {
		in_vrf = find_path(id, vrf, route);
		if (!in_vrf || in_vrf == -EAGAIN)
			return in_vrf;
	}
	return ret;
}

/* Looks up route and device. Returns 0 or an errno; -EAGAIN: the work item will try again. */
static int find_device(struct cma_id *id)
{
	struct rdma_dev_addr *addr = &id->base.route.addr.dev_addr;
	struct krdma_route route;
	int ret;

	lockdep_assert_held(&id->handler);
	krdma_neigh_stop(&id->waiter);
	ret = find_path_anywhere(id, &route);
	if (ret == -EAGAIN && time_before(jiffies, id->deadline)) {
		krdma_neigh_wait(&id->waiter, route.neigh, id->deadline - jiffies);
		return ret;
	}
	if (ret == -EAGAIN) {
		neigh_release(route.neigh);
		return -ETIMEDOUT;
	}
	if (ret)
		return ret;
	memcpy(addr->dst_dev_addr, route.local ? addr->src_dev_addr : route.next_hop_lladdr,
	       sizeof(addr->dst_dev_addr));
	addr->hoplimit = route.hops;
	return 0;
}

/* Does not look up a route, because on iWARP the network stack chooses the route. */
bool cma_resolve_mapped(struct cma_id *id, int ret, struct rdma_cm_event *event)
{
	lockdep_assert_held(&id->handler);
	event->status = ret;
	event->event = ret ? RDMA_CM_EVENT_ROUTE_ERROR : RDMA_CM_EVENT_ROUTE_RESOLVED;
	return cma_cmpxchg_state(id, RDMA_CM_ROUTE_QUERY,
				 ret ? RDMA_CM_ADDR_RESOLVED : RDMA_CM_ROUTE_RESOLVED);
}

bool cma_resolve_step(struct cma_id *id, struct rdma_cm_event *event)
{
	int ret;

	lockdep_assert_held(&id->handler);
	switch (cma_state(id)) {
	case RDMA_CM_ADDR_QUERY:
		ret = find_device(id);
		if (ret == -EAGAIN)
			return false;
		event->status = ret;
		event->event = ret ? RDMA_CM_EVENT_ADDR_ERROR : RDMA_CM_EVENT_ADDR_RESOLVED;
		return cma_cmpxchg_state(id, RDMA_CM_ADDR_QUERY,
					 ret ? RDMA_CM_ADDR_BOUND : RDMA_CM_ADDR_RESOLVED);
	case RDMA_CM_ROUTE_QUERY:
		return cma_resolve_mapped(id, 0, event);
	default:
		return false;
	}
}

/*
 * Addresses that a call of rdma_resolve_addr() uses. @src_scope, @dst_scope: interface index of a
 * link-local address, or 0.
 */
struct endpoints {
	struct sockaddr_storage src;
	struct sockaddr_storage dst;
	int src_scope;
	int dst_scope;
};

/*
 * Collects the source and the destination for a call of rdma_resolve_addr(). An identifier that is
 * bound keeps its source. The source of a new identifier is the address that the consumer names, or
 * a wildcard, which find_device() will replace.
 */
static int read_endpoints(struct cma_id *id, bool is_new, const struct sockaddr *src_addr,
			  const struct sockaddr *dst_addr, struct endpoints *ends)
{
	struct sockaddr_storage *dst = &ends->dst;
	__be16 port;
	int ret;

	ret = cma_addr_copy(dst, dst_addr, &ends->dst_scope);
	if (ret)
		return ret;
	if (!is_new) {
		ends->src = *cma_src(id);
		ends->src_scope = id->scope;
	} else if (src_addr && src_addr->sa_family) {
		ret = cma_addr_copy(&ends->src, src_addr, &ends->src_scope);
	} else {
		ends->src = (struct sockaddr_storage) { .ss_family = dst->ss_family };
	}
	if (ret)
		return ret;
	if (ends->src.ss_family != dst->ss_family)
		return -EINVAL;
	if (ends->src_scope && ends->dst_scope && ends->src_scope != ends->dst_scope)
		return -EINVAL;
	if (!krdma_addr_is_any(dst))
		return 0;
	/* A destination that is a wildcard stands for this host. */
	port = krdma_addr_port(dst);
	if (!krdma_addr_is_any(&ends->src))
		*dst = ends->src;
	else if (dst->ss_family == AF_INET)
		krdma_addr4(dst)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		krdma_addr6(dst)->sin6_addr = in6addr_loopback;
	krdma_addr_set_port(dst, port);
	return 0;
}

/*
 * Changes destination, deadline and state in one critical section, because the work item of an
 * earlier attempt may still run. Returns false if the identifier is not bound.
 */
static bool start_query(struct cma_id *id, const struct endpoints *ends, unsigned long deadline)
{
	bool started;

	spin_lock(&id->lock);
	started = id->state == RDMA_CM_ADDR_BOUND;
	if (started) {
		*cma_dst(id) = ends->dst;
		id->deadline = deadline;
		id->state = RDMA_CM_ADDR_QUERY;
	}
	spin_unlock(&id->lock);
	return started;
}

int rdma_resolve_addr(struct rdma_cm_id *base, struct sockaddr *src_addr,
		      const struct sockaddr *dst_addr, unsigned long timeout_ms)
{
	unsigned int ms = min_t(unsigned long, timeout_ms, UINT_MAX);
	struct cma_id *id = to_cma_id(base);
	enum rdma_cm_state state = cma_state(id);
	struct endpoints ends = {};
	int ret;

	might_sleep();
	if (state != RDMA_CM_IDLE && state != RDMA_CM_ADDR_BOUND)
		return -EINVAL;
	ret = read_endpoints(id, state == RDMA_CM_IDLE, src_addr, dst_addr, &ends);
	if (ret)
		return ret;
	if (state == RDMA_CM_IDLE) {
		/*
		 * Set the destination before cma_bind(), because cma_bind() may share a port with
		 * another identifier if the destinations differ.
		 */
		*cma_dst(id) = ends.dst;
		id->autobound = !krdma_addr_port(&ends.src);
		ret = cma_bind(id, &ends.src, ends.src_scope);
		if (ret) {
			id->autobound = false;
			memset(cma_dst(id), 0, sizeof(*cma_dst(id)));
		}
	} else if (id->autobound) {
		/*
		 * Choose another port: the present port may be in use for a connection to this
		 * destination.
		 */
		cma_port_put(id);
		krdma_addr_set_port(cma_src(id), 0);
		*cma_dst(id) = ends.dst;
		ret = cma_port_get(id);
	}
	if (ret)
		return ret;
	if (!start_query(id, &ends, jiffies + msecs_to_jiffies(ms)))
		return -EINVAL;
	mod_delayed_work(cma_wq, &id->step, 0);
	return 0;
}
EXPORT_SYMBOL(rdma_resolve_addr);

int rdma_resolve_route(struct rdma_cm_id *base, unsigned long timeout_ms)
{
	struct cma_id *id = to_cma_id(base);

	if (!cma_cmpxchg_state(id, RDMA_CM_ADDR_RESOLVED, RDMA_CM_ROUTE_QUERY))
		return -EINVAL;
	/*
	 * Ask the port mapper's daemon here and not in rdma_connect(), because a connecting thread
	 * holds the handler lock, and perhaps a reference to its QP, and should not wait for a
	 * daemon meanwhile.
	 */
	if (id->dev->transport->map_waits(id->base.device))
		queue_work(id->dev->map_wq, &id->map);
	else
		mod_delayed_work(cma_wq, &id->step, 0);
	return 0;
}
EXPORT_SYMBOL(rdma_resolve_route);
