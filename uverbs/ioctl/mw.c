// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): memory windows, which are allocated by write().
 */
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/mw.h"

static int ioctl_mw_destroy(struct uverbs_attr_bundle *call)
{
	return uverbs_dealloc_mw(call, uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_MW_HANDLE));
}

static const struct uverbs_spec destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_MW_HANDLE, MUST),
};

static const struct uverbs_method methods[] = {
	[UVERBS_METHOD_MW_DESTROY] = METHOD(ioctl_mw_destroy, destroy_specs),
};

const struct uverbs_methods uverbs_mw_methods = METHODS(methods);
