// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Directories of nodes in configfs. */
#include "drivers/sib/config_node.h"

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "drivers/sib/config_port.h"
#include "drivers/sib/config_text.h"
#include "drivers/sib/device.h"
#include "drivers/sib/slot_port.h"

/**
 * struct config_node - directory of a node
 * @group: its place in configfs
 * @slot: the node
 * @device_lock: serialises writes that make or remove the device; taken before all locks of devices
 */
struct config_node {
	struct config_group group;
	struct sib_slot slot;
	struct mutex device_lock; /* serialises writes that make or remove the device */
};

static struct config_node *to_config_node(struct config_item *item)
{
	return container_of(item, struct config_node, group.cg_item);
}

static struct sib_slot_info read_node(struct config_item *item)
{
	struct sib_slot_info info;

	sib_slot_read(&to_config_node(item)->slot, &info);
	return info;
}

static const struct sib_config_word node_kinds[] = {
	{ "ca", NODE_TYPE_CA },
	{ "switch", NODE_TYPE_SWITCH },
	{}
};

static ssize_t node_kind_show(struct config_item *item, char *page)
{
	return sprintf(page, "%s\n", sib_config_word(node_kinds, read_node(item).type));
}

static ssize_t node_kind_store(struct config_item *item, const char *page, size_t count)
{
	char line[8];
	int ret;

	ret = sib_config_line(page, count, line, sizeof(line));
	if (!ret)
		ret = sib_config_value(node_kinds, line);
	if (ret >= 0)
		ret = sib_slot_set_type(&to_config_node(item)->slot, ret);
	return sib_config_done(item, "kind", ret, count);
}

static ssize_t node_num_ports_show(struct config_item *item, char *page)
{
	return sprintf(page, "%u\n", read_node(item).num_ports);
}

static ssize_t node_num_ports_store(struct config_item *item, const char *page, size_t count)
{
	unsigned int num;
	char line[8];
	int err;

	err = sib_config_line(page, count, line, sizeof(line));
	if (!err && kstrtouint(line, 10, &num))
		err = -EINVAL;
	if (!err)
		err = sib_slot_set_num_ports(&to_config_node(item)->slot, num);
	return sib_config_done(item, "num_ports", err, count);
}

static ssize_t node_guid_show(struct config_item *item, char *page)
{
	return sprintf(page, "0x%016llx\n", read_node(item).guid);
}

static ssize_t node_guid_store(struct config_item *item, const char *page, size_t count)
{
	u64 guid;
	int err;

	err = sib_config_guid(page, count, &guid);
	if (!err)
		err = sib_slot_set_guid(&to_config_node(item)->slot, guid);
	return sib_config_done(item, "guid", err, count);
}

static ssize_t node_system_guid_show(struct config_item *item, char *page)
{
	return sprintf(page, "0x%016llx\n", read_node(item).system_guid);
}

static ssize_t node_system_guid_store(struct config_item *item, const char *page, size_t count)
{
	u64 guid;
	int err;

	err = sib_config_guid(page, count, &guid);
	if (!err)
		err = sib_slot_set_system_guid(&to_config_node(item)->slot, guid);
	return sib_config_done(item, "system_guid", err, count);
}

static ssize_t node_node_desc_show(struct config_item *item, char *page)
{
	return sprintf(page, "%s\n", read_node(item).desc);
}

static ssize_t node_node_desc_store(struct config_item *item, const char *page, size_t count)
{
	char line[SIB_DESC_LEN];
	int err;

	err = sib_config_line(page, count, line, sizeof(line));
	if (!err)
		sib_slot_set_desc(&to_config_node(item)->slot, line);
	return sib_config_done(item, "node_desc", err, count);
}

static ssize_t node_device_show(struct config_item *item, char *page)
{
	struct ib_device *dev = sib_slot_device(&to_config_node(item)->slot);
	char name[IB_DEVICE_NAME_MAX] = "";

	if (dev) {
		ib_device_name_get(dev, name);
		put_device(&dev->dev);
	}
	return sprintf(page, "%s\n", name);
}

/*
 * Waits for the users of the device. If another thread is removing it, waits until the node is no
 * device any more; the name is in use for a moment longer, so that make_device() may get -EEXIST.
 */
static void remove_device(struct config_node *node)
{
	struct ib_device *dev = sib_slot_device(&node->slot);

	if (!dev)
		return;
	ib_unregister_device(dev);
	put_device(&dev->dev);
}

