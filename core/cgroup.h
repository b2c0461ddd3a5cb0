/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Devices in the cgroup controller "rdma". Without CONFIG_CGROUP_RDMA, both functions do nothing.
 */
#ifndef _KRDMA_CORE_CGROUP_H_
#define _KRDMA_CORE_CGROUP_H_

struct ib_device;

/* Between these two calls, the controller knows the device by its name. */
void ib_core_cgroup_add(struct ib_device *dev);
void ib_core_cgroup_del(struct ib_device *dev);

#endif /* _KRDMA_CORE_CGROUP_H_ */
