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
 * A file for one index of a table. Files in gids/ and pkeys/ use @port; files below gid_attrs/ use
 * @kobj.
 */
struct table_file {
	union {
		struct ib_port_attribute	port;
		struct kobj_attribute		kobj;
	};
	char		name[12];
	unsigned int	index;
};

struct table_dir {
	struct attribute_group	group;
	struct table_file	files[];
};

/*
 * The directories of a port's tables. gid_attrs is a kobject, not a group, because attribute groups
 * do not nest.
 */
struct ib_core_port_tables {
	struct table_dir	*gids;
	struct table_dir	*pkeys;
	struct table_dir	*types;
	struct table_dir	*ndevs;
	struct kobject		*gid_attrs;
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

static void free_table_dir(struct table_dir *dir)
{
	if (!dir)
		return;
	kvfree(dir->group.attrs);
	kvfree(dir);
}

typedef ssize_t port_show_fn(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
			     char *buf);
typedef ssize_t kobj_show_fn(struct kobject *kobj, struct kobj_attribute *attr, char *buf);

/*
 * Adds a directory with @count files. Reading a file calls @port_show with the device and the port
 * or, if @port_show is NULL, @kobj_show with the kobject gid_attrs. The caller frees *@dir later,
 * even after an error.
 */
static int add_table_dir(struct kobject *parent, struct table_dir **dir, const char *name,
			 unsigned int count, port_show_fn *port_show, kobj_show_fn *kobj_show)
{
	struct attribute *attr;
	unsigned int i;

	*dir = kvzalloc(struct_size(*dir, files, count), GFP_KERNEL_ACCOUNT);
	if (!*dir)
		return -ENOMEM;
	(*dir)->group.name = name;
	/* The last of the count + 1 elements stays NULL, which ends the list. */
	(*dir)->group.attrs = kvcalloc(count + 1, sizeof(*(*dir)->group.attrs), GFP_KERNEL_ACCOUNT);
	if (!(*dir)->group.attrs)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		struct table_file *file = &(*dir)->files[i];

		snprintf(file->name, sizeof(file->name), "%u", i);
		file->index = i;
		if (port_show) {
			file->port.show = port_show;
			attr = &file->port.attr;
		} else {
			file->kobj.show = kobj_show;
			attr = &file->kobj.attr;
		}
		sysfs_attr_init(attr);
		attr->name = file->name;
		attr->mode = 0444;
		(*dir)->group.attrs[i] = attr;
	}
	return sysfs_create_group(parent, &(*dir)->group);
}

int ib_core_port_tables_add(struct kobject *kobj, struct ib_device *dev, u32 port,
			    struct ib_core_port_tables **result)
{
	const struct ib_port_immutable *immutable = &dev->port_data[port].immutable;
	struct ib_core_port_tables *tables;
	int ret = 0;

	tables = kzalloc(sizeof(*tables), GFP_KERNEL_ACCOUNT);
	*result = tables;
	if (!tables)
		return -ENOMEM;
	if (immutable->gid_tbl_len > 0) {
		ret = add_table_dir(kobj, &tables->gids, "gids", immutable->gid_tbl_len, gid_show,
				    NULL);
		if (ret)
			return ret;
		tables->gid_attrs = kobject_create_and_add("gid_attrs", kobj);
		if (!tables->gid_attrs)
			return -ENOMEM;
		ret = add_table_dir(tables->gid_attrs, &tables->types, "types",
				    immutable->gid_tbl_len, NULL, type_show);
		if (!ret)
			ret = add_table_dir(tables->gid_attrs, &tables->ndevs, "ndevs",
					    immutable->gid_tbl_len, NULL, ndev_show);
	}
	if (!ret && immutable->pkey_tbl_len > 0 && dev->ops.query_pkey)
		ret = add_table_dir(kobj, &tables->pkeys, "pkeys", immutable->pkey_tbl_len,
				    pkey_show, NULL);
	return ret;
}

void ib_core_port_tables_del(struct ib_core_port_tables *tables)
{
	if (!tables || !tables->gid_attrs)
		return;
	kobject_del(tables->gid_attrs);
	kobject_put(tables->gid_attrs);
}

void ib_core_port_tables_free(struct ib_core_port_tables *tables)
{
	if (!tables)
		return;
	free_table_dir(tables->gids);
	free_table_dir(tables->pkeys);
	free_table_dir(tables->types);
	free_table_dir(tables->ndevs);
	kfree(tables);
}
