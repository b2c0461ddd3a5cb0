/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Devices: `rdma link add NAME type sib netdev lo`. */
#ifndef SIB_DEVICE_H
#define SIB_DEVICE_H

struct rdma_link_ops;

extern struct rdma_link_ops sib_link_ops;

#endif /* SIB_DEVICE_H */
