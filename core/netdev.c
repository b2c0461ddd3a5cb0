// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The network interfaces of ports: look-ups go from a port to its interface, and from an interface
 * to the device.
 */
#include "core/netdev.h"

#include <linux/hashtable.h>
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "core/registry.h"

/*
 * An entry of the table netdevs: a port and its network interface. When the port gets another
 * interface, a new entry replaces the old one. If the old entry moved to another bucket instead, a
 * look-up that is reading the entry would miss the rest of the old bucket. Entries are freed after
 * a grace period, as devices are.
 */
struct ib_core_netdev {
	struct hlist_node	node;
	struct rcu_head		rcu;
	struct net_device	*ndev;
	netdevice_tracker	tracker;
	struct ib_device	*dev;
	u32			port;
};

/* Protects netdevs, and ib_port_data.netdev of every port. Look-ups in netdevs use RCU. */
static DEFINE_SPINLOCK(netdevs_lock);
static DEFINE_HASHTABLE(netdevs, 5);

static struct net_device *port_netdev_locked(const struct ib_port_data *port)
{
	lockdep_assert_held(&netdevs_lock);
	return port->netdev ? port->netdev->ndev : NULL;
}

static void port_set_netdev_locked(struct ib_port_data *port, struct ib_core_netdev *entry)
{
	struct ib_core_netdev *old = port->netdev;

	lockdep_assert_held(&netdevs_lock);
	if (old) {
		hash_del_rcu(&old->node);
		netdev_put(old->ndev, &old->tracker);
		kfree_rcu(old, rcu);
	}
	if (entry)
		hash_add_rcu(netdevs, &entry->node, (unsigned long)entry->ndev);
	port->netdev = entry;
}

int ib_core_netdev_set(struct ib_device *dev, u32 port, struct net_device *ndev,
		       struct net_device **old)
{
	struct ib_core_netdev *entry = NULL;
	int ret = 0;

	if (!rdma_is_port_valid(dev, port))
		return -EINVAL;
	if (ndev) {
		entry = kzalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT);
		if (!entry)
			return -ENOMEM;
		entry->dev = dev;
		entry->port = port;
		entry->ndev = ndev;
		netdev_hold(ndev, &entry->tracker, GFP_KERNEL);
	}
	spin_lock_bh(&netdevs_lock);
	/*
	 * Unregistration first sets the state, and then calls ib_core_netdevs_release(), which
	 * takes the lock and releases the interfaces. An interface that comes too late for this
	 * release is refused here.
	 */
	if (READ_ONCE(dev->state) >= IB_CORE_DEVICE_UNREGISTERING && ndev) {
		ret = -ENODEV;
	} else {
		*old = port_netdev_locked(&dev->port_data[port]);
		dev_hold(*old);
		if (*old != ndev) {
			port_set_netdev_locked(&dev->port_data[port], entry);
			entry = NULL;
		}
	}
	spin_unlock_bh(&netdevs_lock);
	if (entry) {
		netdev_put(ndev, &entry->tracker);
		kfree(entry);
	}
	return ret;
}

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
	struct net *net = NULL;
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

struct net_device *ib_device_get_netdev(struct ib_device *dev, u32 port)
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
EXPORT_SYMBOL(ib_device_get_netdev);

struct ib_device *ib_device_get_by_netdev(struct net_device *ndev, enum rdma_driver_id driver_id)
{
	struct ib_core_netdev *entry;
	struct ib_device *dev = NULL;

	rcu_read_lock();
	hash_for_each_possible_rcu(netdevs, entry, node, (unsigned long)ndev) {
		if (entry->ndev == ndev &&
		    (driver_id == RDMA_DRIVER_UNKNOWN || entry->dev->ops.driver_id == driver_id) &&
		    ib_core_device_get_visible(entry->dev)) {
			dev = entry->dev;
			break;
		}
	}
	rcu_read_unlock();
	return dev;
}
EXPORT_SYMBOL(ib_device_get_by_netdev);

void ib_core_netdev_visit_ports(struct net_device *ndev, unsigned long event,
				ib_core_netdev_fn *fn)
{
	struct ib_core_netdev *entry;

	rcu_read_lock();
	hash_for_each_possible_rcu(netdevs, entry, node, (unsigned long)ndev)
		if (entry->ndev == ndev && ib_core_device_usable(entry->dev))
			fn(entry->dev, entry->port, ndev, event);
	rcu_read_unlock();
}
