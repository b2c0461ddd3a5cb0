// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The network interfaces of ports. Providers set them; look-ups go from a port to its interface,
 * and from an interface to the device.
 */
#include "core/netdev.h"

#include <linux/hashtable.h>
#include <linux/netdevice.h>
#include <uapi/rdma/rdma_netlink.h>

#include "core/gid.h"
#include "core/nldev_monitor.h"
#include "core/port.h"
#include "core/registry.h"

/* Protects netdevs, and the netdev of every port. Look-ups in netdevs use RCU. */
static DEFINE_SPINLOCK(netdevs_lock);
static DEFINE_HASHTABLE(netdevs, 5);

static struct net_device *port_netdev_locked(struct ib_port_data *port)
{
	return rcu_dereference_protected(port->netdev, lockdep_is_held(&netdevs_lock));
}

static void port_set_netdev_locked(struct ib_port_data *port, struct net_device *ndev)
{
	struct net_device *old;

	lockdep_assert_held(&netdevs_lock);
	old = port_netdev_locked(port);
	if (old == ndev)
		return;
	if (old) {
		hash_del_rcu(&port->ndev_hash_link);
		netdev_put(old, &port->netdev_tracker);
	}
	rcu_assign_pointer(port->netdev, ndev);
	if (ndev) {
		netdev_hold(ndev, &port->netdev_tracker, GFP_ATOMIC);
		hash_add_rcu(netdevs, &port->ndev_hash_link, (unsigned long)ndev);
	}
}

int ib_device_set_netdev(struct ib_device *ib_dev, struct net_device *ndev, u32 port)
{
	struct net_device *old = NULL;
	int ret;

	/* Providers set interfaces before they register the device. */
	ret = ib_core_ports_alloc(ib_dev);
	if (ret)
		return ret;
	if (!rdma_is_port_valid(ib_dev, port))
		return -EINVAL;
	spin_lock_bh(&netdevs_lock);
	/*
	 * Unregistration sets the state before it calls ib_core_netdevs_release(), which takes the
	 * lock. That call releases an interface that was set before it. An interface that is set
	 * afterwards is refused here.
	 */
	if (READ_ONCE(ib_dev->state) >= IB_CORE_DEVICE_UNREGISTERING && ndev) {
		ret = -ENODEV;
	} else {
		old = port_netdev_locked(&ib_dev->port_data[port]);
		dev_hold(old);
		port_set_netdev_locked(&ib_dev->port_data[port], ndev);
	}
	spin_unlock_bh(&netdevs_lock);
	ib_core_gids_netdev_set(ib_dev);
	/*
	 * Report the change to `rdma monitor`, but send nothing before the device is visible or
	 * after it was disabled. @old is held by this function, @ndev by the caller.
	 */
	if (!ret && old != ndev && ib_core_device_usable(ib_dev)) {
		if (old)
			ib_core_monitor_netdev(ib_dev, port, old, RDMA_NETDEV_DETACH_EVENT);
		if (ndev)
			ib_core_monitor_netdev(ib_dev, port, ndev, RDMA_NETDEV_ATTACH_EVENT);
	}
	dev_put(old);
	return ret;
}
EXPORT_SYMBOL(ib_device_set_netdev);

void ib_core_netdevs_release(struct ib_device *dev)
{
	u32 port;

	if (!dev->port_data)
		return;
	spin_lock_bh(&netdevs_lock);
	rdma_for_each_port(dev, port)
		port_set_netdev_locked(&dev->port_data[port], NULL);
	spin_unlock_bh(&netdevs_lock);
}

struct net *ib_core_netdevs_net(struct ib_device *dev)
{
	struct net *net = &init_net;
	u32 port;

	if (!dev->port_data)
		return net;
	spin_lock_bh(&netdevs_lock);
	rdma_for_each_port(dev, port)
		if (port_netdev_locked(&dev->port_data[port])) {
			net = dev_net(port_netdev_locked(&dev->port_data[port]));
			break;
		}
	spin_unlock_bh(&netdevs_lock);
	return net;
}

struct net_device *ib_device_netdev(struct ib_device *dev, u32 port)
{
	struct net_device *ndev;

	if (!dev->port_data || !rdma_is_port_valid(dev, port))
		return NULL;
	if (dev->ops.get_netdev) {
		ndev = dev->ops.get_netdev(dev, port);
	} else {
		/* The lock keeps the port's reference from being dropped before ours is taken. */
		spin_lock_bh(&netdevs_lock);
		ndev = port_netdev_locked(&dev->port_data[port]);
		dev_hold(ndev);
		spin_unlock_bh(&netdevs_lock);
	}
	/* An interface that is being unregistered gets no new users. */
	if (ndev && ndev->reg_state != NETREG_REGISTERED) {
		dev_put(ndev);
		ndev = NULL;
	}
	return ndev;
}
EXPORT_SYMBOL(ib_device_netdev);

static bool port_matches(const struct ib_port_data *port, const struct net_device *ndev,
			 enum rdma_driver_id driver_id)
{
	return rcu_access_pointer(port->netdev) == ndev &&
	       (driver_id == RDMA_DRIVER_UNKNOWN || port->ib_dev->ops.driver_id == driver_id);
}

struct ib_device *ib_device_get_by_netdev(struct net_device *ndev, enum rdma_driver_id driver_id)
{
	struct ib_device *dev = NULL;
	struct ib_port_data *port;

	rcu_read_lock();
	hash_for_each_possible_rcu(netdevs, port, ndev_hash_link, (unsigned long)ndev) {
		if (port_matches(port, ndev, driver_id) &&
		    ib_core_device_get_visible(port->ib_dev)) {
			dev = port->ib_dev;
			break;
		}
	}
	rcu_read_unlock();
	return dev;
}
EXPORT_SYMBOL(ib_device_get_by_netdev);

static int port_netdev_event(struct notifier_block *nb, unsigned long event, void *info)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(info);
	struct ib_port_data *port;

	if (event != NETDEV_CHANGENAME)
		return NOTIFY_DONE;
	rcu_read_lock();
	hash_for_each_possible_rcu(netdevs, port, ndev_hash_link, (unsigned long)ndev)
		if (port_matches(port, ndev, RDMA_DRIVER_UNKNOWN) &&
		    ib_core_device_usable(port->ib_dev))
			ib_core_monitor_netdev(port->ib_dev, port - port->ib_dev->port_data, ndev,
					       RDMA_NETDEV_RENAME_EVENT);
	rcu_read_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = port_netdev_event,
};

int ib_core_netdevs_init(void)
{
	return register_netdevice_notifier(&netdev_notifier);
}

void ib_core_netdevs_exit(void)
{
	unregister_netdevice_notifier(&netdev_notifier);
}
