/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The netlink operations, which handle the daemon's messages. <rdma/iw_portmap.h> declares the
 * handlers.
 */
#ifndef _KRDMA_IWPM_NL_CALLBACKS_H_
#define _KRDMA_IWPM_NL_CALLBACKS_H_

#include <rdma/rdma_netlink.h>

extern const struct rdma_nl_cbs iwpm_nl_cbs[];

#endif /* _KRDMA_IWPM_NL_CALLBACKS_H_ */
