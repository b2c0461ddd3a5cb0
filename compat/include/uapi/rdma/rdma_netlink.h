/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_UAPI_RDMA_NETLINK_H
#define KRDMA_COMPAT_UAPI_RDMA_NETLINK_H

#include <linux/version.h>
#include_next <uapi/rdma/rdma_netlink.h>

/* Constants for `rdma monitor` that the headers of older kernels lack. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define RDMA_NL_GROUP_NOTIFY			4
#define RDMA_NLDEV_CMD_MONITOR			28
#define RDMA_NLDEV_ATTR_EVENT_TYPE		102
#define RDMA_NLDEV_SYS_ATTR_MONITOR_MODE	103
#define RDMA_REGISTER_EVENT			0
#define RDMA_UNREGISTER_EVENT			1
#define RDMA_NETDEV_ATTACH_EVENT		2
#define RDMA_NETDEV_DETACH_EVENT		3
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define RDMA_RENAME_EVENT			4
#define RDMA_NETDEV_RENAME_EVENT		5
#endif

#endif
