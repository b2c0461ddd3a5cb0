/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The attribute Notice, which traps carry (IBTA 13.4.8.2, 14.2.5.1). */
#ifndef IBWIRE_NOTICE_H
#define IBWIRE_NOTICE_H

#include "mad.h"
#include "wire.h"

#define NOTICE_LEN		64

/* Traps: a port of a switch has changed its state; a port's capabilities or other settings have. */
#define TRAP_LINK_STATE		128
#define TRAP_CAPABILITIES	144
/* Traps: a wrong M_Key; a wrong P_Key or Q_Key at a destination; a wrong P_Key at a switch. */
#define TRAP_BAD_MKEY		256
#define TRAP_BAD_PKEY		257
#define TRAP_BAD_QKEY		258
#define TRAP_SWITCH_PKEY	259

/* TRAP_CAPABILITIES: the change of another setting than a capability. */
#define NOTICE_NODE_DESC	0x01

/* TRAP_BAD_MKEY: bytes of a return path for which there is room. */
#define NOTICE_PATH_LEN		30

/**
 * struct notice_mkey - an SMP with a wrong M_Key
 * @slid: LID that it came from
 * @method: its method
 * @attr_id: its attribute
 * @attr_mod: modifier of the attribute
 * @mkey: the M_Key
 * @directed: it has a directed route, with the members that follow
 * @dr_slid: LID at the begin of the directed route
 * @hops: links of the directed route
 * @path: return path, the first bytes of it
 */
struct notice_mkey {
	u16 slid;
	u8 method;
	u16 attr_id;
	u32 attr_mod;
	u64 mkey;
	bool directed;
	u16 dr_slid;
	u8 hops;
	u8 path[NOTICE_PATH_LEN];
};

/**
 * struct notice_keys - a packet with a wrong P_Key or Q_Key
 * @slid: LID that it came from
 * @dlid: LID that it was sent to
 * @key: the key
 * @sl: its SL
 * @sqpn: QP that has sent it
 * @dqpn: QP that it was sent to
 * @has_gids: it has a GRH, with the members that follow
 * @sgid: GID that it came from
 * @dgid: GID that it was sent to
 * @port: TRAP_SWITCH_PKEY: port of the switch that has not let it pass
 */
struct notice_keys {
	u16 slid;
	u16 dlid;
	u32 key;
	u8 sl;
	u32 sqpn;
	u32 dqpn;
	bool has_gids;
	u8 sgid[GID_LEN];
	u8 dgid[GID_LEN];
	u8 port;
};

/**
 * struct notice - a Notice of subnet management
 * @trap: TRAP_*
 * @producer: NODE_TYPE_* of the node
 * @lid: LID of the port that is concerned, and that sends the trap
 * @cap_mask: TRAP_CAPABILITIES: capabilities of the port
 * @changes: TRAP_CAPABILITIES: NOTICE_NODE_DESC, or 0
 * @mkey: TRAP_BAD_MKEY
 * @keys: TRAP_BAD_PKEY, TRAP_BAD_QKEY, TRAP_SWITCH_PKEY
 */
struct notice {
	u16 trap;
	u8 producer;
	u16 lid;
	u32 cap_mask;
	u8 changes;
	union {
		struct notice_mkey mkey;
		struct notice_keys keys;
	};
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
