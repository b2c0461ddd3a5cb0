// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): the device and the process's context, and the method by which a process passes commands
 * of write().
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "uverbs/frame/context.h"
#include "uverbs/frame/object.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/device.h"
#include "uverbs/write/write.h"

static int ioctl_invoke_write(struct uverbs_attr_bundle *call)
{
	u32 command;
	int ret;

	ret = uverbs_attr_const(call, UVERBS_ATTR_WRITE_CMD, U32_MAX, &command);
	if (ret)
		return ret;
	uverbs_attr_udata(call, &call->ucore, UVERBS_ATTR_CORE_IN, UVERBS_ATTR_CORE_OUT);
	uverbs_attr_answer(call, UVERBS_ATTR_CORE_OUT, NULL, 0);
	return uverbs_write_command(call, command & ~IB_USER_VERBS_CMD_FLAG_EXTENDED,
				    command & IB_USER_VERBS_CMD_FLAG_EXTENDED);
}

/*
 * Answers with a list of handles and a total. If the process has passed no list, the total counts
 * all handles. Otherwise the total counts only the handles in the list, because callers read as
 * many entries as the total says.
 */
static int ioctl_info_handles(struct uverbs_attr_bundle *call)
{
	u32 len = uverbs_attr_len(call, UVERBS_ATTR_INFO_HANDLES_LIST);
	bool has_list = uverbs_attr_given(call, UVERBS_ATTR_INFO_HANDLES_LIST);
	u32 room = len / sizeof(u32);
	u32 type, total;
	u32 *ids;
	int ret;

	ret = uverbs_attr_const(call, UVERBS_ATTR_INFO_OBJECT_ID, U16_MAX, &type);
	if (ret)
		return ret;
	if (has_list && (!len || len % sizeof(u32)))
		return -EINVAL;
	ids = kvcalloc(room, sizeof(*ids), GFP_KERNEL);
	if (!ids)
		return -ENOMEM;
	total = uverbs_objects_list(call->ufile, type, ids, room);
	if (has_list)
		total = min(total, room);
	uverbs_attr_answer(call, UVERBS_ATTR_INFO_HANDLES_LIST, ids, total * sizeof(*ids));
	uverbs_attr_answer(call, UVERBS_ATTR_INFO_TOTAL_HANDLES, &total, sizeof(total));
	kvfree(ids);
	return 0;
}

static int ioctl_query_port(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_query_port_resp_ex resp = {};
	u32 port;
	int ret;

	ret = uverbs_attr_const(call, UVERBS_ATTR_QUERY_PORT_PORT_NUM, U8_MAX, &port);
	if (ret)
		return ret;
	ret = uverbs_query_port(call, port, &resp);
	if (ret)
		return ret;
	uverbs_attr_answer(call, UVERBS_ATTR_QUERY_PORT_RESP, &resp, sizeof(resp));
	return 0;
}

static void answer_context(struct uverbs_attr_bundle *call, u16 vectors, u16 support)
{
	u64 core_support = IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;
	u32 num = call->ibdev->num_comp_vectors;

	uverbs_attr_answer(call, vectors, &num, sizeof(num));
	uverbs_attr_answer(call, support, &core_support, sizeof(core_support));
}

static int ioctl_get_context(struct uverbs_attr_bundle *call)
{
	answer_context(call, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
		       UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT);
	return uverbs_context_create(call);
}

static int ioctl_query_context(struct uverbs_attr_bundle *call)
{
	answer_context(call, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
		       UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT);
	if (!call->ibdev->ops.query_ucontext)
		return 0;
	return call->ibdev->ops.query_ucontext(call->context, call);
}

static int ioctl_query_gid_table(struct uverbs_attr_bundle *call)
{
	u32 len = uverbs_attr_len(call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES);
	const size_t size = sizeof(struct ib_uverbs_gid_entry);
	void *entries, *to;
	ssize_t count, i;
	u32 stride, flags;
	u64 num;
	int ret;

	ret = uverbs_attr_flags(call, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0, &flags);
	if (ret)
		return ret;
	ret = uverbs_attr_const(call, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, U16_MAX, &stride);
	if (ret)
		return ret;
	/* The entries of a newer caller may be longer than ours, but not shorter. */
	if (stride < size)
		return -EINVAL;
	entries = kvcalloc(len / stride, stride, GFP_KERNEL);
	if (!entries)
		return -ENOMEM;
	count = rdma_query_gid_table(call->ibdev, entries, len / stride);
	if (count < 0) {
		kvfree(entries);
		return count;
	}
	/* Move the adjacent entries apart, and zero-fill the bytes between them. */
	for (i = count - 1; i >= 0; i--) {
		to = entries + i * stride;
		memmove(to, entries + i * size, size);
		memset(to + size, 0, stride - size);
	}
	num = count;
	uverbs_attr_answer(call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, entries, count * stride);
	uverbs_attr_answer(call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, &num, sizeof(num));
	kvfree(entries);
	return 0;
}

