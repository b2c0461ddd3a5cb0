// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands, which a process writes in the layouts of <uapi/rdma/rdma_user_cm.h>. A table has each
 * command's sizes, which are checked, and its handler.
 */
#include "ucma/command.h"

#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>
#include <rdma/ib.h>
#include <uapi/rdma/rdma_user_cm.h>

#include "ucma/ctx.h"
#include "ucma/reply.h"

/* Holds any command: the union is as long as the longest command, and aligned for all of them. */
union any_command {
	struct rdma_ucm_resolve_addr	resolve;
	struct rdma_ucm_connect		connect;
	struct rdma_ucm_accept		accept;
	struct rdma_ucm_reject		reject;
	struct rdma_ucm_join_mcast	join;
};

/*
 * A command, which runs either on the file or on a context.
 * @with_file: handler of a command on the file, or NULL
 * @with_ctx: handler of a command on a context, or NULL
 * @min_in: size of the oldest layout in bytes; a process has to write at least that many
 * @in: size of the present layout in bytes; members that a process leaves out are 0
 * @min_out: least size of the process's buffer for the reply, in bytes
 * @id: offset of the context's number in the command
 * @leads_to_event: the command leads to an event. Such a command fails if the context already has
 *	UCMA_MAX_UNFETCHED unfetched events
 */
struct command {
	int (*with_file)(struct file *filp, const void *in, u16 out);
	int (*with_ctx)(struct ucma_ctx *ctx, const void *in, struct ucma_reply *reply);
	u16 min_in;
	u16 in;
	u16 min_out;
	u16 id;
	bool leads_to_event;
};

#define SIZES(type, resp)							\
	.min_in = sizeof(type), .in = sizeof(type), .min_out = (resp)
#define FILE_COMMAND(run, type, resp)	{ .with_file = (run), SIZES(type, resp) }
#define COMMAND(run, type, resp)						\
	{ .with_ctx = (run), SIZES(type, resp), .id = offsetof(type, id) }
#define EVENT_COMMAND(run, type)						\
	{ .with_ctx = (run), SIZES(type, 0), .id = offsetof(type, id), .leads_to_event = true }
/* A command whose last member, ece, is missing in the oldest layout. */
#define ECE_COMMAND(run, type)							\
	{ .with_ctx = (run), .min_in = offsetof(type, ece), .in = sizeof(type),	\
	  .id = offsetof(type, id), .leads_to_event = true }

