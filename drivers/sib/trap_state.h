/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Traps that the subnet manager has to hear of. */
#ifndef SIB_TRAP_STATE_H
#define SIB_TRAP_STATE_H

#include "drivers/sib/model.h"

/**
 * sib_trap_raise() - have a trap sent until the SM represses it
 * @port: port of a CA, or port 0 of a switch
 * @kind: the trap
 * @changes: SIB_TRAP_CAPABILITIES: NOTICE_NODE_DESC, or 0
 *
 * Called with sib_node.mgmt held.
 */
void sib_trap_raise(struct sib_port *port, enum sib_trap_kind kind, u8 changes);

/**
 * sib_trap_repress() - end a trap
 * @port: port of a CA, or port 0 of a switch
 * @trap: TRAP_*, or any other number
 * @tid: transaction of the TrapRepress
 *
 * Process context. A trap of which there is news since it was sent goes on.
 *
 * Return: true if the port has sent such a trap.
 */
bool sib_trap_repress(struct sib_port *port, u16 trap, u64 tid);

#endif /* SIB_TRAP_STATE_H */
