/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A packet inside the fabric: the fields of its headers, and where its payload is. Inside one
 * kernel it needs no bytes and no CRCs.
 */
#ifndef SIB_PACKET_H
#define SIB_PACKET_H

#include "ibwire/grh.h"
#include "ibwire/lrh.h"

struct ibwire_packet;

/**
 * struct sib_packet - a datagram
 * @dlid: LRH: destination
 * @slid: LRH: source
 * @sl: LRH: service level
 * @vl: LRH: VL_MANAGEMENT for SMPs; set by each port that sends other packets
 * @pkey: BTH: partition
 * @solicited: BTH: the receiver is to be notified
 * @dqpn: BTH: QP that receives
 * @sqpn: DETH: QP that has sent
 * @qkey: DETH: Q_Key
 * @has_imm: there is @imm
 * @imm: immediate data
 * @has_grh: there is @grh
 * @grh: global route header
 * @payload: payload, which stays as long as the packet is used
 * @len: length of the payload in bytes
 */
struct sib_packet {
	u16 dlid;
	u16 slid;
	u8 sl;
	u8 vl;
	u16 pkey;
	bool solicited;
	u32 dqpn;
	u32 sqpn;
	u32 qkey;
	bool has_imm;
	__be32 imm;
	bool has_grh;
	struct grh grh;
	u8 *payload;
	u32 len;
};

/* Returns the length in words of 4 bytes, from the LRH to the ICRC. */
static inline u32 sib_packet_words(const struct sib_packet *packet)
{
	u32 bytes = LRH_LEN + BTH_LEN + DETH_LEN + packet->len + ICRC_LEN;

	if (packet->has_grh)
		bytes += GRH_LEN;
	if (packet->has_imm)
		bytes += IMMDT_LEN;
	return (bytes + 3) / 4;
}

/* Returns the length in bytes, from the LRH to the VCRC. */
static inline size_t sib_packet_size(const struct sib_packet *packet)
{
	return sib_packet_words(packet) * 4 + VCRC_LEN;
}

/**
 * sib_packet_build() - write a packet as bytes, with both CRCs
 * @bytes: room for sib_packet_size() bytes
 * @p: the packet
 *
 * Any context.
 */
void sib_packet_build(u8 *bytes, const struct sib_packet *p);

/**
 * sib_packet_decode() - make a packet of bytes
 * @p: out: the packet, whose payload is in @bytes
 * @wire: the headers, from datagram_parse()
 * @bytes: the packet as bytes
 *
 * Any context.
 */
void sib_packet_decode(struct sib_packet *p, const struct ibwire_packet *wire, u8 *bytes);

#endif /* SIB_PACKET_H */
