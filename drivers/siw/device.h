/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Devices: how they begin.
 */
#ifndef SIW_DEVICE_H
#define SIW_DEVICE_H

struct net_device;

int siw_device_add(const char *name, struct net_device *netdev);

#endif /* SIW_DEVICE_H */
