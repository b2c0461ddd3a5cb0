// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The hw_counters directories in sysfs. A directory has a file for each counter, and a file
 * "lifespan" with a time in milliseconds. Values that are older than the lifespan are read from the
 * provider again.
 */
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <rdma/ib_sysfs.h>
#include <rdma/ib_verbs.h>

#include "core/stats.h"
#include "core/sysfs.h"

#define LIFESPAN_MAX_MS	10000

/* Files in the directory of a device use @device; files in the directory of a port use @port. */
struct counter_file {
	union {
		struct device_attribute		device;
		struct ib_port_attribute	port;
	};
	int index;
};

struct counter_dir {
	struct attribute_group	group;
	struct counter_file	files[];
};

static ssize_t show_counter(struct ib_device *dev, u32 port, int index, char *buf)
{
	struct rdma_hw_stats *stats;
	u64 value;
	int ret;

	ret = ib_core_stats_read_one_lock(dev, port, index, &stats);
	if (ret)
		return ret;
	value = stats->value[index];
	mutex_unlock(&stats->lock);
	return sysfs_emit(buf, "%llu\n", value);
}

static ssize_t show_lifespan(struct ib_device *dev, u32 port, char *buf)
{
	struct rdma_hw_stats *stats = ib_core_stats_of(dev, port);
	unsigned int ms;

	mutex_lock(&stats->lock);
	ms = jiffies_to_msecs(stats->lifespan);
	mutex_unlock(&stats->lock);
	return sysfs_emit(buf, "%u\n", ms);
}

static ssize_t store_lifespan(struct ib_device *dev, u32 port, const char *buf, size_t count)
{
	struct rdma_hw_stats *stats = ib_core_stats_of(dev, port);
	unsigned int ms;
	int ret;

	ret = kstrtouint(buf, 10, &ms);
	if (ret)
		return ret;
	if (ms > LIFESPAN_MAX_MS)
		return -EINVAL;
	mutex_lock(&stats->lock);
	stats->lifespan = msecs_to_jiffies(ms);
	mutex_unlock(&stats->lock);
	return count;
}

static ssize_t device_counter_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct counter_file *file = container_of(attr, struct counter_file, device);

	return show_counter(rdma_device_to_ibdev(device), IB_CORE_STATS_DEVICE, file->index, buf);
}

static ssize_t device_lifespan_show(struct device *device, struct device_attribute *attr,
				    char *buf)
{
	return show_lifespan(rdma_device_to_ibdev(device), IB_CORE_STATS_DEVICE, buf);
}

static ssize_t device_lifespan_store(struct device *device, struct device_attribute *attr,
				     const char *buf, size_t count)
{
	return store_lifespan(rdma_device_to_ibdev(device), IB_CORE_STATS_DEVICE, buf, count);
}

static ssize_t port_counter_show(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
				 char *buf)
{
	struct counter_file *file = container_of(attr, struct counter_file, port);

	return show_counter(dev, port, file->index, buf);
}

static ssize_t port_lifespan_show(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
				  char *buf)
{
	return show_lifespan(dev, port, buf);
}

static ssize_t port_lifespan_store(struct ib_device *dev, u32 port,
				   struct ib_port_attribute *attr, const char *buf, size_t count)
{
	return store_lifespan(dev, port, buf, count);
}

static struct attribute *init_file(struct counter_file *file, const char *name, umode_t mode,
				   bool of_port)
{
	struct attribute *attr = of_port ? &file->port.attr : &file->device.attr;

	sysfs_attr_init(attr);
	attr->name = name;
	attr->mode = mode;
	return attr;
}

/* Adds "lifespan" and the files of counters. An optional counter has no file; netlink shows it. */
static void fill_counter_dir(struct counter_dir *dir, const struct rdma_hw_stats *stats,
			     bool of_port)
{
	struct counter_file *file = dir->files;
	struct attribute **attrs = dir->group.attrs;
	int i;

	for (i = 0; i < stats->num_counters; i++) {
		if (stats->descs[i].flags & IB_STAT_FLAG_OPTIONAL)
			continue;
		file->index = i;
		if (of_port)
			file->port.show = port_counter_show;
		else
			file->device.show = device_counter_show;
		*attrs++ = init_file(file++, stats->descs[i].name, 0444, of_port);
	}
	if (of_port) {
		file->port.show = port_lifespan_show;
		file->port.store = port_lifespan_store;
	} else {
		file->device.show = device_lifespan_show;
		file->device.store = device_lifespan_store;
	}
	*attrs = init_file(file, "lifespan", 0644, of_port);
}

struct attribute_group *ib_core_hw_counters_alloc(struct ib_device *dev, u32 port)
{
	const struct rdma_hw_stats *stats = ib_core_stats_of(dev, port);
	size_t files = stats->num_counters + 1;
	struct counter_dir *dir;

	dir = kzalloc(struct_size(dir, files, files), GFP_KERNEL_ACCOUNT);
	if (!dir)
		return NULL;
	dir->group.name = "hw_counters";
	/* The list ends with NULL, which is the element after those of the files. */
	dir->group.attrs = kcalloc(files + 1, sizeof(*dir->group.attrs), GFP_KERNEL_ACCOUNT);
	if (!dir->group.attrs) {
		kfree(dir);
		return NULL;
	}
	fill_counter_dir(dir, stats, port != IB_CORE_STATS_DEVICE);
	return &dir->group;
}

void ib_core_hw_counters_free(struct attribute_group *group)
{
	if (!group)
		return;
	kfree(group->attrs);
	kfree(container_of(group, struct counter_dir, group));
}
