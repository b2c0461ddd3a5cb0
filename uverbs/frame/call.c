// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The common parts of all calls of a process to a device file: memory for the call's data; the use
 * of the device; and the end of the call, when the objects and the context that the call has
 * created are published or destroyed.
 *
 * Between the use of the device and the end of the call, the answers are copied to the process. The
 * device may be removed while they are copied. The removal then also destroys the objects and the
 * context that the call has created.
 */
#include "uverbs/frame/call.h"

#include <linux/file.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include "uverbs/frame/context.h"
#include "uverbs/frame/memory.h"
#include "uverbs/frame/object.h"
#include "uverbs/frame/pin.h"
#include "uverbs/frame/umem.h"
#include "uverbs/frame/umem_dmabuf.h"
#include "uverbs/frame/uverbs.h"

/*
 * Largest number of runs that an operation on UVERBS_MAX_PINS ranges of memory needs. A run fails
 * at the first range that is not pinned, and releases the ranges that it has taken before, which
 * have to be pinned again. Each further range therefore doubles the number of runs, up to
 * 1 << UVERBS_MAX_PINS. Three more runs may fail. The first run fails in uverbs_umem_prepare(). A
 * later run fails if the memory of ib_udata.inbuf or outbuf has to be faulted in. The failed run
 * releases its ranges, so the next run fails in uverbs_umem_prepare() again.
 */
#define MAX_RUNS	((1 << UVERBS_MAX_PINS) + 3)

int uverbs_call_needs_context(const struct uverbs_attr_bundle *call)
{
	return call->context ? 0 : -EINVAL;
}

int uverbs_call_alloc(struct uverbs_attr_bundle *call, size_t size)
{
	if (size <= sizeof(call->small_mem))
		call->mem = call->small_mem;
	else
		call->mem = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	return call->mem ? 0 : -ENOMEM;
}

/*
 * Holds off the removal of the device, and disables page faults, because a page fault can take as
 * long as the process wants. With page faults disabled, an access to memory of the process fails
 * instead of waiting.
 */
static int call_enter(struct uverbs_device *udev)
	__acquires(&udev->srcu)
{
	int srcu = srcu_read_lock(&udev->srcu);

	pagefault_disable();
	return srcu;
}

static void call_leave(struct uverbs_device *udev, int srcu)
	__releases(&udev->srcu)
{
	pagefault_enable();
	srcu_read_unlock(&udev->srcu, srcu);
}

/* Destroys what the call has created. */
static void call_undo(struct uverbs_attr_bundle *call)
{
	lockdep_assert_uverbs_device(call->ufile);
	if (call->uobject) {
		uverbs_object_abort(call->uobject, &call->driver_udata);
		uverbs_object_put(call->uobject);
		call->uobject = NULL;
	}
	if (call->new_context) {
		uverbs_context_abort(call->ufile);
		call->new_context = false;
	}
	if (call->new_file) {
		put_unused_fd(call->new_fd);
		fput(call->new_file);
		call->new_file = NULL;
	}
}

/* Discards what an earlier run of the call has answered and asked for. */
static void call_reset(struct uverbs_attr_bundle *call)
{
	if (call->driver_udata.answered)
		memset(call->driver_udata.out, 0, call->driver_udata.outlen);
	call->driver_udata.answered = false;
	call->answers_errors = false;
	call->udata_wanted = false;
}

static int call_run_once(struct uverbs_attr_bundle *call, uverbs_call_fn *run, void *arg)
{
	struct ib_uverbs_file *file = call->ufile;
	struct uverbs_device *udev = file->device;
	int ret = -EIO;
	int srcu;

	call_reset(call);
	if (!call->posts)
		uverbs_pin_begin(&call->pin);
	srcu = call_enter(udev);
	call->ibdev = uverbs_ibdev(udev);
	if (call->ibdev) {
		/* Pairs with uverbs_context_publish(). */
		call->context = smp_load_acquire(&file->context_ready) ? file->context : NULL;
		ret = run(call, arg);
		if (ret < 0)
			call_undo(call);
		else if (call->uobject)
			uverbs_object_created(call->uobject);
		uverbs_objects_release(call);
		uverbs_memory_free(call);
		call->ibdev = NULL;
	}
	call_leave(udev, srcu);
	if (!call->posts)
		uverbs_pin_end(&call->pin);
	return ret;
}

static bool has_udata(const struct uverbs_attr_bundle *call)
{
	return call->driver_udata.inlen || call->driver_udata.outlen;
}

/*
 * Faults in the provider's part of the command, and the room for the provider's response. Ignores
 * errors, because the provider need not access this memory, and fails if it does. Called without
 * the device's SRCU held, because a page fault may take any time.
 */
static void fault_in_udata(const struct ib_udata *udata)
{
	fault_in_readable(udata->inbuf, udata->inlen);
	fault_in_safe_writeable(udata->outbuf, udata->outlen);
}

int uverbs_call_run(struct ib_uverbs_file *file, struct uverbs_attr_bundle *call,
		    uverbs_call_fn *run, void *arg)
{
	unsigned int runs = 0;
	int ret, err;

	might_sleep();
	call->ufile = file;
	while (runs < MAX_RUNS) {
		ret = call_run_once(call, run, arg);
		if (ret >= 0)
			return ret;
		if (call->pin.dmabuf) {
			/*
			 * Do not count this run, because the DMA-BUF may be busy any number of
			 * times. A signal ends the loop.
			 */
			err = uverbs_dmabuf_wait(&call->pin);
			if (err)
				return err;
			continue;
		}
		runs++;
		if (call->pin.wanted) {
			err = uverbs_umem_pin(&call->pin);
		} else if (call->udata_wanted ||
			   (ret == -EFAULT && has_udata(call) && !call->udata_present)) {
			fault_in_udata(&call->driver_udata);
			call->udata_present = true;
			err = 0;
		} else {
			return ret;
		}
		if (err)
			return err;
	}
	return -EBUSY;
}

int uverbs_call_end(struct uverbs_attr_bundle *call, int ret)
{
	struct ib_uverbs_file *file = call->ufile;
	int srcu;

	might_sleep();
	if (call->uobject || call->new_context || call->new_file) {
		srcu = call_enter(file->device);
		if (!uverbs_ibdev(file->device)) {
			/* The removal destroys the object and the context. */
			ret = -EIO;
			if (call->uobject)
				uverbs_object_put(call->uobject);
			call->uobject = NULL;
			call->new_context = false;
		}
		if (ret < 0)
			call_undo(call);
		if (call->uobject)
			uverbs_object_publish(call->uobject, call->new_file);
		if (call->new_file) {
			/* If the call creates no object, the new file is an event channel. */
			if (!call->uobject)
				uverbs_set_default_async(file, call->new_file->private_data);
			fd_install(call->new_fd, call->new_file);
		}
		if (call->uobject)
			uverbs_object_put(call->uobject);
		/*
		 * Publish the context after the event channel, which the first objects of the
		 * context need.
		 */
		if (call->new_context)
			uverbs_context_publish(file);
		uverbs_memory_free(call);
		call_leave(file->device, srcu);
	}
	uverbs_umem_unpin(&call->pin);
	if (call->mem != call->small_mem)
		kvfree(call->mem);
	return ret;
}
