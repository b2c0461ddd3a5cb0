// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): counters.
 */
#include <linux/mm.h>

#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/counters.h"

static int ioctl_counters_read(struct uverbs_attr_bundle *call)
{
	u32 handle = uverbs_attr_handle(call, UVERBS_ATTR_READ_COUNTERS_HANDLE);
	u16 len = uverbs_attr_len(call, UVERBS_ATTR_READ_COUNTERS_BUFF);
	struct ib_counters_read_attr attr = { .ncounters = len / sizeof(u64) };
	int ret;

	if (!call->ibdev->ops.read_counters)
		return -EOPNOTSUPP;
	ret = uverbs_attr_flags(call, UVERBS_ATTR_READ_COUNTERS_FLAGS,
				IB_UVERBS_READ_COUNTERS_PREFER_CACHED, &attr.flags);
	if (ret)
		return ret;
	attr.counters_buff = kvcalloc(attr.ncounters, sizeof(u64), GFP_KERNEL_ACCOUNT);
	if (!attr.counters_buff)
		return -ENOMEM;
	ret = uverbs_read_counters(call, handle, &attr);
	if (!ret)
		uverbs_attr_answer(call, UVERBS_ATTR_READ_COUNTERS_BUFF, attr.counters_buff,
				   attr.ncounters * sizeof(u64));
	kvfree(attr.counters_buff);
	return ret;
}

static int ioctl_counters_destroy(struct uverbs_attr_bundle *call)
{
	u32 handle = uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_COUNTERS_HANDLE);

	return uverbs_destroy_counters(call, handle);
}

static const struct uverbs_spec counters_create_specs[] = {
	SPEC_NEW(UVERBS_ATTR_CREATE_COUNTERS_HANDLE),
};

static const struct uverbs_spec counters_destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_COUNTERS_HANDLE, MUST),
};

static const struct uverbs_spec read_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_READ_COUNTERS_HANDLE, MUST),
	SPEC_OUT_BYTES(UVERBS_ATTR_READ_COUNTERS_BUFF, sizeof(u64), MUST),
	SPEC_FLAGS(UVERBS_ATTR_READ_COUNTERS_FLAGS, MAY),
};

static const struct uverbs_method counters_methods[] = {
	[UVERBS_METHOD_COUNTERS_CREATE] = METHOD(uverbs_create_counters, counters_create_specs),
	[UVERBS_METHOD_COUNTERS_DESTROY] = METHOD(ioctl_counters_destroy, counters_destroy_specs),
	[UVERBS_METHOD_COUNTERS_READ] = METHOD(ioctl_counters_read, read_specs),
};

const struct uverbs_methods uverbs_counters_methods = METHODS(counters_methods);
