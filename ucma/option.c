// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * SET_OPTION: options of an identifier.
 */
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>
#include <uapi/rdma/rdma_user_cm.h>

#include "ucma/command.h"
#include "ucma/ctx.h"

static int set_tos(struct rdma_cm_id *cm_id, unsigned int value)
{
	rdma_set_service_type(cm_id, value);
	return 0;
}

static int set_reuseaddr(struct rdma_cm_id *cm_id, unsigned int value)
{
	return rdma_set_reuseaddr(cm_id, !!value);
}

static int set_afonly(struct rdma_cm_id *cm_id, unsigned int value)
{
	return rdma_set_afonly(cm_id, !!value);
}

static int set_ack_timeout(struct rdma_cm_id *cm_id, unsigned int value)
{
	return rdma_set_ack_timeout(cm_id, value);
}

/* Options by name; @len: size of the value in bytes. */
static const struct {
	int (*set)(struct rdma_cm_id *cm_id, unsigned int value);
	u32 len;
} options[] = {
	[RDMA_OPTION_ID_TOS] = { set_tos, sizeof(u8) },
	[RDMA_OPTION_ID_REUSEADDR] = { set_reuseaddr, sizeof(int) },
	[RDMA_OPTION_ID_AFONLY] = { set_afonly, sizeof(int) },
	[RDMA_OPTION_ID_ACK_TIMEOUT] = { set_ack_timeout, sizeof(u8) },
};

/* Returns -EINVAL for a wrong size, like setsockopt(). */
static int read_value(const struct rdma_ucm_set_option *cmd, u32 len, unsigned int *value)
{
	u8 byte;

	if (cmd->optlen != len)
		return -EINVAL;
	if (len == sizeof(*value))
		return copy_from_user(value, u64_to_user_ptr(cmd->optval), len) ? -EFAULT : 0;
	if (copy_from_user(&byte, u64_to_user_ptr(cmd->optval), sizeof(byte)))
		return -EFAULT;
	*value = byte;
	return 0;
}

int ucma_set_option(struct file *filp, const void *in, u16 out)
{
	const struct rdma_ucm_set_option *cmd = in;
	struct ucma_ctx *ctx;
	unsigned int value;
	u32 name;
	int ret;

	/* The other level, paths, is for InfiniBand only. */
	if (cmd->level != RDMA_OPTION_ID || cmd->optname >= ARRAY_SIZE(options))
		return -EOPNOTSUPP;
	name = array_index_nospec(cmd->optname, ARRAY_SIZE(options));
	ret = read_value(cmd, options[name].len, &value);
	if (ret)
		return ret;
	ctx = ucma_ctx_lock(filp->private_data, cmd->id);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	ret = options[name].set(ctx->cm_id, value);
	ucma_ctx_unlock(ctx);
	return ret;
}
