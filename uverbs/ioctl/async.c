// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): channels for asynchronous events.
 */
#include "uverbs/ioctl/ioctl.h"

#include <linux/kernel.h>

#include "uverbs/frame/channel.h"

static int ioctl_async_alloc(struct uverbs_attr_bundle *call)
{
	int fd = uverbs_channel_new(call, false);

	return fd < 0 ? fd : 0;
}

static const struct uverbs_spec alloc_specs[] = {
	SPEC_NEW_FD(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE),
};

static const struct uverbs_method methods[] = {
	[UVERBS_METHOD_ASYNC_EVENT_ALLOC] = METHOD(ioctl_async_alloc, alloc_specs),
};

const struct uverbs_methods uverbs_async_methods = METHODS(methods);
