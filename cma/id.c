// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The life of an identifier: creation, references, states, destruction.
 *
 * States, whose numbers `rdma resource` knows
 *
 *   IDLE             new
 *   ADDR_BOUND       has a local address, and a device unless that is a wildcard
 *   ADDR_QUERY       the next hop and the device are looked for (resolve.c)
 *   ADDR_RESOLVED    they are known
 *   ROUTE_QUERY      the route is looked for
 *   ROUTE_RESOLVED   it is known
 *   CONNECT          a request that is not answered, connecting, or connected
 *   DISCONNECT       the connection is ending, or has ended
 *   LISTEN           takes requests
 *   DEVICE_REMOVAL   the device goes; all that is left to do is to destroy the identifier
 *   DESTROYING       nobody but its destroyer uses it
 *
 * The end: who sets DESTROYING, with the handler lock held, is the only one to destroy. It stops
 * what could call the handler, in the order below, and waits for each to be quiet: the work items,
 * the transport, and by the references the removal of the device and listeners that it was taking
 * down. Then nobody knows the identifier.
 */
#include <linux/export.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "cma/cma.h"

static bool is_port_space(enum rdma_ucm_port_space ps)
{
	return ps == RDMA_PS_TCP || ps == RDMA_PS_UDP || ps == RDMA_PS_IPOIB || ps == RDMA_PS_IB;
}

/* What an IPv6 socket of the namespace has that nothing is said to. */
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
			  const char *caller)
{
	struct cma_id *id = kzalloc(sizeof(*id), cma_gfp(caller));

	if (!id)
		return NULL;
	id->base.event_handler = event_handler;
	id->base.context = context;
	id->base.ps = ps;
	id->base.qp_type = qp_type;
	id->base.route.addr.dev_addr.net = net;
	id->caller = caller;
	id->afonly = default_afonly(net);
	id->net = get_net_track(net, &id->net_tracker, GFP_KERNEL);
	refcount_set(&id->refs, 1);
	init_completion(&id->unused);
	mutex_init(&id->handler);
	INIT_DELAYED_WORK(&id->step, cma_resolve_work);
	INIT_WORK(&id->change, cma_netdev_work);
	INIT_LIST_HEAD(&id->dev_entry);
	INIT_LIST_HEAD(&id->port_entry);
	INIT_LIST_HEAD(&id->pending);
	INIT_LIST_HEAD(&id->listeners);
	INIT_LIST_HEAD(&id->any_entry);
	spin_lock_init(&id->lock);
	return id;
}

void cma_id_get(struct cma_id *id)
{
	refcount_inc(&id->refs);
}

bool cma_id_get_unless_unused(struct cma_id *id)
{
	return refcount_inc_not_zero(&id->refs);
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

bool cma_move(struct cma_id *id, enum rdma_cm_state from, enum rdma_cm_state to)
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

	spin_lock(&id->lock);
	alive = id->state != RDMA_CM_DESTROYING;
	if (alive)
		id->state = to;
	spin_unlock(&id->lock);
	return alive;
}

/* A work item that destroys its own identifier cannot wait for itself, and need not. */
static void stop_works(struct cma_id *id)
{
	if (current_work() == &id->step.work)
		cancel_delayed_work(&id->step);
	else
		cancel_delayed_work_sync(&id->step);
	if (current_work() == &id->change)
		cancel_work(&id->change);
	else
		cancel_work_sync(&id->change);
}

void cma_id_destroy(struct cma_id *id)
{
	/* First what might queue work. */
	cma_resolve_forget(id);
	stop_works(id);
	/* New devices give their listeners its owner until here. */
	cma_unlisten(id);
	cma_untrack(id);
	if (id->iw)
		id->dev->transport->release(id);
	cma_port_give(id);
	cma_id_put(id);
	wait_for_completion(&id->unused);
	/* The device may be gone on return. */
	cma_device_leave(id);
	put_net_track(id->net, &id->net_tracker);
	mutex_destroy(&id->handler);
	kfree(id);
}

static struct rdma_cm_id *create_id(struct net *net, rdma_cm_event_handler event_handler,
				    void *context, enum rdma_ucm_port_space ps,
				    enum ib_qp_type qp_type, const char *caller)
{
	struct cma_id *id;

	if (!event_handler || !is_port_space(ps))
		return ERR_PTR(-EINVAL);
	id = cma_id_new(net, event_handler, context, ps, qp_type, caller);
	if (!id)
		return ERR_PTR(-ENOMEM);
	cma_track_new(id, NULL);
	return &id->base;
}

struct rdma_cm_id *__rdma_create_kernel_id(struct net *net, rdma_cm_event_handler event_handler,
					   void *context, enum rdma_ucm_port_space ps,
					   enum ib_qp_type qp_type, const char *caller)
{
	return create_id(net, event_handler, context, ps, qp_type, caller);
}
EXPORT_SYMBOL(__rdma_create_kernel_id);

struct rdma_cm_id *rdma_create_user_id(rdma_cm_event_handler event_handler, void *context,
				       enum rdma_ucm_port_space ps, enum ib_qp_type qp_type)
{
	return create_id(current->nsproxy->net_ns, event_handler, context, ps, qp_type, NULL);
}
EXPORT_SYMBOL(rdma_create_user_id);

void rdma_destroy_id(struct rdma_cm_id *base)
{
	struct cma_id *id = to_cma_id(base);

	/* The handler that is running ends first; none that comes after it finds the old state. */
	mutex_lock(&id->handler);
	if (WARN_ON(!cma_set_state(id, RDMA_CM_DESTROYING))) {
		mutex_unlock(&id->handler);
		return;
	}
	mutex_unlock(&id->handler);
	cma_id_destroy(id);
}
EXPORT_SYMBOL(rdma_destroy_id);

void rdma_lock_handler(struct rdma_cm_id *base)
{
	mutex_lock(&to_cma_id(base)->handler);
}
EXPORT_SYMBOL(rdma_lock_handler);

void rdma_unlock_handler(struct rdma_cm_id *base)
{
	mutex_unlock(&to_cma_id(base)->handler);
}
EXPORT_SYMBOL(rdma_unlock_handler);
