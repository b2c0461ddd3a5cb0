// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Listening. An identifier that has a device listens on that device. An identifier with a wildcard
 * address listens on all devices of the namespace, including those that are added later. If no
 * device was found for an identifier's loopback address, the identifier is treated like a wildcard,
 * and listens when a device that has the address is added.
 */
#include "cma/listen.h"

#include <linux/export.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "cma/bind.h"
#include "cma/device.h"
#include "cma/id.h"
#include "cma/port.h"
#include "cma/track.h"
#include "cma/transport.h"

/*
 * Protects the lists "devices" and "wildcards", the lists of listeners of the devices and
 * identifiers in them, and cma_listener.begin_entry and .error of the listeners of wildcards. Not
 * held during a transport's operations listen and unlisten, because listen may wait for the port
 * mapper's daemon, and unlisten waits for handlers, which may call rdma_listen().
 */
static DEFINE_MUTEX(listen_mutex);
static LIST_HEAD(devices);
static LIST_HEAD(wildcards);

/* Creates a listener. The transport does not listen yet. */
static struct cma_listener *listener_create(struct cma_id *id, struct cma_device *dev)
{
	struct cma_listener *listener;
	struct mem_cgroup *active;
	int ret;

	lockdep_assert_held(&listen_mutex);
	if (id->unlistened)
		return ERR_PTR(-ECANCELED);
	ret = cma_device_open(dev);
	if (ret)
		return ERR_PTR(ret);
	ret = -ENOMEM;
	/*
	 * Charge the memory to the process that owns the id, not to the process that adds the
	 * device.
	 */
	active = set_active_memcg(id->memcg);
	listener = kzalloc(sizeof(*listener), cma_gfp(id->caller));
	if (listener) {
		listener->id = id;
		listener->dev = dev;
		ret = dev->transport->prepare_listen(listener);
	}
	set_active_memcg(active);
	if (ret)
		goto free_listener;
	cma_id_get(id);
	listener->error = -ECANCELED;
	init_completion(&listener->begun);
	/*
	 * An id that has a device is already in the resource table of that device. Only the
	 * listeners of a wildcard need entries of their own.
	 */
	ret = id->dev ? 0 : cma_track_listener(listener);
	if (ret)
		goto untrack;
	return listener;

untrack:
	cma_untrack_listener(listener);
	dev->transport->unlisten(listener);
	cma_id_put(id);
free_listener:
	kfree(listener);
	cma_device_close(dev);
	return ERR_PTR(ret);
}

/*
 * Destroys a listener. Waits for requests that are being delivered. If another thread is in the
 * transport's listen() for this listener, ends that thread's wait for the port mapper's daemon, and
 * waits until listen() returns.
 */
static void listener_destroy(struct cma_listener *listener)
{
	lockdep_assert_not_held(&listen_mutex);
	listener->dev->transport->cancel_listen(listener);
	wait_for_completion(&listener->begun);
	cma_untrack_listener(listener);
	listener->dev->transport->unlisten(listener);
	cma_device_close(listener->dev);
	cma_id_put(listener->id);
	kfree(listener);
}

static void listeners_destroy(struct list_head *listeners)
{
	struct cma_listener *listener, *next;

	list_for_each_entry_safe(listener, next, listeners, id_entry)
		listener_destroy(listener);
}

/*
 * Creates a listener on @dev for the wildcard @id, and queues it in @queue for begin_listener().
 * Returns 0 or an errno. Also returns 0, without a listener, if the device does not match or is
 * being removed, or if listening is being cancelled.
 */
static int queue_listener(struct cma_id *id, struct cma_device *dev, struct list_head *queue)
{
	struct cma_listener *listener;

	lockdep_assert_held(&listen_mutex);
	if (!cma_device_matches(dev, id))
		return 0;
	listener = listener_create(id, dev);
	if (listener == ERR_PTR(-ENODEV) || listener == ERR_PTR(-ECANCELED))
		return 0;
	if (IS_ERR(listener))
		return PTR_ERR(listener);
	list_add_tail(&listener->id_entry, &id->listeners);
	list_add_tail(&listener->dev_entry, &dev->listeners);
	list_add_tail(&listener->begin_entry, queue);
	return 0;
}

