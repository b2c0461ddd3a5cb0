// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The invariant CRC. What switches and routers may change is replaced by ones. */

#include "icrc.h"

#define ONES 0xff

/* Offsets in headers. */
#define GRH_TCLASS_FLOW		1	/* the first bits are in the byte before it */
#define GRH_HOP_LIMIT		7
#define BTH_FECN_BECN		4
#define IPV4_TOS		1
#define IPV4_TTL		8
#define IPV4_CHECKSUM		10
#define UDP_CHECKSUM		6

/* Replaces traffic class, flow label and hop limit, which are in the same place in GRH and IPv6. */
static void ones_in_ipv6(u8 *hdr)
{
	hdr[0] |= 0x0f;
	memset(hdr + GRH_TCLASS_FLOW, ONES, 3);
	hdr[GRH_HOP_LIMIT] = ONES;
}

static void ones_in_ipv4(u8 *hdr)
{
	hdr[IPV4_TOS] = ONES;
	hdr[IPV4_TTL] = ONES;
	memset(hdr + IPV4_CHECKSUM, ONES, 2);
}

u32 icrc_begin(const u8 *head, size_t len, bool global)
{
	u8 copy[IBWIRE_HEAD_MAX];
	u8 *bth = copy + LRH_LEN;

	memcpy(copy, head, len);
	copy[0] |= LRH_VL_MASK;
	if (global) {
		ones_in_ipv6(bth);
		bth += GRH_LEN;
	}
	bth[BTH_FECN_BECN] = ONES;
	return icrc_add(~0u, copy, len);
}

u32 icrc_begin_roce(const u8 *head, size_t len)
{
	/* Eight bytes of ones take the place of an LRH. */
	u8 copy[LRH_LEN + ICRC_ROCE_HEAD_MAX];
	u8 *ip = copy + LRH_LEN, *udp;

	memset(copy, ONES, LRH_LEN);
	memcpy(ip, head, len);
	if (head[0] >> 4 == 4) {
		ones_in_ipv4(ip);
		udp = ip + IPV4_LEN;
	} else {
		ones_in_ipv6(ip);
		udp = ip + IPV6_LEN;
	}
	memset(udp + UDP_CHECKSUM, ONES, 2);
	udp[UDP_LEN + BTH_FECN_BECN] = ONES;
	return icrc_add(~0u, copy, LRH_LEN + len);
}

u32 icrc_add(u32 crc, const void *data, size_t len)
{
	return crc32_le(crc, data, len);
}
