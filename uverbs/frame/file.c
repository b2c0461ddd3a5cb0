// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Lifetime of struct ib_uverbs_file: allocation, and release with the last reference.
 */
#include "uverbs/frame/file.h"

#include <linux/slab.h>

#include "uverbs/frame/uverbs.h"

static void free_file(struct kref *ref)
{
	struct ib_uverbs_file *file = container_of(ref, struct ib_uverbs_file, ref);

	xa_destroy(&file->objects);
	mutex_destroy(&file->maps_lock);
	mutex_destroy(&file->files_lock);
	mutex_destroy(&file->context_lock);
	mutex_destroy(&file->empty_lock);
	put_device(&file->device->dev);
	kfree(file);
}

void uverbs_file_put(struct ib_uverbs_file *file)
{
	might_sleep();
	kref_put(&file->ref, free_file);
}

struct ib_uverbs_file *uverbs_file_alloc(struct uverbs_device *udev, struct address_space *mapping)
{
	struct ib_uverbs_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return NULL;
	kref_init(&file->ref);
	get_device(&udev->dev);
	file->device = udev;
	file->mapping = mapping;
	mutex_init(&file->empty_lock);
	mutex_init(&file->context_lock);
	xa_init_flags(&file->objects, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	spin_lock_init(&file->list_lock);
	INIT_LIST_HEAD(&file->list);
	mutex_init(&file->files_lock);
	init_rwsem(&file->poll_lock);
	spin_lock_init(&file->channels_lock);
	INIT_LIST_HEAD(&file->channels);
	mutex_init(&file->maps_lock);
	INIT_LIST_HEAD(&file->maps);
	return file;
}
