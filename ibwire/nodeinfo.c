// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* NodeInfo, SwitchInfo and LedInfo. */

#include "nodeinfo.h"
#include "lrh.h"

#define CLASS_VERSION_SMP	1

struct nodeinfo_wire {
	u8 base_version;
	u8 class_version;
	u8 type;
	u8 num_ports;
	__be64 system_guid;
	__be64 node_guid;
	__be64 port_guid;
	__be16 partition_cap;
	__be16 device_id;
	__be32 revision;
	__be32 port_vendor;	/* 8, 24 bits */
} __packed;

static_assert(sizeof(struct nodeinfo_wire) == NODEINFO_LEN);

#define LOCAL_PORT	0xff000000
#define VENDOR		0x00ffffff

void nodeinfo_build(u8 *data, const struct nodeinfo *info)
{
	const struct nodeinfo_wire w = {
		.base_version = MAD_BASE_VERSION,
		.class_version = CLASS_VERSION_SMP,
		.type = info->type,
		.num_ports = info->num_ports,
		.system_guid = cpu_to_be64(info->system_guid),
		.node_guid = cpu_to_be64(info->node_guid),
		.port_guid = cpu_to_be64(info->port_guid),
		.partition_cap = cpu_to_be16(info->partition_cap),
		.device_id = cpu_to_be16(info->device_id),
		.revision = cpu_to_be32(info->revision),
		.port_vendor = cpu_to_be32(FIELD_PREP(LOCAL_PORT, info->local_port) |
					   FIELD_PREP(VENDOR, info->vendor_id)),
	};

	memcpy(data, &w, sizeof(w));
}

struct switchinfo_wire {
	__be16 linear_cap;
	__be16 random_cap;
	__be16 multicast_cap;
	__be16 linear_top;
	u8 default_port;
	u8 default_mcast_primary;
	u8 default_mcast_other;
	u8 life_change;		/* 5, 1, 2 reserved bits */
	__be16 lids_per_port;
	__be16 enforcement_cap;
	u8 enforces;
	u8 reserved;
	__be16 multicast_top;
};

static_assert(sizeof(struct switchinfo_wire) == SWITCHINFO_LEN);

#define LIFE_TIME	0xf8
#define STATE_CHANGE	0x04

void switchinfo_parse(const u8 *data, struct switchinfo *info)
{
	struct switchinfo_wire w;

	memcpy(&w, data, sizeof(w));
	*info = (struct switchinfo) {
		.linear_cap = be16_to_cpu(w.linear_cap),
		.multicast_cap = be16_to_cpu(w.multicast_cap),
		.linear_top = be16_to_cpu(w.linear_top),
		.default_port = w.default_port,
		.default_mcast_primary = w.default_mcast_primary,
		.default_mcast_other = w.default_mcast_other,
		.life_time = FIELD_GET(LIFE_TIME, w.life_change),
		.state_change = w.life_change & STATE_CHANGE,
		.lids_per_port = be16_to_cpu(w.lids_per_port),
		.enforcement_cap = be16_to_cpu(w.enforcement_cap),
		.enforces = w.enforces,
		.multicast_top = be16_to_cpu(w.multicast_top),
	};
}

void switchinfo_build(u8 *data, const struct switchinfo *info)
{
	const struct switchinfo_wire w = {
		.linear_cap = cpu_to_be16(info->linear_cap),
		.multicast_cap = cpu_to_be16(info->multicast_cap),
		.linear_top = cpu_to_be16(info->linear_top),
		.default_port = info->default_port,
		.default_mcast_primary = info->default_mcast_primary,
		.default_mcast_other = info->default_mcast_other,
		.life_change = (u8)(FIELD_PREP(LIFE_TIME, info->life_time) |
				    (info->state_change ? STATE_CHANGE : 0)),
		.lids_per_port = cpu_to_be16(info->lids_per_port),
		.enforcement_cap = cpu_to_be16(info->enforcement_cap),
		.enforces = info->enforces,
		.multicast_top = cpu_to_be16(info->multicast_top),
	};

	memcpy(data, &w, sizeof(w));
}

static bool port_is_valid(u8 port, u8 num_ports)
{
	return port <= num_ports || port == SWITCH_PORT_NONE;
}

static bool multicast_top_is_valid(const struct switchinfo *info, u16 top)
{
	/* 0 is no limit; 0xbfff, the last unicast LID, switches look-ups off. */
	if (!top || top == LID_UNICAST_MAX)
		return true;
	return top >= LID_MULTICAST_MIN && top - LID_MULTICAST_MIN < info->multicast_cap;
}

u16 switchinfo_set(struct switchinfo *info, const struct switchinfo *wanted, u8 num_ports)
{
	if (wanted->linear_top >= info->linear_cap ||
	    !port_is_valid(wanted->default_port, num_ports) ||
	    !port_is_valid(wanted->default_mcast_primary, num_ports) ||
	    !port_is_valid(wanted->default_mcast_other, num_ports) ||
	    !multicast_top_is_valid(info, wanted->multicast_top))
		return MAD_STATUS_BAD_VALUE;
	info->linear_top = wanted->linear_top;
	info->default_port = wanted->default_port;
	info->default_mcast_primary = wanted->default_mcast_primary;
	info->default_mcast_other = wanted->default_mcast_other;
	info->life_time = wanted->life_time;
	info->multicast_top = wanted->multicast_top;
	if (wanted->state_change)
		info->state_change = false;
	return 0;
}

u16 ledinfo_set(const u8 *data, bool *on)
{
	u32 word = get_unaligned_be32(data);

	if (word & ~LED_ON)
		return MAD_STATUS_BAD_VALUE;
	*on = word;
	return 0;
}
