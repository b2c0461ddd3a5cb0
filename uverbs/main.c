// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ib_uverbs.ko: a node /dev/infiniband/uverbsN for each device, with its attributes in sysfs and
 * its answer to the netlink command GET_CHARDEV.
 *
 * uverbs_device.ibdev is set to NULL by end_files(), which then waits for the SRCU readers.
 */
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/krdma.h>
#include <rdma/rdma_netlink.h>

#include "uverbs/fops.h"
#include "uverbs/frame/channel.h"
#include "uverbs/frame/file.h"
#include "uverbs/frame/umem.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/api.h"
#include "uverbs/object/qp.h"

KRDMA_NEEDS_IB_CORE;

#define MAX_DEVICES	1024

/* Devices that the owner of a user namespace has created get node numbers from this one on. */
#define FIRST_OF_USERNS	256

static dev_t first_devt;
static DEFINE_IDA(numbers);

static struct uverbs_device *to_udev(struct device *dev)
{
	return container_of(dev, struct uverbs_device, dev);
}

/* Frees a node that was removed, after its last file was freed. */
static void release_device(struct device *dev)
{
	struct uverbs_device *udev = to_udev(dev);

	cleanup_srcu_struct(&udev->srcu);
	mutex_destroy(&udev->xrc_lock);
	mutex_destroy(&udev->lock);
	uverbs_api_free(udev->api);
	kfree(udev);
}

static char *node_name(KRDMA_CLASS_CONST struct device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0666;
	return kasprintf(GFP_KERNEL, "infiniband/%s", dev_name(dev));
}

static ssize_t class_abi_version_show(KRDMA_CLASS_SHOW_CONST struct class *class,
				      KRDMA_CLASS_SHOW_CONST struct class_attribute *attr,
				      char *buf)
{
	return sysfs_emit(buf, "%d\n", IB_USER_VERBS_ABI_VERSION);
}

static struct class_attribute class_attr_abi_version =
	__ATTR(abi_version, 0444, class_abi_version_show, NULL);

static struct attribute *class_attrs[] = {
	&class_attr_abi_version.attr,
	NULL
};
ATTRIBUTE_GROUPS(class);

static struct class uverbs_class = {
	.name = "infiniband_verbs",
	.devnode = node_name,
	.dev_release = release_device,
	.class_groups = class_groups,
};

static ssize_t ibdev_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct uverbs_device *udev = to_udev(dev);
	char name[IB_DEVICE_NAME_MAX];
	struct ib_device *ibdev;
	ssize_t ret = -ENODEV;
	int srcu;

	srcu = srcu_read_lock(&udev->srcu);
	ibdev = uverbs_ibdev(udev);
	if (ibdev) {
		ib_device_name_get(ibdev, name);
		ret = sysfs_emit(buf, "%s\n", name);
	}
	srcu_read_unlock(&udev->srcu, srcu);
	return ret;
}
static DEVICE_ATTR_RO(ibdev);

static ssize_t abi_version_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct uverbs_device *udev = to_udev(dev);
	struct ib_device *ibdev;
	ssize_t ret = -ENODEV;
	int srcu;

	srcu = srcu_read_lock(&udev->srcu);
	ibdev = uverbs_ibdev(udev);
	if (ibdev)
		ret = sysfs_emit(buf, "%u\n", ibdev->ops.uverbs_abi_ver);
	srcu_read_unlock(&udev->srcu, srcu);
	return ret;
}
static DEVICE_ATTR_RO(abi_version);

static struct attribute *device_attrs[] = {
	&dev_attr_ibdev.attr,
	&dev_attr_abi_version.attr,
	NULL
};
ATTRIBUTE_GROUPS(device);

static struct uverbs_device *alloc_device(struct ib_device *ibdev)
{
	struct uverbs_device *udev = kzalloc(sizeof(*udev), GFP_KERNEL);

	if (!udev)
		return NULL;
	if (init_srcu_struct(&udev->srcu)) {
		kfree(udev);
		return NULL;
	}
	mutex_init(&udev->lock);
	INIT_LIST_HEAD(&udev->files);
	mutex_init(&udev->xrc_lock);
	INIT_LIST_HEAD(&udev->xrc_domains);
	init_rwsem(&udev->xrc_poll_lock);
	RCU_INIT_POINTER(udev->ibdev, ibdev);
	device_initialize(&udev->dev);
	udev->dev.class = &uverbs_class;
	udev->dev.parent = ibdev->dev.parent;
	udev->dev.groups = device_groups;
	return udev;
}

/*
 * Moves the first file of @from to @to. Returns the file, referenced; NULL: @from is empty. No file
 * is added to the lists any more, but a file that is closed leaves its list.
 */
static struct ib_uverbs_file *next_file(struct uverbs_device *udev, struct list_head *from,
					struct list_head *to)
{
	struct ib_uverbs_file *file;

	mutex_lock(&udev->lock);
	file = list_first_entry_or_null(from, struct ib_uverbs_file, entry);
	if (file) {
		list_move_tail(&file->entry, to);
		kref_get(&file->ref);
	}
	mutex_unlock(&udev->lock);
	return file;
}

/*
 * Ends the use of the device by its files, which stay open. From here on, all calls by these files
 * fail with -EIO.
 */
