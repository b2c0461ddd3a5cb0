/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Devices: creation.
 */
#ifndef SIW_DEVICE_H
#define SIW_DEVICE_H

struct net_device;

/**
 * siw_device_add() - create and register a device
 * @name: its name, in which %d stands for a number
 * @netdev: the netdev to use; any that can have an IP address, up or not
 *
 * Return: 0; -EEXIST if the netdev has a siw device; -ENOMEM; or the errno of
 * ib_register_device(). Called without RTNL. May sleep.
 */
int siw_device_add(const char *name, struct net_device *netdev);

#endif /* SIW_DEVICE_H */
