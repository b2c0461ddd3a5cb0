// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What all calls of a process have in common. The removal of the device waits until the call has
 * ended. At its end, the call publishes what it has created or, if it has failed, destroys that.
 */
#include "uverbs/call.h"

#include <linux/file.h>

#include "uverbs/context.h"
#include "uverbs/object.h"
#include "uverbs/uverbs.h"

int uverbs_call_needs_context(const struct uverbs_attr_bundle *call)
{
	return call->context ? 0 : -EINVAL;
}

static void call_commit(struct uverbs_attr_bundle *call)
{
	if (call->uobject)
		uverbs_object_commit(call->uobject);
	if (call->new_file) {
		uverbs_set_default_async(call->ufile, call->new_file->private_data);
		fd_install(call->new_fd, call->new_file);
	}
}

static void call_undo(struct uverbs_attr_bundle *call)
{
	if (call->uobject)
		uverbs_object_abort(call->uobject, &call->driver_udata);
	if (call->new_file) {
		put_unused_fd(call->new_fd);
		fput(call->new_file);
	}
}

int uverbs_call(struct ib_uverbs_file *file, struct uverbs_attr_bundle *call, uverbs_call_fn *run,
		void *arg)
{
	struct uverbs_device *udev = file->device;
	int ret = -EIO;
	int srcu;

	call->ufile = file;
	srcu = srcu_read_lock(&udev->srcu);
	if (!uverbs_ibdev(udev))
		goto leave;
	call->context = smp_load_acquire(&file->context); /* pairs with context_create() */
	ret = run(call, arg);
	if (ret < 0)
		call_undo(call);
	else
		call_commit(call);
	uverbs_objects_release(call);
leave:
	srcu_read_unlock(&udev->srcu, srcu);
	return ret;
}
