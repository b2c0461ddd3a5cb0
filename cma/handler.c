// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Calls of the consumer's handler, and the life of an identifier: creation, delivery of events,
 * destruction.
 *
 * Destruction: the thread that sets DESTROYING, with the handler lock held, is the only one to
 * destroy the identifier. In id_destroy(), that thread stops all that could call the handler (the
 * work items, the listeners and the transport), and waits until each of them has ended. Then the
 * thread waits until all references to the identifier are dropped. Another thread may still hold
 * one, if it delivers DEVICE_REMOVAL, or destroys a listener of the identifier because the device
 * is removed.
 */
#include "cma/handler.h"

#include <linux/export.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include <trace/events/rdma_cm.h>

#include "cma/addr.h"
#include "cma/device.h"
#include "cma/id.h"
#include "cma/listen.h"
#include "cma/port.h"
#include "cma/resolve.h"
#include "cma/track.h"
#include "cma/transport.h"

/* Ends and frees the identifier. Called in state DESTROYING, without the handler lock held. */
static void id_destroy(struct cma_id *id)
{
	might_sleep();
	lockdep_assert_not_held(&id->handler);
	/*
	 * Stop waiting for the next hop first, because an answer of the next hop could otherwise
	 * queue id->step after the cancellation.
	 */
	krdma_neigh_stop(&id->waiter);
	/*
	 * A work item that destroys its own identifier cannot wait for itself. No wait is needed,
	 * because the work item does not use the identifier after this function.
	 */
	if (current_work() == &id->step.work)
		cancel_delayed_work(&id->step);
	else
		cancel_delayed_work_sync(&id->step);
	if (current_work() == &id->change)
		cancel_work(&id->change);
	else
		cancel_work_sync(&id->change);
	if (current_work() == &id->map) {
		cancel_work(&id->map);
	} else {
		if (id->dev)
			id->dev->transport->cancel_map(id);
		cancel_work_sync(&id->map);
	}
	/*
	 * Until cma_unlisten() returns, a listener may be created on a new device. The listener's
	 * entry in the resource table copies its owner (a task or a kernel module) from the
	 * identifier's entry. So cma_untrack(), which drops the owner of the identifier's entry,
	 * comes after cma_unlisten().
	 */
	cma_unlisten(id);
	cma_untrack(id);
	if (id->conn)
		id->dev->transport->release(id);
	cma_port_put(id);
	cma_id_put(id);
	wait_for_completion(&id->unused);
	/* Leave the device last, because it may be freed when cma_device_del_id() returns. */
	cma_device_del_id(id);
	cma_id_free(id);
}

/* Calls the consumer's handler, whose allocations the identifier's memory cgroup pays for. */
static int call_handler(struct cma_id *id, struct rdma_cm_event *event)
{
	struct mem_cgroup *active;
	int ret;

	lockdep_assert_held(&id->handler);
	active = set_active_memcg(id->memcg);
	ret = id->base.event_handler(&id->base, event);
	set_active_memcg(active);
	trace_rdma_cm_event(&id->base, event, ret);
	return ret;
}

/*
 * Releases the handler lock. @ret: result of the handler; if it is not 0, the state is set to
 * DESTROYING first. Returns whether the caller has to destroy the identifier.
 */
static bool handler_unlock(struct cma_id *id, int ret)
{
	bool destroy = ret && cma_set_state(id, RDMA_CM_DESTROYING);

	lockdep_assert_held(&id->handler);
	mutex_unlock(&id->handler);
	return destroy;
}

bool cma_deliver_unlock(struct cma_id *id, struct rdma_cm_event *event)
{
	lockdep_assert_held(&id->handler);
	if (!handler_unlock(id, event ? call_handler(id, event) : 0))
		return false;
	id_destroy(id);
	return true;
}

void cma_deliver_removal(struct cma_id *id)
{
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_DEVICE_REMOVAL };
	bool destroy;
	int ret = 0;

	/*
	 * If the consumer waits in rdma_listen(), end the wait, because the consumer cannot destroy
	 * the identifier before rdma_listen() returns.
	 */
	cma_cancel_listen(id);
	mutex_lock(&id->handler);
	if (cma_set_state(id, RDMA_CM_DEVICE_REMOVAL))
		ret = call_handler(id, &event);
	destroy = handler_unlock(id, ret);
	/*
	 * Another thread that destroys the identifier may get the lock before mutex_unlock() has
	 * returned here. The reference prevents that thread from freeing the identifier, so the
	 * reference is dropped only after mutex_unlock() has returned.
	 */
	cma_id_put(id);
	if (destroy)
		id_destroy(id);
}

static void step_work(struct work_struct *work)
{
	struct cma_id *id = container_of(to_delayed_work(work), struct cma_id, step);
	struct rdma_cm_event event = {};
	bool due;

	mutex_lock(&id->handler);
	due = cma_resolve_step(id, &event);
	cma_deliver_unlock(id, due ? &event : NULL);
}

/* Asks the port mapper without the handler lock held, because the daemon may not answer. */
static void map_work(struct work_struct *work)
{
	struct cma_id *id = container_of(work, struct cma_id, map);
	int ret = id->dev->transport->map(id);
	struct rdma_cm_event event = {};
	bool due;

	mutex_lock(&id->handler);
	due = cma_resolve_mapped(id, ret, &event);
	cma_deliver_unlock(id, due ? &event : NULL);
}

static void change_work(struct work_struct *work)
{
	struct cma_id *id = container_of(work, struct cma_id, change);
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ADDR_CHANGE };
	enum rdma_cm_state state;

	mutex_lock(&id->handler);
	state = cma_state(id);
	if (state == RDMA_CM_DEVICE_REMOVAL || state == RDMA_CM_DESTROYING)
		cma_deliver_unlock(id, NULL);
	else
		cma_deliver_unlock(id, &event);
}

