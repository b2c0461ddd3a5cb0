/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Nodes: creation, the place in a fabric, and release. */
#ifndef SIB_NODE_H
#define SIB_NODE_H

#include "drivers/sib/model.h"

/**
 * sib_node_create() - make a node
 * @fabric: its fabric
 * @name: its name, shorter than SIB_NAME_LEN
 * @type: NODE_TYPE_CA or NODE_TYPE_SWITCH
 * @num_ports: number of ports, 1 to 254
 * @guid: GUID of the node; the ports of a CA have the next ones
 * @desc: NodeDescription
 *
 * Process context. The node is not in the fabric yet.
 *
 * Return: the node, to be given back by sib_node_free(); NULL if there is no memory.
 */
struct sib_node *sib_node_create(struct sib_fabric *fabric, const char *name, u8 type,
				 u8 num_ports, u64 guid, const char *desc);

/**
 * sib_node_free() - free a node
 * @node: node that is in no fabric, or NULL
 *
 * Any context. The memory is freed after a grace period, for those who read the node under RCU.
 */
void sib_node_free(struct sib_node *node);

/**
 * sib_node_describe() - change the description of a node, of which the SM hears
 * @node: the node
 * @desc: NodeDescription
 * @len: its length in bytes, up to SIB_DESC_LEN; zeros follow
 *
 * Called with sib_node.mgmt held.
 */
void sib_node_describe(struct sib_node *node, const char *desc, size_t len);

/**
 * sib_port_set_width() - choose the widths that a port supports and uses
 * @port: port whose link is down, not port 0 of a switch
 * @widths: bits PORT_WIDTH_*
 *
 * Called with sib_node.mgmt held, like the functions for speeds, MTU and VLs, or before the node is
 * in a fabric. sib_port_publish() follows.
 */
void sib_port_set_width(struct sib_port *port, u8 widths);

/* The same for the bits PORT_SPEED_*; the largest PORT_MTU_*; and the value of VLCap. */
void sib_port_set_speed(struct sib_port *port, u8 speeds);
void sib_port_set_mtu(struct sib_port *port, u8 mtu);
void sib_port_set_vls(struct sib_port *port, u8 vl_cap);

/**
 * sib_port_reset() - let a port support the default, and have its default GUID
 * @port: port whose link is down, not port 0 of a switch
 *
 * Called with sib_node.mgmt held.
 */
void sib_port_reset(struct sib_port *port);

/**
 * sib_port_publish() - copy to the data path what the SM has set
 * @port: the port
 *
 * Called with sib_node.mgmt held, after each change of sib_port.info.
 */
void sib_port_publish(struct sib_port *port);

/**
 * sib_switch_publish() - copy to the data path what the SM has set
 * @sw: part of a switch
 *
 * Called with sib_node.mgmt held, after each change of sib_switch.info.
 */
void sib_switch_publish(struct sib_switch *sw);

/**
 * sib_port_has_gid() - is a GID one of a port?
 * @port: port of a CA, or port 0 of a switch
 * @gid: GID_LEN bytes
 *
 * Any context.
 *
 * Return: true if the GUID is in the port's table, and the prefix is that of the port or the
 * default one, which is always valid.
 */
bool sib_port_has_gid(const struct sib_port *port, const u8 *gid);

/**
 * sib_port_pkey() - read an entry of a port's table of P_Keys
 * @port: the port
 * @index: less than SIB_PKEYS
 *
 * Any context.
 *
 * Return: the P_Key; 0 if the entry is empty.
 */
u16 sib_port_pkey(const struct sib_port *port, u16 index);

/**
 * sib_port_find_pkey() - find a P_Key in a port's table that matches
 * @port: the port
 * @pkey: P_Key of a packet
 *
 * Any context.
 *
 * Return: the index; -ENOENT if there is none.
 */
int sib_port_find_pkey(const struct sib_port *port, u16 pkey);

/**
 * sib_port_has_partition() - look for the partition of a P_Key in the table of a switch's port
 * @port: the port, which enforces partitions
 * @pkey: P_Key of a packet, of a full or a limited member
 *
 * Any context.
 *
 * Return: true if the table has the partition, with any membership.
 */
bool sib_port_has_partition(const struct sib_port *port, u16 pkey);

/**
 * sib_port_guid() - read an entry of a port's table of GUIDs
 * @port: port of a CA, or port 0 of a switch
 * @index: less than SIB_GUIDS
 *
 * Called with sib_node.mgmt held.
 *
 * Return: the GUID; 0 if the entry is empty.
 */
u64 sib_port_guid(const struct sib_port *port, u16 index);

#endif /* SIB_NODE_H */
