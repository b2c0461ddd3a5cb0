// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): flows, which are created by write(), and flow actions, which providers' methods create.
 */
#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/flow.h"

static int ioctl_flow_destroy(struct uverbs_attr_bundle *call)
{
	return uverbs_destroy_flow(call, uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_FLOW_HANDLE));
}

static int ioctl_flow_action_destroy(struct uverbs_attr_bundle *call)
{
	u32 handle = uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE);

	return uverbs_destroy_flow_action(call, handle);
}

static const struct uverbs_spec flow_destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_FLOW_HANDLE, MUST),
};

static const struct uverbs_spec action_destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE, MUST),
};

static const struct uverbs_method flow_methods[] = {
	[UVERBS_METHOD_FLOW_DESTROY] = METHOD(ioctl_flow_destroy, flow_destroy_specs),
};

static const struct uverbs_method action_methods[] = {
	[UVERBS_METHOD_FLOW_ACTION_DESTROY] =
		METHOD(ioctl_flow_action_destroy, action_destroy_specs),
};

const struct uverbs_methods uverbs_flow_methods = METHODS(flow_methods);
const struct uverbs_methods uverbs_flow_action_methods = METHODS(action_methods);
