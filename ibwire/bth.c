// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The base transport header and the extended headers. */

#include "bth.h"

enum ibwire_fault bth_parse(const u8 *at, size_t len, struct bth *bth)
{
	struct bth_wire wire;
	u32 dqpn, psn;

	if (len < sizeof(wire))
		return IBWIRE_TRUNCATED;
	memcpy(&wire, at, sizeof(wire));
	if (FIELD_GET(BTH_TVER_MASK, wire.flags))
		return IBWIRE_TVER;
	dqpn = be32_to_cpu(wire.dqpn);
	psn = be32_to_cpu(wire.psn);
	*bth = (struct bth) {
		.opcode = wire.opcode,
		.pad = FIELD_GET(BTH_PAD_MASK, wire.flags),
		.solicited = wire.flags & BTH_SOLICITED,
		.migrated = wire.flags & BTH_MIGRATED,
		.fecn = dqpn & BTH_FECN,
		.becn = dqpn & BTH_BECN,
		.ack_req = psn & BTH_ACK_REQ,
		.pkey = be16_to_cpu(wire.pkey),
		.dqpn = FIELD_GET(BTH_QPN_MASK, dqpn),
		.psn = FIELD_GET(BTH_PSN_MASK, psn),
	};
	return IBWIRE_OK;
}

void bth_build(u8 *buf, const struct bth *bth)
{
	const struct bth_wire wire = {
		.opcode = bth->opcode,
		.flags = (bth->solicited ? BTH_SOLICITED : 0) |
			 (bth->migrated ? BTH_MIGRATED : 0) | FIELD_PREP(BTH_PAD_MASK, bth->pad),
		.pkey = cpu_to_be16(bth->pkey),
		.dqpn = cpu_to_be32((bth->fecn ? BTH_FECN : 0) | (bth->becn ? BTH_BECN : 0) |
				    FIELD_PREP(BTH_QPN_MASK, bth->dqpn)),
		.psn = cpu_to_be32((bth->ack_req ? BTH_ACK_REQ : 0) |
				   FIELD_PREP(BTH_PSN_MASK, bth->psn)),
	};

	memcpy(buf, &wire, sizeof(wire));
}

static void atomiceth_parse(const u8 *at, struct bth_ext *ext)
{
	struct atomiceth_wire wire;

	memcpy(&wire, at, sizeof(wire));
	ext->va = be64_to_cpu(wire.va);
	ext->rkey = be32_to_cpu(wire.rkey);
	ext->swap_add = be64_to_cpu(wire.swap_add);
	ext->compare = be64_to_cpu(wire.compare);
}

static void reth_parse(const u8 *at, struct bth_ext *ext)
{
	struct reth_wire wire;

	memcpy(&wire, at, sizeof(wire));
	ext->va = be64_to_cpu(wire.va);
	ext->rkey = be32_to_cpu(wire.rkey);
	ext->len = be32_to_cpu(wire.len);
}

void bth_ext_parse(const u8 *at, u32 flags, struct bth_ext *ext)
{
	*ext = (struct bth_ext) { 0 };
	if (flags & OP_DETH) {
		ext->qkey = get_unaligned_be32(at);
		ext->sqpn = get_unaligned_be32(at + 4) & BTH_QPN_MASK;
		at += DETH_LEN;
	}
	if (flags & OP_XRCETH) {
		ext->srqn = get_unaligned_be32(at) & BTH_QPN_MASK;
		at += XRCETH_LEN;
	}
	if (flags & OP_RETH) {
		reth_parse(at, ext);
		at += RETH_LEN;
	}
	if (flags & OP_ATOMICETH)
		atomiceth_parse(at, ext);
	if (flags & OP_AETH) {
		ext->syndrome = at[0];
		ext->msn = get_unaligned_be32(at) & BTH_PSN_MASK;
		at += AETH_LEN;
	}
	if (flags & OP_ATOMICACKETH)
		ext->old = get_unaligned_be64(at);
	if (flags & OP_IMMDT)
		memcpy(&ext->imm, at, IMMDT_LEN);
	if (flags & OP_IETH)
		ext->inv_rkey = get_unaligned_be32(at);
}

static u8 *atomiceth_build(u8 *buf, const struct bth_ext *ext)
{
	const struct atomiceth_wire wire = {
		.va = cpu_to_be64(ext->va),
		.rkey = cpu_to_be32(ext->rkey),
		.swap_add = cpu_to_be64(ext->swap_add),
		.compare = cpu_to_be64(ext->compare),
	};

	memcpy(buf, &wire, sizeof(wire));
	return buf + sizeof(wire);
}

static u8 *reth_build(u8 *buf, const struct bth_ext *ext)
{
	const struct reth_wire wire = {
		.va = cpu_to_be64(ext->va),
		.rkey = cpu_to_be32(ext->rkey),
		.len = cpu_to_be32(ext->len),
	};

	memcpy(buf, &wire, sizeof(wire));
	return buf + sizeof(wire);
}

static u8 *be32_build(u8 *buf, u32 value)
{
	put_unaligned_be32(value, buf);
	return buf + sizeof(value);
}

size_t bth_ext_build(u8 *buf, u32 flags, const struct bth_ext *ext)
{
	u8 *at = buf;

	if (flags & OP_DETH) {
		at = be32_build(at, ext->qkey);
		at = be32_build(at, ext->sqpn & BTH_QPN_MASK);
	}
	if (flags & OP_XRCETH)
		at = be32_build(at, ext->srqn & BTH_QPN_MASK);
	if (flags & OP_RETH)
		at = reth_build(at, ext);
	if (flags & OP_ATOMICETH)
		at = atomiceth_build(at, ext);
	if (flags & OP_AETH)
		at = be32_build(at, (u32)ext->syndrome << 24 | (ext->msn & BTH_PSN_MASK));
	if (flags & OP_ATOMICACKETH) {
		put_unaligned_be64(ext->old, at);
		at += ATOMICACKETH_LEN;
	}
	if (flags & OP_IMMDT) {
		memcpy(at, &ext->imm, IMMDT_LEN);
		at += IMMDT_LEN;
	}
	if (flags & OP_IETH)
		at = be32_build(at, ext->inv_rkey);
	return at - buf;
}
