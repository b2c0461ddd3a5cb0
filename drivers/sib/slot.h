/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Slots: the nodes of a fabric in configfs, as the administrator sets them up. The number of ports
 * is fixed when a node is made, so a slot gets another node when its kind, its number of ports, or
 * its GUID changes.
 */
#ifndef SIB_SLOT_H
#define SIB_SLOT_H

#include <linux/bitmap.h>

#include "drivers/sib/model.h"

/**
 * struct sib_slot - place of a node
 * @fabric: its fabric
 * @node: the node; protected by sib_fabric.topology, like @dirs
 * @dirs: numbers of the ports that have a directory
 */
struct sib_slot {
	struct sib_fabric *fabric;
	struct sib_node *node;
	DECLARE_BITMAP(dirs, SIB_SWITCH_PORTS + 1);
};

/**
 * struct sib_slot_info - what the administrator can read of a node
 * @type: NODE_TYPE_*
 * @num_ports: number of ports, without a switch's port 0
 * @guid: GUID of the node
 * @system_guid: GUID of its system
 * @desc: NodeDescription, with a 0 at the end
 */
struct sib_slot_info {
	u8 type;
	u8 num_ports;
	u64 guid;
	u64 system_guid;
	char desc[SIB_DESC_LEN + 1];
};

/**
 * sib_slot_read() - read what a node is
 * @slot: the slot
 * @info: out
 *
 * Process context.
 */
void sib_slot_read(struct sib_slot *slot, struct sib_slot_info *info);

/**
 * sib_slot_fill() - put a CA with one port in an empty slot
 * @slot: the slot, whose fabric is set
 * @name: name of the node, shorter than SIB_NAME_LEN; also its description
 *
 * Process context. Port 1 has a directory.
 *
 * Return: 0; -ENOSPC if the fabric has SIB_FABRIC_NODES; -EEXIST if a node has this name; -ENOMEM.
 */
int sib_slot_fill(struct sib_slot *slot, const char *name);

/**
 * sib_slot_empty() - take the node of a slot away, with its links
 * @slot: slot whose node is no device
 *
 * Process context.
 */
void sib_slot_empty(struct sib_slot *slot);

/**
 * sib_slot_set_type() - choose what the node is
 * @slot: the slot
 * @type: NODE_TYPE_CA, which leaves it SIB_CA_PORTS at most; or NODE_TYPE_SWITCH
 *
 * Process context. The SM's settings of the node are lost.
 *
 * Return: 0; -EBUSY if the node has a link or a device, or a port above the new number of ports a
 * directory; -ENOMEM.
 */
int sib_slot_set_type(struct sib_slot *slot, u8 type);

/**
 * sib_slot_set_num_ports() - choose the number of ports
 * @slot: the slot
 * @num_ports: number of ports, without a switch's port 0
 *
 * Process context. The SM's settings of the node are lost.
 *
 * Return: 0; -EINVAL if @num_ports is 0, or too large for the kind of node; -EBUSY and -ENOMEM as
 * sib_slot_set_type().
 */
int sib_slot_set_num_ports(struct sib_slot *slot, unsigned int num_ports);

/**
 * sib_slot_set_guid() - choose the GUID of the node
 * @slot: the slot
 * @guid: the GUID; those of the system and of ports that were made from the old one follow
 *
 * Process context. The SM's settings of the node are lost.
 *
 * Return: 0; -EINVAL if @guid is 0; -EEXIST if another node has it; -EBUSY if the node has a link
 * or a device; -ENOMEM.
 */
int sib_slot_set_guid(struct sib_slot *slot, u64 guid);

/**
 * sib_slot_set_system_guid() - choose the GUID of the system that the node is a part of
 * @slot: the slot
 * @guid: the GUID
 *
 * Process context.
 *
 * Return: 0; -EINVAL if @guid is 0; -EBUSY if the node has a link or a device.
 */
int sib_slot_set_system_guid(struct sib_slot *slot, u64 guid);

/**
 * sib_slot_set_desc() - describe the node
 * @slot: the slot
 * @desc: NodeDescription, shorter than SIB_DESC_LEN; empty: the name of the node
 *
 * Process context. The SM hears of the change.
 */
void sib_slot_set_desc(struct sib_slot *slot, const char *desc);

/**
 * sib_slot_attach() - make the CA in a slot a device
 * @slot: the slot
 * @dev: the device, whose fabric and node are set
 *
 * Process context.
 *
 * Return: 0; -EOPNOTSUPP if the node is a switch; -EBUSY if it is a device already.
 */
int sib_slot_attach(struct sib_slot *slot, struct sib_device *dev);

/**
 * sib_slot_device() - get the device that a node is
 * @slot: the slot
 *
 * Process context.
 *
 * Return: the device, with a reference to its memory, to be given back by put_device(); NULL if the
 * node is none.
 */
struct ib_device *sib_slot_device(struct sib_slot *slot);

#endif /* SIB_SLOT_H */
