// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write() on multicast groups.
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/qp.h"
#include "uverbs/write/write.h"

/* Reads the request of ATTACH_MCAST or DETACH_MCAST, which have the same layout. */
static int read_mcast(struct uverbs_attr_bundle *call, struct ib_uverbs_attach_mcast *cmd,
		      union ib_gid *gid)
{
	int ret;

	BUILD_BUG_ON(sizeof(*cmd) != sizeof(struct ib_uverbs_detach_mcast));
	BUILD_BUG_ON(offsetof(struct ib_uverbs_attach_mcast, mlid) !=
		     offsetof(struct ib_uverbs_detach_mcast, mlid));
	ret = REQUEST(call, *cmd);
	if (ret)
		return ret;
	memcpy(gid->raw, cmd->gid, sizeof(gid->raw));
	return 0;
}

int uverbs_write_attach_mcast(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_attach_mcast cmd;
	union ib_gid gid;
	int ret;

	ret = read_mcast(call, &cmd, &gid);
	return ret ?: uverbs_attach_mcast(call, cmd.qp_handle, &gid, cmd.mlid);
}

int uverbs_write_detach_mcast(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_attach_mcast cmd;
	union ib_gid gid;
	int ret;

	ret = read_mcast(call, &cmd, &gid);
	return ret ?: uverbs_detach_mcast(call, cmd.qp_handle, &gid, cmd.mlid);
}
