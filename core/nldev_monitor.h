/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Events for `rdma monitor`.
 */
#ifndef _KRDMA_CORE_NLDEV_MONITOR_H_
#define _KRDMA_CORE_NLDEV_MONITOR_H_

#include <linux/types.h>

struct ib_device;
struct net_device;

/*
 * Send an event of a device, or of a port's network interface; @type is an RDMA_..._EVENT. Any
 * context but hard interrupts.
 */
void ib_core_monitor_device(struct ib_device *dev, u8 type);
void ib_core_monitor_netdev(struct ib_device *dev, u32 port, struct net_device *ndev, u8 type);

/* Sends one event for the device, and one for each port that has an interface. Process context. */
void ib_core_monitor_registered(struct ib_device *dev);

#endif /* _KRDMA_CORE_NLDEV_MONITOR_H_ */
