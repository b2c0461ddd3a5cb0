// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * File operations of device nodes: open, release and mmap; and emptying a file, which destroys all
 * that the process has created in it.
 */
#include "uverbs/fops.h"

#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/nsproxy.h>

#include "uverbs/frame/call.h"
#include "uverbs/frame/channel.h"
#include "uverbs/frame/context.h"
#include "uverbs/frame/file.h"
#include "uverbs/frame/mmap.h"
#include "uverbs/frame/object.h"
#include "uverbs/frame/umem.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/write/write.h"

static int file_open(struct inode *inode, struct file *filp)
{
	struct uverbs_device *udev = container_of(inode->i_cdev, struct uverbs_device, cdev);
	struct ib_uverbs_file *file;
	struct ib_device *ibdev;
	int ret = 0;
	int srcu;

	file = uverbs_file_alloc(udev, filp->f_mapping);
	if (!file)
		return -ENOMEM;
	/*
	 * end_files() waits for this read-side section before it empties the files in the list.
	 * Therefore end_files() finds every file that was opened.
	 */
	srcu = srcu_read_lock(&udev->srcu);
	ibdev = uverbs_ibdev(udev);
	if (!ibdev)
		ret = -ENXIO;
	else if (!rdma_dev_access_netns(ibdev, current->nsproxy->net_ns))
		ret = -EPERM;
	if (!ret) {
		mutex_lock(&udev->lock);
		list_add_tail(&file->entry, &udev->files);
		mutex_unlock(&udev->lock);
	}
	srcu_read_unlock(&udev->srcu, srcu);
	if (ret) {
		uverbs_file_put(file);
		return ret;
	}
	filp->private_data = file;
	return stream_open(inode, filp);
}

void uverbs_file_empty(struct ib_uverbs_file *file)
{
	struct ib_ucontext *context = file->context;

	lockdep_assert_uverbs_device(file);
	uverbs_channels_end(file);
	if (!context)
		return;
	file->context_ready = false;
	file->context = NULL;
	/*
	 * End the mappings first. A driver frees memory when its objects are destroyed, and
	 * ib_uverbs holds no reference to memory that the driver has mapped itself.
	 */
	uverbs_mmap_end(file);
	uverbs_objects_destroy_all(file, context);
	uverbs_context_destroy(file, context);
}

/* Closes a file. No call by this file is running any more, and no mapping of it is left. */
static int file_release(struct inode *inode, struct file *filp)
{
	struct ib_uverbs_file *file = filp->private_data;
	struct uverbs_device *udev = file->device;
	int srcu;

	/*
	 * Hold off the removal of the device by the SRCU read lock, which several threads that
	 * close files can hold at the same time.
	 */
	srcu = srcu_read_lock(&udev->srcu);
	if (uverbs_ibdev(udev))
		uverbs_file_empty(file);
	srcu_read_unlock(&udev->srcu, srcu);

	/*
	 * If uverbs_ibdev() has returned NULL, the device is being removed, and end_files() empties
	 * one file after the other, each with the file's empty_lock held. Either end_files() has
	 * emptied this file already, and emptying the file again destroys nothing; or end_files()
	 * still has to take the empty_lock, so the device exists until the lock is released here.
	 */
	mutex_lock(&file->empty_lock);
	uverbs_file_empty(file);
	mutex_unlock(&file->empty_lock);
	mutex_lock(&udev->lock);
	list_del(&file->entry);
	mutex_unlock(&udev->lock);

	if (file->async)
		uverbs_channel_put(file->async);
	uverbs_file_put(file);
	return 0;
}

static int mmap_run(struct uverbs_attr_bundle *call, void *vma)
{
	return uverbs_call_needs_context(call) ?: uverbs_mmap_area(call, vma);
}

static int file_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct uverbs_attr_bundle call = {};
	int ret = uverbs_call_run(filp->private_data, &call, mmap_run, vma);

	uverbs_umem_unpin(&call.pin);
	return ret;
}

const struct file_operations uverbs_fops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.release = file_release,
	.write = uverbs_write,
	.mmap = file_mmap,
	.unlocked_ioctl = uverbs_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
