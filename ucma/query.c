// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands that query an identifier: device, addresses, GIDs and paths.
 */
#include <rdma/ib.h>
#include <uapi/rdma/rdma_user_cm.h>

#include "ucma/command.h"
#include "ucma/reply.h"
#include "ucma/ucma.h"

static u64 guid_of(const struct rdma_cm_id *cm_id)
{
	return cm_id->device ? (__force u64)cm_id->device->node_guid : 0;
}

/* Returns the device's number, which netlink calls RDMA_NLDEV_ATTR_DEV_INDEX; 0: no device. */
static u32 index_of(const struct rdma_cm_id *cm_id)
{
	return cm_id->device ? cm_id->device->index : 0;
}

static void copy_address(struct sockaddr_in6 *to, const struct sockaddr_storage *from)
{
	int size = rdma_addr_size((const struct sockaddr *)from);

	memcpy(to, from, min_t(size_t, size, sizeof(*to)));
}

int ucma_query_route(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_query *cmd = in;
	struct rdma_ucm_query_route_resp resp = {};
	struct rdma_cm_id *cm_id = ctx->cm_id;

	lockdep_assert_held(&ctx->lock);
	/* The handler lock keeps device and addresses unchanged while they are copied. */
	rdma_lock_handler(cm_id);
	resp.node_guid = guid_of(cm_id);
	resp.port_num = cm_id->port_num;
	resp.ibdev_index = index_of(cm_id);
	copy_address(&resp.src_addr, &cm_id->route.addr.src_addr);
	copy_address(&resp.dst_addr, &cm_id->route.addr.dst_addr);
	rdma_read_gids(cm_id, (union ib_gid *)resp.ib_route[0].sgid,
		       (union ib_gid *)resp.ib_route[0].dgid);
	rdma_unlock_handler(cm_id);
	ucma_reply(reply, cmd->response, &resp, sizeof(resp));
	return 0;
}

static void query_addr(struct rdma_cm_id *cm_id, struct rdma_ucm_query_addr_resp *resp)
{
	const struct rdma_addr *addr = &cm_id->route.addr;

	resp->src_size = rdma_addr_size((const struct sockaddr *)&addr->src_addr);
	memcpy(&resp->src_addr, &addr->src_addr, resp->src_size);
	resp->dst_size = rdma_addr_size((const struct sockaddr *)&addr->dst_addr);
	memcpy(&resp->dst_addr, &addr->dst_addr, resp->dst_size);
}

static void query_gid(struct rdma_cm_id *cm_id, struct rdma_ucm_query_addr_resp *resp)
{
	struct sockaddr_ib *src = (struct sockaddr_ib *)&resp->src_addr;
	struct sockaddr_ib *dst = (struct sockaddr_ib *)&resp->dst_addr;
	struct rdma_addr *addr = &cm_id->route.addr;

	src->sib_family = AF_IB;
	src->sib_sid = rdma_get_service_id(cm_id, (struct sockaddr *)&addr->src_addr);
	dst->sib_family = AF_IB;
	dst->sib_sid = rdma_get_service_id(cm_id, (struct sockaddr *)&addr->dst_addr);
	rdma_read_gids(cm_id, (union ib_gid *)&src->sib_addr, (union ib_gid *)&dst->sib_addr);
	resp->src_size = sizeof(*src);
	resp->dst_size = sizeof(*dst);
}

/*
 * Replies with the device and the addresses. @query fills in the addresses, and is called with the
 * handler lock held.
 */
static int reply_addr(struct ucma_ctx *ctx, const struct rdma_ucm_query *cmd,
		      struct ucma_reply *reply,
		      void (*query)(struct rdma_cm_id *cm_id,
				    struct rdma_ucm_query_addr_resp *resp))
{
	struct rdma_ucm_query_addr_resp resp = {};
	struct rdma_cm_id *cm_id = ctx->cm_id;

	lockdep_assert_held(&ctx->lock);
	if (reply->room < offsetof(struct rdma_ucm_query_addr_resp, ibdev_index))
		return -ENOSPC;
	rdma_lock_handler(cm_id);
	resp.node_guid = guid_of(cm_id);
	resp.port_num = cm_id->port_num;
	resp.ibdev_index = index_of(cm_id);
	query(cm_id, &resp);
	rdma_unlock_handler(cm_id);
	ucma_reply(reply, cmd->response, &resp, sizeof(resp));
	return 0;
}

int ucma_query(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_query_path_resp no_paths = {};
	const struct rdma_ucm_query *cmd = in;

	switch (cmd->option) {
	case RDMA_USER_CM_QUERY_ADDR:
		return reply_addr(ctx, cmd, reply, query_addr);
	case RDMA_USER_CM_QUERY_PATH:
		/* The reply has no path records, because iWARP has no paths. */
		if (reply->room < sizeof(no_paths))
			return -ENOSPC;
		ucma_reply(reply, cmd->response, &no_paths, sizeof(no_paths));
		return 0;
	case RDMA_USER_CM_QUERY_GID:
		return reply_addr(ctx, cmd, reply, query_gid);
	default:
		return -ENOSYS;
	}
}
