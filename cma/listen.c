// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Listening: on one device, or for a wildcard address on all devices of the namespace, those
 * included that come later. A loopback address that no device had is a wildcard's here, too: it
 * waits for a device that has it.
 */
#include <linux/export.h>
#include <linux/slab.h>

#include "cma/cma.h"

/*
 * Guards the two lists, and of each member the list of its listeners. Held while a listener is
 * begun, not while one is ended: that waits for handlers, which may want to listen, too.
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
	/* An identifier that has the device is in its table itself. */
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

/* Of a wildcard; a device that is not for it, or goes, is no error. */
static int listener_create_on(struct cma_id *id, struct cma_device *dev)
{
	struct cma_listener *listener;

	lockdep_assert_held(&listen_mutex);
	if (!cma_device_suits(dev, id))
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

/* All listeners of a wildcard, for listeners_destroy(). */
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
	LIST_HEAD(begun);
	int ret = 0;

	mutex_lock(&listen_mutex);
	list_add_tail(&id->any_entry, &wildcards);
	list_for_each_entry(dev, &devices, entry) {
		ret = listener_create_on(id, dev);
		if (ret)
			break;
	}
	if (ret)
		detach_listeners(id, &begun);
	mutex_unlock(&listen_mutex);
	listeners_destroy(&begun);
	return ret;
}

static int listen_on_device(struct cma_id *id)
{
	struct cma_listener *listener = listener_create(id, id->dev);

	if (IS_ERR(listener))
		return PTR_ERR(listener);
	id->listener = listener;
	return 0;
}

/* When this returns, no request is being delivered any more. */
void cma_unlisten(struct cma_id *id)
{
	LIST_HEAD(listeners);

	if (id->listener)
		listener_destroy(id->listener);
	/* Only listening made it a wildcard's. */
	if (list_empty(&id->any_entry))
		return;
	mutex_lock(&listen_mutex);
	detach_listeners(id, &listeners);
	mutex_unlock(&listen_mutex);
	listeners_destroy(&listeners);
}

/* It may be one that connections wait for; nobody else hears that there are none. */
static void listener_create_late(struct cma_id *id, struct cma_device *dev)
{
	int ret = listener_create_on(id, dev);

	if (ret)
		ibdev_err(dev->ibdev, "%s listens on %pISpc, but not here: error %d\n",
			  id->caller ?: "a process", cma_src(id), ret);
}

void cma_listen_device_add(struct cma_device *dev)
{
	struct cma_id *id;

	mutex_lock(&listen_mutex);
	list_add_tail(&dev->entry, &devices);
	list_for_each_entry(id, &wildcards, any_entry)
		listener_create_late(id, dev);
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

static int bind_somewhere(struct cma_id *id)
{
	struct sockaddr_storage any;

	cma_addr_any(&any, AF_INET);
	return cma_bind(id, &any, 0);
}

int rdma_listen(struct rdma_cm_id *base, int backlog)
{
	struct cma_id *id = to_cma_id(base);
	int ret;

	if (cma_state(id) == RDMA_CM_IDLE) {
		ret = bind_somewhere(id);
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
