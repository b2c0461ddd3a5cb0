// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Fabrics in configfs. A directory keeps the module loaded. mkdir and rmdir are serialised by
 * configfs; reads and writes of a directory's files are over before it is dropped.
 */
#include "drivers/sib/config.h"

#include <linux/configfs.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "drivers/sib/config_node.h"
#include "drivers/sib/config_text.h"
#include "drivers/sib/debugfs.h"
#include "drivers/sib/fabric.h"
#include "drivers/sib/guid.h"

/* Names of default fabrics begin with this, and those of others do not. */
#define NET_PREFIX	"ns-"

/* Numbers of fabrics, of which their GUIDs are made. */
static DEFINE_IDA(fabric_numbers);

/**
 * struct config_fabric - directory of a fabric
 * @group: its place in configfs
 * @fabric: the fabric
 * @number: its number
 */
struct config_fabric {
	struct config_group group;
	struct sib_fabric *fabric;
	int number;
};

static struct config_fabric *to_fabric(struct config_item *item)
{
	return container_of(item, struct config_fabric, group.cg_item);
}

static ssize_t stats_show(struct config_item *item, char *page)
{
	struct sib_fabric *fabric = to_fabric(item)->fabric;
	ssize_t ret;

	down_read(&fabric->topology);
	ret = sprintf(page, "nodes %u\nswitches %u\ncas %u\nlinks %u\n", fabric->num_nodes,
		      fabric->num_switches, fabric->num_nodes - fabric->num_switches,
		      fabric->num_links);
	up_read(&fabric->topology);
	return ret;
}

CONFIGFS_ATTR_RO(, stats);

static struct configfs_attribute *fabric_attrs[] = { &attr_stats, NULL };

static struct config_group *make_node(struct config_group *group, const char *name)
{
	struct config_group *node;

	if (sib_config_name_is_valid(name))
		node = sib_config_node_create(to_fabric(&group->cg_item)->fabric, name);
	else
		node = ERR_PTR(-EINVAL);
	if (IS_ERR(node))
		sib_config_refuse(&group->cg_item, name, PTR_ERR(node));
	return node;
}

static void drop_node(struct config_group *group, struct config_item *item)
{
	sib_config_node_drop(item);
}

static void release_fabric(struct config_item *item)
{
	kfree(to_fabric(item));
}

static struct configfs_item_operations fabric_item_ops = { .release = release_fabric };

static struct configfs_group_operations fabric_group_ops = {
	.make_group = make_node,
	.drop_item = drop_node,
};

static const struct config_item_type fabric_type = {
	.ct_owner = THIS_MODULE,
	.ct_item_ops = &fabric_item_ops,
	.ct_group_ops = &fabric_group_ops,
	.ct_attrs = fabric_attrs,
};

/* Returns a fabric with its directory, or an ERR_PTR(). */
static struct config_group *create_fabric(const char *name)
{
	struct config_fabric *fabric;
	int ret;

	if (!sib_config_name_is_valid(name) || !strncmp(name, NET_PREFIX, strlen(NET_PREFIX)))
		return ERR_PTR(-EINVAL);
	fabric = kzalloc(sizeof(*fabric), GFP_KERNEL);
	if (!fabric)
		return ERR_PTR(-ENOMEM);
	ret = ida_alloc_range(&fabric_numbers, 1, SIB_GUID_FABRICS, GFP_KERNEL);
	if (ret < 0)
		goto free_memory;
	fabric->number = ret;
	fabric->fabric = sib_fabric_create(name, sib_guid_of_fabric(fabric->number));
	if (!fabric->fabric) {
		ret = -ENOMEM;
		goto free_number;
	}
	sib_debugfs_add(fabric->fabric);
	config_group_init_type_name(&fabric->group, name, &fabric_type);
	/* A long name is allocated, and is NULL if there was no memory. */
	if (config_item_name(&fabric->group.cg_item))
		return &fabric->group;
	ret = -ENOMEM;
	sib_fabric_free(fabric->fabric);
free_number:
	ida_free(&fabric_numbers, fabric->number);
free_memory:
	kfree(fabric);
	return ERR_PTR(ret);
}

static struct config_group *make_fabric(struct config_group *group, const char *name)
{
	struct config_group *fabric = create_fabric(name);

	if (IS_ERR(fabric))
		sib_config_refuse(&group->cg_item, name, PTR_ERR(fabric));
	return fabric;
}

static void drop_fabric(struct config_group *group, struct config_item *item)
{
	struct config_fabric *fabric = to_fabric(item);

	sib_debugfs_remove(fabric->fabric);
	sib_fabric_free(fabric->fabric);
	ida_free(&fabric_numbers, fabric->number);
	config_item_put(item);
}

static struct configfs_group_operations subsystem_ops = {
	.make_group = make_fabric,
	.drop_item = drop_fabric,
};

static const struct config_item_type subsystem_type = {
	.ct_owner = THIS_MODULE,
	.ct_group_ops = &subsystem_ops,
};

static struct configfs_subsystem subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "sib",
			.ci_type = &subsystem_type,
		},
	},
};

int sib_config_init(void)
{
	config_group_init(&subsystem.su_group);
	mutex_init(&subsystem.su_mutex);
	return configfs_register_subsystem(&subsystem);
}

void sib_config_exit(void)
{
	configfs_unregister_subsystem(&subsystem);
	mutex_destroy(&subsystem.su_mutex);
}
