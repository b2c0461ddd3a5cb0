/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The way of a datagram of data, from the port that sends it to a QP or an agent. */
#ifndef SIB_DATAGRAM_H
#define SIB_DATAGRAM_H

#include "drivers/sib/model.h"
#include "drivers/sib/packet.h"

/**
 * sib_datagram_send() - send a datagram, which has arrived, or was dropped, when the call returns
 * @from: port of a CA, or port 0 of a switch, that sends it
 * @packet: the datagram, not an SMP; its VL changes on the way
 *
 * Called under RCU, with interrupts off.
 */
void sib_datagram_send(struct sib_port *from, struct sib_packet *packet);

/**
 * sib_datagram_arrive() - let a datagram come to a port by the link
 * @in: port of a CA, or of a switch, but not its port 0
 * @packet: the datagram, not an SMP; its VL changes on the way
 *
 * Called under RCU, with interrupts off.
 */
void sib_datagram_arrive(struct sib_port *in, struct sib_packet *packet);

#endif /* SIB_DATAGRAM_H */
