// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Directories of ports in configfs: the link, and what the port supports. */
#include "drivers/sib/config_port.h"

#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "drivers/sib/config_text.h"
#include "drivers/sib/node.h"
#include "drivers/sib/slot_port.h"

/**
 * struct config_port - directory of a port
 * @group: its place in configfs
 * @slot: the node, whose directory is that of the parent, and outlives this one
 * @num: number of the port
 */
struct config_port {
	struct config_group group;
	struct sib_slot *slot;
	u8 num;
};

static struct config_port *to_config_port(struct config_item *item)
{
	return container_of(item, struct config_port, group.cg_item);
}

static struct sib_slot_port read_port(struct config_item *item)
{
	struct config_port *port = to_config_port(item);
	struct sib_slot_port info;

	sib_slot_read_port(port->slot, port->num, &info);
	return info;
}

static ssize_t port_peer_show(struct config_item *item, char *page)
{
	struct sib_slot_port port = read_port(item);

	if (!port.peer_num)
		return sprintf(page, "\n");
	return sprintf(page, "%s:%u\n", port.peer, port.peer_num);
}

/* Links the port to NODE:PORT. Changes @line. Returns 0 or an errno. */
static int connect(struct config_port *port, char *line)
{
	char *colon = strchr(line, ':');
	unsigned int num;

	if (!colon || !isdigit(colon[1]) || kstrtouint(colon + 1, 10, &num))
		return -EINVAL;
	*colon = 0;
	if (!sib_config_name_is_valid(line))
		return -EINVAL;
	return sib_slot_connect(port->slot, port->num, line, num);
}

static ssize_t port_peer_store(struct config_item *item, const char *page, size_t count)
{
	struct config_port *port = to_config_port(item);
	char line[SIB_NAME_LEN + 8];
	int err;

	err = sib_config_line(page, count, line, sizeof(line));
	if (!err && *line)
		err = connect(port, line);
	else if (!err)
		sib_slot_disconnect(port->slot, port->num);
	return sib_config_done(item, "peer", err, count);
}

static const struct sib_config_word states[] = {
	{ "down", PORT_STATE_DOWN },
	{ "init", PORT_STATE_INIT },
	{ "armed", PORT_STATE_ARMED },
	{ "active", PORT_STATE_ACTIVE },
	{}
};

static const struct sib_config_word cables[] = {
	{ "down", false },
	{ "up", true },
	{}
};

static ssize_t port_state_show(struct config_item *item, char *page)
{
	return sprintf(page, "%s\n", sib_config_word(states, read_port(item).info.state));
}

static ssize_t port_state_store(struct config_item *item, const char *page, size_t count)
{
	struct config_port *port = to_config_port(item);
	char line[8];
	int ret;

	ret = sib_config_line(page, count, line, sizeof(line));
	if (!ret)
		ret = sib_config_value(cables, line);
	if (ret >= 0)
		ret = sib_slot_plug(port->slot, port->num, ret);
	return sib_config_done(item, "state", ret, count);
}

static const struct sib_config_word widths[] = {
	{ "1x", PORT_WIDTH_1X },
	{ "4x", PORT_WIDTH_1X | PORT_WIDTH_4X },
	{ "8x", PORT_WIDTH_1X | PORT_WIDTH_4X | PORT_WIDTH_8X },
	{ "12x", PORT_WIDTH_1X | PORT_WIDTH_4X | PORT_WIDTH_8X | PORT_WIDTH_12X },
	{}
};

static const struct sib_config_word speeds[] = {
	{ "2.5", PORT_SPEED_SDR },
	{ "5", PORT_SPEED_SDR | PORT_SPEED_DDR },
	{ "10", PORT_SPEED_SDR | PORT_SPEED_DDR | PORT_SPEED_QDR },
	{}
};

static const struct sib_config_word mtus[] = {
	{ "256", 1 },
	{ "512", 2 },
	{ "1024", 3 },
	{ "2048", 4 },
	{ "4096", 5 },
	{}
};

static const struct sib_config_word vl_caps[] = {
	{ "1", 1 },
	{ "2", 2 },
	{ "4", 3 },
	{ "8", 4 },
	{}
};

