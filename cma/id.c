// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Identifiers: memory, references, states.
 *
 * The states, which `rdma resource` also shows:
 *
 *   IDLE             new
 *   ADDR_BOUND       has a local address, and a device unless the address is a wildcard
 *   ADDR_QUERY       the next hop and the device are being looked up (resolve.c)
 *   ADDR_RESOLVED    next hop and device are known
 *   ROUTE_QUERY      the route is being looked up
 *   ROUTE_RESOLVED   the route is known
 *   CONNECT          connecting, connected, or a request that has not been answered yet
 *   DISCONNECT       the connection is ending, or has ended
 *   LISTEN           accepts requests
 *   DEVICE_REMOVAL   the device is being removed; the identifier can only be destroyed
 *   DESTROYING       used only by the thread that destroys the identifier
 */
#include "cma/id.h"

#include <linux/memcontrol.h>
#include <linux/slab.h>

/* Returns the value of the option IPV6_V6ONLY of a new socket of the namespace. */
static bool default_afonly(const struct net *net)
{
#if IS_ENABLED(CONFIG_IPV6)
	return READ_ONCE(net->ipv6.sysctl.bindv6only);
#else
	return false;
#endif
}

struct cma_id *cma_id_new(struct net *net, rdma_cm_event_handler event_handler, void *context,
			  enum rdma_ucm_port_space ps, enum ib_qp_type qp_type,
			  const char *caller, gfp_t gfp)
{
	struct cma_id *id = kzalloc(sizeof(*id), cma_gfp(caller) | gfp);

	if (!id)
		return NULL;
	id->base.event_handler = event_handler;
	id->base.context = context;
	id->base.ps = ps;
	id->base.qp_type = qp_type;
	id->base.route.addr.dev_addr.net = net;
	id->caller = caller;
	/*
	 * get_mem_cgroup_from_mm(NULL) returns the active cgroup or, if none is active, that of the
	 * current process.
	 */
	if (!caller)
		id->memcg = get_mem_cgroup_from_mm(NULL);
	id->afonly = default_afonly(net);
	id->node_type = RDMA_NODE_UNSPECIFIED;
	id->net = get_net_track(net, &id->net_tracker, GFP_KERNEL);
	refcount_set(&id->refs, 1);
	init_completion(&id->unused);
	mutex_init(&id->handler);
	INIT_LIST_HEAD(&id->dev_entry);
	INIT_LIST_HEAD(&id->port_entry);
	krdma_neigh_waiter_init(&id->waiter, cma_wq, &id->step);
	INIT_LIST_HEAD(&id->listeners);
	INIT_LIST_HEAD(&id->any_entry);
	spin_lock_init(&id->lock);
	return id;
}

void cma_id_free(struct cma_id *id)
{
	mem_cgroup_put(id->memcg);
	put_net_track(id->net, &id->net_tracker);
	mutex_destroy(&id->handler);
	kfree(id);
}

void cma_id_put(struct cma_id *id)
{
	if (refcount_dec_and_test(&id->refs))
		complete(&id->unused);
}

enum rdma_cm_state cma_state(struct cma_id *id)
{
	enum rdma_cm_state state;

	spin_lock(&id->lock);
	state = id->state;
	spin_unlock(&id->lock);
	return state;
}

bool cma_cmpxchg_state(struct cma_id *id, enum rdma_cm_state from, enum rdma_cm_state to)
{
	bool moved;

	spin_lock(&id->lock);
	moved = id->state == from;
	if (moved)
		id->state = to;
	spin_unlock(&id->lock);
	return moved;
}

bool cma_set_state(struct cma_id *id, enum rdma_cm_state to)
{
	bool alive;

	lockdep_assert_held(&id->handler);
	spin_lock(&id->lock);
	alive = id->state != RDMA_CM_DESTROYING;
	if (alive)
		id->state = to;
	spin_unlock(&id->lock);
	return alive;
}
