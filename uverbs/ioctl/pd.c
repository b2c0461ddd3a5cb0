// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): protection domains, which are allocated by write().
 */
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/pd.h"

static int ioctl_pd_destroy(struct uverbs_attr_bundle *call)
{
	return uverbs_dealloc_pd(call, uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_PD_HANDLE));
}

static const struct uverbs_spec destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_PD_HANDLE, MUST),
};

static const struct uverbs_method methods[] = {
	[UVERBS_METHOD_PD_DESTROY] = METHOD(ioctl_pd_destroy, destroy_specs),
};

const struct uverbs_methods uverbs_pd_methods = METHODS(methods);
