// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The life of a device: allocated, registered, unregistered, freed.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <uapi/rdma/rdma_netlink.h>

#include <trace/events/ib_core.h>

#include "core/core.h"

/* How long unregistration waits for users before it says that it does, again and again. */
#define UNREGISTER_PATIENCE	(10 * HZ)

/* Runs ib_unregister_device_queued(). */
static struct workqueue_struct *unregister_wq;

/* The last reference to the struct device went. */
static void device_release(struct device *device)
{
	struct ib_device *dev = rdma_device_to_ibdev(device);

	ib_core_netdevs_release(dev);
	ib_core_port_cache_free(dev);
	ib_core_ports_free(dev);
	ib_core_restrack_free(dev);
	xa_destroy(&dev->client_data);
	mutex_destroy(&dev->unregistration_lock);
	lockdep_unregister_key(&dev->unregistration_key);
	kfree_rcu(dev, rcu_head);
}

static int device_uevent(struct device *device, struct kobj_uevent_env *env)
{
	return add_uevent_var(env, "NAME=%s", dev_name(device));
}

static const void *device_namespace(struct device *device)
{
	return read_pnet(&container_of(device, struct ib_device_view, dev)->net);
}

struct class ib_core_class = {
	.name		= "infiniband",
	.dev_release	= device_release,
	.dev_uevent	= device_uevent,
	.ns_type	= &net_ns_type_operations,
	.namespace	= device_namespace,
};

void ib_device_put(struct ib_device *device)
{
	if (refcount_dec_and_test(&device->refcount))
		complete(&device->unreg_completion);
}
EXPORT_SYMBOL(ib_device_put);

static void wait_for_users(struct ib_device *dev)
{
	/* The reference of the registration itself. */
	ib_device_put(dev);
	while (!wait_for_completion_timeout(&dev->unreg_completion, UNREGISTER_PATIENCE))
		ibdev_warn(dev, "unregistration waits for %u references\n",
			   refcount_read(&dev->refcount));
}

/*
 * From visible to idle, be it to unregister the device or to move it. Clients hear what happened
 * before they leave: that the device has failed, perhaps. Then they leave, before all else, because
 * they use everything else. The references that remain are those of look-ups, which end by
 * themselves. Then nobody is left who could raise an event or create an object: handlers get what
 * is queued, and what still exists was leaked.
 */
static void disable(struct ib_device *dev, enum ib_core_device_state state)
{
	lockdep_assert_held(&dev->unregistration_lock);
	ib_core_device_set_state(dev, state);
	ib_core_events_flush(dev);
	ib_core_clients_remove_device(dev);
	wait_for_users(dev);
	ib_core_events_stop(dev);
	ib_core_port_cache_stop(dev);
	ib_core_cq_pool_cleanup(dev);
	ib_core_restrack_report_leaks(dev);
}

static int enable(struct ib_device *dev)
{
	int ret;

	lockdep_assert_held(&dev->unregistration_lock);
	ib_core_cq_pool_init(dev);
	ib_core_events_start(dev);
	reinit_completion(&dev->unreg_completion);
	refcount_set(&dev->refcount, 1);
	ib_core_device_set_state(dev, IB_CORE_DEVICE_ENABLING);
	ret = ib_core_port_cache_start(dev);
	if (!ret && dev->ops.enable_driver)
		ret = dev->ops.enable_driver(dev);
	if (!ret)
		ret = ib_core_clients_add_device(dev);
	if (ret)
		disable(dev, IB_CORE_DEVICE_UNREGISTERING);
	return ret;
}

/* What the provider says once about the device and its ports. */
static int query(struct ib_device *dev)
{
	struct ib_udata no_user = {};
	int ret;

	memset(&dev->attrs, 0, sizeof(dev->attrs));
	ret = dev->ops.query_device(dev, &dev->attrs, &no_user);
	if (ret)
		return ret;
	ret = ib_core_ports_setup(dev);
	return ret ?: ib_core_port_cache_alloc(dev);
}

/* Those who watch hear that the device can be used, or that it begins to go. */
static void announce(struct ib_device *dev)
{
	trace_rdma_device_register(dev);
	ib_core_monitor_registered(dev);
}

static void announce_unregister(struct ib_device *dev)
{
	trace_rdma_device_unregister(dev);
	ib_core_monitor_device(dev, RDMA_UNREGISTER_EVENT);
}

static int register_locked(struct ib_device *dev, const char *name, struct device *dma_device)
{
	/* A struct device that was added once cannot be added again. */
	enum ib_core_device_state then = IB_CORE_DEVICE_ALLOCATED;
	int ret;

	lockdep_assert_held(&dev->unregistration_lock);
	ret = ib_core_registry_add(dev, name);
	if (ret)
		return ret;
	dev->dma_device = dma_device;
	if (!dev->dev.parent)
		dev->dev.parent = dma_device;
	ret = query(dev);
	if (ret)
		goto out_registry;
	ret = ib_core_stats_alloc(dev);
	if (ret)
		goto out_registry;
	then = IB_CORE_DEVICE_GONE;
	ret = ib_core_views_add(dev);
	if (ret)
		goto out_stats;
	ib_core_cgroup_add(dev);
	ret = enable(dev);
	if (ret)
		goto out_views;
	ib_core_views_announce(dev);
	announce(dev);
	return 0;

out_views:
	ib_core_cgroup_del(dev);
	ib_core_netdevs_release(dev);
	ib_core_views_del(dev);
out_stats:
	ib_core_stats_free(dev);
out_registry:
	ib_core_registry_del(dev, then);
	return ret;
}

