// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Allocation, registration, unregistration and freeing of devices.
 *
 * Registration, unregistration and a move to another network namespace run under the device's
 * unregistration_lock, from the first change of the state to the last. Between device_enable() and
 * device_disable() the device is visible, and may have clients and users.
 */
#include "core/device.h"

#include <linux/device.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/krdma.h>
#include <uapi/rdma/rdma_netlink.h>

#include <trace/events/ib_core.h>

#include "core/cgroup.h"
#include "core/change.h"
#include "core/client.h"
#include "core/event.h"
#include "core/gid.h"
#include "core/net.h"
#include "core/netdev.h"
#include "core/nldev_monitor.h"
#include "core/ops.h"
#include "core/port.h"
#include "core/port_cache.h"
#include "core/quota.h"
#include "core/registry.h"
#include "core/restrack.h"
#include "core/stats.h"
#include "core/sysfs.h"
#include "core/view.h"
#include "verbs/cq_pool.h"

/* Interval of the warnings while unregistration waits for users. */
#define UNREGISTER_WARN_INTERVAL	(10 * HZ)

/* Runs ib_unregister_device_queued(). */
static struct workqueue_struct *unregister_wq;

static void device_release(struct device *device)
{
	struct ib_device *dev = rdma_device_to_ibdev(device);

	ib_core_netdevs_release(dev);
	ib_core_port_cache_free(dev);
	ib_core_ports_free(dev);
	ib_core_restrack_free(dev);
	ib_core_quota_release(dev);
	xa_destroy(&dev->client_data);
	mutex_destroy(&dev->unregistration_lock);
	lockdep_unregister_key(&dev->unregistration_key);
	kfree_rcu(dev, rcu_head);
}

static int device_uevent(KRDMA_CLASS_CONST struct device *device, struct kobj_uevent_env *env)
{
	char name[IB_DEVICE_NAME_MAX];

	ib_device_name_get(container_of(device, struct ib_device_view, dev)->owner, name);
	return add_uevent_var(env, "NAME=%s", name);
}

static const KRDMA_CLASS_NS *device_namespace(KRDMA_CLASS_CONST struct device *device)
{
	return KRDMA_CLASS_NET(read_pnet(&container_of(device, struct ib_device_view, dev)->net));
}

static void device_owner(KRDMA_CLASS_CONST struct device *device, kuid_t *uid, kgid_t *gid)
{
	ib_core_sysfs_owner(container_of(device, struct ib_device_view, dev), uid, gid);
}

struct class ib_core_class = {
	.name		= "infiniband",
	.dev_release	= device_release,
	.dev_uevent	= device_uevent,
	.ns_type	= &net_ns_type_operations,
	.namespace	= device_namespace,
	.get_ownership	= device_owner,
};

/*
 * Disables a device that is to be unregistered or moved, in this order:
 * - The events dispatched so far are delivered, because a client should know, for example, that the
 *   device has failed, before remove() of the client is called.
 * - remove() of the clients is called before anything else is stopped, because clients use
 *   everything else.
 * - The function waits until the remaining references, which look-ups took, are dropped. Their
 *   holders drop them soon.
 * - Once no reference is left, nothing can dispatch an event or create an object. The queued events
 *   are delivered, and the objects that still exist are reported as leaked.
 */
static void device_disable(struct ib_device *dev, enum ib_core_device_state state)
{
	lockdep_assert_held(&dev->unregistration_lock);
	ib_core_device_set_state(dev, state);
	ib_core_events_flush(dev);
	ib_core_clients_remove_device(dev);
	/* Drop the first reference, which device_enable() took by setting the count to 1. */
	ib_device_put(dev);
	while (!wait_for_completion_timeout(&dev->unreg_completion, UNREGISTER_WARN_INTERVAL))
		ibdev_warn(dev, "unregistration waits for %u references\n",
			   refcount_read(&dev->refcount));
	ib_core_events_stop(dev);
	ib_core_port_cache_stop(dev);
	ib_core_cq_pool_cleanup(dev);
	ib_core_restrack_report_leaks(dev);
}

