// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write() on XRC domains.
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/xrcd.h"
#include "uverbs/write/write.h"

int uverbs_write_open_xrcd(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_open_xrcd_resp resp = {};
	struct ib_uverbs_open_xrcd cmd;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_open_xrcd(call, cmd.fd, cmd.oflags, &resp.xrcd_handle);
	return ret ?: RESPOND(call, resp);
}

int uverbs_write_close_xrcd(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_close_xrcd cmd;
	int ret;

	ret = REQUEST(call, cmd);
	return ret ?: uverbs_close_xrcd(call, cmd.xrcd_handle);
}
