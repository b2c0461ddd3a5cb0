/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The network interfaces of ports.
 */
#ifndef _KRDMA_CORE_NETDEV_H_
#define _KRDMA_CORE_NETDEV_H_

#include <linux/types.h>

struct ib_device;
struct net;
struct net_device;

/*
 * Gives a port the interface @ndev, or none if @ndev is NULL. Sets *@old to the previous interface,
 * with a reference for the caller, or to NULL; *@old is @ndev if nothing has changed. Returns 0;
 * -EINVAL: no such port; -ENOMEM; -ENODEV: the device is being unregistered, and accepts no
 * interface. On error *@old is not set. Process context, after ib_core_ports_alloc().
 */
int ib_core_netdev_set(struct ib_device *dev, u32 port, struct net_device *ndev,
		       struct net_device **old);

/*
 * Calls @fn with @event for each port that has the interface @ndev and belongs to a usable device.
 * @fn must not sleep. Any context but hard interrupts.
 */
typedef void ib_core_netdev_fn(struct ib_device *dev, u32 port, struct net_device *ndev,
			       unsigned long event);
void ib_core_netdev_visit_ports(struct net_device *ndev, unsigned long event,
				ib_core_netdev_fn *fn);

/*
 * Returns the network namespace of the device's first interface, or NULL if the device has no
 * interface. The result is only a hint unless the caller prevents the interface from leaving the
 * namespace. Any context but hard interrupts.
 */
struct net *ib_core_netdevs_net(struct ib_device *dev);

/* Releases the interfaces of all ports. Any context but hard interrupts. */
void ib_core_netdevs_release(struct ib_device *dev);

#endif /* _KRDMA_CORE_NETDEV_H_ */
