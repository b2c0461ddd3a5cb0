// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The context of a process, to which the process's objects belong, and the default channel for
 * asynchronous events.
 *
 * ib_uverbs_file.async is set once, under context_lock, and read without the lock. A new context is
 * entered into ib_uverbs_file.context at once, so that the removal of the device finds and destroys
 * the context. Other calls may use the context only after ib_uverbs_file.context_ready was set.
 */
#include "uverbs/frame/context.h"

#include <linux/slab.h>

#include "uverbs/frame/channel.h"
#include "uverbs/frame/mmap.h"
#include "uverbs/frame/uverbs.h"

static struct ib_ucontext *alloc_context(struct uverbs_attr_bundle *call, struct ib_device *ibdev)
{
	struct ib_ucontext *context;

	context = kzalloc(ibdev->ops.size_ib_ucontext, GFP_KERNEL_ACCOUNT);
	if (!context)
		return NULL;
	context->device = ibdev;
	context->ufile = call->ufile;
	mutex_init(&context->mmap_lock);
	xa_init_flags(&context->mmap_entries, XA_FLAGS_ACCOUNT);
	rdma_restrack_new(&context->res, RDMA_RESTRACK_CTX);
	rdma_restrack_set_name(&context->res, NULL);
	return context;
}

/* Undoes alloc_context(). */
static void free_context(struct ib_ucontext *context)
{
	rdma_restrack_del(context->device, &context->res);
	xa_destroy(&context->mmap_entries);
	mutex_destroy(&context->mmap_lock);
	kfree(context);
}

/*
 * Makes the provider end a context that has no mappings and no objects. In dealloc_ucontext(),
 * drivers remove the mmap entries that they made in alloc_ucontext(). Therefore ib_uverbs removes
 * the remaining entries only after dealloc_ucontext() has returned.
 */
static void dealloc_context(struct ib_ucontext *context)
{
	context->device->ops.dealloc_ucontext(context);
	uverbs_mmap_remove_entries(context);
}

static int context_create(struct uverbs_attr_bundle *call)
{
	struct ib_device *ibdev = call->ibdev;
	struct ib_uverbs_file *file = call->ufile;
	struct ib_ucontext *context;
	int ret;

	lockdep_assert_held(&file->context_lock);
	/* Refuse a second context, even if the first one has not been published yet. */
	if (file->context)
		return -EINVAL;
	context = alloc_context(call, ibdev);
	if (!context)
		return -ENOMEM;
	ret = ib_rdmacg_try_charge(&context->cg_obj, ibdev, RDMACG_RESOURCE_HCA_HANDLE);
	if (ret)
		goto free;
	call->context = context;
	ret = ibdev->ops.alloc_ucontext(context, &call->driver_udata);
	if (ret)
		goto uncharge;
	ret = rdma_restrack_add(ibdev, &context->res);
	if (ret)
		goto dealloc;
	file->context = context;
	call->new_context = true;
	return 0;

dealloc:
	dealloc_context(context);
uncharge:
	call->context = NULL;
	ib_rdmacg_uncharge(&context->cg_obj, ibdev, RDMACG_RESOURCE_HCA_HANDLE);
free:
	free_context(context);
	return ret;
}

int uverbs_context_create(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_file *file = call->ufile;
	int ret;

	lockdep_assert_uverbs_device(file);
	mutex_lock(&file->context_lock);
	ret = context_create(call);
	mutex_unlock(&file->context_lock);
	return ret;
}

void uverbs_context_destroy(struct ib_uverbs_file *file, struct ib_ucontext *context)
{
	struct ib_device *ibdev = context->device;

	lockdep_assert_uverbs_device(file);
	rdma_restrack_del(ibdev, &context->res);
	dealloc_context(context);
	ib_rdmacg_uncharge(&context->cg_obj, ibdev, RDMACG_RESOURCE_HCA_HANDLE);
	free_context(context);
}

void uverbs_context_publish(struct ib_uverbs_file *file)
{
	lockdep_assert_uverbs_device(file);
	smp_store_release(&file->context_ready, true); /* pairs with call_run_once() */
}

void uverbs_context_abort(struct ib_uverbs_file *file)
{
	uverbs_context_destroy(file, file->context);
	/* Clear file->context last: as long as it is set, other threads create no context. */
	mutex_lock(&file->context_lock);
	file->context = NULL;
	mutex_unlock(&file->context_lock);
}

void uverbs_set_default_async(struct ib_uverbs_file *file, struct uverbs_channel *channel)
{
	mutex_lock(&file->context_lock);
	if (!file->async && !channel->completions) {
		kref_get(&channel->ref);
		/* Pairs with uverbs_async_of() and report_to_files(). */
		smp_store_release(&file->async, channel);
	}
	mutex_unlock(&file->context_lock);
}

struct uverbs_channel *uverbs_async_of(struct uverbs_attr_bundle *call,
				       struct uverbs_channel *given)
{
	struct uverbs_channel *channel;

	if (given)
		return given;
	channel = smp_load_acquire(&call->ufile->async); /* pairs with uverbs_set_default_async() */
	if (channel)
		kref_get(&channel->ref);
	return channel;
}
