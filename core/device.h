/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Devices: the class, moves to another network namespace, initialisation.
 */
#ifndef _KRDMA_CORE_DEVICE_H_
#define _KRDMA_CORE_DEVICE_H_

struct class;
struct ib_device;
struct net;

/* The class "infiniband", to which all devices and views belong. */
extern struct class ib_core_class;

/**
 * ib_core_device_move - move a registered device to another network namespace
 * @dev: the device; the caller's reference to it is consumed
 * @from: namespace in which the caller has found the device
 * @to: namespace to which the device is moved
 *
 * Process context, exclusive mode; the caller holds references to both namespaces. The clients'
 * remove() is called and then add(), as if another device appeared. A device that cannot be enabled
 * in @to is unregistered.
 *
 * Return: 0, also if @from is @to; -ENODEV: the device is not registered any more, or has left
 * @from; or the error with which enabling the device in @to failed. In the last case the device has
 * been unregistered.
 */
int ib_core_device_move(struct ib_device *dev, struct net *from, struct net *to);

int ib_core_device_init(void);
void ib_core_device_exit(void);

#endif /* _KRDMA_CORE_DEVICE_H_ */
