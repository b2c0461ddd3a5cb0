// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): XRC domains, which are opened by write().
 */
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/xrcd.h"

static int ioctl_xrcd_destroy(struct uverbs_attr_bundle *call)
{
	return uverbs_close_xrcd(call, uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_XRCD_HANDLE));
}

static const struct uverbs_spec destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_XRCD_HANDLE, MUST),
};

static const struct uverbs_method methods[] = {
	[UVERBS_METHOD_XRCD_DESTROY] = METHOD(ioctl_xrcd_destroy, destroy_specs),
};

const struct uverbs_methods uverbs_xrcd_methods = METHODS(methods);
