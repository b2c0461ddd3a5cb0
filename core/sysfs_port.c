// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The directories ports/<n>/ of a device's ports in sysfs.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <rdma/ib_sysfs.h>
#include <rdma/ib_verbs.h>

#include "core/stats.h"
#include "core/sysfs.h"

/* The directory ports/, and the directories in it. */
struct ib_core_port_dirs {
	struct kobject		*kobj;
	struct ib_port		*ports[];	/* indexed by port number */
};

static const char *const port_states[] = {
	[IB_PORT_NOP] = "NOP",		[IB_PORT_DOWN] = "DOWN",
	[IB_PORT_INIT] = "INIT",	[IB_PORT_ARMED] = "ARMED",
	[IB_PORT_ACTIVE] = "ACTIVE",	[IB_PORT_ACTIVE_DEFER] = "ACTIVE_DEFER",
};

static const char *const phys_states[] = {
	[IB_PORT_PHYS_STATE_SLEEP]			= "Sleep",
	[IB_PORT_PHYS_STATE_POLLING]			= "Polling",
	[IB_PORT_PHYS_STATE_DISABLED]			= "Disabled",
	[IB_PORT_PHYS_STATE_PORT_CONFIGURATION_TRAINING] = "PortConfigurationTraining",
	[IB_PORT_PHYS_STATE_LINK_UP]			= "LinkUp",
	[IB_PORT_PHYS_STATE_LINK_ERROR_RECOVERY]	= "LinkErrorRecovery",
	[IB_PORT_PHYS_STATE_PHY_TEST]			= "Phy Test",
};

struct lane_speed {
	enum ib_port_speed	code;
	unsigned int		tenths;		/* tenths of a Gb/s per lane */
	const char		*suffix;
};

static const struct lane_speed lane_speeds[] = {
	{ IB_SPEED_SDR,		25,	"" },
	{ IB_SPEED_DDR,		50,	" DDR" },
	{ IB_SPEED_QDR,		100,	" QDR" },
	{ IB_SPEED_FDR10,	100,	" FDR10" },
	{ IB_SPEED_FDR,		140,	" FDR" },
	{ IB_SPEED_EDR,		250,	" EDR" },
	{ IB_SPEED_HDR,		500,	" HDR" },
	{ IB_SPEED_NDR,		1000,	" NDR" },
};

/* Returns the entry of a speed. An unknown speed, or none, is shown as the slowest one. */
static const struct lane_speed *lane_speed(unsigned int code)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lane_speeds); i++)
		if (lane_speeds[i].code == code)
			return &lane_speeds[i];
	return &lane_speeds[0];
}

static ssize_t rate_show(struct ib_device *dev, u32 port, struct ib_port_attribute *unused,
			 char *buf)
{
	const struct lane_speed *speed;
	struct ib_port_attr attr;
	unsigned int tenths;
	int lanes;
	int ret;

	ret = ib_query_port(dev, port, &attr);
	if (ret)
		return ret;
	speed = lane_speed(attr.active_speed);
	lanes = ib_width_enum_to_int(attr.active_width);
	if (lanes < 0)
		return -EINVAL;
	tenths = speed->tenths * lanes;
	return sysfs_emit(buf, "%u%s Gb/sec (%dX%s)\n", tenths / 10, tenths % 10 ? ".5" : "",
			  lanes, speed->suffix);
}
static IB_PORT_ATTR_RO(rate);

/*
 * Defines a file that shows attributes of a port. The further arguments are printed with _format.
 * They may use attr, a struct ib_port_attr that ib_query_port() has filled.
 */
#define PORT_ATTR_RO(_name, _format, ...)						\
static ssize_t _name##_show(struct ib_device *dev, u32 port,				\
			    struct ib_port_attribute *unused, char *buf)		\
{											\
	struct ib_port_attr attr;							\
	int ret = ib_query_port(dev, port, &attr);					\
											\
	return ret ? ret : sysfs_emit(buf, _format "\n", __VA_ARGS__);			\
}											\
static IB_PORT_ATTR_RO(_name)

PORT_ATTR_RO(state, "%u: %s", attr.state,
	     ib_core_text_of(port_states, ARRAY_SIZE(port_states), attr.state));
PORT_ATTR_RO(phys_state, "%u: %s", attr.phys_state,
	     ib_core_text_of(phys_states, ARRAY_SIZE(phys_states), attr.phys_state));
PORT_ATTR_RO(lid, "0x%x", attr.lid);
PORT_ATTR_RO(lid_mask_count, "%u", attr.lmc);
PORT_ATTR_RO(sm_lid, "0x%x", attr.sm_lid);
PORT_ATTR_RO(sm_sl, "%u", attr.sm_sl);
PORT_ATTR_RO(cap_mask, "0x%08x", attr.port_cap_flags);

static ssize_t link_layer_show(struct ib_device *dev, u32 port, struct ib_port_attribute *unused,
			       char *buf)
{
	switch (rdma_port_get_link_layer(dev, port)) {
	case IB_LINK_LAYER_INFINIBAND:
		return sysfs_emit(buf, "InfiniBand\n");
	case IB_LINK_LAYER_ETHERNET:
		return sysfs_emit(buf, "Ethernet\n");
	default:
		return sysfs_emit(buf, "Unknown\n");
	}
}
static IB_PORT_ATTR_RO(link_layer);

