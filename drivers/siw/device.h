/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The creation of devices.
 */
#ifndef SIW_DEVICE_H
#define SIW_DEVICE_H

struct net_device;

/**
 * siw_device_add() - create and register a device
 * @name: name of the device; the core replaces a %d in it by a number
 * @netdev: netdev that the device uses; the netdev may be down and without an address
 *
 * Return: 0; -EEXIST if the netdev has a siw device already; -ENOMEM if memory is short; or the
 * errno of ib_device_set_netdev() or ib_register_device(). Called without RTNL. May sleep.
 */
int siw_device_add(const char *name, struct net_device *netdev);

#endif /* SIW_DEVICE_H */
