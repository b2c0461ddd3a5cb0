// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Options that consumers set, and addresses that consumers read. The functions are declared in
 * <rdma/rdma_cm.h>.
 */
#include <linux/export.h>

#include "cma/id.h"

/* Largest code of a timeout, which has five bits in InfiniBand. */
#define MAX_TIME_CODE 31

void rdma_set_service_type(struct rdma_cm_id *base, int tos)
{
	struct cma_id *id = to_cma_id(base);

	id->tos = tos;
	id->tos_set = true;
}
EXPORT_SYMBOL(rdma_set_service_type);

int rdma_set_reuseaddr(struct rdma_cm_id *base, int reuse)
{
	struct cma_id *id = to_cma_id(base);
	enum rdma_cm_state state = cma_state(id);

	if (state != RDMA_CM_IDLE && (!reuse || state == RDMA_CM_LISTEN))
		return -EINVAL;
	id->reuse = reuse;
	return 0;
}
EXPORT_SYMBOL(rdma_set_reuseaddr);

int rdma_set_afonly(struct rdma_cm_id *base, int afonly)
{
	struct cma_id *id = to_cma_id(base);
	enum rdma_cm_state state = cma_state(id);

	if (state != RDMA_CM_IDLE && state != RDMA_CM_ADDR_BOUND)
		return -EINVAL;
	id->afonly = afonly;
	return 0;
}
EXPORT_SYMBOL(rdma_set_afonly);

int rdma_restrict_node_type(struct rdma_cm_id *base, u8 node_type)
{
	struct cma_id *id = to_cma_id(base);

	if (node_type != RDMA_NODE_UNSPECIFIED && node_type != RDMA_NODE_RNIC &&
	    node_type != RDMA_NODE_IB_CA)
		return -EINVAL;
	if (cma_state(id) != RDMA_CM_IDLE)
		return -EINVAL;
	id->node_type = node_type;
	return 0;
}
EXPORT_SYMBOL(rdma_restrict_node_type);

int rdma_set_ack_timeout(struct rdma_cm_id *base, u8 timeout)
{
	/* Check the type of the QP only, because the timeout itself is used only by InfiniBand. */
	return base->qp_type == IB_QPT_RC || base->qp_type == IB_QPT_XRC_INI ? 0 : -EINVAL;
}
EXPORT_SYMBOL(rdma_set_ack_timeout);

int rdma_set_min_rnr_timer(struct rdma_cm_id *base, u8 min_rnr_timer)
{
	if (min_rnr_timer > MAX_TIME_CODE)
		return -EINVAL;
	return base->qp_type == IB_QPT_RC || base->qp_type == IB_QPT_XRC_TGT ? 0 : -EINVAL;
}
EXPORT_SYMBOL(rdma_set_min_rnr_timer);

__be64 rdma_get_service_id(struct rdma_cm_id *base, struct sockaddr *addr)
{
	const struct sockaddr_storage *with_port = (const struct sockaddr_storage *)addr;

	return cpu_to_be64((u64)base->ps << 16 | ntohs(krdma_addr_port(with_port)));
}
EXPORT_SYMBOL(rdma_get_service_id);

void rdma_read_gids(struct rdma_cm_id *cm_id, union ib_gid *sgid, union ib_gid *dgid)
{
	struct rdma_dev_addr *addr = &cm_id->route.addr.dev_addr;

	if (!cm_id->device)
		return;
	if (sgid)
		rdma_addr_get_sgid(addr, sgid);
	if (dgid)
		rdma_addr_get_dgid(addr, dgid);
}
EXPORT_SYMBOL(rdma_read_gids);
