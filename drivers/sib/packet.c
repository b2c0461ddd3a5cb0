// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Packets as bytes, as a cable would carry them. */
#include "drivers/sib/packet.h"

#include "ibwire/packet.h"
#include "ibwire/smtable.h"

#define OPCODE_SEND		(SERVICE_UD | 0x04)
#define OPCODE_SEND_IMM		(SERVICE_UD | 0x05)

void sib_packet_build(u8 *bytes, const struct sib_packet *p)
{
	u8 opcode = p->has_imm ? OPCODE_SEND_IMM : OPCODE_SEND;
	struct ibwire_packet wire = {
		.lrh = {
			.vl = p->vl,
			.sl = p->sl,
			.next = p->has_grh ? LNH_GLOBAL : LNH_LOCAL,
			.dlid = p->dlid,
			.slid = p->slid,
		},
		.bth = {
			.opcode = opcode,
			.solicited = p->solicited,
			.migrated = true,
			/* Nobody checks that of SMPs. */
			.pkey = p->vl == VL_MANAGEMENT ? PKEY_DEFAULT : p->pkey,
			.dqpn = p->dqpn,
		},
		.op = opcode_find(opcode),
		.ext = {
			.qkey = p->qkey,
			.sqpn = p->sqpn,
			.imm = p->imm,
		},
		.payload_len = p->len,
	};

	if (p->has_grh)
		wire.grh = p->grh;
	ibwire_packet_head_build(bytes, &wire);
	memcpy(bytes + wire.head_len, p->payload, p->len);
	ibwire_packet_tail_build(bytes, &wire);
}

void sib_packet_decode(struct sib_packet *p, const struct ibwire_packet *wire, u8 *bytes)
{
	*p = (struct sib_packet) {
		.dlid = wire->lrh.dlid,
		.slid = wire->lrh.slid,
		.sl = wire->lrh.sl,
		.vl = wire->lrh.vl,
		.pkey = wire->bth.pkey,
		.solicited = wire->bth.solicited,
		.dqpn = wire->bth.dqpn,
		.sqpn = wire->ext.sqpn,
		.qkey = wire->ext.qkey,
		.has_imm = wire->op->flags & OP_IMMDT,
		.imm = wire->ext.imm,
		.has_grh = wire->lrh.next == LNH_GLOBAL,
		.grh = wire->grh,
		.payload = bytes + wire->head_len,
		.len = wire->payload_len,
	};
}
