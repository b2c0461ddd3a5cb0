/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The management key (M_Key), which protects a port from strange subnet managers (IBTA 14.2.4). */
#ifndef SIB_MKEY_H
#define SIB_MKEY_H

#include "drivers/sib/model.h"
#include "ibwire/mad.h"

/**
 * sib_mkey_allows() - may an SMP be processed, with the key that it has?
 * @port: port of a CA, or port 0 of a switch
 * @smp: the SMP: a Get, a Set, or a TrapRepress, which needs the same as a Set
 * @mad: its header
 * @slid: LID that it came from
 * @hide: out: the answer must not show the M_Key
 *
 * Called with sib_node.mgmt held. A wrong key is counted, starts the lease, and makes a trap; a
 * right one ends the lease. At the end of the lease the protection ends.
 *
 * Return: true; false if the SMP is to be dropped.
 */
bool sib_mkey_allows(struct sib_port *port, const u8 *smp, const struct mad *mad, u16 slid,
		     bool *hide);

#endif /* SIB_MKEY_H */
