// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The tables of a port in sysfs, with a file for each index: gids/, gid_attrs/{types,ndevs}/ and
 * pkeys/.
 */
#include <linux/kobject.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/sched.h>
#include <linux/sysfs.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_sysfs.h>
#include <rdma/ib_verbs.h>

#include "core/sysfs.h"

/*
 * A file for one index of a table, which all ports share: which port is read follows from the
 * kobject. Files in gids/ and pkeys/ use @port; files below gid_attrs/ use @kobj.
 */
struct table_file {
	union {
		struct ib_port_attribute	port;
		struct kobj_attribute		kobj;
	};
	char		name[12];
	unsigned int	index;
};

/*
 * A kind of table. @group has the files of the longest table that a port has had so far, @len in
 * number, and shows as many of them as the table of a port is long. Reading a file calls @port_show
 * with the device and the port or, if @port_show is NULL, @kobj_show with the kobject gid_attrs.
 * Protected by ib_core_views_lock.
 */
struct table_kind {
	struct attribute_group	group;
	unsigned int		len;
	ssize_t (*port_show)(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
			     char *buf);
	ssize_t (*kobj_show)(struct kobject *kobj, struct kobj_attribute *attr, char *buf);
};

static ssize_t gid_show(struct ib_device *dev, u32 port, struct ib_port_attribute *attr, char *buf)
{
	struct table_file *file = container_of(attr, struct table_file, port);
	union ib_gid gid = {};

	/* The only error is -ENOENT: the entry is empty, and reads as zeroes. */
	rdma_query_gid(dev, port, file->index, &gid);
	return sysfs_emit(buf, "%pI6\n", gid.raw);
}

static ssize_t pkey_show(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
			 char *buf)
{
	struct table_file *file = container_of(attr, struct table_file, port);
	u16 pkey;
	int ret;

	ret = ib_query_pkey(dev, port, file->index, &pkey);
	return ret ? ret : sysfs_emit(buf, "0x%04x\n", pkey);
}

/* Returns the GID entry of a file below gid_attrs/, with a reference. */
static const struct ib_gid_attr *get_entry(struct kobject *gid_attrs, struct kobj_attribute *attr)
{
	struct table_file *file = container_of(attr, struct table_file, kobj);
	struct ib_port *port = ib_core_to_port(gid_attrs->parent);

	return rdma_get_gid_attr(port->dev, port->num, file->index);
}

static ssize_t type_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct ib_gid_attr *entry = get_entry(kobj, attr);
	ssize_t ret;

	/* User space expects -EINVAL for an empty entry. */
	if (IS_ERR(entry))
		return -EINVAL;
	ret = sysfs_emit(buf, "%s\n", ib_cache_gid_type_str(entry->gid_type));
	rdma_put_gid_attr(entry);
	return ret;
}

static ssize_t ndev_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct ib_gid_attr *entry = get_entry(kobj, attr);
	struct net_device *ndev;
	ssize_t ret = -EINVAL;

	if (IS_ERR(entry))
		return -EINVAL;
	rcu_read_lock();
	ndev = rcu_dereference(entry->ndev);
	/* The name is shown only in the netdev's own namespace: it means nothing elsewhere. */
	if (ndev && net_eq(dev_net(ndev), current->nsproxy->net_ns))
		ret = sysfs_emit(buf, "%s\n", ndev->name);
	rcu_read_unlock();
	rdma_put_gid_attr(entry);
	return ret;
}

static const struct ib_port_immutable *immutable_of(const struct ib_port *port)
{
	return &port->dev->port_data[port->num].immutable;
}

static umode_t shown_if(const struct attribute *attr, bool shown)
{
	return shown ? attr->mode : 0;
}

static umode_t gid_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	return shown_if(attr, index < immutable_of(ib_core_to_port(kobj))->gid_tbl_len);
}

static umode_t gid_attr_visible(struct kobject *gid_attrs, struct attribute *attr, int index)
{
	return gid_visible(gid_attrs->parent, attr, index);
}

