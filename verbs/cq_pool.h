/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The CQ pools of a device.
 */
#ifndef _KRDMA_VERBS_CQ_POOL_H_
#define _KRDMA_VERBS_CQ_POOL_H_

struct ib_device;

/*
 * ib_core_cq_pool_init() is called before add() of a device's first client.
 * ib_core_cq_pool_cleanup() is called after remove() of the device's last client, and frees the CQs
 * of the pools.
 */
void ib_core_cq_pool_init(struct ib_device *dev);
void ib_core_cq_pool_cleanup(struct ib_device *dev);

#endif /* _KRDMA_VERBS_CQ_POOL_H_ */
