// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * From the peer's address to a device and a route.
 *
 * Each identifier looks up its own, in its own work item. One whose next hop has to be asked first
 * looks again when the neighbour table says that it has answered, and once a second, which has it
 * asked again if need be, until its time is over.
 */
#include <linux/export.h>
#include <net/netevent.h>

#include "cma/cma.h"

/* Guards pending, and the members of identifiers in it. Taken with softirqs off; innermost. */
static DEFINE_SPINLOCK(pending_lock);
static LIST_HEAD(pending);

/* The identifier no longer waits for a next hop. */
void cma_resolve_forget(struct cma_id *id)
{
	struct neighbour *neigh;

	spin_lock_bh(&pending_lock);
	neigh = id->neigh;
	id->neigh = NULL;
	list_del_init(&id->pending);
	spin_unlock_bh(&pending_lock);
	if (neigh)
		neigh_release(neigh);
}

/* It waits for this one, whose reference it takes over. */
static void wait_for_hop(struct cma_id *id, struct neighbour *neigh)
{
	unsigned long delay = min_t(unsigned long, HZ, id->deadline - jiffies);

	spin_lock_bh(&pending_lock);
	id->neigh = neigh;
	list_add_tail(&id->pending, &pending);
	spin_unlock_bh(&pending_lock);
	/* It may have answered before we were in the list; what wake_pending() has queued stays. */
	if (READ_ONCE(neigh->nud_state) & NUD_VALID)
		mod_delayed_work(cma_wq, &id->step, 0);
	else
		queue_delayed_work(cma_wq, &id->step, delay);
}

static void wake_pending(const struct neighbour *neigh)
{
	struct cma_id *id;

	spin_lock_bh(&pending_lock);
	list_for_each_entry(id, &pending, pending)
		if (id->neigh == neigh)
			mod_delayed_work(cma_wq, &id->step, 0);
	spin_unlock_bh(&pending_lock);
}

static int net_event(struct notifier_block *nb, unsigned long event, void *info)
{
	struct neighbour *neigh = info;

	if (event == NETEVENT_NEIGH_UPDATE && READ_ONCE(neigh->nud_state) & NUD_VALID)
		wake_pending(neigh);
	return NOTIFY_DONE;
}

static struct notifier_block net_notifier = {
	.notifier_call = net_event,
};

int cma_resolve_init(void)
{
	return register_netevent_notifier(&net_notifier);
}

void cma_resolve_exit(void)
{
	unregister_netevent_notifier(&net_notifier);
}

/* The source that the route suggests, for an identifier that has no preference, and its device. */
static int take_source(struct cma_id *id, const struct cma_route *route)
{
	struct sockaddr_storage before = *cma_src(id);
	int ret;

	if (id->dev)
		return 0;
	*cma_src(id) = route->src;
	krdma_addr_set_port(cma_src(id), krdma_addr_port(&before));
	id->scope = route->src.ss_family == AF_INET6 ? krdma_addr6(&route->src)->sin6_scope_id : 0;
	ret = cma_device_find(id);
	if (ret) {
		*cma_src(id) = before;
		id->scope = 0;
	}
	return ret;
}

static void take_link(struct rdma_dev_addr *addr, const struct cma_route *route)
{
	memcpy(addr->dst_dev_addr, route->local ? addr->src_dev_addr : route->next_hop_lladdr,
	       sizeof(addr->dst_dev_addr));
	addr->hoplimit = route->hops;
}

/* -EAGAIN: later. */
static int find_device(struct cma_id *id)
{
	struct cma_route route = {};
	int ret;

	cma_resolve_forget(id);
	ret = cma_route_find(id, &route);
	if (ret == -EAGAIN && time_before(jiffies, id->deadline)) {
		wait_for_hop(id, route.neigh);
		return ret;
	}
	if (ret == -EAGAIN) {
		neigh_release(route.neigh);
		return -ETIMEDOUT;
	}
	if (!ret)
		ret = take_source(id, &route);
	if (!ret)
		take_link(&id->base.route.addr.dev_addr, &route);
	return ret;
}

static bool resolve_addr(struct cma_id *id, struct rdma_cm_event *event)
{
	int ret = find_device(id);

	if (ret == -EAGAIN)
		return false;
	event->status = ret;
	event->event = ret ? RDMA_CM_EVENT_ADDR_ERROR : RDMA_CM_EVENT_ADDR_RESOLVED;
	return cma_cmpxchg_state(id, RDMA_CM_ADDR_QUERY,
				 ret ? RDMA_CM_ADDR_BOUND : RDMA_CM_ADDR_RESOLVED);
}

