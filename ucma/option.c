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

/* Sizes of the options' values, in bytes. */
static const u32 option_len[] = {
	[RDMA_OPTION_ID_TOS] = sizeof(u8),
	[RDMA_OPTION_ID_REUSEADDR] = sizeof(int),
	[RDMA_OPTION_ID_AFONLY] = sizeof(int),
	[RDMA_OPTION_ID_ACK_TIMEOUT] = sizeof(u8),
};

/*
 * Reads the value of an option. Returns 0; -EFAULT: the value cannot be read; -EINVAL: the size of
 * the value is wrong (setsockopt() returns the same errno).
 */
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

	/* RDMA_OPTION_IB is the level of options that set paths, which iWARP does not have. */
	if (cmd->level == RDMA_OPTION_IB)
		return -EOPNOTSUPP;
	if (cmd->level != RDMA_OPTION_ID || cmd->optname >= ARRAY_SIZE(option_len))
		return -ENOSYS;
	name = array_index_nospec(cmd->optname, ARRAY_SIZE(option_len));
	ret = read_value(cmd, option_len[name], &value);
	if (ret)
		return ret;
	ctx = ucma_ctx_lock(filp->private_data, cmd->id);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	switch (name) {
	case RDMA_OPTION_ID_TOS:
		rdma_set_service_type(ctx->cm_id, value);
		break;
	case RDMA_OPTION_ID_REUSEADDR:
		ret = rdma_set_reuseaddr(ctx->cm_id, !!value);
		break;
	case RDMA_OPTION_ID_AFONLY:
		ret = rdma_set_afonly(ctx->cm_id, !!value);
		break;
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		ret = rdma_set_ack_timeout(ctx->cm_id, value);
		break;
	}
	ucma_ctx_unlock(ctx);
	return ret;
}