int ib_register_device(struct ib_device *device, const char *name, struct device *dma_device)
{
	int ret;

	/* Once the lock is released, the device may be unregistered and given back at any time. */
	get_device(&device->dev);
	mutex_lock(&device->unregistration_lock);
	ret = ib_core_ops_check(device, name);
	if (!ret)
		ret = register_locked(device, name, dma_device);
	mutex_unlock(&device->unregistration_lock);
	put_device(&device->dev);
	return ret;
}
EXPORT_SYMBOL(ib_register_device);

/*
 * The rest, when the device is disabled for good. The caller's reference to the struct device keeps
 * it until the lock is released.
 */
static void finish_unregister(struct ib_device *dev)
{
	lockdep_assert_held(&dev->unregistration_lock);
	ib_core_cgroup_del(dev);
	ib_core_netdevs_release(dev);
	ib_core_views_del(dev);
	ib_core_stats_free(dev);
	if (!dev->ops.dealloc_driver) {
		ib_core_registry_del(dev, IB_CORE_DEVICE_GONE);
		return;
	}
	/* In the table until the provider is done: ib_unregister_driver() waits for that. */
	dev->ops.dealloc_driver(dev);
	ib_core_registry_del(dev, IB_CORE_DEVICE_GONE);
	put_device(&dev->dev);
}

/* What is being registered was waited for; what failed to register is its caller's. */
static void unregister(struct ib_device *dev)
{
	get_device(&dev->dev);
	mutex_lock(&dev->unregistration_lock);
	if (dev->state == IB_CORE_DEVICE_REGISTERED) {
		announce_unregister(dev);
		disable(dev, IB_CORE_DEVICE_UNREGISTERING);
		finish_unregister(dev);
	}
	mutex_unlock(&dev->unregistration_lock);
	put_device(&dev->dev);
}

static void unregister_work(struct work_struct *work)
{
	struct ib_device *dev = container_of(work, struct ib_device, unregistration_work);

	unregister(dev);
	put_device(&dev->dev);
}

void ib_unregister_device(struct ib_device *device)
{
	unregister(device);
}
EXPORT_SYMBOL(ib_unregister_device);

void ib_unregister_device_and_put(struct ib_device *device)
{
	WARN_ON_ONCE(!device->ops.dealloc_driver);
	get_device(&device->dev);
	ib_device_put(device);
	unregister(device);
	put_device(&device->dev);
}
EXPORT_SYMBOL(ib_unregister_device_and_put);

void ib_unregister_device_queued(struct ib_device *ib_dev)
{
	WARN_ON_ONCE(!ib_dev->ops.dealloc_driver);
	get_device(&ib_dev->dev);
	if (!queue_work(unregister_wq, &ib_dev->unregistration_work))
		put_device(&ib_dev->dev);
}
EXPORT_SYMBOL(ib_unregister_device_queued);

/* The next device of the provider from *index on, with a reference to its memory. */
static struct ib_device *next_of_driver(enum rdma_driver_id driver_id, unsigned long *index)
{
	struct ib_device *dev;

	mutex_lock(&ib_core_registry_lock);
	for (; (dev = ib_core_registry_next(index)); (*index)++)
		if (dev->ops.driver_id == driver_id) {
			get_device(&dev->dev);
			break;
		}
	mutex_unlock(&ib_core_registry_lock);
	return dev;
}

void ib_unregister_driver(enum rdma_driver_id driver_id)
{
	struct ib_device *dev;
	unsigned long index;

	for (index = 0; (dev = next_of_driver(driver_id, &index)); index++) {
		unregister(dev);
		put_device(&dev->dev);
	}
	/* Work that found the device gone already still refers to the provider's memory. */
	flush_workqueue(unregister_wq);
}
EXPORT_SYMBOL(ib_unregister_driver);

static int device_move_locked(struct ib_device *dev, struct net *to)
{
	int ret;

	lockdep_assert_held(&dev->unregistration_lock);
	announce_unregister(dev);
	disable(dev, IB_CORE_DEVICE_MOVING);
	ib_core_device_set_net(dev, to);
	trace_rdma_device_move(dev);
	ret = ib_core_views_move(dev, to);
	if (!ret)
		ret = enable(dev);
	if (!ret) {
		ib_core_views_announce(dev);
		announce(dev);
		return 0;
	}
	ibdev_err(dev, "no use in its new network namespace: error %d; it is unregistered\n", ret);
	finish_unregister(dev);
	return ret;
}