/* Writes one of the settings that a port supports. */
static ssize_t store_word(struct config_item *item, const char *file, const char *page,
			  size_t count, const struct sib_config_word *table,
			  void (*set)(struct sib_port *port, u8 value))
{
	struct config_port *port = to_config_port(item);
	char line[8];
	int ret;

	ret = sib_config_line(page, count, line, sizeof(line));
	if (!ret)
		ret = sib_config_value(table, line);
	if (ret >= 0)
		ret = sib_slot_set_port(port->slot, port->num, set, ret);
	return sib_config_done(item, file, ret, count);
}

static ssize_t port_width_show(struct config_item *item, char *page)
{
	return sprintf(page, "%s\n", sib_config_word(widths, read_port(item).info.width_supported));
}

static ssize_t port_width_store(struct config_item *item, const char *page, size_t count)
{
	return store_word(item, "width", page, count, widths, sib_port_set_width);
}

static ssize_t port_speed_show(struct config_item *item, char *page)
{
	return sprintf(page, "%s\n", sib_config_word(speeds, read_port(item).info.speed_supported));
}

static ssize_t port_speed_store(struct config_item *item, const char *page, size_t count)
{
	return store_word(item, "speed", page, count, speeds, sib_port_set_speed);
}

static ssize_t port_mtu_show(struct config_item *item, char *page)
{
	return sprintf(page, "%s\n", sib_config_word(mtus, read_port(item).info.mtu_cap));
}

static ssize_t port_mtu_store(struct config_item *item, const char *page, size_t count)
{
	return store_word(item, "mtu", page, count, mtus, sib_port_set_mtu);
}

static ssize_t port_vls_show(struct config_item *item, char *page)
{
	return sprintf(page, "%s\n", sib_config_word(vl_caps, read_port(item).info.vl_cap));
}

static ssize_t port_vls_store(struct config_item *item, const char *page, size_t count)
{
	return store_word(item, "vls", page, count, vl_caps, sib_port_set_vls);
}

static ssize_t port_guid_show(struct config_item *item, char *page)
{
	return sprintf(page, "0x%016llx\n", read_port(item).guid);
}

static ssize_t port_guid_store(struct config_item *item, const char *page, size_t count)
{
	struct config_port *port = to_config_port(item);
	u64 guid;
	int err;

	err = sib_config_guid(page, count, &guid);
	if (!err)
		err = sib_slot_set_port_guid(port->slot, port->num, guid);
	return sib_config_done(item, "guid", err, count);
}

static ssize_t port_lid_show(struct config_item *item, char *page)
{
	return sprintf(page, "%u\n", read_port(item).lid);
}

CONFIGFS_ATTR(port_, peer);
CONFIGFS_ATTR(port_, state);
CONFIGFS_ATTR(port_, width);
CONFIGFS_ATTR(port_, speed);
CONFIGFS_ATTR(port_, mtu);
CONFIGFS_ATTR(port_, vls);
CONFIGFS_ATTR(port_, guid);
CONFIGFS_ATTR_RO(port_, lid);

static struct configfs_attribute *port_attrs[] = {
	&port_attr_peer, &port_attr_state, &port_attr_width, &port_attr_speed, &port_attr_mtu,
	&port_attr_vls, &port_attr_guid, &port_attr_lid, NULL
};

static void release_port(struct config_item *item)
{
	kfree(to_config_port(item));
}

static struct configfs_item_operations port_item_ops = { .release = release_port };

static const struct config_item_type port_type = {
	.ct_owner = THIS_MODULE,
	.ct_item_ops = &port_item_ops,
	.ct_attrs = port_attrs,
};

struct config_group *sib_config_port_create(struct sib_slot *slot, u8 num)
{
	struct config_port *port = kzalloc(sizeof(*port), GFP_KERNEL);
	char name[8];

	if (!port)
		return NULL;
	port->slot = slot;
	port->num = num;
	snprintf(name, sizeof(name), "port%u", num);
	config_group_init_type_name(&port->group, name, &port_type);
	return &port->group;
}

u8 sib_config_port_num(struct config_item *item)
{
	return to_config_port(item)->num;
}
