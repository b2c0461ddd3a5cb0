/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a node is: NodeInfo, SwitchInfo and LedInfo (IBTA 14.2.5.3, 14.2.5.4, 14.2.5.15).
 */
#ifndef IBWIRE_NODEINFO_H
#define IBWIRE_NODEINFO_H

#include "mad.h"

#define NODEINFO_LEN		40
#define SWITCHINFO_LEN		20

#define NODE_TYPE_CA		1
#define NODE_TYPE_SWITCH	2

/* Port that no LID leads to: entries of a forwarding table, and default ports. */
#define SWITCH_PORT_NONE	255

/* LedInfo: the light that shows where the node is. */
#define LED_ON			0x80000000

/**
 * struct nodeinfo - NodeInfo, decoded
 * @type: NODE_TYPE_*
 * @num_ports: number of ports, without a switch's port 0
 * @system_guid: GUID of the whole, of which the node is a part
 * @node_guid: GUID of the node
 * @port_guid: GUID of the port by which the SMP came; of a switch, of its port 0
 * @partition_cap: entries of the P_Key table of a CA's port, or a switch's port 0
 * @device_id: number of the product, by its vendor
 * @revision: its revision
 * @local_port: number of the port by which the SMP came
 * @vendor_id: OUI of the vendor, 24 bits
 */
struct nodeinfo {
	u8 type;
	u8 num_ports;
	u64 system_guid;
	u64 node_guid;
	u64 port_guid;
	u16 partition_cap;
	u16 device_id;
	u32 revision;
	u8 local_port;
	u32 vendor_id;
};

/**
 * nodeinfo_build() - write NodeInfo
 * @data: room for NODEINFO_LEN bytes
 * @info: the members
 */
void nodeinfo_build(u8 *data, const struct nodeinfo *info);

/**
 * struct switchinfo - SwitchInfo, decoded
 * @linear_cap: LIDs that the linear forwarding table can have
 * @multicast_cap: LIDs that the multicast forwarding table can have
 * @linear_top: highest LID that is looked up in the linear table
 * @default_port: port for LIDs that the random table does not have
 * @default_mcast_primary: port for multicast LIDs without an entry, of packets that came by others
 * @default_mcast_other: the same, of packets that came by @default_mcast_primary
 * @life_time: time that a packet may stay in the switch, 4.096 us * 2^n
 * @state_change: a port has changed its state
 * @lids_per_port: LIDs of a port in the random table
 * @enforcement_cap: entries of the P_Key tables of ports other than port 0
 * @enforces: SWITCH_ENFORCES_*
 * @multicast_top: highest multicast LID that is looked up
 */
struct switchinfo {
	u16 linear_cap;
	u16 multicast_cap;
	u16 linear_top;
	u8 default_port;
	u8 default_mcast_primary;
	u8 default_mcast_other;
	u8 life_time;
	bool state_change;
	u16 lids_per_port;
	u16 enforcement_cap;
	u8 enforces;
	u16 multicast_top;
};

#define SWITCH_ENFORCES_IN	0x80
#define SWITCH_ENFORCES_OUT	0x40

/**
 * switchinfo_parse() - decode SwitchInfo
 * @data: SWITCHINFO_LEN bytes
 * @info: out
 */
void switchinfo_parse(const u8 *data, struct switchinfo *info);

/**
 * switchinfo_build() - write SwitchInfo
 * @data: room for SWITCHINFO_LEN bytes
 * @info: the members
 */
void switchinfo_build(u8 *data, const struct switchinfo *info);

/**
 * switchinfo_set() - check a Set of SwitchInfo, and carry it out
 * @info: SwitchInfo of the switch; changed only if the Set is valid
 * @wanted: members of the Set; @wanted->state_change clears that of the switch
 * @num_ports: number of the switch's ports
 *
 * Return: 0, or MAD_STATUS_BAD_VALUE.
 */
u16 switchinfo_set(struct switchinfo *info, const struct switchinfo *wanted, u8 num_ports);

/**
 * ledinfo_set() - check a Set of LedInfo
 * @data: the attribute
 * @on: out: whether the light is on; set on success only
 *
 * Return: 0, or MAD_STATUS_BAD_VALUE if a reserved bit is set.
 */
u16 ledinfo_set(const u8 *data, bool *on);

#endif /* IBWIRE_NODEINFO_H */
