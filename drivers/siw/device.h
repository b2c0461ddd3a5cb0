/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The creation of devices.
 */
#ifndef SIW_DEVICE_H
#define SIW_DEVICE_H

/* The functions that `rdma link add` calls to create a device. */
extern struct rdma_link_ops siw_link_ops;

#endif /* SIW_DEVICE_H */
