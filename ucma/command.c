// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands: what a process writes, in the layout of <uapi/rdma/rdma_user_cm.h>.
 */
#include <linux/nospec.h>
#include <rdma/ib.h>

#include "ucma/ucma.h"

static int create_id(struct file *filp, const void *in, u16 out)
{
	return ucma_ctx_create(filp->private_data, in);
}

static int destroy_id(struct file *filp, const void *in, u16 out)
{
	const struct rdma_ucm_destroy_id *cmd = in;
	struct rdma_ucm_destroy_id_resp resp;
	struct ucma_ctx *ctx;

	ctx = ucma_ctx_remove(filp->private_data, cmd->id);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	resp.events_reported = ucma_ctx_destroy(ctx);
	return ucma_respond(cmd->response, &resp, sizeof(resp));
}

static int get_event(struct file *filp, const void *in, u16 out)
{
	return ucma_event_fetch(filp->private_data, filp->f_flags & O_NONBLOCK, in, out);
}

static int set_option(struct file *filp, const void *in, u16 out)
{
	return ucma_set_option(filp->private_data, in);
}

static int command_migrate(struct file *filp, const void *in, u16 out)
{
	return ucma_ctx_migrate(filp->private_data, in);
}

/* As long as the longest, and aligned as each. */
union any_command {
	struct rdma_ucm_resolve_addr	resolve;
	struct rdma_ucm_connect		connect;
	struct rdma_ucm_accept		accept;
	struct rdma_ucm_reject		reject;
	struct rdma_ucm_join_mcast	join;
};

/*
 * What a command needs and does; either with the file or with an identifier.
 * @min_in: bytes of the oldest form
 * @in: bytes of ours; what a process leaves out is 0
 * @min_out: bytes that the answer takes, at least
 * @id: where the identifier's number stands
 * @leads_to_event: as the name says
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
/* Its last member came later. */
#define ECE_COMMAND(run, type)							\
	{ .with_ctx = (run), .min_in = offsetof(type, ece), .in = sizeof(type),	\
	  .id = offsetof(type, id), .leads_to_event = true }

static const struct command commands[] = {
	[RDMA_USER_CM_CMD_CREATE_ID] = FILE_COMMAND(create_id, struct rdma_ucm_create_id,
						    sizeof(struct rdma_ucm_create_id_resp)),
	[RDMA_USER_CM_CMD_DESTROY_ID] = FILE_COMMAND(destroy_id, struct rdma_ucm_destroy_id,
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
		FILE_COMMAND(get_event, struct rdma_ucm_get_event,
			     offsetof(struct rdma_ucm_event_resp, reserved)),
	[RDMA_USER_CM_CMD_SET_OPTION] = FILE_COMMAND(set_option, struct rdma_ucm_set_option, 0),
	[RDMA_USER_CM_CMD_NOTIFY] = COMMAND(ucma_notify, struct rdma_ucm_notify, 0),
	[RDMA_USER_CM_CMD_JOIN_IP_MCAST] = COMMAND(ucma_join_ip, struct rdma_ucm_join_ip_mcast,
						   sizeof(struct rdma_ucm_create_id_resp)),
	[RDMA_USER_CM_CMD_MIGRATE_ID] = FILE_COMMAND(command_migrate, struct rdma_ucm_migrate_id,
						     sizeof(struct rdma_ucm_migrate_resp)),
	[RDMA_USER_CM_CMD_QUERY] = COMMAND(ucma_query, struct rdma_ucm_query, 0),
	[RDMA_USER_CM_CMD_BIND] = COMMAND(ucma_bind, struct rdma_ucm_bind, 0),
	[RDMA_USER_CM_CMD_RESOLVE_ADDR] = EVENT_COMMAND(ucma_resolve_addr,
							struct rdma_ucm_resolve_addr),
	[RDMA_USER_CM_CMD_JOIN_MCAST] = COMMAND(ucma_join, struct rdma_ucm_join_mcast,
						sizeof(struct rdma_ucm_create_id_resp)),
};

static int run_with_ctx(const struct command *command, struct ucma_file *file, const void *in,
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

static const struct command *find_command(u32 number)
{
	if (number >= ARRAY_SIZE(commands))
		return ERR_PTR(-EINVAL);
	number = array_index_nospec(number, ARRAY_SIZE(commands));
	if (!commands[number].in)
		return ERR_PTR(-EOPNOTSUPP);
	return &commands[number];
}

static int run(struct file *filp, const struct rdma_ucm_cmd_hdr *hdr, const char __user *from)
{
	const struct command *command = find_command(hdr->cmd);
	union any_command in = {};

	if (IS_ERR(command))
		return PTR_ERR(command);
	if (hdr->in < command->min_in)
		return -EINVAL;
	if (hdr->out < command->min_out)
		return -ENOSPC;
	if (copy_from_user(&in, from, min(hdr->in, command->in)))
		return -EFAULT;
	if (command->with_file)
		return command->with_file(filp, &in, hdr->out);
	return run_with_ctx(command, filp->private_data, &in, hdr->out);
}

ssize_t ucma_command(struct file *filp, const char __user *from, size_t len)
{
	struct rdma_ucm_cmd_hdr hdr;
	int ret;

	if (!ib_safe_file_access(filp))
		return -EACCES;
	if (len < sizeof(hdr))
		return -EINVAL;
	if (copy_from_user(&hdr, from, sizeof(hdr)))
		return -EFAULT;
	if (hdr.in + sizeof(hdr) > len)
		return -EINVAL;
	ret = run(filp, &hdr, from + sizeof(hdr));
	return ret ?: len;
}
