// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Changes of a registered device: its name, the interfaces of its ports, and the names and
 * namespaces of these interfaces. The device's views, the clients and `rdma monitor` are told of
 * them.
 */
#include "core/change.h"

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdma_netlink.h>

#include "core/client.h"
#include "core/gid.h"
#include "core/netdev.h"
#include "core/nldev_monitor.h"
#include "core/port.h"
#include "core/registry.h"
#include "core/view.h"

int ib_core_device_rename(struct ib_device *dev, const char *name)
{
	bool same;
	int ret = 0;

	mutex_lock(&ib_core_views_lock);
	mutex_lock(&ib_core_registry_lock);
	same = !strcmp(dev->name, name);
	if (!same)
		ret = ib_core_registry_rename(dev, name);
	mutex_unlock(&ib_core_registry_lock);
	if (!same && !ret)
		ib_core_views_rename(dev);
	mutex_unlock(&ib_core_views_lock);
	if (same || ret)
		return ret;
	ib_core_clients_rename_device(dev);
	ib_core_monitor_device(dev, RDMA_RENAME_EVENT);
	return 0;
}

int ib_device_set_netdev(struct ib_device *ib_dev, struct net_device *ndev, u32 port)
{
	struct net_device *old;
	int ret;

	/*
	 * Allocate the ports here, because providers set interfaces before they register the
	 * device.
	 */
	ret = ib_core_ports_alloc(ib_dev);
	if (ret)
		return ret;
	ret = ib_core_netdev_set(ib_dev, port, ndev, &old);
	if (ret)
		return ret;
	ib_core_gids_netdev_set(ib_dev);
	/*
	 * If the device is visible, report the change to `rdma monitor`, and correct the links
	 * in sysfs. Both interfaces stay valid: this function holds a reference to @old, and the
	 * caller holds a reference to @ndev.
	 */
	if (old != ndev && ib_core_device_usable(ib_dev)) {
		ib_core_views_relink(ib_dev);
		if (old)
			ib_core_monitor_netdev(ib_dev, port, old, RDMA_NETDEV_DETACH_EVENT);
		if (ndev)
			ib_core_monitor_netdev(ib_dev, port, ndev, RDMA_NETDEV_ATTACH_EVENT);
	}
	dev_put(old);
	return 0;
}
EXPORT_SYMBOL(ib_device_set_netdev);

static void announce_netdev_event(struct ib_device *dev, u32 port, struct net_device *ndev,
				  unsigned long event)
{
	if (event == NETDEV_CHANGENAME)
		ib_core_monitor_netdev(dev, port, ndev, RDMA_NETDEV_RENAME_EVENT);
	else
		ib_core_views_relink(dev);
}

static int port_netdev_event(struct notifier_block *nb, unsigned long event, void *info)
{
	/*
	 * A move of the netdev to another namespace is handled, too, as NETDEV_UNREGISTER in the
	 * old namespace and NETDEV_REGISTER in the new one.
	 */
	if (event == NETDEV_CHANGENAME || event == NETDEV_REGISTER || event == NETDEV_UNREGISTER)
		ib_core_netdev_visit_ports(netdev_notifier_info_to_dev(info), event,
					   announce_netdev_event);
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = port_netdev_event,
};

int ib_core_change_init(void)
{
	return register_netdevice_notifier(&netdev_notifier);
}

void ib_core_change_exit(void)
{
	unregister_netdevice_notifier(&netdev_notifier);
}
