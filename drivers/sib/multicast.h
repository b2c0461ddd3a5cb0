/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The way of a datagram to the members of a multicast group. */
#ifndef SIB_MULTICAST_H
#define SIB_MULTICAST_H

#include "drivers/sib/model.h"
#include "drivers/sib/packet.h"

/**
 * sib_multicast_send() - send a datagram to a multicast LID
 * @from: port of a CA, or port 0 of a switch, that sends it
 * @packet: the datagram; its VL changes on the way
 *
 * Called under RCU. When the call returns, all copies have arrived, or were dropped.
 */
void sib_multicast_send(struct sib_port *from, struct sib_packet *packet);

/**
 * sib_multicast_arrive() - let a datagram to a multicast LID come to a port by the link
 * @in: port of a CA, or of a switch, but not its port 0
 * @packet: the datagram; its VL changes on the way
 *
 * Called under RCU. When the call returns, all copies have arrived, or were dropped.
 */
void sib_multicast_arrive(struct sib_port *in, struct sib_packet *packet);

#endif /* SIB_MULTICAST_H */
