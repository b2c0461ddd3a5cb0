/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Node GUIDs, by which ULPs tell devices apart.
 */
#ifndef SIW_GUID_H
#define SIW_GUID_H

struct siw_device;

/**
 * siw_guid_take() - give a device its node GUID
 * @dev: device that is not registered yet, with its netdev and an empty @guid_entry
 *
 * The GUID is the EUI-64 that is made from the netdev's MAC address. The GUID is random, and marked
 * as local, if the netdev has no MAC address, or if another device has the GUID already. Netdevs
 * may share a MAC address, for example a VLAN and its lower netdev. Process context.
 */
void siw_guid_take(struct siw_device *dev);

/**
 * siw_guid_drop() - let other devices have the GUID
 * @dev: device that is not registered any more; it need not have a GUID
 *
 * Process context.
 */
void siw_guid_drop(struct siw_device *dev);

#endif /* SIW_GUID_H */
