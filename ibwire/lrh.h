/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The local route header, which takes a packet through a subnet, and LIDs (IBTA 7.7, 4.1.3). */
#ifndef IBWIRE_LRH_H
#define IBWIRE_LRH_H

#include "fault.h"
#include "wire.h"

#define LID_UNICAST_MAX		0xbfff
#define LID_MULTICAST_MIN	0xc000
#define LID_PERMISSIVE		0xffff

/* Virtual lane of subnet management, which has no flow control. */
#define VL_MANAGEMENT		15

/**
 * enum lrh_next - what follows the LRH
 * @LNH_RAW: raw data
 * @LNH_IP: an IPv6 packet
 * @LNH_LOCAL: a BTH
 * @LNH_GLOBAL: a GRH, and then a BTH
 */
enum lrh_next {
	LNH_RAW = 0,
	LNH_IP = 1,
	LNH_LOCAL = 2,
	LNH_GLOBAL = 3,
};

/**
 * struct lrh - local route header, decoded
 * @vl: virtual lane, 0 to 15
 * @sl: service level, 0 to 15
 * @next: what follows
 * @dlid: destination
 * @slid: source
 * @words: PktLen: words of 32 bits from the LRH on, without the VCRC
 */
struct lrh {
	u8 vl;
	u8 sl;
	enum lrh_next next;
	u16 dlid;
	u16 slid;
	u16 words;
};

/**
 * lrh_parse() - decode and check a local route header
 * @packet: the packet
 * @len: length of the packet in bytes, with the VCRC
 * @lrh: out: the header; set on IBWIRE_OK, undefined otherwise
 *
 * Reserved bits are ignored. The caller checks VL, SL and LIDs against its tables.
 *
 * Return: IBWIRE_OK, IBWIRE_TRUNCATED, IBWIRE_LVER, IBWIRE_RAW, IBWIRE_LENGTH or IBWIRE_DLID, in
 * this order.
 */
enum ibwire_fault lrh_parse(const u8 *packet, size_t len, struct lrh *lrh);

/**
 * lrh_build() - write a local route header
 * @buf: room for LRH_LEN bytes
 * @lrh: the header; @lrh->words is at most LRH_PKT_LEN_MASK
 */
void lrh_build(u8 *buf, const struct lrh *lrh);

/* Returns whether @lid is the address of a port, or of several ports by LMC. */
static inline bool lid_is_unicast(u16 lid)
{
	return lid && lid <= LID_UNICAST_MAX;
}

/* Returns whether @lid is the address of a multicast group. */
static inline bool lid_is_multicast(u16 lid)
{
	return lid >= LID_MULTICAST_MIN && lid != LID_PERMISSIVE;
}

#endif /* IBWIRE_LRH_H */
