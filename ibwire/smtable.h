/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The tables that a subnet manager reads and sets in blocks of 64 bytes: P_Keys, GUIDs, SLs to VLs,
 * arbitration of VLs, forwarding (IBTA 14.2.5.5, 14.2.5.7 to 14.2.5.12).
 */
#ifndef IBWIRE_SMTABLE_H
#define IBWIRE_SMTABLE_H

#include "mad.h"

#define PKEYS_PER_BLOCK		32
#define GUIDS_PER_BLOCK		8
#define LIDS_PER_BLOCK		64	/* linear forwarding */
#define MLIDS_PER_BLOCK		32	/* multicast forwarding */
#define PORTS_PER_POSITION	16	/* multicast forwarding: ports of a mask */
#define SL_COUNT		16
#define SL_TO_VL_LEN		(SL_COUNT / 2)

#define PKEY_DEFAULT		0xffff
#define PKEY_FULL		0x8000	/* the bit of full members */
#define PKEY_BASE		0x7fff

/**
 * struct smtable_at - where in a table a block is, from the modifier of the attribute
 * @port: port: of a switch's P_Key table; that packets leave by
 * @in_port: port that packets come by
 * @block: number of the block
 * @position: multicast forwarding: the ports from 16 * @position on
 */
struct smtable_at {
	u8 port;
	u8 in_port;
	u16 block;
	u8 position;
};

/*
 * Each of these decodes the modifier of an attribute. Return true; false if reserved bits are set.
 */
bool smtable_at_pkeys(u32 attr_mod, struct smtable_at *at);
bool smtable_at_sl_to_vl(u32 attr_mod, struct smtable_at *at);
bool smtable_at_vl_arb(u32 attr_mod, struct smtable_at *at);
bool smtable_at_linear(u32 attr_mod, struct smtable_at *at);
bool smtable_at_multicast(u32 attr_mod, struct smtable_at *at);

/**
 * pkeys_parse() - decode a block of P_Keys
 * @data: the block
 * @keys: out: PKEYS_PER_BLOCK P_Keys
 */
void pkeys_parse(const u8 *data, u16 *keys);

/**
 * pkeys_build() - write a block of P_Keys
 * @data: room for the block
 * @keys: PKEYS_PER_BLOCK P_Keys
 */
void pkeys_build(u8 *data, const u16 *keys);

/**
 * pkey_matches() - are two P_Keys of one partition, and may their members talk?
 * @a: P_Key
 * @b: P_Key
 *
 * Return: true if the keys are equal, are not the invalid key, and at least one member is a full
 * one (IBTA 10.9.3).
 */
bool pkey_matches(u16 a, u16 b);

/**
 * pkey_is_same() - are two P_Keys of one partition?
 * @a: P_Key
 * @b: P_Key
 *
 * For switches, which keep partitions apart, and leave it to the end ports who may talk.
 *
 * Return: true if the keys are equal but for the bit of full members, and are not the invalid key.
 */
bool pkey_is_same(u16 a, u16 b);

/**
 * sl_to_vl() - look up the VL of an SL
 * @table: SL_TO_VL_LEN bytes
 * @sl: 0 to 15
 *
 * Return: 0 to 15; packets for 15 are to be dropped.
 */
u8 sl_to_vl(const u8 *table, u8 sl);

/**
 * linear_is_valid() - check a block of the linear forwarding table
 * @data: the block
 * @num_ports: number of the switch's ports
 *
 * Return: true if all entries are ports of the switch or SWITCH_PORT_NONE.
 */
bool linear_is_valid(const u8 *data, u8 num_ports);

/**
 * multicast_is_valid() - check a block of the multicast forwarding table
 * @data: the block
 * @position: position of its masks
 * @num_ports: number of the switch's ports
 *
 * Return: true if the masks have no port that the switch has not.
 */
bool multicast_is_valid(const u8 *data, u8 position, u8 num_ports);

#endif /* IBWIRE_SMTABLE_H */