/* Makes the node a device, which is named like the node if @line is "1". Returns 0 or an errno. */
static int make_device(struct config_node *node, const char *line)
{
	const char *name = strcmp(line, "1") ? line : config_item_name(&node->group.cg_item);

	/* The core takes a %d for a number that it is to choose. */
	if (strchr(name, '%'))
		return -EINVAL;
	return sib_device_create(&node->slot, name, current->nsproxy->net_ns);
}

static ssize_t node_device_store(struct config_item *item, const char *page, size_t count)
{
	struct config_node *node = to_config_node(item);
	char line[IB_DEVICE_NAME_MAX];
	int err;

	if (read_node(item).type == NODE_TYPE_SWITCH)
		return sib_config_done(item, "device", -EOPNOTSUPP, count);
	err = sib_config_line(page, count, line, sizeof(line));
	if (!err && !capable(CAP_NET_ADMIN))
		err = -EPERM;
	if (err)
		return sib_config_done(item, "device", err, count);
	mutex_lock(&node->device_lock);
	if (strcmp(line, "0"))
		err = make_device(node, line);
	else
		remove_device(node);
	mutex_unlock(&node->device_lock);
	return sib_config_done(item, "device", err, count);
}

CONFIGFS_ATTR(node_, kind);
CONFIGFS_ATTR(node_, num_ports);
CONFIGFS_ATTR(node_, guid);
CONFIGFS_ATTR(node_, system_guid);
CONFIGFS_ATTR(node_, node_desc);
CONFIGFS_ATTR(node_, device);

static struct configfs_attribute *node_attrs[] = {
	&node_attr_kind, &node_attr_num_ports, &node_attr_guid, &node_attr_system_guid,
	&node_attr_node_desc, &node_attr_device, NULL
};

/* Returns the number in the name of a port's directory; 0 if the name is no such name. */
static unsigned int port_number(const char *name)
{
	char canonical[16];
	unsigned int num;

	if (strncmp(name, "port", 4) || kstrtouint(name + 4, 10, &num))
		return 0;
	snprintf(canonical, sizeof(canonical), "port%u", num);
	return strcmp(name, canonical) ? 0 : num;
}

static struct config_group *make_port(struct config_group *group, const char *name)
{
	struct config_node *node = to_config_node(&group->cg_item);
	unsigned int num = port_number(name);
	struct config_group *port;
	int err;

	port = sib_config_port_create(&node->slot, num);
	err = port ? sib_slot_open_port(&node->slot, num) : -ENOMEM;
	if (!err)
		return port;
	if (port)
		config_group_put(port);
	sib_config_refuse(&group->cg_item, name, err);
	return ERR_PTR(err);
}

static void drop_port(struct config_group *group, struct config_item *item)
{
	sib_slot_close_port(&to_config_node(&group->cg_item)->slot, sib_config_port_num(item));
	config_item_put(item);
}

static void release_node(struct config_item *item)
{
	struct config_node *node = to_config_node(item);

	mutex_destroy(&node->device_lock);
	kfree(node);
}

static struct configfs_item_operations item_ops = { .release = release_node };

static struct configfs_group_operations group_ops = {
	.make_group = make_port,
	.drop_item = drop_port,
};

static const struct config_item_type node_type = {
	.ct_owner = THIS_MODULE,
	.ct_item_ops = &item_ops,
	.ct_group_ops = &group_ops,
	.ct_attrs = node_attrs,
};

struct config_group *sib_config_node_create(struct sib_fabric *fabric, const char *name)
{
	struct config_node *node = kzalloc(sizeof(*node), GFP_KERNEL);
	struct config_group *port;
	int ret = -ENOMEM;

	if (!node)
		return ERR_PTR(-ENOMEM);
	node->slot.fabric = fabric;
	port = sib_config_port_create(&node->slot, 1);
	if (!port)
		goto free_node;
	ret = sib_slot_fill(&node->slot, name);
	if (ret)
		goto put_port;
	mutex_init(&node->device_lock);
	config_group_init_type_name(&node->group, name, &node_type);
	/* A long name is allocated, and is NULL if there was no memory. */
	ret = -ENOMEM;
	if (!config_item_name(&node->group.cg_item))
		goto empty_slot;
	configfs_add_default_group(port, &node->group);
	return &node->group;

empty_slot:
	mutex_destroy(&node->device_lock);
	sib_slot_empty(&node->slot);
put_port:
	config_group_put(port);
free_node:
	kfree(node);
	return ERR_PTR(ret);
}

void sib_config_node_drop(struct config_item *item)
{
	struct config_node *node = to_config_node(item);

	/* No write is running any more. */
	remove_device(node);
	sib_slot_empty(&node->slot);
	configfs_remove_default_groups(&node->group);
	config_item_put(item);
}
