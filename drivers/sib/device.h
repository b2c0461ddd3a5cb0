/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Devices: CAs that clients use. */
#ifndef SIB_DEVICE_H
#define SIB_DEVICE_H

struct net;
struct rdma_link_ops;
struct sib_slot;

/* `rdma link add NAME type sib netdev lo` makes a CA of the namespace's default fabric. */
extern struct rdma_link_ops sib_link_ops;

/**
 * sib_device_create() - make the CA in a slot a device
 * @slot: the slot
 * @name: name of the device
 * @net: network namespace of the device, which does not end meanwhile
 *
 * Process context. The device goes when it is unregistered; the node stays.
 *
 * Return: 0; -EOPNOTSUPP if the node is a switch; -EBUSY if it is a device already; -EEXIST if
 * another device has the name; -ENOMEM; or another errno of ib_register_device().
 */
int sib_device_create(struct sib_slot *slot, const char *name, struct net *net);

#endif /* SIB_DEVICE_H */
