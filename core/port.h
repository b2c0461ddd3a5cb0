/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The table of a device's ports, ib_device.port_data.
 */
#ifndef _KRDMA_CORE_PORT_H_
#define _KRDMA_CORE_PORT_H_

struct ib_device;

/*
 * Allocates the table unless the device has one. Called only by the thread in which the provider
 * sets up or registers the device, so no lock is needed. Returns 0; -EINVAL: the device has no
 * ports, or U32_MAX ports; -ENOMEM.
 */
int ib_core_ports_alloc(struct ib_device *dev);

/*
 * Allocates the table, and asks the provider for the fixed data of each port. Returns 0; an error
 * of ib_core_ports_alloc(); -EINVAL: the data of a port contradict each other; or the provider's
 * error.
 */
int ib_core_ports_setup(struct ib_device *dev);

/* Frees the table without a grace period, because nobody reads the table under RCU. */
void ib_core_ports_free(struct ib_device *dev);

#endif /* _KRDMA_CORE_PORT_H_ */
