// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include "umad/node.h"

#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/ib_user_mad.h>

/* The greatest number of ports with nodes. */
#define MAX_NODES	1024

/*
 * Ports of devices that the owner of a user namespace has created get numbers from this one on,
 * because libibumad finds only the numbers below it.
 */
#define FIRST_OF_USERNS	64

static dev_t first_devt;
static DEFINE_IDA(numbers);

static struct umad_node *to_umad_node(struct device *dev)
{
	return container_of(dev, struct umad_node, dev);
}

/* Names the file in /dev. The mode is devtmpfs's own, 0600: only root sends and receives MADs. */
static char *node_path(KRDMA_CLASS_CONST struct device *dev, umode_t *mode)
{
	return kasprintf(GFP_KERNEL, "infiniband/%s", dev_name(dev));
}

static ssize_t abi_version_show(KRDMA_CLASS_SHOW_CONST struct class *class,
				KRDMA_CLASS_SHOW_CONST struct class_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", IB_USER_MAD_ABI_VERSION);
}

static struct class_attribute class_attr_abi_version =
	__ATTR(abi_version, 0444, abi_version_show, NULL);

static struct attribute *class_attrs[] = {
	&class_attr_abi_version.attr,
	NULL
};
ATTRIBUTE_GROUPS(class);

static ssize_t ibdev_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct umad_node *node = to_umad_node(dev);
	char name[IB_DEVICE_NAME_MAX];
	ssize_t ret = -ENODEV;

	mutex_lock(&node->lock);
	if (node->ibdev) {
		ib_device_name_get(node->ibdev, name);
		ret = sysfs_emit(buf, "%s\n", name);
	}
	mutex_unlock(&node->lock);
	return ret;
}
static DEVICE_ATTR_RO(ibdev);

static ssize_t port_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", to_umad_node(dev)->port);
}
static DEVICE_ATTR_RO(port);

static struct attribute *node_attrs[] = {
	&dev_attr_ibdev.attr,
	&dev_attr_port.attr,
	NULL
};
ATTRIBUTE_GROUPS(node);

static struct class umad_class = {
	.name = "infiniband_mad",
	.devnode = node_path,
	.dev_groups = node_groups,
	.class_groups = class_groups,
};

void umad_node_init(struct umad_node *node, struct ib_device *ibdev, u32 port,
		    void (*release)(struct device *dev))
{
	mutex_init(&node->lock);
	node->ibdev = ibdev;
	node->port = port;
	device_initialize(&node->dev);
	node->dev.class = &umad_class;
	node->dev.parent = ibdev->dev.parent;
	node->dev.release = release;
}

void umad_node_destroy(struct umad_node *node)
{
	mutex_destroy(&node->lock);
}

int umad_node_add(struct umad_node *node, enum umad_node_kind kind, int number,
		  const struct file_operations *fops)
{
	static const char * const names[] = {
		[UMAD_NODE_MAD] = "umad%d",
		[UMAD_NODE_SM] = "issm%d",
	};
	int ret;

	ret = dev_set_name(&node->dev, names[kind], number);
	if (ret)
		return ret;
	node->dev.devt = first_devt + kind * MAX_NODES + number;
	cdev_init(&node->cdev, fops);
	node->cdev.owner = fops->owner;
	return cdev_device_add(&node->cdev, &node->dev);
}

void umad_node_hide(struct umad_node *node)
{
	lockdep_assert_not_held(&node->lock);
	cdev_device_del(&node->cdev, &node->dev);
}

int umad_node_access(const struct umad_node *node)
{
	lockdep_assert_held(&node->lock);
	if (!node->ibdev)
		return -ENXIO;
	return rdma_dev_access_netns(node->ibdev, current->nsproxy->net_ns) ? 0 : -EPERM;
}

int umad_number_alloc(const struct ib_device *ibdev)
{
	return ida_alloc_range(&numbers, ibdev->maker_ns ? FIRST_OF_USERNS : 0, MAX_NODES - 1,
			       GFP_KERNEL);
}

void umad_number_free(int number)
{
	ida_free(&numbers, number);
}

int umad_nodes_init(void)
{
	int ret;

	ret = alloc_chrdev_region(&first_devt, 0, UMAD_NODE_KINDS * MAX_NODES, "infiniband_mad");
	if (ret)
		return ret;
	ret = class_register(&umad_class);
	if (ret)
		unregister_chrdev_region(first_devt, UMAD_NODE_KINDS * MAX_NODES);
	return ret;
}

void umad_nodes_exit(void)
{
	class_unregister(&umad_class);
	unregister_chrdev_region(first_devt, UMAD_NODE_KINDS * MAX_NODES);
	ida_destroy(&numbers);
}