/*
 * Moves the listener of a wildcard to the list @listeners, which the caller gives to
 * listeners_destroy(). If the listener is still queued for begin_listener(), removes it from the
 * queue, so that it will not begin.
 */
static void detach_listener(struct cma_listener *listener, struct list_head *listeners)
{
	lockdep_assert_held(&listen_mutex);
	list_del_init(&listener->dev_entry);
	list_move_tail(&listener->id_entry, listeners);
	if (list_empty(&listener->begin_entry))
		return;
	list_del_init(&listener->begin_entry);
	complete(&listener->begun);
}

/*
 * Takes the first listener of @queue, and calls listen() of its transport. Drops listen_mutex for
 * that call, and takes it again. A listener that fails is moved to @failed, unless another thread
 * has detached the listener meanwhile. Returns 0 or an errno. Also returns 0 if the device is
 * being removed or the identifier destroyed.
 */
static int begin_listener(struct list_head *queue, struct list_head *failed)
{
	struct cma_listener *listener =
		list_first_entry(queue, struct cma_listener, begin_entry);
	int ret;

	lockdep_assert_held(&listen_mutex);
	list_del_init(&listener->begin_entry);
	mutex_unlock(&listen_mutex);
	ret = listener->dev->transport->listen(listener, listener->id->backlog);
	mutex_lock(&listen_mutex);
	listener->error = ret;
	if (ret && !list_empty(&listener->dev_entry))
		detach_listener(listener, failed);
	/* After complete(), a thread that has detached the listener may free it. */
	complete(&listener->begun);
	return ret == -ENODEV || ret == -ECANCELED ? 0 : ret;
}

/* Removes a wildcard from the list "wildcards", and detaches all its listeners. */
static void detach_wildcard(struct cma_id *id, struct list_head *listeners)
{
	struct cma_listener *listener, *next;

	lockdep_assert_held(&listen_mutex);
	list_del_init(&id->any_entry);
	list_for_each_entry_safe(listener, next, &id->listeners, id_entry)
		detach_listener(listener, listeners);
}

static int listen_on_device(struct cma_id *id)
{
	struct cma_listener *listener;
	int ret;

	mutex_lock(&listen_mutex);
	listener = listener_create(id, id->dev);
	if (!IS_ERR(listener))
		id->listener = listener;
	mutex_unlock(&listen_mutex);
	if (IS_ERR(listener))
		return PTR_ERR(listener);
	ret = id->dev->transport->listen(listener, id->backlog);
	listener->error = ret;
	complete(&listener->begun);
	if (!ret)
		return 0;
	mutex_lock(&listen_mutex);
	id->listener = NULL;
	mutex_unlock(&listen_mutex);
	listener_destroy(listener);
	return ret;
}

static int listen_on_all(struct cma_id *id)
{
	struct cma_device *dev;
	LIST_HEAD(listeners);
	LIST_HEAD(queue);
	int ret = 0;

	mutex_lock(&listen_mutex);
	list_add_tail(&id->any_entry, &wildcards);
	list_for_each_entry(dev, &devices, entry) {
		ret = queue_listener(id, dev, &queue);
		if (ret)
			break;
	}
	while (!ret && !list_empty(&queue))
		ret = begin_listener(&queue, &listeners);
	if (ret)
		detach_wildcard(id, &listeners);
	mutex_unlock(&listen_mutex);
	listeners_destroy(&listeners);
	return ret;
}

void cma_cancel_listen(struct cma_id *id)
{
	struct cma_listener *listener;

	mutex_lock(&listen_mutex);
	id->unlistened = true;
	if (id->listener)
		id->listener->dev->transport->cancel_listen(id->listener);
	list_for_each_entry(listener, &id->listeners, id_entry)
		listener->dev->transport->cancel_listen(listener);
	mutex_unlock(&listen_mutex);
}

void rdma_cancel_listen(struct rdma_cm_id *base)
{
	cma_cancel_listen(to_cma_id(base));
}
EXPORT_SYMBOL(rdma_cancel_listen);