static int ioctl_query_gid_entry(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_gid_entry entry = {};
	u32 port, index, flags;
	int ret;

	ret = uverbs_attr_flags(call, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0, &flags);
	if (ret)
		return ret;
	ret = uverbs_attr_const(call, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, U32_MAX, &port);
	if (ret)
		return ret;
	ret = uverbs_attr_const(call, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, INT_MAX, &index);
	if (ret)
		return ret;
	ret = rdma_query_gid_entry(call->context->device, port, index, &entry);
	/* The errno for an empty entry is -ENODATA, on which libibverbs depends. */
	if (ret)
		return ret;
	uverbs_attr_answer(call, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry, sizeof(entry));
	return 0;
}

static const struct uverbs_spec invoke_write_specs[] = {
	SPEC_IN_BYTES(UVERBS_ATTR_CORE_IN, 0, MAY),
	SPEC_OUT_BYTES(UVERBS_ATTR_CORE_OUT, 0, MAY),
	SPEC_CONST(UVERBS_ATTR_WRITE_CMD, MUST),
	SPEC_UHW_IN,
	SPEC_UHW_OUT,
};

static const struct uverbs_spec info_handles_specs[] = {
	SPEC_CONST(UVERBS_ATTR_INFO_OBJECT_ID, MUST),
	SPEC_OUT(UVERBS_ATTR_INFO_TOTAL_HANDLES, u32, MAY),
	SPEC_OUT_BYTES(UVERBS_ATTR_INFO_HANDLES_LIST, 0, MAY),
};

static const struct uverbs_spec query_port_specs[] = {
	SPEC_CONST(UVERBS_ATTR_QUERY_PORT_PORT_NUM, MUST),
	SPEC_OUT(UVERBS_ATTR_QUERY_PORT_RESP, struct ib_uverbs_query_port_resp, MUST),
};

static const struct uverbs_spec get_context_specs[] = {
	SPEC_OUT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, u32, MAY),
	SPEC_OUT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, u64, MAY),
	SPEC_UHW_IN,
	SPEC_UHW_OUT,
};

static const struct uverbs_spec query_context_specs[] = {
	SPEC_OUT(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, u32, MAY),
	SPEC_OUT(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, u64, MAY),
};

static const struct uverbs_spec query_gid_table_specs[] = {
	SPEC_CONST(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, MUST),
	SPEC_FLAGS(UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, MAY),
	SPEC_OUT_BYTES(UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, 0, MUST),
	SPEC_OUT(UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, u64, MUST),
};

static const struct uverbs_spec query_gid_entry_specs[] = {
	SPEC_CONST(UVERBS_ATTR_QUERY_GID_ENTRY_PORT, MUST),
	SPEC_CONST(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, MUST),
	SPEC_FLAGS(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, MAY),
	SPEC_OUT(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, struct ib_uverbs_gid_entry, MUST),
};

/*
 * INVOKE_WRITE may be called without a context, because uverbs_write_command() refuses those
 * commands that need a context.
 */
static const struct uverbs_method device_methods[] = {
	[UVERBS_METHOD_INVOKE_WRITE] = METHOD_ANY_TIME(ioctl_invoke_write, invoke_write_specs),
	[UVERBS_METHOD_INFO_HANDLES] = METHOD(ioctl_info_handles, info_handles_specs),
	[UVERBS_METHOD_QUERY_PORT] = METHOD(ioctl_query_port, query_port_specs),
	[UVERBS_METHOD_GET_CONTEXT] = METHOD_ANY_TIME(ioctl_get_context, get_context_specs),
	[UVERBS_METHOD_QUERY_CONTEXT] = METHOD(ioctl_query_context, query_context_specs),
	[UVERBS_METHOD_QUERY_GID_TABLE] = METHOD(ioctl_query_gid_table, query_gid_table_specs),
	[UVERBS_METHOD_QUERY_GID_ENTRY] = METHOD(ioctl_query_gid_entry, query_gid_entry_specs),
};

const struct uverbs_methods uverbs_device_methods = METHODS(device_methods);
