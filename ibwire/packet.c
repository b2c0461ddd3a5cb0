// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* A whole packet. */

#include "packet.h"
#include "icrc.h"
#include "vcrc.h"

static size_t route_len(const struct ibwire_packet *packet)
{
	return packet->lrh.next == LNH_GLOBAL ? LRH_LEN + GRH_LEN : LRH_LEN;
}

/* Sets the lengths of headers and payload, after the headers have been decoded. */
static enum ibwire_fault set_lengths(struct ibwire_packet *packet, size_t len)
{
	size_t rest = ICRC_LEN + VCRC_LEN;

	packet->head_len = route_len(packet) + packet->op->head_len;
	if (len < packet->head_len + rest)
		return IBWIRE_TRUNCATED;
	rest = len - packet->head_len - rest;
	if (rest && !(packet->op->flags & OP_PAYLOAD))
		return IBWIRE_PAYLOAD;
	if (packet->bth.pad > rest)
		return IBWIRE_PAD;
	packet->payload_len = rest - packet->bth.pad;
	return IBWIRE_OK;
}

enum ibwire_fault ibwire_packet_parse(const u8 *bytes, size_t len, struct ibwire_packet *packet)
{
	enum ibwire_fault fault;
	size_t bth;

	*packet = (struct ibwire_packet) { 0 };
	fault = lrh_parse(bytes, len, &packet->lrh);
	if (fault)
		return fault;
	if (packet->lrh.next == LNH_GLOBAL) {
		fault = grh_parse(bytes + LRH_LEN, len - LRH_LEN - VCRC_LEN, &packet->grh);
		if (fault)
			return fault;
	}
	bth = route_len(packet);
	fault = bth_parse(bytes + bth, len - bth - VCRC_LEN, &packet->bth);
	if (fault)
		return fault;
	packet->op = opcode_find(packet->bth.opcode);
	if (!packet->op)
		return IBWIRE_OPCODE;
	fault = set_lengths(packet, len);
	if (fault)
		return fault;
	bth_ext_parse(bytes + bth + BTH_LEN, packet->op->flags, &packet->ext);
	return IBWIRE_OK;
}

/* Returns the ICRC of a packet, without the last inversion. @len: length without the CRCs */
static u32 icrc_of(const u8 *bytes, size_t len, const struct ibwire_packet *packet)
{
	u32 crc = icrc_begin(bytes, packet->head_len, packet->lrh.next == LNH_GLOBAL);

	return icrc_add(crc, bytes + packet->head_len, len - packet->head_len);
}

/* Writes the VCRC of a packet to @buf. @len: length without the VCRC */
static void put_vcrc(u8 *buf, const u8 *bytes, size_t len)
{
	u16 crc = vcrc(bytes, len);

	buf[0] = crc;
	buf[1] = crc >> 8;
}

enum ibwire_fault ibwire_packet_check(const u8 *bytes, size_t len,
				      const struct ibwire_packet *packet)
{
	u8 icrc[ICRC_LEN], variant[VCRC_LEN];

	len -= VCRC_LEN;
	put_vcrc(variant, bytes, len);
	if (memcmp(bytes + len, variant, VCRC_LEN))
		return IBWIRE_VCRC;
	len -= ICRC_LEN;
	icrc_end(icrc, icrc_of(bytes, len, packet));
	return memcmp(bytes + len, icrc, ICRC_LEN) ? IBWIRE_ICRC : IBWIRE_OK;
}

size_t ibwire_packet_head_build(u8 *buf, struct ibwire_packet *packet)
{
	size_t bth = route_len(packet), len;

	packet->head_len = bth + packet->op->head_len;
	packet->bth.pad = -packet->payload_len & 3;
	len = packet->head_len + packet->payload_len + packet->bth.pad + ICRC_LEN;
	packet->lrh.words = len / 4;
	lrh_build(buf, &packet->lrh);
	if (packet->lrh.next == LNH_GLOBAL) {
		packet->grh.pay_len = len - bth;
		grh_build(buf + LRH_LEN, &packet->grh);
	}
	bth_build(buf + bth, &packet->bth);
	bth_ext_build(buf + bth + BTH_LEN, packet->op->flags, &packet->ext);
	return len + VCRC_LEN;
}

void ibwire_packet_tail_build(u8 *bytes, const struct ibwire_packet *packet)
{
	size_t len = packet->head_len + packet->payload_len;

	memset(bytes + len, 0, packet->bth.pad);
	len += packet->bth.pad;
	icrc_end(bytes + len, icrc_of(bytes, len, packet));
	len += ICRC_LEN;
	put_vcrc(bytes + len, bytes, len);
}