static const struct command commands[] = {
	[RDMA_USER_CM_CMD_CREATE_ID] = FILE_COMMAND(ucma_create_id, struct rdma_ucm_create_id,
						    sizeof(struct rdma_ucm_create_id_resp)),
	[RDMA_USER_CM_CMD_DESTROY_ID] = FILE_COMMAND(ucma_destroy_id, struct rdma_ucm_destroy_id,
						     sizeof(struct rdma_ucm_destroy_id_resp)),
	[RDMA_USER_CM_CMD_BIND_IP] = COMMAND(ucma_bind_ip, struct rdma_ucm_bind_ip, 0),
	[RDMA_USER_CM_CMD_RESOLVE_IP] = EVENT_COMMAND(ucma_resolve_ip, struct rdma_ucm_resolve_ip),
	[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = EVENT_COMMAND(ucma_resolve_route,
							 struct rdma_ucm_resolve_route),
	[RDMA_USER_CM_CMD_QUERY_ROUTE] =
		COMMAND(ucma_query_route, struct rdma_ucm_query,
			offsetof(struct rdma_ucm_query_route_resp, ibdev_index)),
	[RDMA_USER_CM_CMD_CONNECT] = ECE_COMMAND(ucma_connect, struct rdma_ucm_connect),
	[RDMA_USER_CM_CMD_LISTEN] = COMMAND(ucma_listen, struct rdma_ucm_listen, 0),
	[RDMA_USER_CM_CMD_ACCEPT] = ECE_COMMAND(ucma_accept, struct rdma_ucm_accept),
	[RDMA_USER_CM_CMD_REJECT] = COMMAND(ucma_reject, struct rdma_ucm_reject, 0),
	[RDMA_USER_CM_CMD_DISCONNECT] = COMMAND(ucma_disconnect, struct rdma_ucm_disconnect, 0),
	[RDMA_USER_CM_CMD_INIT_QP_ATTR] = COMMAND(ucma_init_qp_attr, struct rdma_ucm_init_qp_attr,
						  sizeof(struct ib_uverbs_qp_attr)),
	[RDMA_USER_CM_CMD_GET_EVENT] =
		FILE_COMMAND(ucma_get_event, struct rdma_ucm_get_event,
			     offsetof(struct rdma_ucm_event_resp, reserved)),
	[RDMA_USER_CM_CMD_SET_OPTION] =
		FILE_COMMAND(ucma_set_option, struct rdma_ucm_set_option, 0),
	[RDMA_USER_CM_CMD_NOTIFY] = COMMAND(ucma_notify, struct rdma_ucm_notify, 0),
	[RDMA_USER_CM_CMD_JOIN_IP_MCAST] = COMMAND(ucma_join_ip, struct rdma_ucm_join_ip_mcast,
						   sizeof(struct rdma_ucm_create_id_resp)),
	[RDMA_USER_CM_CMD_LEAVE_MCAST] = FILE_COMMAND(ucma_leave, struct rdma_ucm_destroy_id,
						      sizeof(struct rdma_ucm_destroy_id_resp)),
	[RDMA_USER_CM_CMD_MIGRATE_ID] = FILE_COMMAND(ucma_migrate_id, struct rdma_ucm_migrate_id,
						     sizeof(struct rdma_ucm_migrate_resp)),
	[RDMA_USER_CM_CMD_QUERY] = COMMAND(ucma_query, struct rdma_ucm_query, 0),
	[RDMA_USER_CM_CMD_BIND] = COMMAND(ucma_bind, struct rdma_ucm_bind, 0),
	[RDMA_USER_CM_CMD_RESOLVE_ADDR] = EVENT_COMMAND(ucma_resolve_addr,
							struct rdma_ucm_resolve_addr),
	[RDMA_USER_CM_CMD_JOIN_MCAST] = COMMAND(ucma_join, struct rdma_ucm_join_mcast,
						sizeof(struct rdma_ucm_create_id_resp)),
};

/* Runs a command on a context, and writes the reply after the context is unlocked. */
static int run_on_ctx(const struct command *command, struct ucma_file *file, const void *in,
		      u16 out)
{
	struct ucma_reply reply = { .room = out };
	const u32 *id = in + command->id;
	struct ucma_ctx *ctx;
	int ret = -ENOBUFS;

	BUILD_BUG_ON(sizeof(reply.data) < sizeof(struct rdma_ucm_query_route_resp));
	BUILD_BUG_ON(sizeof(reply.data) < sizeof(struct rdma_ucm_query_addr_resp));
	BUILD_BUG_ON(sizeof(reply.data) < sizeof(struct ib_uverbs_qp_attr));
	ctx = ucma_ctx_lock(file, *id);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	if (!command->leads_to_event || READ_ONCE(ctx->unfetched) < UCMA_MAX_UNFETCHED)
		ret = command->with_ctx(ctx, in, &reply);
	ucma_ctx_unlock(ctx);
	if (ret || !reply.len)
		return ret;
	return ucma_respond(reply.response, reply.data, reply.len);
}

ssize_t ucma_write(struct file *filp, const char __user *from, size_t len, loff_t *pos)
{
	const struct command *command;
	struct rdma_ucm_cmd_hdr hdr;
	union any_command in = {};
	int ret;

	if (!ib_safe_file_access(filp))
		return -EACCES;
	if (len < sizeof(hdr))
		return -EINVAL;
	if (copy_from_user(&hdr, from, sizeof(hdr)))
		return -EFAULT;
	if (hdr.in + sizeof(hdr) > len)
		return -EINVAL;
	if (hdr.cmd >= ARRAY_SIZE(commands))
		return -EINVAL;
	command = &commands[array_index_nospec(hdr.cmd, ARRAY_SIZE(commands))];
	if (!command->in)
		return -EOPNOTSUPP;
	if (hdr.in < command->min_in)
		return -EINVAL;
	if (hdr.out < command->min_out)
		return -ENOSPC;
	if (copy_from_user(&in, from + sizeof(hdr), min(hdr.in, command->in)))
		return -EFAULT;
	if (command->with_file)
		ret = command->with_file(filp, &in, hdr.out);
	else
		ret = run_on_ctx(command, filp->private_data, &in, hdr.out);
	return ret ?: len;
}
