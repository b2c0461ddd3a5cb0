/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Datagrams that have come to a port are placed in the memory of a QP's receives. */
#ifndef SIB_RECEIVE_H
#define SIB_RECEIVE_H

#include "drivers/sib/model.h"
#include "drivers/sib/packet.h"

/**
 * sib_receive() - give a datagram to the QP that it is for
 * @port: port that the datagram has come to
 * @packet: the datagram
 *
 * Called under RCU, with interrupts off. A datagram that nobody takes is dropped, and
 * counted. Handlers of completions run later, in a tasklet.
 */
void sib_receive(struct sib_port *port, const struct sib_packet *packet);

#endif /* SIB_RECEIVE_H */
