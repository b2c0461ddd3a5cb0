// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Views: the directories of a device in the sysfs of network namespaces.
 *
 * A directory of class "infiniband" is visible in one namespace only. In exclusive mode a device
 * has one directory, in the namespace it belongs to. In shared mode the device's own directory is
 * in the initial namespace, and each other namespace has a view of the device with the same files.
 * Existing views never have to follow a change of the mode, because the mode cannot change while
 * there are other namespaces.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <rdma/ib_verbs.h>

#include "core/view.h"
#include "core/device.h"
#include "core/sysfs.h"

/* Protects the lists of namespaces, devices and views; view.h says more. */
DEFINE_MUTEX(ib_core_views_lock);

/* A network namespace other than the initial one. */
struct view_net {
	struct list_head	list;
	struct net		*net;
};

static unsigned int view_net_id;

/* Runs relink_work(), because callers of ib_core_views_relink() may hold RTNL or spinlocks. */
static struct workqueue_struct *views_wq;

/* Namespaces other than the initial one, and devices in sysfs. Protected by ib_core_views_lock. */
static LIST_HEAD(nets);
static LIST_HEAD(viewed_devices);

static void release_view(struct device *device)
{
	kfree(container_of(device, struct ib_device_view, dev));
}

static int add_view(struct ib_device *dev, struct net *net)
{
	struct ib_device_view *view;
	int ret;

	lockdep_assert_held(&ib_core_views_lock);
	view = kzalloc(sizeof(*view), GFP_KERNEL_ACCOUNT);
	if (!view)
		return -ENOMEM;
	device_initialize(&view->dev);
	view->dev.class = &ib_core_class;
	view->dev.release = release_view;
	view->dev.parent = dev->dev.parent;
	view->owner = dev;
	write_pnet(&view->net, net);
	ret = dev_set_name(&view->dev, "%s", dev->name);
	if (!ret)
		ret = ib_core_sysfs_add(view);
	if (ret) {
		put_device(&view->dev);
		return ret;
	}
	list_add_tail(&view->list, &dev->views);
	/* If udev does not know the device yet, ib_core_views_announce() will announce the view. */
	if (!dev_get_uevent_suppress(&dev->dev))
		ib_core_sysfs_announce(view);
	return 0;
}

static void del_view(struct ib_device_view *view)
{
	lockdep_assert_held(&ib_core_views_lock);
	list_del(&view->list);
	ib_core_sysfs_del(view);
	put_device(&view->dev);
}

static void del_views_of_device(struct ib_device *dev)
{
	struct ib_device_view *view, *next;

	lockdep_assert_held(&ib_core_views_lock);
	list_for_each_entry_safe(view, next, &dev->views, list)
		del_view(view);
}

static int add_views_of_device(struct ib_device *dev)
{
	struct view_net *other;
	int ret;

	lockdep_assert_held(&ib_core_views_lock);
	list_for_each_entry(other, &nets, list) {
		ret = add_view(dev, other->net);
		if (ret) {
			del_views_of_device(dev);
			return ret;
		}
	}
	return 0;
}

int ib_core_views_add(struct ib_device *dev)
{
	bool shared;
	int ret;

	mutex_lock(&ib_core_views_lock);
	shared = rdma_netns_is_shared();
	write_pnet(&dev->view.net, shared ? &init_net : rdma_dev_net(dev));
	ret = ib_core_sysfs_add(&dev->view);
	if (ret)
		goto out_unlock;
	ret = shared ? add_views_of_device(dev) : 0;
	if (ret)
		ib_core_sysfs_del(&dev->view);
	else
		list_add_tail(&dev->view.list, &viewed_devices);
out_unlock:
	mutex_unlock(&ib_core_views_lock);
	return ret;
}

void ib_core_views_announce(struct ib_device *dev)
{
	struct ib_device_view *view;

	mutex_lock(&ib_core_views_lock);
	ib_core_sysfs_announce(&dev->view);
	list_for_each_entry(view, &dev->views, list)
		ib_core_sysfs_announce(view);
	mutex_unlock(&ib_core_views_lock);
}

void ib_core_views_del(struct ib_device *dev)
{
	mutex_lock(&ib_core_views_lock);
	list_del(&dev->view.list);
	del_views_of_device(dev);
	ib_core_sysfs_del(&dev->view);
	mutex_unlock(&ib_core_views_lock);
}

