// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write() on protection domains.
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/pd.h"
#include "uverbs/write/write.h"

int uverbs_write_alloc_pd(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_alloc_pd_resp resp = {};
	int ret;

	ret = uverbs_alloc_pd(call, &resp.pd_handle);
	return ret ?: RESPOND(call, resp);
}

int uverbs_write_dealloc_pd(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_dealloc_pd cmd;
	int ret;

	ret = REQUEST(call, cmd);
	return ret ?: uverbs_dealloc_pd(call, cmd.pd_handle);
}
