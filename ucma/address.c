// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands about addresses and routes.
 */
#include <uapi/rdma/rdma_user_cm.h>

#include "ucma/command.h"
#include "ucma/ucma.h"

/*
 * Returns whether the address is IPv4 or IPv6. The older commands have room for these two families
 * only.
 */
static bool is_ip(const struct sockaddr_in6 *addr)
{
	return rdma_addr_size_in6((struct sockaddr_in6 *)addr);
}

/* Returns whether @size, which a newer command states, is right for the family of @addr. */
static bool has_size(const struct __kernel_sockaddr_storage *addr, u16 size)
{
	return size && size == rdma_addr_size_kss((struct __kernel_sockaddr_storage *)addr);
}

int ucma_bind_ip(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_bind_ip *cmd = in;

	if (!is_ip(&cmd->addr))
		return -EINVAL;
	return rdma_bind_addr(ctx->cm_id, (struct sockaddr *)&cmd->addr);
}

int ucma_bind(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_bind *cmd = in;

	if (cmd->reserved || !has_size(&cmd->addr, cmd->addr_size))
		return -EINVAL;
	return rdma_bind_addr(ctx->cm_id, (struct sockaddr *)&cmd->addr);
}

int ucma_resolve_ip(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_resolve_ip *cmd = in;
	struct sockaddr *src = NULL;

	if (!is_ip(&cmd->dst_addr))
		return -EINVAL;
	if (cmd->src_addr.sin6_family) {
		if (!is_ip(&cmd->src_addr))
			return -EINVAL;
		src = (struct sockaddr *)&cmd->src_addr;
	}
	return rdma_resolve_addr(ctx->cm_id, src, (struct sockaddr *)&cmd->dst_addr,
				 cmd->timeout_ms);
}

int ucma_resolve_addr(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_resolve_addr *cmd = in;
	struct sockaddr *src = NULL;

	if (cmd->reserved || !has_size(&cmd->dst_addr, cmd->dst_size))
		return -EINVAL;
	if (cmd->src_size) {
		if (!has_size(&cmd->src_addr, cmd->src_size))
			return -EINVAL;
		src = (struct sockaddr *)&cmd->src_addr;
	}
	return rdma_resolve_addr(ctx->cm_id, src, (struct sockaddr *)&cmd->dst_addr,
				 cmd->timeout_ms);
}

int ucma_resolve_route(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_resolve_route *cmd = in;

	return rdma_resolve_route(ctx->cm_id, cmd->timeout_ms);
}

/*
 * LEAVE_MCAST names a multicast membership by its number. No membership exists, because no device
 * supports multicast.
 */
int ucma_leave(struct file *filp, const void *in, u16 out)
{
	return -ENOENT;
}

/* Always fails: no device supports multicast, so rdma_join_multicast() returns an errno. */
int ucma_join_ip(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_join_ip_mcast *cmd = in;

	if (!is_ip(&cmd->addr))
		return -EINVAL;
	return rdma_join_multicast(ctx->cm_id, (struct sockaddr *)&cmd->addr, 0, NULL);
}

int ucma_join(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply)
{
	const struct rdma_ucm_join_mcast *cmd = in;

	if (cmd->join_flags >= RDMA_MC_JOIN_FLAG_RESERVED || !has_size(&cmd->addr, cmd->addr_size))
		return -EINVAL;
	return rdma_join_multicast(ctx->cm_id, (struct sockaddr *)&cmd->addr, 0, NULL);
}