static umode_t pkey_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	return shown_if(attr, index < immutable_of(ib_core_to_port(kobj))->pkey_tbl_len);
}

static struct table_kind gids = {
	.group = { .name = "gids", .is_visible = gid_visible },
	.port_show = gid_show,
};

static struct table_kind types = {
	.group = { .name = "types", .is_visible = gid_attr_visible },
	.kobj_show = type_show,
};

static struct table_kind ndevs = {
	.group = { .name = "ndevs", .is_visible = gid_attr_visible },
	.kobj_show = ndev_show,
};

static struct table_kind pkeys = {
	.group = { .name = "pkeys", .is_visible = pkey_visible },
	.port_show = pkey_show,
};

static struct attribute *new_table_file(const struct table_kind *kind, unsigned int index)
{
	struct table_file *file = kzalloc(sizeof(*file), GFP_KERNEL);
	struct attribute *attr;

	if (!file)
		return NULL;
	snprintf(file->name, sizeof(file->name), "%u", index);
	file->index = index;
	if (kind->port_show) {
		file->port.show = kind->port_show;
		attr = &file->port.attr;
	} else {
		file->kobj.show = kind->kobj_show;
		attr = &file->kobj.attr;
	}
	sysfs_attr_init(attr);
	attr->name = file->name;
	attr->mode = 0444;
	return attr;
}

/* Has files for a table of @len entries at least. Returns 0 or -ENOMEM. */
static int grow_table_kind(struct table_kind *kind, unsigned int len)
{
	struct attribute **attrs;

	if (len <= kind->len)
		return 0;
	/* The list ends with NULL. */
	attrs = krealloc_array(kind->group.attrs, len + 1, sizeof(*attrs), GFP_KERNEL);
	if (!attrs)
		return -ENOMEM;
	kind->group.attrs = attrs;
	attrs[kind->len] = NULL;
	while (kind->len < len) {
		attrs[kind->len] = new_table_file(kind, kind->len);
		if (!attrs[kind->len])
			return -ENOMEM;
		attrs[++kind->len] = NULL;
	}
	return 0;
}

/* Adds a directory with @len files. */
static int add_table_dir(struct kobject *parent, struct table_kind *kind, unsigned int len)
{
	int ret = grow_table_kind(kind, len);

	return ret ? ret : sysfs_create_group(parent, &kind->group);
}

int ib_core_port_tables_add(struct ib_port *port)
{
	const struct ib_port_immutable *immutable = immutable_of(port);
	int ret = 0;

	if (immutable->gid_tbl_len > 0) {
		ret = add_table_dir(&port->kobj, &gids, immutable->gid_tbl_len);
		if (ret)
			return ret;
		port->gid_attrs = kobject_create_and_add("gid_attrs", &port->kobj);
		if (!port->gid_attrs)
			return -ENOMEM;
		ret = add_table_dir(port->gid_attrs, &types, immutable->gid_tbl_len);
		if (!ret)
			ret = add_table_dir(port->gid_attrs, &ndevs, immutable->gid_tbl_len);
	}
	if (!ret && immutable->pkey_tbl_len > 0 && port->dev->ops.query_pkey)
		ret = add_table_dir(&port->kobj, &pkeys, immutable->pkey_tbl_len);
	return ret;
}

void ib_core_port_tables_del(struct ib_port *port)
{
	if (!port->gid_attrs)
		return;
	kobject_del(port->gid_attrs);
	kobject_put(port->gid_attrs);
}

static void free_table_kind(struct table_kind *kind)
{
	unsigned int i;

	for (i = 0; i < kind->len; i++) {
		/* The attribute is the first member of both kinds of files. */
		kfree(container_of(kind->group.attrs[i], struct table_file, port.attr));
	}
	kfree(kind->group.attrs);
}

void ib_core_port_tables_exit(void)
{
	free_table_kind(&gids);
	free_table_kind(&types);
	free_table_kind(&ndevs);
	free_table_kind(&pkeys);
}
