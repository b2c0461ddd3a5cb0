// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): address handles, which are created by write().
 */
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/ah.h"

static int ioctl_ah_destroy(struct uverbs_attr_bundle *call)
{
	return uverbs_destroy_ah(call, uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_AH_HANDLE));
}

static const struct uverbs_spec destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_AH_HANDLE, MUST),
};

static const struct uverbs_method methods[] = {
	[UVERBS_METHOD_AH_DESTROY] = METHOD(ioctl_ah_destroy, destroy_specs),
};

const struct uverbs_methods uverbs_ah_methods = METHODS(methods);
