/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Replies to commands.
 */
#ifndef _KRDMA_UCMA_REPLY_H_
#define _KRDMA_UCMA_REPLY_H_

#include <linux/types.h>

/**
 * struct ucma_reply - reply to a command on a context, written after the context is unlocked
 * @room: size of the process's buffer, in bytes
 * @len: number of bytes in @data
 * @response: address of the process's buffer
 * @data: the reply
 */
struct ucma_reply {
	u16			room;
	u16			len;
	u64			response;
	u8			data[320];
};

/* Writes @len bytes to the process's memory at @response. May sleep. Returns 0 or -EFAULT. */
int ucma_respond(u64 response, const void *data, size_t len);

/*
 * Sets the reply to the first bytes of @data: to @len bytes, or to @reply->room bytes if that is
 * less. @response: address of the process's buffer.
 */
void ucma_reply(struct ucma_reply *reply, u64 response, const void *data, size_t len);

#endif /* _KRDMA_UCMA_REPLY_H_ */
