/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A whole packet of a subnet: LRH, GRH, BTH, extended headers, payload, pad, ICRC, VCRC. */
#ifndef IBWIRE_PACKET_H
#define IBWIRE_PACKET_H

#include "bth.h"
#include "fault.h"
#include "grh.h"
#include "lrh.h"
#include "opcode.h"

/**
 * struct ibwire_packet - a packet, decoded
 * @lrh: local route header
 * @grh: global route header, if @lrh.next is LNH_GLOBAL
 * @bth: base transport header
 * @op: attributes of its opcode
 * @ext: extended headers
 * @head_len: length of all headers in bytes
 * @payload_len: length of the payload in bytes, without the pad
 */
struct ibwire_packet {
	struct lrh lrh;
	struct grh grh;
	struct bth bth;
	const struct opcode *op;
	struct bth_ext ext;
	u8 head_len;
	u16 payload_len;
};

/**
 * ibwire_packet_parse() - decode and check the headers of a packet
 * @bytes: the packet
 * @len: length of the packet in bytes, with the VCRC
 * @packet: out: the headers; set on IBWIRE_OK, undefined otherwise
 *
 * The payload begins at @bytes + @packet->head_len. CRCs are not checked.
 *
 * Return: IBWIRE_OK, or the first fault: those of lrh_parse(), grh_parse() and bth_parse(),
 * IBWIRE_OPCODE, IBWIRE_TRUNCATED if the packet is shorter than its headers and CRCs,
 * IBWIRE_PAYLOAD if there is a payload and the opcode has none, IBWIRE_PAD.
 */
enum ibwire_fault ibwire_packet_parse(const u8 *bytes, size_t len, struct ibwire_packet *packet);

/**
 * ibwire_packet_check() - check the CRCs of a packet
 * @bytes: the packet
 * @len: length of the packet in bytes, with the VCRC
 * @packet: its headers, from ibwire_packet_parse()
 *
 * Return: IBWIRE_OK, IBWIRE_VCRC or IBWIRE_ICRC.
 */
enum ibwire_fault ibwire_packet_check(const u8 *bytes, size_t len,
				      const struct ibwire_packet *packet);

/**
 * ibwire_packet_head_build() - write the headers of a packet
 * @buf: room for IBWIRE_HEAD_MAX bytes
 * @packet: the headers. The lengths and the pad are set: @packet->lrh.words, @packet->grh.pay_len,
 *	@packet->bth.pad, @packet->head_len, by the opcode and @packet->payload_len
 *
 * Return: length of the packet in bytes, with pad, ICRC and VCRC.
 */
size_t ibwire_packet_head_build(u8 *buf, struct ibwire_packet *packet);

/**
 * ibwire_packet_tail_build() - write what is behind the payload: pad, ICRC and VCRC
 * @bytes: the packet, with headers and payload, and room for the rest
 * @packet: its headers, from ibwire_packet_head_build()
 */
void ibwire_packet_tail_build(u8 *bytes, const struct ibwire_packet *packet);

#endif /* IBWIRE_PACKET_H */