static void end_files(struct uverbs_device *udev, struct ib_device *ibdev)
{
	struct ib_uverbs_file *file;
	LIST_HEAD(failed);

	/* Calls that begin from here on find no device. Wait for the earlier ones. */
	rcu_assign_pointer(udev->ibdev, NULL);
	synchronize_srcu(&udev->srcu);
	/*
	 * Destroying a QP waits for the end of its stream. All QPs are moved to the error state
	 * first, so that all streams end at the same time. If another thread holds a file's
	 * empty_lock, that thread is closing the file, and empties it.
	 */
	while ((file = next_file(udev, &udev->files, &failed))) {
		if (mutex_trylock(&file->empty_lock)) {
			uverbs_qps_fail(file);
			mutex_unlock(&file->empty_lock);
		}
		uverbs_file_put(file);
	}
	while ((file = next_file(udev, &failed, &udev->files))) {
		mutex_lock(&file->empty_lock);
		if (file->context && ibdev->ops.disassociate_ucontext)
			ibdev->ops.disassociate_ucontext(file->context);
		uverbs_file_empty(file);
		mutex_unlock(&file->empty_lock);
		uverbs_file_put(file);
	}
}

/* Reports an event of the device or of a port to all files. */
static void report_to_files(struct uverbs_device *udev, enum ib_event_type type, u32 port)
{
	struct uverbs_channel *async;
	struct ib_uverbs_file *file;

	mutex_lock(&udev->lock);
	list_for_each_entry(file, &udev->files, entry) {
		async = smp_load_acquire(&file->async); /* pairs with uverbs_set_default_async() */
		if (async)
			uverbs_channel_event(async, type, port);
	}
	mutex_unlock(&udev->lock);
}

static void port_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct uverbs_device *udev = container_of(handler, struct uverbs_device, port_events);

	report_to_files(udev, event->event, event->element.port_num);
}

static struct ib_client client;

static int add_device(struct ib_device *ibdev)
{
	struct uverbs_device *udev;
	struct uverbs_api *api;
	int ret;

	if (!ibdev->ops.alloc_ucontext)
		return -EOPNOTSUPP;
	api = uverbs_api_new(ibdev);
	if (IS_ERR(api))
		return PTR_ERR(api);
	udev = alloc_device(ibdev);
	if (!udev) {
		uverbs_api_free(api);
		return -ENOMEM;
	}
	udev->api = api;
	ret = ida_alloc_range(&numbers, ibdev->maker_ns ? FIRST_OF_USERNS : 0, MAX_DEVICES - 1,
			      GFP_KERNEL);
	if (ret < 0)
		goto put;
	udev->number = ret;
	udev->dev.devt = first_devt + udev->number;
	ret = dev_set_name(&udev->dev, "uverbs%d", udev->number);
	if (ret)
		goto free_number;
	cdev_init(&udev->cdev, &uverbs_fops);
	udev->cdev.owner = THIS_MODULE;
	INIT_IB_EVENT_HANDLER(&udev->port_events, ibdev, port_event);
	ib_register_event_handler(&udev->port_events);
	ret = cdev_device_add(&udev->cdev, &udev->dev);
	if (ret)
		goto end_files;
	ib_set_client_data(ibdev, &client, udev);
	return 0;

end_files:
	/*
	 * A process may have opened a leftover node of this number before cdev_device_add() failed.
	 */
	ib_unregister_event_handler(&udev->port_events);
	end_files(udev, ibdev);
free_number:
	ida_free(&numbers, udev->number);
put:
	put_device(&udev->dev);
	return ret;
}

static void remove_device(struct ib_device *ibdev, void *client_data)
{
	struct uverbs_device *udev = client_data;

	/*
	 * No open() begins from here on. An open() that has begun may succeed until ibdev is NULL.
	 */
	cdev_device_del(&udev->cdev, &udev->dev);
	ida_free(&numbers, udev->number);

	ib_unregister_event_handler(&udev->port_events);
	report_to_files(udev, IB_EVENT_DEVICE_FATAL, 0);
	end_files(udev, ibdev);
	put_device(&udev->dev);
}

static int fill_nl_info(struct ib_device *ibdev, void *client_data, struct ib_client_nl_info *res)
{
	struct uverbs_device *udev = client_data;

	res->abi = ibdev->ops.uverbs_abi_ver;
	res->cdev = &udev->dev;
	/* Without a driver_id, libibverbs finds the provider's library by other means. */
	if (ibdev->ops.uverbs_no_driver_id_binding)
		return 0;
	return nla_put_u32(res->nl_msg, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, ibdev->ops.driver_id);
}

static struct ib_client client = {
	.name = "uverbs",
	.no_kverbs_req = true,
	.add = add_device,
	.remove = remove_device,
	.get_nl_info = fill_nl_info,
};
MODULE_ALIAS_RDMA_CLIENT("uverbs");

static int __init uverbs_init(void)
{
	int ret;

	ret = uverbs_umem_init();
	if (ret)
		return ret;
	ret = alloc_chrdev_region(&first_devt, 0, MAX_DEVICES, "infiniband_verbs");
	if (ret)
		goto end_umem;
	ret = class_register(&uverbs_class);
	if (ret)
		goto free_numbers;
	ret = ib_register_client(&client);
	if (ret)
		goto unregister_class;
	return 0;

unregister_class:
	class_unregister(&uverbs_class);
free_numbers:
	unregister_chrdev_region(first_devt, MAX_DEVICES);
end_umem:
	uverbs_umem_exit();
	return ret;
}
module_init(uverbs_init);

static void __exit uverbs_exit(void)
{
	ib_unregister_client(&client);
	class_unregister(&uverbs_class);
	unregister_chrdev_region(first_devt, MAX_DEVICES);
	uverbs_umem_exit();
	ida_destroy(&numbers);
}
module_exit(uverbs_exit);

MODULE_DESCRIPTION("Verbs for processes");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRDMA_VERSION);