/* Makes a device visible, and calls add() of the clients. On error the device is disabled again. */
static int device_enable(struct ib_device *dev)
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
		device_disable(dev, IB_CORE_DEVICE_UNREGISTERING);
	return ret;
}

/* Reports by tracepoint and to `rdma monitor` that the device can be used. */
static void device_announce(struct ib_device *dev)
{
	trace_rdma_device_register(dev);
	ib_core_monitor_registered(dev);
}

/* Reports by tracepoint and to `rdma monitor` that the device is to be unregistered or moved. */
static void device_announce_removal(struct ib_device *dev)
{
	trace_rdma_device_unregister(dev);
	ib_core_monitor_device(dev, RDMA_UNREGISTER_EVENT);
}

static int device_register_locked(struct ib_device *dev, const char *name,
				  struct device *dma_device)
{
	enum ib_core_device_state failed_state = IB_CORE_DEVICE_ALLOCATED;
	struct ib_udata no_user = {};
	int ret;

	lockdep_assert_held(&dev->unregistration_lock);
	ret = ib_core_registry_add(dev, name);
	if (ret)
		return ret;
	ret = ib_core_quota_charge(dev);
	if (ret)
		goto out_registry;
	dev->dma_device = dma_device;
	if (!dev->dev.parent)
		dev->dev.parent = dma_device;
	memset(&dev->attrs, 0, sizeof(dev->attrs));
	ret = dev->ops.query_device(dev, &dev->attrs, &no_user);
	if (ret)
		goto out_registry;
	ret = ib_core_ports_setup(dev);
	if (ret)
		goto out_registry;
	ret = ib_core_port_cache_alloc(dev);
	if (ret)
		goto out_registry;
	ret = ib_core_stats_alloc(dev);
	if (ret)
		goto out_registry;
	/* A failure from here on is final: a struct device can be added only once. */
	failed_state = IB_CORE_DEVICE_GONE;
	ret = ib_core_views_add(dev);
	if (ret)
		goto out_stats;
	ib_core_cgroup_add(dev);
	ret = device_enable(dev);
	if (ret)
		goto out_views;
	ib_core_views_announce(dev);
	device_announce(dev);
	return 0;

out_views:
	ib_core_cgroup_del(dev);
	ib_core_netdevs_release(dev);
	ib_core_views_del(dev);
out_stats:
	ib_core_stats_free(dev);
out_registry:
	ib_core_registry_del(dev, failed_state);
	return ret;
}

int ib_register_device(struct ib_device *device, const char *name, struct device *dma_device)
{
	int ret;

	/*
	 * Keep the memory until mutex_unlock() has returned, because another thread may unregister
	 * and deallocate the device as soon as the lock is released.
	 */
	get_device(&device->dev);
	mutex_lock(&device->unregistration_lock);
	ret = ib_core_ops_check(device, name);
	if (!ret)
		ret = device_register_locked(device, name, dma_device);
	mutex_unlock(&device->unregistration_lock);
	put_device(&device->dev);
	return ret;
}
EXPORT_SYMBOL(ib_register_device);

/*
 * Ends the registration of a device that device_disable() has disabled. The caller holds a
 * reference to the struct device, so that the device's unregistration_lock outlives
 * dealloc_driver().
 */
static void device_finish_unregister(struct ib_device *dev)
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
	/*
	 * The device stays in the table until dealloc_driver() has returned, so that
	 * ib_unregister_driver() finds the device and waits for it.
	 */
	dev->ops.dealloc_driver(dev);
	ib_core_registry_del(dev, IB_CORE_DEVICE_GONE);
	put_device(&dev->dev);
}

/*
 * If a registration of the device is running, mutex_lock() waits for its end. A device whose
 * registration failed is left alone, because the provider frees it.
 */
