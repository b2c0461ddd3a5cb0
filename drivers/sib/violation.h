/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Violations of keys: they are counted, and the subnet manager hears of them by a trap. */
#ifndef SIB_VIOLATION_H
#define SIB_VIOLATION_H

#include "drivers/sib/model.h"
#include "drivers/sib/packet.h"

/**
 * sib_violation_of_pkey() - a packet that came to its destination has a wrong P_Key
 * @port: port of a CA, or port 0 of a switch
 * @packet: the packet, which is dropped
 *
 * Any context.
 */
void sib_violation_of_pkey(struct sib_port *port, const struct sib_packet *packet);

/**
 * sib_violation_of_qkey() - a packet that came to its destination has a wrong Q_Key
 * @port: port of a CA, or port 0 of a switch
 * @packet: the packet, which is dropped
 *
 * Any context.
 */
void sib_violation_of_qkey(struct sib_port *port, const struct sib_packet *packet);

/**
 * sib_violation_at_switch() - a packet has a P_Key that a port of a switch does not let pass
 * @port: port of a switch; the caller counts the packet
 * @packet: the packet, which is dropped
 *
 * Any context.
 */
void sib_violation_at_switch(struct sib_port *port, const struct sib_packet *packet);

#endif /* SIB_VIOLATION_H */