/* A view that cannot be renamed is deleted, because another device may get the old name. */
void ib_core_views_rename(struct ib_device *dev)
{
	struct ib_device_view *view, *next;
	int ret;

	lockdep_assert_held(&ib_core_views_lock);
	list_for_each_entry_safe(view, next, &dev->views, list) {
		ret = device_rename(&view->dev, dev->name);
		if (!ret)
			continue;
		ibdev_err(dev, "removed from sysfs of a network namespace: cannot be renamed: %d\n",
			  ret);
		del_view(view);
	}
}

int ib_core_views_move(struct ib_device *dev, struct net *to)
{
	struct net *from;
	int ret = 0;

	lockdep_assert_held(&dev->unregistration_lock);
	mutex_lock(&ib_core_views_lock);
	from = read_pnet(&dev->view.net);
	if (net_eq(from, to))
		goto out_unlock;
	kobject_uevent(&dev->dev.kobj, KOBJ_REMOVE);
	dev_set_uevent_suppress(&dev->dev, true);
	write_pnet(&dev->view.net, to);
	/* device_rename() moves the directory to the new namespace, even if the name stays. */
	ret = device_rename(&dev->dev, dev->name);
	if (ret)
		write_pnet(&dev->view.net, from);
	else
		ret = ib_core_sysfs_chown(&dev->view);
out_unlock:
	mutex_unlock(&ib_core_views_lock);
	return ret;
}

/*
 * Makes the links from the device's views to its netdev anew. Skips views that have left sysfs
 * since the work was queued.
 */
static void relink_work(struct work_struct *work)
{
	struct ib_device *dev = container_of(work, struct ib_device, relink_work);
	struct ib_device_view *view;

	mutex_lock(&ib_core_views_lock);
	if (dev->view.sysfs)
		ib_core_sysfs_relink(&dev->view);
	list_for_each_entry(view, &dev->views, list)
		ib_core_sysfs_relink(view);
	mutex_unlock(&ib_core_views_lock);
	put_device(&dev->dev);
}

void ib_core_views_relink(struct ib_device *dev)
{
	if (!kobject_get_unless_zero(&dev->dev.kobj))
		return;
	if (!queue_work(views_wq, &dev->relink_work))
		put_device(&dev->dev);
}

void ib_core_views_setup(struct ib_device *dev)
{
	dev->view.owner = dev;
	INIT_WORK(&dev->relink_work, relink_work);
	INIT_LIST_HEAD(&dev->views);
	write_pnet(&dev->view.net, &init_net);
}

static void del_views_of_net(const struct net *net)
{
	struct ib_device_view *view, *next;
	struct ib_device *dev;

	lockdep_assert_held(&ib_core_views_lock);
	list_for_each_entry(dev, &viewed_devices, view.list)
		list_for_each_entry_safe(view, next, &dev->views, list)
			if (net_eq(read_pnet(&view->net), net))
				del_view(view);
}

static int add_views_of_net(struct net *net)
{
	struct ib_device *dev;
	int ret;

	lockdep_assert_held(&ib_core_views_lock);
	list_for_each_entry(dev, &viewed_devices, view.list) {
		ret = add_view(dev, net);
		if (ret) {
			del_views_of_net(net);
			return ret;
		}
	}
	return 0;
}

static int __net_init view_net_init(struct net *net)
{
	struct view_net *other = net_generic(net, view_net_id);
	int ret = 0;

	INIT_LIST_HEAD(&other->list);
	if (net_eq(net, &init_net))
		return 0;
	other->net = net;
	mutex_lock(&ib_core_views_lock);
	if (rdma_netns_is_shared())
		ret = add_views_of_net(net);
	if (!ret)
		list_add_tail(&other->list, &nets);
	mutex_unlock(&ib_core_views_lock);
	return ret;
}

static void __net_exit view_net_exit(struct net *net)
{
	struct view_net *other = net_generic(net, view_net_id);

	mutex_lock(&ib_core_views_lock);
	list_del(&other->list);
	del_views_of_net(net);
	mutex_unlock(&ib_core_views_lock);
}

static struct pernet_operations view_net_ops = {
	.init = view_net_init,
	.exit = view_net_exit,
	.id = &view_net_id,
	.size = sizeof(struct view_net),
};

int ib_core_views_init(void)
{
	int ret;

	views_wq = alloc_workqueue("ib_core_views", WQ_UNBOUND, 0);
	if (!views_wq)
		return -ENOMEM;
	ret = register_pernet_subsys(&view_net_ops);
	if (ret)
		destroy_workqueue(views_wq);
	return ret;
}

void ib_core_views_exit(void)
{
	unregister_pernet_subsys(&view_net_ops);
	destroy_workqueue(views_wq);
	ib_core_port_tables_exit();
}
