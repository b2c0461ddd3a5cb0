/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of ib_core.ko offer each other; nothing here is exported to other modules. Most
 * files have a header of their own.
 */
#ifndef _KRDMA_CORE_CORE_H_
#define _KRDMA_CORE_CORE_H_

#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

/* For files that do not list by themselves what they use. */
#include "core/client.h"
#include "core/counters.h"
#include "core/device.h"
#include "core/net.h"
#include "core/nldev_monitor.h"
#include "core/registry.h"
#include "core/restrack.h"
#include "core/stats.h"
#include "core/sysfs.h"
#include "core/view.h"

/* netlink.c, nldev.c and verbs/cq_ulp.c: parts that main.c starts and ends. */
int ib_core_netlink_init(void);
void ib_core_netlink_exit(void);
int ib_core_nldev_init(void);
void ib_core_nldev_exit(void);
int ib_core_cq_init(void);
void ib_core_cq_exit(void);

/* verbs/cq_pool.c: CQ pools, initialised before a device's first client, emptied after its last. */
void ib_core_cq_pool_init(struct ib_device *dev);
void ib_core_cq_pool_cleanup(struct ib_device *dev);

/* verbs/cq_dim.c: whether CQs of the device can be moderated adaptively. */
bool ib_core_can_moderate(const struct ib_device *dev);

#endif /* _KRDMA_CORE_CORE_H_ */
