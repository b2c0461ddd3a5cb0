// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Ports with a node umadN.
 */
#include "umad/port.h"

#include <linux/slab.h>

#include "umad/agent.h"
#include "umad/file.h"
#include "umad/umad.h"

static struct umad_port *to_port(struct device *dev)
{
	return container_of(dev, struct umad_port, node.dev);
}

static ssize_t dropped_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%ld\n", atomic_long_read(&to_port(dev)->dropped));
}
static DEVICE_ATTR_RO(dropped);

static struct attribute *port_attrs[] = {
	&dev_attr_dropped.attr,
	NULL
};
ATTRIBUTE_GROUPS(port);

static void free_port(struct device *dev)
{
	struct umad_port *port = to_port(dev);

	umad_node_destroy(&port->node);
	kfree(port);
}

/* Takes a file out of the list of open files. Returns the file, referenced, or NULL. */
static struct umad_file *take_file(struct umad_port *port)
{
	struct umad_file *file;

	mutex_lock(&port->node.lock);
	file = list_first_entry_or_null(&port->files, struct umad_file, entry);
	if (file) {
		list_del_init(&file->entry);
		kref_get(&file->ref);
	}
	mutex_unlock(&port->node.lock);
	return file;
}

/* Ends the use of the device by all files. No file is opened after @ibdev was cleared. */
static void end_files(struct umad_port *port)
{
	struct umad_file *file;

	mutex_lock(&port->node.lock);
	WRITE_ONCE(port->node.ibdev, NULL);
	mutex_unlock(&port->node.lock);
	while ((file = take_file(port))) {
		umad_agents_end(file);
		umad_file_put(file);
	}
	/* Other threads may be closing files or unregistering agents. */
	umad_port_unuse(port);
	wait_for_completion(&port->unused);
}

struct umad_port *umad_port_add(struct ib_device *ibdev, u32 num, int number)
{
	struct umad_port *port = kzalloc(sizeof(*port), GFP_KERNEL);
	int ret;

	if (!port)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&port->files);
	refcount_set(&port->users, 1);
	init_completion(&port->unused);
	umad_node_init(&port->node, ibdev, num, free_port);
	port->node.dev.groups = port_groups;
	ret = umad_node_add(&port->node, UMAD_NODE_MAD, number, &umad_fops);
	if (!ret)
		return port;
	end_files(port);
	put_device(&port->node.dev);
	return ERR_PTR(ret);
}

void umad_port_remove(struct umad_port *port)
{
	umad_node_hide(&port->node);
	end_files(port);
	put_device(&port->node.dev);
}
