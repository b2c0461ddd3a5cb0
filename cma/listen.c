// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Listening. An identifier that has a device listens on that device. An identifier with a wildcard
 * address listens on all devices of the namespace, including those that are added later. An
 * identifier with a loopback address for which no device was found is treated like a wildcard, and
 * listens when a device that has the address is added.
 */
#include "cma/listen.h"

#include <linux/export.h>
#include <linux/slab.h>

#include "cma/bind.h"
#include "cma/device.h"
#include "cma/id.h"
#include "cma/port.h"
#include "cma/track.h"
#include "cma/transport.h"

/*
 * Protects the lists "devices" and "wildcards", and their members' lists of listeners. Held while a
 * listener is created. Not held while a listener is destroyed, because that waits for handlers,
 * which may call rdma_listen().
 */
static DEFINE_MUTEX(listen_mutex);
static LIST_HEAD(devices);
static LIST_HEAD(wildcards);

static struct cma_listener *listener_create(struct cma_id *id, struct cma_device *dev)
{
	struct cma_listener *listener;
	int ret;

	ret = cma_device_open(dev);
	if (ret)
		return ERR_PTR(ret);
	ret = -ENOMEM;
	listener = kzalloc(sizeof(*listener), cma_gfp(id->caller));
	if (!listener)
		goto close_device;
	cma_id_get(id);
	listener->id = id;
	listener->dev = dev;
	/*
	 * An id that has a device is in the device's table already. Only the listeners of a
	 * wildcard need entries of their own.
	 */
	ret = id->dev ? 0 : cma_track_listener(listener);
	if (ret)
		goto untrack;
	ret = dev->transport->listen(listener, id->backlog);
	if (ret)
		goto untrack;
	return listener;

untrack:
	cma_untrack_listener(listener);
	kfree(listener);
	cma_id_put(id);
close_device:
	cma_device_close(dev);
	return ERR_PTR(ret);
}

static void listener_destroy(struct cma_listener *listener)
{
	lockdep_assert_not_held(&listen_mutex);
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
 * Creates the listener of a wildcard on a device. Returns 0 or an errno; 0 also if the device does
 * not match or is being removed.
 */
static int add_listener(struct cma_id *id, struct cma_device *dev)
{
	struct cma_listener *listener;

	lockdep_assert_held(&listen_mutex);
	if (!cma_device_matches(dev, id))
		return 0;
	listener = listener_create(id, dev);
	if (listener == ERR_PTR(-ENODEV))
		return 0;
	if (IS_ERR(listener))
		return PTR_ERR(listener);
	list_add_tail(&listener->id_entry, &id->listeners);
	list_add_tail(&listener->dev_entry, &dev->listeners);
	return 0;
}

/* Moves all listeners of a wildcard to the list @listeners. The caller destroys them. */
static void detach_listeners(struct cma_id *id, struct list_head *listeners)
{
	struct cma_listener *listener;

	lockdep_assert_held(&listen_mutex);
	list_del_init(&id->any_entry);
	list_for_each_entry(listener, &id->listeners, id_entry)
		list_del(&listener->dev_entry);
	list_splice_init(&id->listeners, listeners);
}

static int listen_on_all(struct cma_id *id)
{
	struct cma_device *dev;
	LIST_HEAD(listeners);
	int ret = 0;

	mutex_lock(&listen_mutex);
	list_add_tail(&id->any_entry, &wildcards);
	list_for_each_entry(dev, &devices, entry) {
		ret = add_listener(id, dev);
		if (ret)
			break;
	}
	if (ret)
		detach_listeners(id, &listeners);
	mutex_unlock(&listen_mutex);
	listeners_destroy(&listeners);
	return ret;
}

void cma_unlisten(struct cma_id *id)
{
	LIST_HEAD(listeners);

	might_sleep();
	if (id->listener)
		listener_destroy(id->listener);
	/* An identifier that is not in the list of wildcards has no further listener. */
	if (list_empty(&id->any_entry))
		return;
	mutex_lock(&listen_mutex);
	detach_listeners(id, &listeners);
	mutex_unlock(&listen_mutex);
	listeners_destroy(&listeners);
}

void cma_listen_device_add(struct cma_device *dev)
{
	struct cma_id *id;
	int ret;

	mutex_lock(&listen_mutex);
	list_add_tail(&dev->entry, &devices);
	list_for_each_entry(id, &wildcards, any_entry) {
		ret = add_listener(id, dev);
		/* Logged, because no event tells the consumer about the error. */
		if (ret)
			ibdev_err(dev->ibdev, "%s cannot listen on %pISpc on this device: error %d\n",
				  id->caller ?: "a process", cma_src(id), ret);
	}
	mutex_unlock(&listen_mutex);
}

void cma_listen_device_remove(struct cma_device *dev)
{
	struct cma_listener *listener, *next;
	LIST_HEAD(listeners);

	mutex_lock(&listen_mutex);
	list_del(&dev->entry);
	list_for_each_entry_safe(listener, next, &dev->listeners, dev_entry) {
		list_del(&listener->dev_entry);
		list_move_tail(&listener->id_entry, &listeners);
	}
	mutex_unlock(&listen_mutex);
	listeners_destroy(&listeners);
}

int rdma_listen(struct rdma_cm_id *base, int backlog)
{
	const struct sockaddr_storage any = { .ss_family = AF_INET };
	struct cma_id *id = to_cma_id(base);
	struct cma_listener *listener;
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
	if (id->dev) {
		listener = listener_create(id, id->dev);
		ret = PTR_ERR_OR_ZERO(listener);
		if (!ret)
			id->listener = listener;
	} else {
		ret = listen_on_all(id);
	}
	if (ret)
		cma_cmpxchg_state(id, RDMA_CM_LISTEN, RDMA_CM_ADDR_BOUND);
	return ret;
}
EXPORT_SYMBOL(rdma_listen);
