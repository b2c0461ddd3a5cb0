// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* What the operations of a client have in common: requests to the server, and the results. */
#include <linux/ktime.h>

#include "tools/testing/modules/kulp/kulp.h"

int kulp_ask_at(struct kulp_conn *conn, enum kulp_msg_type type, u32 offset, u32 len, u64 seed,
		s64 *value)
{
	bool is_pattern = type == KULP_MSG_FILL || type == KULP_MSG_CHECK;
	struct kulp_msg msg = {
		.type = cpu_to_be32(type),
		.rkey = cpu_to_be32(conn->mr->rkey),
		.len = cpu_to_be32(len),
		.offset = cpu_to_be32(offset),
		.seed = cpu_to_be64(is_pattern ? kulp_spoil(&conn->args, seed) : seed),
	};
	s64 result;
	int ret;

	reinit_completion(&conn->reply);
	ret = kulp_send_msg(conn, &msg, 0);
	if (!ret)
		ret = kulp_wait_completion(conn, &conn->reply);
	if (ret)
		return ret;
	if (be32_to_cpu(conn->reply_msg.type) != KULP_MSG_RESULT)
		return -EPROTO;
	result = be64_to_cpu(conn->reply_msg.value);
	if (value)
		*value = result;
	return result < 0 ? (int)result : 0;
}

u64 kulp_account(struct kulp_conn *conn, ktime_t begin, u64 ops, u64 bytes)
{
	u64 nsec = ktime_to_ns(ktime_sub(ktime_get(), begin));

	conn->args.ops += ops;
	conn->args.bytes += bytes;
	conn->args.nsec += nsec;
	return nsec;
}
