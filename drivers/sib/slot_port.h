/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Ports of the nodes in slots: their links, and what they support. */
#ifndef SIB_SLOT_PORT_H
#define SIB_SLOT_PORT_H

#include "drivers/sib/slot.h"

/**
 * struct sib_slot_port - what the administrator can read of a port
 * @info: PortInfo
 * @guid: GUID of a CA's port; of a switch's port, that of the node
 * @lid: LID of a CA's port; of a switch's port, that of the node
 * @peer: name of the node at the other end of the link; empty without a link
 * @peer_num: number of the port there
 */
struct sib_slot_port {
	struct portinfo info;
	u64 guid;
	u16 lid;
	char peer[SIB_NAME_LEN];
	u8 peer_num;
};

/**
 * sib_slot_read_port() - read what a port is
 * @slot: the slot
 * @num: number of a port that has a directory
 * @info: out
 *
 * Process context.
 */
void sib_slot_read_port(struct sib_slot *slot, u8 num, struct sib_slot_port *info);

/**
 * sib_slot_open_port() - note that a port has a directory
 * @slot: the slot
 * @num: number of the port
 *
 * Process context.
 *
 * Return: 0; -EINVAL if the node has no such port.
 */
int sib_slot_open_port(struct sib_slot *slot, unsigned int num);

/**
 * sib_slot_close_port() - note that a port has no directory any more, and take its link away
 * @slot: the slot
 * @num: number of a port that has a directory
 *
 * Process context. The port supports the default again, and has its default GUID, unless the node
 * is a device.
 */
void sib_slot_close_port(struct sib_slot *slot, u8 num);

/**
 * sib_slot_connect() - link two ports
 * @slot: slot of the first one
 * @num: number of the first one, which has a directory
 * @peer: name of the other one's node
 * @peer_num: number of the other one
 *
 * Process context.
 *
 * Return: 0; -ENOENT if there is no such node or port; -EINVAL if it is the same port; -EBUSY if
 * one of them has a link.
 */
int sib_slot_connect(struct sib_slot *slot, u8 num, const char *peer, unsigned int peer_num);

/**
 * sib_slot_disconnect() - take the link of a port away
 * @slot: the slot
 * @num: number of a port that has a directory; it may have no link
 *
 * Process context.
 */
void sib_slot_disconnect(struct sib_slot *slot, u8 num);

/**
 * sib_slot_plug() - pull the cable of a link, or plug it in again
 * @slot: the slot
 * @num: number of a port that has a directory
 * @in: plug it in
 *
 * Process context.
 *
 * Return: 0; -ENOTCONN if the port has no link.
 */
int sib_slot_plug(struct sib_slot *slot, u8 num, bool in);

/**
 * sib_slot_set_port() - choose what a port supports
 * @slot: the slot
 * @num: number of a port that has a directory
 * @set: sib_port_set_width() or another function of this kind
 * @value: its value
 *
 * Process context. A link that is down comes up, if its ends agree now.
 *
 * Return: 0; -EBUSY if the link is not down.
 */
int sib_slot_set_port(struct sib_slot *slot, u8 num, void (*set)(struct sib_port *port, u8 value),
		      u8 value);

/**
 * sib_slot_set_port_guid() - choose the GUID of a CA's port
 * @slot: the slot
 * @num: number of a port that has a directory
 * @guid: the GUID, which need not be unique, so that an SM can be seen to find that out
 *
 * Process context.
 *
 * Return: 0; -EINVAL if @guid is 0; -EOPNOTSUPP if the node is a switch; -EBUSY if the port has a
 * link, or the node is a device.
 */
int sib_slot_set_port_guid(struct sib_slot *slot, u8 num, u64 guid);

#endif /* SIB_SLOT_PORT_H */
