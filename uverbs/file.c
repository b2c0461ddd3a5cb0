// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Open files of device nodes.
 */
#include <linux/compat.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>

#include "uverbs/uverbs.h"

static void free_file(struct kref *ref)
{
	struct ib_uverbs_file *file = container_of(ref, struct ib_uverbs_file, ref);

	xa_destroy(&file->objects);
	mutex_destroy(&file->maps_lock);
	mutex_destroy(&file->context_lock);
	put_device(&file->device->dev);
	kfree(file);
}

void uverbs_file_put(struct ib_uverbs_file *file)
{
	kref_put(&file->ref, free_file);
}

static struct ib_uverbs_file *new_file(struct uverbs_device *udev, struct file *filp)
{
	struct ib_uverbs_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return NULL;
	kref_init(&file->ref);
	get_device(&udev->dev);
	file->device = udev;
	file->mapping = filp->f_mapping;
	mutex_init(&file->context_lock);
	xa_init_flags(&file->objects, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	spin_lock_init(&file->list_lock);
	INIT_LIST_HEAD(&file->list);
	spin_lock_init(&file->channels_lock);
	INIT_LIST_HEAD(&file->channels);
	mutex_init(&file->maps_lock);
	INIT_LIST_HEAD(&file->maps);
	return file;
}

/* Who has entered the device keeps it from going, and so finds all files in the list. */
static int enlist(struct ib_uverbs_file *file)
{
	struct uverbs_device *udev = file->device;
	struct ib_device *ibdev;
	int ret = 0;
	int srcu;

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
	return ret;
}

static int file_open(struct inode *inode, struct file *filp)
{
	struct uverbs_device *udev = container_of(inode->i_cdev, struct uverbs_device, cdev);
	struct ib_uverbs_file *file;
	int ret;

	file = new_file(udev, filp);
	if (!file)
		return -ENOMEM;
	ret = enlist(file);
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

	uverbs_channels_end(file);
	if (!context)
		return;
	WRITE_ONCE(file->context, NULL);
	uverbs_objects_destroy_all(file, context);
	uverbs_context_destroy(file, context);
}

/*
 * First inside of the device, which so stays, and where many files close side by side. If the
 * device is going already, the file is empty now or nobody is inside any more, and remove_device()
 * empties one file after the other under the lock: then this is done as one of them.
 */
static void empty_by_itself(struct ib_uverbs_file *file)
{
	struct uverbs_device *udev = file->device;
	int srcu;

	srcu = srcu_read_lock(&udev->srcu);
	if (uverbs_ibdev(udev))
		uverbs_file_empty(file);
	srcu_read_unlock(&udev->srcu, srcu);

	mutex_lock(&udev->lock);
	uverbs_file_empty(file);
	list_del(&file->entry);
	mutex_unlock(&udev->lock);
}

/* No call and no mapping of the file is left. */
static int file_release(struct inode *inode, struct file *filp)
{
	struct ib_uverbs_file *file = filp->private_data;

	empty_by_itself(file);
	if (file->async)
		uverbs_channel_put(file->async);
	uverbs_file_put(file);
	return 0;
}

static int mmap(struct file *filp, struct vm_area_struct *vma)
{
	return uverbs_mmap(filp->private_data, vma);
}

const struct file_operations uverbs_fops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.release = file_release,
	.write = uverbs_write,
	.mmap = mmap,
	.unlocked_ioctl = uverbs_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = no_llseek,
};
