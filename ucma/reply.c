// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Replies to commands.
 */
#include "ucma/reply.h"

#include <linux/string.h>
#include <linux/uaccess.h>

int ucma_respond(u64 response, const void *data, size_t len)
{
	return copy_to_user(u64_to_user_ptr(response), data, len) ? -EFAULT : 0;
}

void ucma_reply(struct ucma_reply *reply, u64 response, const void *data, size_t len)
{
	reply->response = response;
	reply->len = min_t(size_t, len, reply->room);
	memcpy(reply->data, data, reply->len);
}
