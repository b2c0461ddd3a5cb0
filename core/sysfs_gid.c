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
#include <rdma/ib_sysfs.h>
#include <rdma/ib_verbs.h>

#include "core/sysfs.h"

/* A file for one index of a table: uses @port in gids/ and pkeys/, @kobj below gid_attrs/. */
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

/* gid_attrs is a kobject, not a group, because attribute groups do not nest. */
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
	int ret;

	ret = rdma_query_gid(dev, port, file->index, &gid);
	/* An empty entry reads as zeroes. */
	if (ret && ret != -ENOENT)
		return ret;
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
	struct ib_device *dev;
	u32 port;

	dev = ib_port_sysfs_get_ibdev_kobj(gid_attrs->parent, &port);
	return rdma_get_gid_attr(dev, port, file->index);
}

static ssize_t type_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct ib_gid_attr *entry = get_entry(kobj, attr);
	ssize_t ret;

	/* User space expects -EINVAL for an empty entry. */
	if (IS_ERR(entry))
		return -EINVAL;
	ret = sysfs_emit(buf, "%s\n", entry->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP ?
				      "RoCE v2" : "IB/RoCE v1");
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

static struct table_dir *alloc_table_dir(const char *name, unsigned int count)
{
	struct table_dir *dir;
	unsigned int i;

	dir = kvzalloc(struct_size(dir, files, count), GFP_KERNEL);
	if (!dir)
		return NULL;
	dir->group.name = name;
	/* The last of the count + 1 elements stays NULL, which ends the list. */
	dir->group.attrs = kvcalloc(count + 1, sizeof(*dir->group.attrs), GFP_KERNEL);
	if (!dir->group.attrs) {
		kvfree(dir);
		return NULL;
	}
	for (i = 0; i < count; i++) {
		struct table_file *file = &dir->files[i];

		snprintf(file->name, sizeof(file->name), "%u", i);
		file->index = i;
	}
	return dir;
}

static void free_table_dir(struct table_dir *dir)
{
	if (!dir)
		return;
	kvfree(dir->group.attrs);
	kvfree(dir);
}

static void init_attr(struct attribute *attr, const char *name)
{
	sysfs_attr_init(attr);
	attr->name = name;
	attr->mode = 0444;
}

typedef ssize_t port_show_fn(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
			     char *buf);
typedef ssize_t kobj_show_fn(struct kobject *kobj, struct kobj_attribute *attr, char *buf);

/* Adds a directory with @count files, whose show() is called with the device and the port. */
static int add_port_dir(struct kobject *port, struct table_dir **dir, const char *name,
			unsigned int count, port_show_fn *show)
{
	unsigned int i;

	*dir = alloc_table_dir(name, count);
	if (!*dir)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		struct table_file *file = &(*dir)->files[i];

		init_attr(&file->port.attr, file->name);
		file->port.show = show;
		(*dir)->group.attrs[i] = &file->port.attr;
	}
	return sysfs_create_group(port, &(*dir)->group);
}

/* Adds a directory below gid_attrs/ with @count files, whose show() is called with the kobject. */
static int add_kobj_dir(struct kobject *kobj, struct table_dir **dir, const char *name,
			unsigned int count, kobj_show_fn *show)
{
	unsigned int i;

	*dir = alloc_table_dir(name, count);
	if (!*dir)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		struct table_file *file = &(*dir)->files[i];

		init_attr(&file->kobj.attr, file->name);
		file->kobj.show = show;
		(*dir)->group.attrs[i] = &file->kobj.attr;
	}
	return sysfs_create_group(kobj, &(*dir)->group);
}

static int add_gid_dirs(struct ib_core_port_tables *tables, struct kobject *port,
			unsigned int count)
{
	int ret;

	ret = add_port_dir(port, &tables->gids, "gids", count, gid_show);
	if (ret)
		return ret;
	tables->gid_attrs = kobject_create_and_add("gid_attrs", port);
	if (!tables->gid_attrs)
		return -ENOMEM;
	ret = add_kobj_dir(tables->gid_attrs, &tables->types, "types", count, type_show);
	return ret ?: add_kobj_dir(tables->gid_attrs, &tables->ndevs, "ndevs", count, ndev_show);
}

int ib_core_port_tables_add(struct kobject *kobj, struct ib_device *dev, u32 port,
			    struct ib_core_port_tables **tables)
{
	const struct ib_port_immutable *immutable = &dev->port_data[port].immutable;
	int ret = 0;

	*tables = kzalloc(sizeof(**tables), GFP_KERNEL);
	if (!*tables)
		return -ENOMEM;
	if (immutable->gid_tbl_len > 0)
		ret = add_gid_dirs(*tables, kobj, immutable->gid_tbl_len);
	if (!ret && immutable->pkey_tbl_len > 0 && dev->ops.query_pkey)
		ret = add_port_dir(kobj, &(*tables)->pkeys, "pkeys", immutable->pkey_tbl_len,
				   pkey_show);
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
