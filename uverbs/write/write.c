// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The ABI of write(): each call is a command, which consists of a header, the request, and data for
 * the provider.
 *
 * A plain command has the address for its response in its request, and its lengths are in words of
 * 4 bytes. An extended command has the address for its response in its header, with separate
 * lengths of the request and of the provider's data, in words of 8 bytes.
 */
#include "uverbs/write/write.h"

#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "uverbs/frame/call.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/write/commands.h"

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
	memcpy(cmd, call->ucore.in, len);
	/* Fields that a newer caller has added are unknown here, and have to be 0. */
	if (call->ucore.inlen > size &&
	    !ib_is_udata_cleared(&call->ucore, size, call->ucore.inlen - size))
		return -EOPNOTSUPP;
	return 0;
}

int uverbs_respond(struct uverbs_attr_bundle *call, const void *resp, size_t size)
{
	return ib_copy_to_udata(&call->ucore, resp, size);
}

u32 uverbs_response_length(const struct uverbs_attr_bundle *call, size_t size)
{
	return min(call->ucore.outlen, size);
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

/*
 * A decoded command. @response: address for the response. The other members are numbers of bytes:
 * @in: the request. @driver_in: the data for the provider. @out: room for the response.
 * @driver_out: room for the provider's response.
 */
struct frame {
	const struct uverbs_command *command;
	void __user *response;
	size_t in, driver_in;
	size_t out, driver_out;
};

/*
 * Allocates the call's memory, and copies the request and the data for the provider from @from into
 * it. The rest of the memory is room for the response.
 */
static int copy_request(struct uverbs_attr_bundle *call, const struct frame *frame,
			const char __user *from)
{
	size_t in = frame->in + frame->driver_in;
	size_t room = ALIGN(in, sizeof(u64));
	int ret;

	ret = uverbs_call_alloc(call, room + frame->out + frame->driver_out);
	if (ret)
		return ret;
	if (copy_from_user(call->mem, from, in))
		return -EFAULT;
	call->ucore.in = call->mem;
	call->ucore.inlen = frame->in;
	call->ucore.out = call->mem + room;
	call->ucore.outlen = frame->out;
	call->driver_udata.inbuf = from + frame->in;
	call->driver_udata.in = call->mem + frame->in;
	call->driver_udata.inlen = frame->driver_in;
	call->driver_udata.out = call->mem + room + frame->out;
	call->driver_udata.outlen = frame->driver_out;
	return 0;
}

/*
 * Returns whether this is the DESTROY_CQ of rdma-core 18 or 19. The length in that command counts
 * only the first half of the request, although the second half follows in memory.
 */
static bool is_half_destroy_cq(const struct ib_uverbs_cmd_hdr *hdr, size_t len)
{
	return hdr->command == IB_USER_VERBS_CMD_DESTROY_CQ &&
	       len == offsetof(struct ib_uverbs_destroy_cq, cq_handle);
}

static int read_plain(struct uverbs_attr_bundle *call, struct frame *frame,
		      const struct ib_uverbs_cmd_hdr *hdr, const char __user *from, size_t len)
{
	const struct uverbs_command *command = frame->command;
	size_t out = hdr->out_words * WORD;
	u64 response;
	int ret;

	if (hdr->in_words * WORD != len + sizeof(*hdr))
		return -EINVAL;
	if (is_half_destroy_cq(hdr, len))
		len = command->req;
	if (len < command->req)
		return -EINVAL;
	if (command->resp && out < command->resp)
		return -ENOSPC;
	frame->in = command->bare ? len : command->req;
	frame->driver_in = len - frame->in;
	if (command->resp) {
		frame->out = command->bare ? out : command->resp;
		frame->driver_out = out - frame->out;
	}
	ret = copy_request(call, frame, from);
	if (ret)
		return ret;
	/* The request of a command with a response begins with the address for the response. */
	if (command->resp) {
		memcpy(&response, call->mem, sizeof(response));
		frame->response = u64_to_user_ptr(response);
	}
	return 0;
}

static int read_extended(struct uverbs_attr_bundle *call, struct frame *frame,
			 const struct ib_uverbs_cmd_hdr *hdr, const char __user *from, size_t len)
{
	struct ib_uverbs_ex_cmd_hdr ex;
	bool responds;

	if (len < sizeof(ex))
		return -EINVAL;
	if (copy_from_user(&ex, from, sizeof(ex)))
		return -EFAULT;
	frame->in = hdr->in_words * EX_WORD;
	frame->driver_in = ex.provider_in_words * EX_WORD;
	frame->out = hdr->out_words * EX_WORD;
	frame->driver_out = ex.provider_out_words * EX_WORD;
	frame->response = u64_to_user_ptr(ex.response);
	if (ex.cmd_hdr_reserved || len - sizeof(ex) != frame->in + frame->driver_in)
		return -EINVAL;
	responds = hdr->out_words || ex.provider_out_words;
	if (!ex.response == responds)
		return -EINVAL;
	return copy_request(call, frame, from + sizeof(ex));
}

static int read_frame(struct uverbs_attr_bundle *call, struct frame *frame,
		      const char __user *from, size_t len)
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
	return extended ? read_extended(call, frame, &hdr, from, len) :
			  read_plain(call, frame, &hdr, from, len);
}

/*
 * Copies the response to the process. Writes to the room for the provider's data only if the
 * provider has answered by ib_copy_to_udata().
 */
static int copy_response(const struct uverbs_attr_bundle *call, const struct frame *frame)
{
	size_t len = frame->out;

	if (call->driver_udata.answered)
		len += frame->driver_out;
	return copy_to_user(frame->response, call->ucore.out, len) ? -EFAULT : 0;
}

static int run_frame(struct uverbs_attr_bundle *call, void *arg)
{
	const struct frame *frame = arg;

	return write_run(call, frame->command);
}

ssize_t uverbs_write(struct file *filp, const char __user *buf, size_t count, loff_t *pos)
{
	struct uverbs_attr_bundle call = {};
	struct frame frame = {};
	int ret;

	/*
	 * The caller has to have the credentials with which the file was opened. Otherwise an
	 * attacker could pass an open file to a privileged program as its standard output, and the
	 * program's output would be a command with the program's rights.
	 */
	if (filp->f_cred != current_real_cred())
		return -EACCES;
	ret = read_frame(&call, &frame, buf, count);
	if (!ret) {
		call.posts = frame.command->posts;
		call.driver_udata.outbuf = frame.response + frame.out;
		ret = uverbs_call_run(filp->private_data, &call, run_frame, &frame);
	}
	if (!ret || call.answers_errors)
		ret = copy_response(&call, &frame) ?: ret;
	ret = uverbs_call_end(&call, ret);
	return ret ?: count;
}
