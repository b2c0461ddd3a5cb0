/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Packets of data cross links and switches. */
#ifndef SIB_FORWARD_H
#define SIB_FORWARD_H

#include "drivers/sib/model.h"
#include "drivers/sib/packet.h"

/**
 * sib_forward() - take a packet to the port that has its DLID
 * @from: port of a CA, or port 0 of a switch, that sends the packet
 * @packet: the packet, not an SMP; its VL changes on the way
 *
 * Called under RCU. Each port on the way counts the packet, or why it has dropped it.
 *
 * Return: the port: of a CA, or port 0 of a switch; NULL if the packet was dropped.
 */
struct sib_port *sib_forward(struct sib_port *from, struct sib_packet *packet);

/**
 * sib_forward_arrived() - take a packet on from a port that it has come to by the link
 * @in: the port
 * @packet: the packet, not an SMP; its VL changes on the way
 *
 * Called under RCU, for a packet from outside; sib_forward() does the same with others.
 *
 * Return: the port: of a CA, or port 0 of a switch; NULL if the packet was dropped.
 */
struct sib_port *sib_forward_arrived(struct sib_port *in, struct sib_packet *packet);

/**
 * sib_leave() - send a packet by a port
 * @out: the port
 * @in_num: port by which the packet has come to the node; that of @out if it begins here
 * @p: the packet, whose VL is set
 *
 * Called under RCU. Checks partition, state, MTU and VL, and counts.
 *
 * Return: the port at the other end; NULL if the packet was dropped.
 */
struct sib_port *sib_leave(struct sib_port *out, u8 in_num, struct sib_packet *p);

/**
 * sib_enter() - let a packet in by a port
 * @in: the port
 * @p: the packet
 *
 * Called under RCU. Checks state and partition, and counts.
 *
 * Return: true; false if the packet was dropped.
 */
bool sib_enter(struct sib_port *in, const struct sib_packet *p);

/**
 * sib_cross() - take a packet across a link
 * @out: port that sends it
 * @packet: the packet, as it leaves
 *
 * Called under RCU or with sib_fabric.topology held. Counts at both ends, and shows the packet
 * to the readers of captures.
 *
 * Return: the port at the other end; NULL if there is no link that is up, and nothing was counted.
 */
struct sib_port *sib_cross(struct sib_port *out, const struct sib_packet *packet);

/**
 * sib_switch_way() - look a LID up in a switch's linear forwarding table
 * @node: the switch
 * @dlid: any LID; others than unicast ones are not in the table
 *
 * Called under RCU.
 *
 * Return: the port, which may be port 0; NULL if the table has none.
 */
struct sib_port *sib_switch_way(struct sib_node *node, u16 dlid);

#endif /* SIB_FORWARD_H */
