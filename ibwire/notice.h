/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The attribute Notice, which traps carry (IBTA 13.4.8.2, 14.2.5.1). */
#ifndef IBWIRE_NOTICE_H
#define IBWIRE_NOTICE_H

#include "mad.h"

#define NOTICE_LEN		64

/* Traps: a port of a switch has changed its state; a port's capabilities or other settings have. */
#define TRAP_LINK_STATE		128
#define TRAP_CAPABILITIES	144

/* TRAP_CAPABILITIES: the change of another setting than a capability. */
#define NOTICE_NODE_DESC	0x01

/**
 * struct notice - a Notice of subnet management
 * @trap: TRAP_*
 * @producer: NODE_TYPE_* of the node
 * @lid: LID of the port that is concerned, and that sends the trap
 * @cap_mask: TRAP_CAPABILITIES: capabilities of the port
 * @changes: TRAP_CAPABILITIES: NOTICE_NODE_DESC, or 0
 */
struct notice {
	u16 trap;
	u8 producer;
	u16 lid;
	u32 cap_mask;
	u8 changes;
};

/**
 * notice_build() - write a Notice
 * @data: room for NOTICE_LEN bytes
 * @notice: the members; those that the trap has not are ignored
 */
void notice_build(u8 *data, const struct notice *notice);

/**
 * notice_trap() - read the number of the trap
 * @data: a Notice
 *
 * Return: the number; 0 if the trap is none of IBTA's.
 */
u16 notice_trap(const u8 *data);

#endif /* IBWIRE_NOTICE_H */
