/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * write(): how its commands are described, and how they read requests and respond.
 */
#ifndef _KRDMA_UVERBS_WRITE_H_
#define _KRDMA_UVERBS_WRITE_H_

#include <linux/types.h>

struct file;
struct uverbs_attr_bundle;

/**
 * struct uverbs_command - a command
 * @run: does the work; NULL: the command is not offered
 * @req: least length of its request, in bytes
 * @resp: least length of its response, in bytes; 0: it has none, and its request no room for one
 * @without_context: needs no context
 */
struct uverbs_command {
	int			(*run)(struct uverbs_attr_bundle *call);
	u16			req;
	u16			resp;
	bool			without_context;
};

/**
 * struct uverbs_commands - all commands of a form
 * @list: commands by number
 * @num: their number
 */
struct uverbs_commands {
	const struct uverbs_command *list;
	unsigned int		num;
};

/* Tables of write_cmds.c: commands of the first form, and extended commands. */
extern const struct uverbs_commands uverbs_commands, uverbs_ex_commands;

/* As file_operations.write. */
ssize_t uverbs_write(struct file *filp, const char __user *buf, size_t count, loff_t *pos);

/**
 * uverbs_write_command - run a command that came by ioctl()
 * @call: the call, with ucore and driver_udata
 * @number: the command
 * @extended: @number is that of an extended command
 *
 * Return: what the command returned; -EINVAL: no such command, its request is too short, or there
 * is no context; -EOPNOTSUPP: it is not offered; -ENOSPC: too little room for its response.
 */
int uverbs_write_command(struct uverbs_attr_bundle *call, u32 number, bool extended);

/**
 * uverbs_request - copy a request from the process
 * @call: the call
 * @cmd: is set to the request, and zero-filled behind it
 * @min: least length of the request, in bytes
 * @size: of @cmd, in bytes
 *
 * Return: 0; -EINVAL: the request is shorter than @min; -EFAULT; -EOPNOTSUPP: it is longer than
 * @size, and not 0 there.
 */
int uverbs_request(struct uverbs_attr_bundle *call, void *cmd, size_t min, size_t size);

/**
 * uverbs_respond - copy a response to the process
 * @call: the call
 * @resp: the response, cut off if there is less room
 * @size: its bytes; what room there is behind them is zero-filled
 *
 * Return: 0 or -EFAULT.
 */
int uverbs_respond(struct uverbs_attr_bundle *call, const void *resp, size_t size);

#endif /* _KRDMA_UVERBS_WRITE_H_ */
