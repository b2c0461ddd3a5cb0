// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * /sys/class/infiniband/<device>/ in one network namespace.
 *
 * All files are added before udev is notified of the device, and removed in reverse order. Removing
 * a file waits for the file's readers, so the data that the file shows may be freed
 * afterwards.
 */
#include <linux/device.h>
#include <linux/kobject.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <rdma/ib_sysfs.h>
#include <rdma/ib_verbs.h>

#include "core/sysfs.h"
#include "core/stats.h"
#include "core/view.h"

/* The part of a view that exists while the view is in sysfs. */
struct ib_device_sysfs {
	struct ib_core_port_dirs	*ports;
	struct attribute_group		*hw_counters;
	/* Whether ib_core_sysfs_relink() has made the link "device" to the netdev. */
	bool				linked;
	/* Groups: the core's files, the provider's files, the counters; NULL ends the list. */
	const struct attribute_group	*groups[4];
};

static const char *const node_types[] = {
	[RDMA_NODE_IB_CA]	= "CA",
	[RDMA_NODE_IB_SWITCH]	= "switch",
	[RDMA_NODE_IB_ROUTER]	= "router",
	[RDMA_NODE_RNIC]	= "RNIC",
	[RDMA_NODE_USNIC]	= "usNIC",
	[RDMA_NODE_USNIC_UDP]	= "usNIC UDP",
	[RDMA_NODE_UNSPECIFIED]	= "unspecified",
};

static ssize_t emit_guid(char *buf, __be64 guid)
{
	u64 v = be64_to_cpu(guid);

	return sysfs_emit(buf, "%04x:%04x:%04x:%04x\n", (u16)(v >> 48), (u16)(v >> 32),
			  (u16)(v >> 16), (u16)v);
}

static ssize_t node_type_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct ib_device *dev = rdma_device_to_ibdev(device);

	return sysfs_emit(buf, "%u: %s\n", dev->node_type,
			  ib_core_text_of(node_types, ARRAY_SIZE(node_types), dev->node_type));
}
static DEVICE_ATTR_RO(node_type);

static ssize_t node_guid_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return emit_guid(buf, rdma_device_to_ibdev(device)->node_guid);
}
static DEVICE_ATTR_RO(node_guid);

static ssize_t sys_image_guid_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return emit_guid(buf, rdma_device_to_ibdev(device)->attrs.sys_image_guid);
}
static DEVICE_ATTR_RO(sys_image_guid);

static ssize_t node_desc_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct ib_device *dev = rdma_device_to_ibdev(device);

	return sysfs_emit(buf, "%.*s\n", IB_DEVICE_NODE_DESC_MAX, dev->node_desc);
}

static ssize_t node_desc_store(struct device *device, struct device_attribute *attr,
			       const char *buf, size_t count)
{
	struct ib_device_modify modify = {};
	size_t len = count;
	int ret;

	if (!rdma_dev_may_admin(rdma_device_to_ibdev(device)))
		return -EPERM;
	/* sysfs passes at least one byte. */
	if (buf[len - 1] == '\n')
		len--;
	memcpy(modify.node_desc, buf, min_t(size_t, len, IB_DEVICE_NODE_DESC_MAX));
	ret = ib_modify_device(rdma_device_to_ibdev(device), IB_DEVICE_MODIFY_NODE_DESC, &modify);
	return ret ? ret : count;
}
static DEVICE_ATTR_RW(node_desc);

static ssize_t fw_ver_show(struct device *device, struct device_attribute *attr, char *buf)
{
	char version[IB_FW_VERSION_NAME_MAX] = {};

	ib_get_device_fw_str(rdma_device_to_ibdev(device), version);
	return sysfs_emit(buf, "%s\n", version);
}
static DEVICE_ATTR_RO(fw_ver);

static struct attribute *device_attrs[] = {
	&dev_attr_fw_ver.attr,
	&dev_attr_node_desc.attr,
	&dev_attr_node_guid.attr,
	&dev_attr_node_type.attr,
	&dev_attr_sys_image_guid.attr,
	NULL
};

static const struct attribute_group device_group = {
	.attrs = device_attrs,
};

static int alloc_groups(struct ib_device_view *view)
{
	struct ib_device *dev = view->owner;
	const struct attribute_group **group;
	struct ib_device_sysfs *sysfs;

	sysfs = kzalloc(sizeof(*sysfs), GFP_KERNEL_ACCOUNT);
	if (!sysfs)
		return -ENOMEM;
	group = sysfs->groups;
	*group++ = &device_group;
	if (dev->ops.device_group)
		*group++ = dev->ops.device_group;
	if (dev->hw_stats) {
		sysfs->hw_counters = ib_core_hw_counters_alloc(dev, IB_CORE_STATS_DEVICE);
		if (!sysfs->hw_counters) {
			kfree(sysfs);
			return -ENOMEM;
		}
		*group++ = sysfs->hw_counters;
	}
	view->sysfs = sysfs;
	view->dev.groups = sysfs->groups;
	return 0;
}

static void free_groups(struct ib_device_view *view)
{
	view->dev.groups = NULL;
	ib_core_hw_counters_free(view->sysfs->hw_counters);
	kfree(view->sysfs);
	view->sysfs = NULL;
}