int ib_core_device_move(struct ib_device *dev, struct net *from, struct net *to)
{
	int ret = 0;

	get_device(&dev->dev);
	/* It would be waited for. */
	ib_device_put(dev);
	mutex_lock(&dev->unregistration_lock);
	if (dev->state != IB_CORE_DEVICE_REGISTERED || !net_eq(rdma_dev_net(dev), from))
		ret = -ENODEV;
	else if (!net_eq(from, to))
		ret = device_move_locked(dev, to);
	mutex_unlock(&dev->unregistration_lock);
	put_device(&dev->dev);
	return ret;
}

/* A device that belongs to the namespace, with a reference to its memory. */
static struct ib_device *any_of_net(const struct net *net)
{
	struct ib_device *dev;
	unsigned long index;

	mutex_lock(&ib_core_registry_lock);
	for (index = 0; (dev = ib_core_registry_next(&index)); index++)
		if (net_eq(rdma_dev_net(dev), net)) {
			get_device(&dev->dev);
			break;
		}
	mutex_unlock(&ib_core_registry_lock);
	return dev;
}

static void move_to_init_net(struct ib_device *dev)
{
	/* What is shared stays in use. */
	if (rdma_netns_is_shared()) {
		ib_core_device_set_net(dev, &init_net);
		return;
	}
	mutex_lock(&dev->unregistration_lock);
	if (dev->state == IB_CORE_DEVICE_REGISTERED)
		device_move_locked(dev, &init_net);
	else
		ib_core_device_set_net(dev, &init_net);
	mutex_unlock(&dev->unregistration_lock);
}

void ib_core_devices_move_to_init_net(struct net *net)
{
	struct ib_device *dev;

	while ((dev = any_of_net(net))) {
		move_to_init_net(dev);
		put_device(&dev->dev);
	}
}

static void setup(struct ib_device *dev)
{
	init_rwsem(&dev->event_handler_rwsem);
	INIT_LIST_HEAD(&dev->event_handler_list);
	ib_core_events_setup(dev);
	/* A reserved entry stays reserved when it is set to NULL. */
	xa_init_flags(&dev->client_data, XA_FLAGS_ALLOC);
	INIT_LIST_HEAD(&dev->client_links);
	ib_core_views_setup(dev);
	/* A client may make other devices while it is told of this one: theirs is another lock. */
	lockdep_register_key(&dev->unregistration_key);
	__mutex_init(&dev->unregistration_lock, "unregistration_lock", &dev->unregistration_key);
	spin_lock_init(&dev->cq_pools_lock);
	init_completion(&dev->unreg_completion);
	INIT_WORK(&dev->unregistration_work, unregister_work);
	write_pnet(&dev->rdma_net, &init_net);
	dev->state = IB_CORE_DEVICE_ALLOCATED;
}

struct ib_device *_ib_alloc_device(size_t size)
{
	struct ib_device *dev;

	if (WARN_ON(size < sizeof(*dev)))
		return NULL;
	dev = kzalloc(size, GFP_KERNEL);
	if (!dev)
		return NULL;
	if (ib_core_restrack_init(dev)) {
		kfree(dev);
		return NULL;
	}
	setup(dev);
	device_initialize(&dev->dev);
	dev->dev.class = &ib_core_class;
	return dev;
}
EXPORT_SYMBOL(_ib_alloc_device);

void ib_dealloc_device(struct ib_device *device)
{
	unsigned int state = READ_ONCE(device->state);

	/* To leak it is better than to free what others use. */
	if (WARN_ON(state != IB_CORE_DEVICE_ALLOCATED && state != IB_CORE_DEVICE_GONE))
		return;
	if (device->ops.dealloc_driver)
		device->ops.dealloc_driver(device);
	put_device(&device->dev);
}
EXPORT_SYMBOL(ib_dealloc_device);

int ib_core_device_init(void)
{
	int ret;

	unregister_wq = alloc_workqueue("ib_core_unregister", WQ_UNBOUND, 0);
	if (!unregister_wq)
		return -ENOMEM;
	ret = ib_core_event_init();
	if (ret)
		goto out_wq;
	ret = ib_core_gid_init();
	if (ret)
		goto out_event;
	ret = class_register(&ib_core_class);
	if (ret)
		goto out_gid;
	ret = ib_core_net_init();
	if (ret)
		goto out_class;
	ret = ib_core_views_init();
	if (ret)
		goto out_net;
	ret = ib_core_netdevs_init();
	if (ret)
		goto out_views;
	return 0;

out_views:
	ib_core_views_exit();
out_net:
	ib_core_net_exit();
out_class:
	class_unregister(&ib_core_class);
out_gid:
	ib_core_gid_exit();
out_event:
	ib_core_event_exit();
out_wq:
	destroy_workqueue(unregister_wq);
	return ret;
}

void ib_core_device_exit(void)
{
	ib_core_netdevs_exit();
	ib_core_views_exit();
	ib_core_net_exit();
	class_unregister(&ib_core_class);
	ib_core_registry_exit();
	ib_core_gid_exit();
	ib_core_event_exit();
	destroy_workqueue(unregister_wq);
}
