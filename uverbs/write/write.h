/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * write(): how its commands are described, and how they read requests and respond.
 */
#ifndef _KRDMA_UVERBS_WRITE_WRITE_H_
#define _KRDMA_UVERBS_WRITE_WRITE_H_

#include <linux/types.h>

struct file;
struct uverbs_attr_bundle;

/**
 * struct uverbs_command - a command of write()
 * @run: does the work; NULL: the command is not offered
 * @req: least length of the request, in bytes
 * @resp: least length of the response, in bytes; 0: the command has no response, and its request
 *	has no address for a response
 * @without_context: the command needs no context
 * @posts: the command only posts work requests, so no memory of the process is pinned for it
 * @bare: the command has no data for the provider: the whole request and the whole room for the
 *	response belong to the command itself
 */
struct uverbs_command {
	int			(*run)(struct uverbs_attr_bundle *call);
	u16			req;
	u16			resp;
	bool			without_context;
	bool			posts;
	bool			bare;
};

/**
 * struct uverbs_commands - a table of commands: the plain ones, or the extended ones
 * @list: commands by number
 * @num: number of commands in @list
 */
struct uverbs_commands {
	const struct uverbs_command *list;
	unsigned int		num;
};

/* Implements file_operations.write. */
ssize_t uverbs_write(struct file *filp, const char __user *buf, size_t count, loff_t *pos);

/**
 * uverbs_write_command - run a command that came by ioctl()
 * @call: the call; its ucore and driver_udata are set
 * @number: number of the command
 * @extended: @number is that of an extended command
 *
 * Return: the result of the command; -EINVAL: no command has this number, the request is too short,
 * or the command needs a context and the process has none; -EOPNOTSUPP: the command is not offered;
 * -ENOSPC: the room for the response is too short.
 */
int uverbs_write_command(struct uverbs_attr_bundle *call, u32 number, bool extended);

/**
 * uverbs_request - read the request
 * @call: the call
 * @cmd: is filled with the request, and with zeros behind a request that is shorter than @size
 * @min: least length of the request, in bytes
 * @size: number of bytes of @cmd
 *
 * Return: 0; -EINVAL: the request is shorter than @min; -EOPNOTSUPP: the request is longer than
 * @size, and its bytes beyond @size are not all 0.
 */
int uverbs_request(struct uverbs_attr_bundle *call, void *cmd, size_t min, size_t size);

/**
 * uverbs_respond - set the response, which the process gets if the command succeeds
 * @call: the call
 * @resp: the response, which is cut off if the process's room is shorter
 * @size: number of bytes of @resp; room beyond these bytes is zero-filled
 *
 * Return: 0.
 */
int uverbs_respond(struct uverbs_attr_bundle *call, const void *resp, size_t size);

/*
 * REQUEST() reads the request into the variable @cmd, and fails if the request is shorter than
 * @cmd. RESPOND() sets the response to the variable @resp.
 */
#define REQUEST(call, cmd)	uverbs_request((call), &(cmd), sizeof(cmd), sizeof(cmd))
#define RESPOND(call, resp)	uverbs_respond((call), &(resp), sizeof(resp))

/* Returns the value of response_length for an extended command's response of @size bytes. */
u32 uverbs_response_length(const struct uverbs_attr_bundle *call, size_t size);

#endif /* _KRDMA_UVERBS_WRITE_WRITE_H_ */
