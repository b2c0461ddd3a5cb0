// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The consumer's handler, and the life of an identifier: who creates it, what is delivered to it,
 * and who destroys it.
 *
 * The end: who sets DESTROYING, with the handler lock held, is the only one to destroy. It stops
 * what could call the handler, in the order below, and waits for each to be quiet: the work items,
 * the transport, and by the references the removal of the device and listeners that it was taking
 * down. Then nobody knows the identifier.
 */
#include <linux/export.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>

#include <trace/events/rdma_cm.h>

#include "cma/cma.h"

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

static void id_destroy(struct cma_id *id)
{
	/* First what might queue work. */
	cma_resolve_forget(id);
	stop_works(id);
	/* New devices give their listeners its owner until here. */
	cma_unlisten(id);
	cma_untrack(id);
	if (id->conn)
		id->dev->transport->release(id);
	cma_port_put(id);
	cma_id_put(id);
	wait_for_completion(&id->unused);
	/* The device may be gone on return. */
	cma_device_leave(id);
	cma_id_free(id);
}

static int call_handler(struct cma_id *id, struct rdma_cm_event *event)
{
	int ret;

	lockdep_assert_held(&id->handler);
	ret = id->base.event_handler(&id->base, event);
	trace_rdma_cm_event(&id->base, event, ret);
	return ret;
}

/* Releases the handler lock. Returns whether the handler has given the identifier up. */
static bool unlock_handler(struct cma_id *id, int ret)
{
	bool given_up = ret && cma_set_state(id, RDMA_CM_DESTROYING);

	lockdep_assert_held(&id->handler);
	mutex_unlock(&id->handler);
	return given_up;
}

bool cma_deliver(struct cma_id *id, struct rdma_cm_event *event)
{
	if (!unlock_handler(id, event ? call_handler(id, event) : 0))
		return false;
	id_destroy(id);
	return true;
}

void cma_deliver_removal(struct cma_id *id)
{
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_DEVICE_REMOVAL };
	bool given_up;
	int ret = 0;

	mutex_lock(&id->handler);
	if (cma_set_state(id, RDMA_CM_DEVICE_REMOVAL))
		ret = call_handler(id, &event);
	given_up = unlock_handler(id, ret);
	/* Only now: whoever destroys it may get the lock before mutex_unlock() has returned. */
	cma_id_put(id);
	if (given_up)
		id_destroy(id);
}

static void step_work(struct work_struct *work)
{
	struct cma_id *id = container_of(to_delayed_work(work), struct cma_id, step);
	struct rdma_cm_event event = {};
	bool due;

	mutex_lock(&id->handler);
	due = cma_resolve_step(id, &event);
	cma_deliver(id, due ? &event : NULL);
}

static void change_work(struct work_struct *work)
{
	struct cma_id *id = container_of(work, struct cma_id, change);
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ADDR_CHANGE };
	enum rdma_cm_state state;

	mutex_lock(&id->handler);
	state = cma_state(id);
	if (state == RDMA_CM_DEVICE_REMOVAL || state == RDMA_CM_DESTROYING)
		cma_deliver(id, NULL);
	else
		cma_deliver(id, &event);
}

static struct cma_id *new_id(struct net *net, rdma_cm_event_handler event_handler, void *context,
			     enum rdma_ucm_port_space ps, enum ib_qp_type qp_type,
			     const char *caller)
{
	struct cma_id *id = cma_id_new(net, event_handler, context, ps, qp_type, caller);

	if (!id)
		return NULL;
	INIT_DELAYED_WORK(&id->step, step_work);
	INIT_WORK(&id->change, change_work);
	return id;
}

/* --- requests --- */

static int enter_device(struct cma_id *id, struct ib_device *ibdev)
{
	struct sockaddr_storage *local = cma_src(id);
	struct net_device *ndev;
	int ret;

	if (local->ss_family == AF_INET6)
		id->scope = krdma_addr6(local)->sin6_scope_id;
	ndev = cma_addr_netdev(id->net, local, id->scope);
	if (!ndev)
		return -EADDRNOTAVAIL;
	ret = cma_device_enter(id, ibdev, ndev);
	dev_put(ndev);
	return ret;
}

static struct cma_id *new_request(struct cma_id *listener, struct ib_device *ibdev,
				  const struct sockaddr_storage *local,
				  const struct sockaddr_storage *remote)
{
	const struct rdma_cm_id *base = &listener->base;
	struct cma_id *id;
	int ret;

	id = new_id(listener->net, base->event_handler, base->context, base->ps, base->qp_type,
		    listener->caller);
	if (!id)
		return ERR_PTR(-ENOMEM);
	cma_track_new(id, listener);
	*cma_src(id) = *local;
	*cma_dst(id) = *remote;
	id->state = RDMA_CM_CONNECT;
	mutex_lock_nested(&id->handler, SINGLE_DEPTH_NESTING);
	ret = enter_device(id, ibdev);
	if (!ret)
		return id;
	cma_set_state(id, RDMA_CM_DESTROYING);
	mutex_unlock(&id->handler);
	id_destroy(id);
	return ERR_PTR(ret);
}

struct cma_id *cma_request(struct cma_id *listener, struct ib_device *ibdev,
			   const struct sockaddr_storage *local,
			   const struct sockaddr_storage *remote)
{
	struct cma_id *id = ERR_PTR(-ECONNABORTED);

	mutex_lock(&listener->handler);
	if (cma_state(listener) == RDMA_CM_LISTEN)
		id = new_request(listener, ibdev, local, remote);
	if (IS_ERR(id))
		mutex_unlock(&listener->handler);
	return id;
}

bool cma_request_deliver(struct cma_id *listener, struct cma_id *id, struct rdma_cm_event *event)
{
	bool given_up = unlock_handler(id, call_handler(id, event));

	mutex_unlock(&listener->handler);
	if (!given_up)
		return false;
	/* The transport ends what it has reported itself. */
	id->conn = NULL;
	id_destroy(id);
	return true;
}

/* --- the consumer's calls --- */

static bool is_port_space(enum rdma_ucm_port_space ps)
{
	return ps == RDMA_PS_TCP || ps == RDMA_PS_UDP || ps == RDMA_PS_IPOIB || ps == RDMA_PS_IB;
}

static struct rdma_cm_id *create_id(struct net *net, rdma_cm_event_handler event_handler,
				    void *context, enum rdma_ucm_port_space ps,
				    enum ib_qp_type qp_type, const char *caller)
{
	struct cma_id *id;

	if (!event_handler || !is_port_space(ps))
		return ERR_PTR(-EINVAL);
	id = new_id(net, event_handler, context, ps, qp_type, caller);
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
	id_destroy(id);
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
