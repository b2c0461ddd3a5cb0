/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Traps that the subnet manager has to hear of. */
#ifndef SIB_TRAP_STATE_H
#define SIB_TRAP_STATE_H

#include "drivers/sib/model.h"

/**
 * sib_trap_prepare() - have room for the traps of a port
 * @port: port of a CA, or port 0 of a switch
 *
 * Process context, with sib_node.mgmt held. Called before the port gets a LID, because a port
 * without one sends no traps; until then, what would be a trap is dropped.
 *
 * Return: true; false if there is no memory.
 */
bool sib_trap_prepare(struct sib_port *port);

/**
 * sib_trap_raise() - have a trap sent until the SM represses it
 * @port: port of a CA, or port 0 of a switch
 * @kind: SIB_TRAP_LINK_STATE or SIB_TRAP_CAPABILITIES
 * @changes: SIB_TRAP_CAPABILITIES: NOTICE_NODE_DESC, or 0
 *
 * Any context. News of a kind that come together are one trap. It is sent 20 ms later; while news
 * do not pause, the distance between traps grows, for links to one second, else to twelve.
 */
void sib_trap_raise(struct sib_port *port, enum sib_trap_kind kind, u8 changes);

/**
 * sib_trap_violation() - have a trap about a wrong key sent until the SM represses it
 * @port: port of a CA, or port 0 of a switch
 * @kind: another kind than those of sib_trap_raise()
 * @notice: what was wrong; members that do not differ between traps of a kind need not be set
 *
 * Any context. While a trap of the kind has not been repressed, this is about a violation that is
 * only counted, by the caller.
 */
void sib_trap_violation(struct sib_port *port, enum sib_trap_kind kind,
			const struct notice *notice);

/**
 * sib_trap_is_known() - is there a trap of this number?
 * @trap: number
 *
 * Return: true if nodes of the fabric send such traps.
 */
bool sib_trap_is_known(u16 trap);

/**
 * sib_trap_repress() - end a trap
 * @port: port of a CA, or port 0 of a switch
 * @trap: number of the trap
 * @tid: transaction of the TrapRepress
 *
 * Any context. A trap of which there is news since it was sent goes on.
 */
void sib_trap_repress(struct sib_port *port, u16 trap, u64 tid);

/**
 * sib_trap_take() - take a trap that is due
 * @port: port of a CA, or port 0 of a switch
 * @kind: the trap
 * @trap: out: the trap
 *
 * The trap is due again in a second.
 *
 * Return: jiffies until a trap of this kind is due, 0 if @trap was set; MAX_JIFFY_OFFSET if none
 * will be.
 */
unsigned long sib_trap_take(struct sib_port *port, enum sib_trap_kind kind, struct sib_trap *trap);

/**
 * sib_trap_forget() - forget the traps of a node
 * @node: the node
 *
 * Process context, with sib_fabric.topology held for writing, if the node is in a fabric.
 */
void sib_trap_forget(struct sib_node *node);

#endif /* SIB_TRAP_STATE_H */