static struct cma_id *new_id(struct net *net, rdma_cm_event_handler event_handler, void *context,
			     enum rdma_ucm_port_space ps, enum ib_qp_type qp_type,
			     const char *caller, gfp_t gfp)
{
	struct cma_id *id = cma_id_new(net, event_handler, context, ps, qp_type, caller, gfp);

	if (!id)
		return NULL;
	INIT_DELAYED_WORK(&id->step, step_work);
	INIT_WORK(&id->change, change_work);
	INIT_WORK(&id->map, map_work);
	return id;
}

/* --- requests --- */

/*
 * Lockdep class of the handler locks of requests. The handler locks of listeners have another
 * class, because a consumer may take one of its own locks in the handler of a connection, and hold
 * that lock while it destroys a listener. With a common class, lockdep would report a deadlock.
 */
static struct lock_class_key request_handler_class;

/*
 * Takes the handler lock of a new request, of which no other thread knows yet, so that
 * mutex_trylock() succeeds. With mutex_lock(), lockdep would record that this lock is taken inside
 * the listener's handler lock, and report a cycle: a consumer may take a lock of its own in the
 * handler of a connection, and hold that lock while it destroys a listener. Lockdep still records
 * that the locks which the request's handler takes are taken with the listener's handler lock held.
 */
static void lock_new_request(struct cma_id *id)
{
	lockdep_set_class(&id->handler, &request_handler_class);
	WARN_ON_ONCE(!mutex_trylock(&id->handler));
}

struct cma_id *cma_request_lock(struct cma_id *listener, struct ib_device *ibdev,
				const struct sockaddr_storage *local,
				const struct sockaddr_storage *remote)
{
	const struct rdma_cm_id *base = &listener->base;
	struct mem_cgroup *active;
	struct net_device *ndev;
	struct cma_id *id;
	int ret;

	mutex_lock(&listener->handler);
	ret = -ECONNABORTED;
	if (cma_state(listener) != RDMA_CM_LISTEN)
		goto unlock_listener;
	ret = -ENOMEM;
	/*
	 * If the memory cgroup of a process that listens is used up, the request is refused,
	 * because a process should not be killed for what its peers ask.
	 */
	active = set_active_memcg(listener->memcg);
	id = new_id(listener->net, base->event_handler, base->context, base->ps, base->qp_type,
		    listener->caller, listener->caller ? 0 : __GFP_NORETRY | __GFP_NOWARN);
	set_active_memcg(active);
	if (!id)
		goto unlock_listener;
	cma_track_new(id, listener);
	*cma_src(id) = *local;
	*cma_dst(id) = *remote;
	id->state = RDMA_CM_CONNECT;
	lock_new_request(id);
	if (local->ss_family == AF_INET6)
		id->scope = krdma_addr6(local)->sin6_scope_id;
	ret = -EADDRNOTAVAIL;
	ndev = cma_device_netdev(ibdev, id->net, local);
	if (!ndev)
		goto destroy;
	ret = cma_device_add_id(id, ibdev, ndev);
	dev_put(ndev);
	if (ret)
		goto destroy;
	return id;

destroy:
	/*
	 * Unlock the listener first: id_destroy() waits for work items, and lockdep assumes that
	 * these may take the listener's handler lock.
	 */
	cma_set_state(id, RDMA_CM_DESTROYING);
	mutex_unlock(&id->handler);
	mutex_unlock(&listener->handler);
	id_destroy(id);
	return ERR_PTR(ret);

unlock_listener:
	mutex_unlock(&listener->handler);
	return ERR_PTR(ret);
}

bool cma_request_deliver_unlock(struct cma_id *listener, struct cma_id *id,
				struct rdma_cm_event *event)
{
	bool destroy;

	lockdep_assert_held(&listener->handler);
	destroy = handler_unlock(id, call_handler(id, event));
	mutex_unlock(&listener->handler);
	if (!destroy)
		return false;
	/* Keep id_destroy() from releasing the connection, which the transport closes itself. */
	id->conn = NULL;
	id_destroy(id);
	return true;
}

/* --- the consumer's calls --- */

struct rdma_cm_id *__rdma_create_kernel_id(struct net *net, rdma_cm_event_handler event_handler,
					   void *context, enum rdma_ucm_port_space ps,
					   enum ib_qp_type qp_type, const char *caller)
{
	struct cma_id *id;

	if (!event_handler)
		return ERR_PTR(-EINVAL);
	if (ps != RDMA_PS_TCP && ps != RDMA_PS_UDP && ps != RDMA_PS_IPOIB && ps != RDMA_PS_IB)
		return ERR_PTR(-EINVAL);
	id = new_id(net, event_handler, context, ps, qp_type, caller, 0);
	if (!id)
		return ERR_PTR(-ENOMEM);
	cma_track_new(id, NULL);
	return &id->base;
}
EXPORT_SYMBOL(__rdma_create_kernel_id);

struct rdma_cm_id *rdma_create_user_id(rdma_cm_event_handler event_handler, void *context,
				       enum rdma_ucm_port_space ps, enum ib_qp_type qp_type)
{
	return __rdma_create_kernel_id(current->nsproxy->net_ns, event_handler, context, ps,
				       qp_type, NULL);
}
EXPORT_SYMBOL(rdma_create_user_id);

void rdma_destroy_id(struct rdma_cm_id *base)
{
	struct cma_id *id = to_cma_id(base);

	/*
	 * mutex_lock() waits for a handler that is running. Later deliveries find the state
	 * DESTROYING.
	 */
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
