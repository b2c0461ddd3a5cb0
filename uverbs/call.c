// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Calls of processes: what all of them begin and end with.
 */
#include <linux/file.h>

#include "uverbs/uverbs.h"

int uverbs_call_needs_context(const struct uverbs_attr_bundle *call)
{
	return call->context ? 0 : -EINVAL;
}

static void commit(struct uverbs_attr_bundle *call)
{
	if (call->uobject)
		uverbs_object_commit(call->uobject);
	if (call->new_file) {
		uverbs_set_default_async(call->ufile, call->new_file->private_data);
		fd_install(call->new_fd, call->new_file);
	}
}

static void undo(struct uverbs_attr_bundle *call)
{
	if (call->uobject)
		uverbs_object_abort(call->uobject, &call->driver_udata);
	if (call->new_file) {
		put_unused_fd(call->new_fd);
		fput(call->new_file);
	}
}

static int run_inside(struct uverbs_attr_bundle *call, uverbs_call_fn *run, void *arg)
{
	int ret;

	call->context = smp_load_acquire(&call->ufile->context); /* context.c: create() */
	ret = run(call, arg);
	if (ret < 0)
		undo(call);
	else
		commit(call);
	uverbs_objects_release(call);
	return ret;
}

int uverbs_call(struct ib_uverbs_file *file, struct uverbs_attr_bundle *call, uverbs_call_fn *run,
		void *arg)
{
	struct uverbs_device *udev = file->device;
	int ret = -EIO;
	int srcu;

	call->ufile = file;
	srcu = srcu_read_lock(&udev->srcu);
	if (uverbs_ibdev(udev))
		ret = run_inside(call, run, arg);
	srcu_read_unlock(&udev->srcu, srcu);
	return ret;
}
