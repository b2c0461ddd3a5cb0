/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The network interfaces of ports.
 */
#ifndef _KRDMA_CORE_NETDEV_H_
#define _KRDMA_CORE_NETDEV_H_

struct ib_device;
struct net;

/*
 * Returns the network namespace of the device's first interface, or &init_net if the device has no
 * interface. The result is only a hint unless the caller prevents the interface from leaving the
 * namespace. Any context but hard interrupts.
 */
struct net *ib_core_netdevs_net(struct ib_device *dev);

/* Releases the interfaces of all ports. Any context but hard interrupts. */
void ib_core_netdevs_release(struct ib_device *dev);

int ib_core_netdevs_init(void);
void ib_core_netdevs_exit(void);

#endif /* _KRDMA_CORE_NETDEV_H_ */
