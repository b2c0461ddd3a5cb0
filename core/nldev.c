// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The operations of RDMA_NL_NLDEV, the netlink client that iproute2's `rdma` talks to.
 */
#include "core/nldev.h"

#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

#define OBJECTS(_flags)								\
	{ .doit = nldev_res_object_get, .dump = nldev_res_object_dump, .flags = (_flags) }

static const struct rdma_nl_cbs nldev_ops[RDMA_NLDEV_NUM_OPS] = {
	[RDMA_NLDEV_CMD_GET]	  = { .doit = nldev_dev_get, .dump = nldev_dev_dump },
	[RDMA_NLDEV_CMD_SET]	  = { .doit = nldev_dev_set, .flags = RDMA_NL_DEVICE_PERM },
	[RDMA_NLDEV_CMD_NEWLINK]  = { .doit = nldev_link_new, .flags = RDMA_NL_DEVICE_PERM },
	[RDMA_NLDEV_CMD_DELLINK]  = { .doit = nldev_link_del, .flags = RDMA_NL_DEVICE_PERM },
	[RDMA_NLDEV_CMD_GET_CHARDEV] = { .doit = nldev_get_chardev },
	[RDMA_NLDEV_CMD_PORT_GET] = { .doit = nldev_port_get, .dump = nldev_port_dump },
	[RDMA_NLDEV_CMD_SYS_GET]  = { .doit = nldev_sys_get },
	[RDMA_NLDEV_CMD_SYS_SET]  = { .doit = nldev_sys_set, .flags = RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_RES_GET]  = { .doit = nldev_res_get, .dump = nldev_res_dump },
	[RDMA_NLDEV_CMD_RES_QP_GET] = OBJECTS(0),
	[RDMA_NLDEV_CMD_RES_CQ_GET] = OBJECTS(0),
	[RDMA_NLDEV_CMD_RES_MR_GET] = OBJECTS(0),
	[RDMA_NLDEV_CMD_RES_PD_GET] = OBJECTS(0),
	[RDMA_NLDEV_CMD_RES_SRQ_GET] = OBJECTS(0),
	[RDMA_NLDEV_CMD_RES_CTX_GET] = OBJECTS(0),
	[RDMA_NLDEV_CMD_RES_CM_ID_GET] = OBJECTS(0),
	[RDMA_NLDEV_CMD_RES_QP_GET_RAW] = OBJECTS(RDMA_NL_ADMIN_PERM),
	[RDMA_NLDEV_CMD_RES_CQ_GET_RAW] = OBJECTS(RDMA_NL_ADMIN_PERM),
	[RDMA_NLDEV_CMD_RES_MR_GET_RAW] = OBJECTS(RDMA_NL_ADMIN_PERM),
	[RDMA_NLDEV_CMD_STAT_GET] = { .doit = nldev_stat_get, .dump = nldev_stat_dump },
	[RDMA_NLDEV_CMD_STAT_SET] = { .doit = nldev_stat_set, .flags = RDMA_NL_DEVICE_PERM },
	[RDMA_NLDEV_CMD_STAT_DEL] = { .doit = nldev_stat_del, .flags = RDMA_NL_DEVICE_PERM },
	[RDMA_NLDEV_CMD_STAT_GET_STATUS] = { .doit = nldev_stat_status },
};

void ib_core_nldev_init(void)
{
	rdma_nl_register(RDMA_NL_NLDEV, nldev_ops);
}

void ib_core_nldev_exit(void)
{
	rdma_nl_unregister(RDMA_NL_NLDEV);
}