/* On iWARP the route is the network stack's. */
static bool resolve_route(struct cma_id *id, struct rdma_cm_event *event)
{
	event->event = RDMA_CM_EVENT_ROUTE_RESOLVED;
	return cma_cmpxchg_state(id, RDMA_CM_ROUTE_QUERY, RDMA_CM_ROUTE_RESOLVED);
}

bool cma_resolve_step(struct cma_id *id, struct rdma_cm_event *event)
{
	lockdep_assert_held(&id->handler);
	switch (cma_state(id)) {
	case RDMA_CM_ADDR_QUERY:
		return resolve_addr(id, event);
	case RDMA_CM_ROUTE_QUERY:
		return resolve_route(id, event);
	default:
		return false;
	}
}

/* Both ends, as a call says; @src_scope, @dst_scope: interfaces of link-local ones. */
struct endpoints {
	struct sockaddr_storage src;
	struct sockaddr_storage dst;
	int src_scope;
	int dst_scope;
};

/* Connecting to a wildcard is connecting to this host. */
static void replace_wildcard(struct endpoints *ends)
{
	struct sockaddr_storage *dst = &ends->dst;
	__be16 port = krdma_addr_port(dst);

	if (!krdma_addr_is_any(dst))
		return;
	if (!krdma_addr_is_any(&ends->src))
		*dst = ends->src;
	else if (dst->ss_family == AF_INET)
		krdma_addr4(dst)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		krdma_addr6(dst)->sin6_addr = in6addr_loopback;
	krdma_addr_set_port(dst, port);
}

/* A new identifier has the source that the owner names, or whatever the route will say. */
static int read_endpoints(struct cma_id *id, bool is_new, const struct sockaddr *src_addr,
			  const struct sockaddr *dst_addr, struct endpoints *ends)
{
	int ret;

	ret = cma_addr_copy(&ends->dst, dst_addr, &ends->dst_scope);
	if (ret)
		return ret;
	if (!is_new) {
		ends->src = *cma_src(id);
		ends->src_scope = id->scope;
	} else if (src_addr && src_addr->sa_family) {
		ret = cma_addr_copy(&ends->src, src_addr, &ends->src_scope);
	} else {
		cma_addr_any(&ends->src, ends->dst.ss_family);
	}
	if (ret)
		return ret;
	if (ends->src.ss_family != ends->dst.ss_family)
		return -EINVAL;
	if (ends->src_scope && ends->dst_scope && ends->src_scope != ends->dst_scope)
		return -EINVAL;
	replace_wildcard(ends);
	return 0;
}

static int bind_source(struct cma_id *id, const struct endpoints *ends)
{
	int ret;

	*cma_dst(id) = ends->dst;
	id->autobound = !krdma_addr_port(&ends->src);
	ret = cma_bind(id, &ends->src, ends->src_scope);
	if (!ret)
		return 0;
	id->autobound = false;
	memset(cma_dst(id), 0, sizeof(*cma_dst(id)));
	return ret;
}

/* A port that was chosen for one destination may be another connection's to the next. */
static int rebind_port(struct cma_id *id, const struct endpoints *ends)
{
	cma_port_put(id);
	krdma_addr_set_port(cma_src(id), 0);
	*cma_dst(id) = ends->dst;
	return cma_port_get(id);
}

/* All at once, for a run of the work item that is late may find it. */
static bool begin_query(struct cma_id *id, const struct endpoints *ends, unsigned long deadline)
{
	bool begun;

	spin_lock(&id->lock);
	begun = id->state == RDMA_CM_ADDR_BOUND;
	if (begun) {
		*cma_dst(id) = ends->dst;
		id->deadline = deadline;
		id->state = RDMA_CM_ADDR_QUERY;
	}
	spin_unlock(&id->lock);
	return begun;
}

int rdma_resolve_addr(struct rdma_cm_id *base, struct sockaddr *src_addr,
		      const struct sockaddr *dst_addr, unsigned long timeout_ms)
{
	unsigned int ms = min_t(unsigned long, timeout_ms, UINT_MAX);
	struct cma_id *id = to_cma_id(base);
	enum rdma_cm_state state = cma_state(id);
	struct endpoints ends = {};
	int ret;

	if (state != RDMA_CM_IDLE && state != RDMA_CM_ADDR_BOUND)
		return -EINVAL;
	ret = read_endpoints(id, state == RDMA_CM_IDLE, src_addr, dst_addr, &ends);
	if (ret)
		return ret;
	if (state == RDMA_CM_IDLE)
		ret = bind_source(id, &ends);
	else if (id->autobound)
		ret = rebind_port(id, &ends);
	if (ret)
		return ret;
	if (!begin_query(id, &ends, jiffies + msecs_to_jiffies(ms)))
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
	mod_delayed_work(cma_wq, &id->step, 0);
	return 0;
}
EXPORT_SYMBOL(rdma_resolve_route);
