/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Addition and removal of devices.
 */
#ifndef _KRDMA_CMA_CLIENT_H_
#define _KRDMA_CMA_CLIENT_H_

#include <rdma/ib_verbs.h>

/* The client data of a device is a struct cma_device, which is freed after an RCU grace period. */
extern struct ib_client cma_client;

#endif /* _KRDMA_CMA_CLIENT_H_ */