/*
 * The link "device" leads tools to the netdev of an RDMA device. The driver core adds the link if
 * the RDMA device has a parent. An RDMA device on a virtual netdev has no parent, and the netdev
 * cannot be its parent, because the netdev leaves sysfs before the RDMA device. Only a view in the
 * netdev's own namespace has the link, because in another namespace the same path leads to another
 * netdev, or to none.
 */
void ib_core_sysfs_relink(struct ib_device_view *view)
{
	struct net_device *ndev;
	int ret = 0;

	lockdep_assert_held(&ib_core_views_lock);
	if (view->dev.parent)
		return;
	if (view->sysfs->linked)
		sysfs_remove_link(&view->dev.kobj, "device");
	view->sysfs->linked = false;
	ndev = ib_device_get_netdev(view->owner, rdma_start_port(view->owner));
	if (ndev && net_eq(dev_net(ndev), read_pnet(&view->net))) {
		ret = sysfs_create_link(&view->dev.kobj, &ndev->dev.kobj, "device");
		view->sysfs->linked = !ret;
	}
	dev_put(ndev);
	/* -ENOENT means that the netdev is being unregistered, and has left sysfs. */
	if (ret && ret != -ENOENT)
		ibdev_warn_ratelimited(view->owner, "no link to the netdev in sysfs: error %d\n",
				       ret);
}

/*
 * In exclusive mode, root of the user namespace that owns the network namespace may delete a device
 * that was made by `rdma link add`. The device's files therefore belong to that root. Files of
 * other devices stay with the host's root, because their drivers may have files that only the
 * host's root may write. Files of ports stay with the host's root, too, because their file
 * "lifespan" sets how often the driver may be asked for counters. A device that has counters of its
 * own has a file "lifespan" beside them, which belongs to whom the device belongs to.
 */
void ib_core_sysfs_owner(const struct ib_device_view *view, kuid_t *uid, kgid_t *gid)
{
	if (view->owner->link_ops && !rdma_netns_is_shared())
		net_ns_get_ownership(read_pnet(&view->net), uid, gid);
}

/*
 * The file "uevent" of the driver core. Writing to this file sends a uevent. The driver core's
 * files for power management are not in the group, because they have no effect on a view; they keep
 * their owner.
 */
static struct attribute uevent_file = { .name = "uevent" };
static struct attribute *driver_core_files[] = { &uevent_file, NULL };
static const struct attribute_group driver_core_group = { .attrs = driver_core_files };

/*
 * Changes the groups of files one by one, because newer kernels do not export
 * device_change_owner().
 */
int ib_core_sysfs_chown(struct ib_device_view *view)
{
	kuid_t uid = GLOBAL_ROOT_UID;
	kgid_t gid = GLOBAL_ROOT_GID;
	int ret;

	lockdep_assert_held(&ib_core_views_lock);
	if (!view->owner->link_ops)
		return 0;
	ib_core_sysfs_owner(view, &uid, &gid);
	ret = sysfs_group_change_owner(&view->dev.kobj, &driver_core_group, uid, gid);
	return ret ?: sysfs_groups_change_owner(&view->dev.kobj, view->dev.groups, uid, gid);
}

int ib_core_sysfs_add(struct ib_device_view *view)
{
	struct ib_core_port_dirs *ports;
	int ret;

	lockdep_assert_held(&ib_core_views_lock);
	ret = alloc_groups(view);
	if (ret)
		return ret;
	dev_set_uevent_suppress(&view->dev, true);
	ret = device_add(&view->dev);
	if (ret)
		goto out_groups;
	ports = ib_core_port_dirs_add(&view->dev.kobj, view->owner);
	if (IS_ERR(ports)) {
		ret = PTR_ERR(ports);
		goto out_device;
	}
	view->sysfs->ports = ports;
	return 0;

out_device:
	device_del(&view->dev);
out_groups:
	free_groups(view);
	return ret;
}

void ib_core_sysfs_announce(struct ib_device_view *view)
{
	lockdep_assert_held(&ib_core_views_lock);
	ib_core_sysfs_relink(view);
	dev_set_uevent_suppress(&view->dev, false);
	kobject_uevent(&view->dev.kobj, KOBJ_ADD);
}

void ib_core_sysfs_del(struct ib_device_view *view)
{
	lockdep_assert_held(&ib_core_views_lock);
	ib_core_port_dirs_del(view->sysfs->ports, view->owner);
	device_del(&view->dev);
	free_groups(view);
}

int ib_port_register_client_groups(struct ib_device *ibdev, u32 port_num,
				   const struct attribute_group **groups)
{
	int ret;

	if (!rdma_is_port_valid(ibdev, port_num))
		return -EINVAL;
	mutex_lock(&ib_core_views_lock);
	ret = sysfs_create_groups(ib_core_port_dirs_kobj(ibdev->view.sysfs->ports, port_num),
				  groups);
	mutex_unlock(&ib_core_views_lock);
	return ret;
}
EXPORT_SYMBOL(ib_port_register_client_groups);

void ib_port_unregister_client_groups(struct ib_device *ibdev, u32 port_num,
				      const struct attribute_group **groups)
{
	mutex_lock(&ib_core_views_lock);
	sysfs_remove_groups(ib_core_port_dirs_kobj(ibdev->view.sysfs->ports, port_num), groups);
	mutex_unlock(&ib_core_views_lock);
}
EXPORT_SYMBOL(ib_port_unregister_client_groups);
