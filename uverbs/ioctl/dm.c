// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): memory of the device.
 */
#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/dm.h"

static int ioctl_dm_alloc(struct uverbs_attr_bundle *call)
{
	struct ib_dm_alloc_attr attr = {
		.length = uverbs_attr_u64(call, UVERBS_ATTR_ALLOC_DM_LENGTH),
		.alignment = uverbs_attr_u32(call, UVERBS_ATTR_ALLOC_DM_ALIGNMENT),
	};

	return uverbs_alloc_dm(call, &attr);
}

static int ioctl_dm_free(struct uverbs_attr_bundle *call)
{
	return uverbs_free_dm(call, uverbs_attr_handle(call, UVERBS_ATTR_FREE_DM_HANDLE));
}

static const struct uverbs_spec alloc_specs[] = {
	SPEC_NEW(UVERBS_ATTR_ALLOC_DM_HANDLE),
	SPEC_IN(UVERBS_ATTR_ALLOC_DM_LENGTH, u64, MUST),
	SPEC_IN(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, u32, MUST),
};

static const struct uverbs_spec free_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_FREE_DM_HANDLE, MUST),
};

static const struct uverbs_method dm_methods[] = {
	[UVERBS_METHOD_DM_ALLOC] = METHOD(ioctl_dm_alloc, alloc_specs),
	[UVERBS_METHOD_DM_FREE] = METHOD(ioctl_dm_free, free_specs),
};

const struct uverbs_methods uverbs_dm_methods = METHODS(dm_methods);
