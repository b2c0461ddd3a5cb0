/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The way of an SMP, to an agent and back to the host that has sent it. */
#ifndef SIB_SMP_H
#define SIB_SMP_H

#include "drivers/sib/model.h"
#include "drivers/sib/packet.h"

/**
 * sib_smp_run() - take an SMP to its destination, and an answer back
 * @from: port of a CA, whose host or agent has sent the SMP; or port 0 of a switch, whose agent has
 * @packet: the SMP, MAD_LEN bytes, which change on the way
 *
 * Process context, with sib_fabric.topology held, and no other lock of the fabric.
 */
void sib_smp_run(struct sib_port *from, struct sib_packet *packet);

/**
 * sib_smp_arrive() - let an SMP come to a port by the link, and take an answer back
 * @in: port of a CA, or of a switch, but not its port 0
 * @packet: the SMP, MAD_LEN bytes, which change on the way
 *
 * Process context, with sib_fabric.topology held, and no other lock of the fabric.
 */
void sib_smp_arrive(struct sib_port *in, struct sib_packet *packet);

#endif /* SIB_SMP_H */