void ib_unregister_device(struct ib_device *device)
{
	get_device(&device->dev);
	mutex_lock(&device->unregistration_lock);
	if (device->state == IB_CORE_DEVICE_REGISTERED) {
		device_announce_removal(device);
		device_disable(device, IB_CORE_DEVICE_UNREGISTERING);
		device_finish_unregister(device);
	}
	mutex_unlock(&device->unregistration_lock);
	put_device(&device->dev);
}
EXPORT_SYMBOL(ib_unregister_device);

static void unregister_work(struct work_struct *work)
{
	struct ib_device *dev = container_of(work, struct ib_device, unregistration_work);

	ib_unregister_device(dev);
	put_device(&dev->dev);
}

void ib_unregister_device_and_put(struct ib_device *device)
{
	WARN_ON_ONCE(!device->ops.dealloc_driver);
	get_device(&device->dev);
	ib_device_put(device);
	ib_unregister_device(device);
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

/*
 * Returns the first device of the driver, or of the module if @owner is not NULL, whose number is
 * *@index or more, with a reference to the struct device, and sets *@index to that device's number.
 * Returns NULL if there is none.
 */
static struct ib_device *next_of_driver(enum rdma_driver_id driver_id, const struct module *owner,
					unsigned long *index)
{
	struct ib_device *dev;

	mutex_lock(&ib_core_registry_lock);
	for (; (dev = ib_core_registry_next(index)); (*index)++)
		if (owner ? dev->ops.owner == owner : dev->ops.driver_id == driver_id) {
			get_device(&dev->dev);
			break;
		}
	mutex_unlock(&ib_core_registry_lock);
	return dev;
}

static void unregister_all(enum rdma_driver_id driver_id, const struct module *owner)
{
	struct ib_device *dev;
	unsigned long index;

	for (index = 0; (dev = next_of_driver(driver_id, owner, &index)); index++) {
		ib_unregister_device(dev);
		put_device(&dev->dev);
	}
	/*
	 * An unregistration_work may still hold a reference to a device that the loop above has
	 * unregistered. The reference keeps the device's memory, including the driver's part of it:
	 * wait until the work items have dropped their references.
	 */
	flush_workqueue(unregister_wq);
}

void ib_unregister_driver(enum rdma_driver_id driver_id)
{
	unregister_all(driver_id, NULL);
}
EXPORT_SYMBOL(ib_unregister_driver);

void krdma_unregister_devices_of(const struct module *owner)
{
	unregister_all(RDMA_DRIVER_UNKNOWN, owner);
}
EXPORT_SYMBOL(krdma_unregister_devices_of);

static int device_move_locked(struct ib_device *dev, struct net *to)
{
	int ret;

	lockdep_assert_held(&dev->unregistration_lock);
	device_announce_removal(dev);
	device_disable(dev, IB_CORE_DEVICE_MOVING);
	ib_core_device_set_net(dev, to);
	trace_rdma_device_move(dev);
	ret = ib_core_views_move(dev, to);
	if (!ret)
		ret = device_enable(dev);
	if (!ret) {
		ib_core_views_announce(dev);
		device_announce(dev);
		return 0;
	}
	ibdev_err_ratelimited(dev,
			      "no use in its new network namespace: error %d; it is unregistered\n",
			      ret);
	device_finish_unregister(dev);
	return ret;
}

int ib_core_device_move(struct ib_device *dev, struct net *from, struct net *to)
{
	int ret = 0;

	get_device(&dev->dev);
	/* Drop the caller's reference, for which device_disable() would wait. */
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

/* Returns a device of the namespace, with a reference to the struct device, or NULL. */
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

/*
 * Moves the devices of a dying namespace to the initial one. Their names cannot clash there,
 * because a name is unique among all devices of all namespaces.
 */
static void move_all_to_init_net(struct net *net)
{
	struct ib_device *dev;

	for (; (dev = any_of_net(net)); put_device(&dev->dev)) {
		/* In shared mode the device is visible in all namespaces, and stays enabled. */
		if (rdma_netns_is_shared()) {
			ib_core_device_set_net(dev, &init_net);
			continue;
		}
		mutex_lock(&dev->unregistration_lock);
		if (dev->state == IB_CORE_DEVICE_REGISTERED)
			device_move_locked(dev, &init_net);
		else
			ib_core_device_set_net(dev, &init_net);
		mutex_unlock(&dev->unregistration_lock);
	}
}

static int __net_init core_net_init(struct net *net)
{
	ib_core_netns_begin(net);
	return 0;
}

/*
 * Moves the devices of a dying namespace to the initial one while the network of the dying
 * namespace still works, so that connections can be closed in an orderly way.
 */
static void __net_exit core_net_pre_exit(struct net *net)
{
	if (!rdma_netns_is_shared())
		move_all_to_init_net(net);
}

/*
 * Moves the devices that are left when the network interfaces have left the namespace: devices
 * without an interface, devices whose interface has moved to the initial namespace, and devices
 * that were registered after core_net_pre_exit().
 */
static void __net_exit core_net_exit(struct net *net)
{
	move_all_to_init_net(net);
	ib_core_netns_end(net);
}

static struct pernet_operations device_net_ops = {
	.init = core_net_init,
	.pre_exit = core_net_pre_exit,
	.exit = core_net_exit,
};

struct ib_device *_ib_alloc_device(size_t size)
{
	struct ib_device *dev;

	if (WARN_ON(size < sizeof(*dev)))
		return NULL;
	dev = kzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!dev)
		return NULL;
	if (ib_core_restrack_init(dev)) {
		kfree(dev);
		return NULL;
	}
	init_rwsem(&dev->event_handler_rwsem);
	INIT_LIST_HEAD(&dev->event_handler_list);
	ib_core_events_setup(dev);
	/* XA_FLAGS_ALLOC: a reserved entry stays reserved when NULL is stored in it. */
	xa_init_flags(&dev->client_data, XA_FLAGS_ALLOC);
	INIT_LIST_HEAD(&dev->client_links);
	ib_core_views_setup(dev);
	/*
	 * Each device's lock has a lockdep class of its own, because a client's add(), which is
	 * called with the lock held, may register other devices.
	 */
	lockdep_register_key(&dev->unregistration_key);
	__mutex_init(&dev->unregistration_lock, "unregistration_lock", &dev->unregistration_key);
	spin_lock_init(&dev->cq_pools_lock);
	init_completion(&dev->unreg_completion);
	INIT_WORK(&dev->unregistration_work, unregister_work);
	write_pnet(&dev->rdma_net, &init_net);
	dev->state = IB_CORE_DEVICE_ALLOCATED;
	device_initialize(&dev->dev);
	dev->dev.class = &ib_core_class;
	return dev;
}
EXPORT_SYMBOL(_ib_alloc_device);

void krdma_device_set_net(struct ib_device *device, struct net *net)
{
	write_pnet(&device->rdma_net, net);
}
EXPORT_SYMBOL(krdma_device_set_net);

void ib_dealloc_device(struct ib_device *device)
{
	unsigned int state = READ_ONCE(device->state);

	/* Leak the device rather than free memory that is in use. */
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
	ret = ib_core_event_init(&ib_core_port_cache);
	if (ret)
		goto out_wq;
	ret = ib_core_gid_init();
	if (ret)
		goto out_event;
	ret = class_register(&ib_core_class);
	if (ret)
		goto out_gid;
	ret = register_pernet_subsys(&device_net_ops);
	if (ret)
		goto out_class;
	ret = ib_core_views_init();
	if (ret)
		goto out_net;
	ret = ib_core_change_init();
	if (ret)
		goto out_views;
	return 0;

out_views:
	ib_core_views_exit();
out_net:
	unregister_pernet_subsys(&device_net_ops);
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
	ib_core_change_exit();
	ib_core_views_exit();
	unregister_pernet_subsys(&device_net_ops);
	class_unregister(&ib_core_class);
	ib_core_registry_exit();
	ib_core_gid_exit();
	ib_core_event_exit();
	destroy_workqueue(unregister_wq);
}
