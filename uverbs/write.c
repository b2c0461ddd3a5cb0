// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The ABI of write(): a command is a header, a structure, and what the provider gets behind it.
 *
 * Commands of the first form name the memory for their answer in their structure, extended ones in
 * their header, which also tells the provider's part from the rest.
 */
#include <linux/cred.h>
#include <linux/nospec.h>

#include "uverbs/uverbs.h"
#include "uverbs/write.h"

#define WORD		sizeof(u32)
#define EX_WORD		sizeof(u64)

static const struct uverbs_command *find_command(u32 number, bool extended)
{
	const struct uverbs_commands *all = extended ? &uverbs_ex_commands : &uverbs_commands;
	const struct uverbs_command *command;

	if (number >= all->num)
		return ERR_PTR(-EINVAL);
	command = &all->list[array_index_nospec(number, all->num)];
	return command->run ? command : ERR_PTR(-EOPNOTSUPP);
}

int uverbs_request(struct uverbs_attr_bundle *call, void *cmd, size_t min, size_t size)
{
	size_t len = min(size, call->ucore.inlen);

	if (call->ucore.inlen < min)
		return -EINVAL;
	memset(cmd, 0, size);
	if (copy_from_user(cmd, call->ucore.inbuf, len))
		return -EFAULT;
	/* What a newer caller adds means nothing here, and may not ask for anything. */
	if (call->ucore.inlen > size &&
	    !ib_is_udata_cleared(&call->ucore, size, call->ucore.inlen - size))
		return -EOPNOTSUPP;
	return 0;
}

int uverbs_respond(struct uverbs_attr_bundle *call, const void *resp, size_t size)
{
	if (ib_copy_to_udata(&call->ucore, resp, size))
		return -EFAULT;
	if (call->ucore.outlen > size &&
	    clear_user(call->ucore.outbuf + size, call->ucore.outlen - size))
		return -EFAULT;
	return 0;
}

static int write_run(struct uverbs_attr_bundle *call, const struct uverbs_command *command)
{
	if (call->ucore.inlen < command->req)
		return -EINVAL;
	if (call->ucore.outlen < command->resp)
		return -ENOSPC;
	if (!call->context && !command->without_context)
		return -EINVAL;
	return command->run(call);
}

int uverbs_write_command(struct uverbs_attr_bundle *call, u32 number, bool extended)
{
	const struct uverbs_command *command = find_command(number, extended);

	return IS_ERR(command) ? PTR_ERR(command) : write_run(call, command);
}

/* What a write() consists of, when its headers have been read. */
struct frame {
	const struct uverbs_command *command;
	struct ib_udata core;
	struct ib_udata driver;
};

/* The memory for the answer is the first member of the structure, of commands that have one. */
static int read_response(struct frame *frame, const char __user *from, size_t out)
{
	const struct uverbs_command *command = frame->command;
	u64 response;

	if (!command->resp && !command->may_respond)
		return 0;
	if (out < command->resp)
		return -ENOSPC;
	if (copy_from_user(&response, from, sizeof(response)))
		return -EFAULT;
	frame->core.outbuf = u64_to_user_ptr(response);
	frame->core.outlen = command->resp;
	frame->driver.outbuf = frame->core.outbuf + command->resp;
	frame->driver.outlen = out - command->resp;
	return 0;
}

static int read_plain(struct frame *frame, const struct ib_uverbs_cmd_hdr *hdr,
		      const char __user *from, size_t len)
{
	const struct uverbs_command *command = frame->command;
	size_t in = hdr->in_words * WORD;

	if (in != len + sizeof(*hdr) || len < command->req)
		return -EINVAL;
	frame->core.inbuf = from;
	frame->core.inlen = command->req;
	frame->driver.inbuf = from + command->req;
	frame->driver.inlen = len - command->req;
	return read_response(frame, from, hdr->out_words * WORD);
}

static int check_ex(const struct ib_uverbs_cmd_hdr *hdr, const struct ib_uverbs_ex_cmd_hdr *ex,
		    size_t len)
{
	size_t in = hdr->in_words * EX_WORD;
	bool answers = hdr->out_words || ex->provider_out_words;

	if (ex->cmd_hdr_reserved || len != in + ex->provider_in_words * EX_WORD)
		return -EINVAL;
	return !ex->response == answers ? -EINVAL : 0;
}

static int read_extended(struct frame *frame, const struct ib_uverbs_cmd_hdr *hdr,
			 const char __user *from, size_t len)
{
	struct ib_uverbs_ex_cmd_hdr ex;
	int ret;

	if (len < sizeof(ex))
		return -EINVAL;
	if (copy_from_user(&ex, from, sizeof(ex)))
		return -EFAULT;
	from += sizeof(ex);
	len -= sizeof(ex);
	ret = check_ex(hdr, &ex, len);
	if (ret)
		return ret;
	frame->core.inbuf = from;
	frame->core.inlen = hdr->in_words * EX_WORD;
	frame->core.outbuf = u64_to_user_ptr(ex.response);
	frame->core.outlen = hdr->out_words * EX_WORD;
	frame->driver.inbuf = from + frame->core.inlen;
	frame->driver.inlen = ex.provider_in_words * EX_WORD;
	frame->driver.outbuf = frame->core.outbuf + frame->core.outlen;
	frame->driver.outlen = ex.provider_out_words * EX_WORD;
	return 0;
}

static int read_frame(struct frame *frame, const char __user *from, size_t len)
{
	struct ib_uverbs_cmd_hdr hdr;
	bool extended;

	if (len < sizeof(hdr))
		return -EINVAL;
	if (copy_from_user(&hdr, from, sizeof(hdr)))
		return -EFAULT;
	if (hdr.command & ~(IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_CMD_COMMAND_MASK))
		return -EINVAL;
	extended = hdr.command & IB_USER_VERBS_CMD_FLAG_EXTENDED;
	frame->command = find_command(hdr.command & IB_USER_VERBS_CMD_COMMAND_MASK, extended);
	if (IS_ERR(frame->command))
		return PTR_ERR(frame->command);
	from += sizeof(hdr);
	len -= sizeof(hdr);
	return extended ? read_extended(frame, &hdr, from, len) :
			  read_plain(frame, &hdr, from, len);
}

static int run_frame(struct uverbs_attr_bundle *call, void *arg)
{
	const struct frame *frame = arg;

	call->ucore = frame->core;
	call->driver_udata = frame->driver;
	return write_run(call, frame->command);
}

ssize_t uverbs_write(struct file *filp, const char __user *buf, size_t count, loff_t *pos)
{
	struct uverbs_attr_bundle call = {};
	struct frame frame = {};
	int ret;

	/* Who is made to write to an inherited file shall not do so with rights of its own. */
	if (filp->f_cred != current_real_cred())
		return -EACCES;
	ret = read_frame(&frame, buf, count);
	if (ret)
		return ret;
	ret = uverbs_call(filp->private_data, &call, run_frame, &frame);
	return ret ?: count;
}