void cma_unlisten(struct cma_id *id)
{
	struct cma_listener *listener;
	LIST_HEAD(listeners);

	might_sleep();
	if (!id->listener && list_empty(&id->any_entry))
		return;
	/*
	 * Take the lock, because a thread that removes a device may be in cma_cancel_listen(),
	 * which uses the listeners.
	 */
	mutex_lock(&listen_mutex);
	listener = id->listener;
	id->listener = NULL;
	detach_wildcard(id, &listeners);
	mutex_unlock(&listen_mutex);
	if (listener)
		listener_destroy(listener);
	listeners_destroy(&listeners);
}

/* Logs that a wildcard cannot listen on a new device, and why; the consumer gets no event. */
static void log_failure(struct cma_id *id, struct cma_device *dev, int error)
{
	ibdev_err(dev->ibdev, "%s cannot listen on %pISpc on this device: error %d\n",
		  id->caller ?: "a process", cma_src(id), error);
}

static void begin_work(struct work_struct *work)
{
	struct cma_device *dev = container_of(work, struct cma_device, begin);
	struct cma_listener *listener;
	struct cma_id *id;
	LIST_HEAD(failed);
	LIST_HEAD(queue);
	int ret;

	mutex_lock(&listen_mutex);
	/*
	 * A device that is added to the list here is removed later: cma_listen_device_remove()
	 * takes listen_mutex only after cma_device.gone was set.
	 */
	if (READ_ONCE(dev->gone)) {
		mutex_unlock(&listen_mutex);
		return;
	}
	list_add_tail(&dev->entry, &devices);
	list_for_each_entry(id, &wildcards, any_entry) {
		ret = queue_listener(id, dev, &queue);
		if (ret)
			log_failure(id, dev, ret);
	}
	while (!list_empty(&queue))
		begin_listener(&queue, &failed);
	mutex_unlock(&listen_mutex);
	list_for_each_entry(listener, &failed, id_entry)
		if (listener->error != -ENODEV && listener->error != -ECANCELED)
			log_failure(listener->id, dev, listener->error);
	listeners_destroy(&failed);
}

/*
 * Lets the wildcards begin to listen in a work item, because the transport's listen() may wait for
 * the port mapper, and fails if the waiting task is killed, as the task that adds the device may
 * be. That task holds the device's unregistration_lock, so it waits for the work item only if
 * listen() on this device cannot wait for the port mapper.
 */
void cma_listen_device_add(struct cma_device *dev)
{
	INIT_LIST_HEAD(&dev->entry);
	INIT_WORK(&dev->begin, begin_work);
	queue_work(dev->map_wq, &dev->begin);
	if (!dev->transport->map_waits(dev->ibdev))
		flush_work(&dev->begin);
}

void cma_listen_device_remove(struct cma_device *dev)
{
	struct cma_listener *listener, *next;
	LIST_HEAD(listeners);

	mutex_lock(&listen_mutex);
	list_del_init(&dev->entry);
	list_for_each_entry_safe(listener, next, &dev->listeners, dev_entry)
		detach_listener(listener, &listeners);
	mutex_unlock(&listen_mutex);
	listeners_destroy(&listeners);
	cancel_work_sync(&dev->begin);
}

int rdma_listen(struct rdma_cm_id *base, int backlog)
{
	const struct sockaddr_storage any = { .ss_family = AF_INET };
	struct cma_id *id = to_cma_id(base);
	int ret;

	might_sleep();
	if (cma_state(id) == RDMA_CM_IDLE) {
		ret = cma_bind(id, &any, 0);
		if (ret)
			return ret;
	}
	id->backlog = backlog;
	ret = cma_port_listen(id);
	if (ret)
		return ret;
	ret = id->dev ? listen_on_device(id) : listen_on_all(id);
	if (ret)
		cma_cmpxchg_state(id, RDMA_CM_LISTEN, RDMA_CM_ADDR_BOUND);
	return ret;
}
EXPORT_SYMBOL(rdma_listen);