static struct attribute *port_attrs[] = {
	&ib_port_attr_cap_mask.attr,
	&ib_port_attr_lid.attr,
	&ib_port_attr_lid_mask_count.attr,
	&ib_port_attr_link_layer.attr,
	&ib_port_attr_phys_state.attr,
	&ib_port_attr_rate.attr,
	&ib_port_attr_sm_lid.attr,
	&ib_port_attr_sm_sl.attr,
	&ib_port_attr_state.attr,
	NULL
};
ATTRIBUTE_GROUPS(port);

static ssize_t port_attr_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct ib_port_attribute *port_attr = container_of(attr, struct ib_port_attribute, attr);
	struct ib_port *port = ib_core_to_port(kobj);

	if (!port_attr->show)
		return -EIO;
	return port_attr->show(port->dev, port->num, port_attr, buf);
}

static ssize_t port_attr_store(struct kobject *kobj, struct attribute *attr, const char *buf,
			       size_t count)
{
	struct ib_port_attribute *port_attr = container_of(attr, struct ib_port_attribute, attr);
	struct ib_port *port = ib_core_to_port(kobj);

	if (!port_attr->store)
		return -EIO;
	return port_attr->store(port->dev, port->num, port_attr, buf, count);
}

static const struct sysfs_ops port_sysfs_ops = {
	.show	= port_attr_show,
	.store	= port_attr_store,
};

static void port_release(struct kobject *kobj)
{
	struct ib_port *port = ib_core_to_port(kobj);

	ib_core_hw_counters_free(port->hw_counters);
	kfree(port);
}

static struct kobj_type port_type = {
	.release	= port_release,
	.sysfs_ops	= &port_sysfs_ops,
	.default_groups	= port_groups,
};

struct ib_device *ib_port_sysfs_get_ibdev_kobj(struct kobject *kobj, u32 *port_num)
{
	struct ib_port *port = ib_core_to_port(kobj);

	*port_num = port->num;
	return port->dev;
}
EXPORT_SYMBOL(ib_port_sysfs_get_ibdev_kobj);

static struct ib_port *add_port(struct ib_device *dev, u32 num, struct kobject *parent)
{
	struct ib_port *port;
	int ret;

	port = kzalloc(sizeof(*port), GFP_KERNEL_ACCOUNT);
	if (!port)
		return ERR_PTR(-ENOMEM);
	port->dev = dev;
	port->num = num;
	ret = kobject_init_and_add(&port->kobj, &port_type, parent, "%u", num);
	if (!ret)
		ret = ib_core_port_tables_add(port);
	if (!ret && ib_core_stats_of(dev, num)) {
		port->hw_counters = ib_core_hw_counters_alloc(dev, num);
		ret = port->hw_counters ? sysfs_create_group(&port->kobj, port->hw_counters) :
					  -ENOMEM;
	}
	if (!ret && dev->ops.port_groups)
		ret = sysfs_create_groups(&port->kobj, dev->ops.port_groups);
	if (ret) {
		/*
		 * Dropping the last reference removes the directory; port_release() frees the
		 * memory.
		 */
		ib_core_port_tables_del(port);
		kobject_put(&port->kobj);
		return ERR_PTR(ret);
	}
	return port;
}

void ib_core_port_dirs_del(struct ib_core_port_dirs *dirs, struct ib_device *dev)
{
	struct ib_port *port;
	u32 num;

	rdma_for_each_port(dev, num) {
		port = dirs->ports[num];
		if (!port)
			continue;
		/*
		 * kobject_del() waits for readers of the files. kobject_put() alone does not,
		 * because the reference that is dropped here need not be the last one.
		 */
		ib_core_port_tables_del(port);
		kobject_del(&port->kobj);
		kobject_put(&port->kobj);
	}
	kobject_del(dirs->kobj);
	kobject_put(dirs->kobj);
	kfree(dirs);
}

struct kobject *ib_core_port_dirs_kobj(struct ib_core_port_dirs *dirs, u32 port)
{
	return &dirs->ports[port]->kobj;
}

struct ib_core_port_dirs *ib_core_port_dirs_add(struct kobject *parent, struct ib_device *dev)
{
	struct ib_core_port_dirs *dirs;
	struct ib_port *port;
	u32 num;

	dirs = kzalloc(struct_size(dirs, ports, rdma_end_port(dev) + 1), GFP_KERNEL_ACCOUNT);
	if (!dirs)
		return ERR_PTR(-ENOMEM);
	dirs->kobj = kobject_create_and_add("ports", parent);
	if (!dirs->kobj) {
		kfree(dirs);
		return ERR_PTR(-ENOMEM);
	}
	rdma_for_each_port(dev, num) {
		port = add_port(dev, num, dirs->kobj);
		if (IS_ERR(port)) {
			ib_core_port_dirs_del(dirs, dev);
			return ERR_CAST(port);
		}
		dirs->ports[num] = port;
	}
	return dirs;
}
