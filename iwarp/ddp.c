// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Builds, decodes and checks the heads of DDP segments, and the order of segments in a queue. */

#include "ddp.h"

#define TAGGED_PAYLOAD_MAX	(U16_MAX - DDP_TAGGED_LEN)
#define UNTAGGED_PAYLOAD_MAX	(U16_MAX - DDP_UNTAGGED_LEN)

#define TAGGED(label) {						\
	.name = label,						\
	.flags = DDP_OP_TAGGED,					\
	.head_len = DDP_TAGGED_HEAD,				\
	.payload_max = TAGGED_PAYLOAD_MAX,			\
}

#define SEND(label, more) {					\
	.name = label,						\
	.flags = (more),					\
	.qn = DDP_QN_SEND,					\
	.head_len = DDP_UNTAGGED_HEAD,				\
	.payload_max = UNTAGGED_PAYLOAD_MAX,			\
}

/* A message of one segment, whose payload has a fixed length. */
#define CONTROL(label, queue, length, more) {			\
	.name = label,						\
	.flags = DDP_OP_SINGLE | (more),			\
	.qn = queue,						\
	.head_len = DDP_UNTAGGED_HEAD,				\
	.payload_min = length,					\
	.payload_max = length,					\
}

static const struct ddp_op ddp_ops[] = {
	[RDMAP_WRITE]		= TAGGED("Write"),
	[RDMAP_READ_REQUEST]	= CONTROL("Read Request", DDP_QN_READ_REQUEST,
					  RDMAP_READ_REQ_LEN, 0),
	[RDMAP_READ_RESPONSE]	= TAGGED("Read Response"),
	[RDMAP_SEND]		= SEND("Send", 0),
	[RDMAP_SEND_INV]	= SEND("Send with Invalidate", DDP_OP_INVALIDATE),
	[RDMAP_SEND_SE]		= SEND("Send with SE", DDP_OP_SOLICITED),
	[RDMAP_SEND_SE_INV]	= SEND("Send with SE and Invalidate",
				       DDP_OP_SOLICITED | DDP_OP_INVALIDATE),
	/* No upper bound: a Terminate that is longer than ours still states its reason. */
	[RDMAP_TERMINATE]	= {
		.name = "Terminate",
		.flags = DDP_OP_SINGLE,
		.qn = DDP_QN_TERMINATE,
		.head_len = DDP_UNTAGGED_HEAD,
		.payload_min = TERM_CTRL_LEN,
		.payload_max = UNTAGGED_PAYLOAD_MAX,
	},
	[RDMAP_IMMEDIATE]	= CONTROL("Immediate Data", DDP_QN_SEND, RDMAP_IMMEDIATE_LEN, 0),
	[RDMAP_IMMEDIATE_SE]	= CONTROL("Immediate Data with SE", DDP_QN_SEND,
					  RDMAP_IMMEDIATE_LEN, DDP_OP_SOLICITED),
	[RDMAP_ATOMIC_REQUEST]	= CONTROL("Atomic Request", DDP_QN_READ_REQUEST,
					  RDMAP_ATOMIC_REQ_LEN, 0),
	[RDMAP_ATOMIC_RESPONSE]	= CONTROL("Atomic Response", DDP_QN_ATOMIC_RESPONSE,
					  RDMAP_ATOMIC_RESP_LEN, 0),
};

const struct ddp_op *ddp_op(u8 opcode)
{
	return opcode < ARRAY_SIZE(ddp_ops) ? &ddp_ops[opcode] : NULL;
}

enum iwarp_fault ddp_length_check(const u8 *fpdu)
{
	size_t whole = MPA_LEN_LEN + get_unaligned_be16(fpdu);

	return whole < ddp_header_len(fpdu) ? IWARP_ULPDU_SHORT : IWARP_OK;
}

/* Makes the checks in the order that ddp.h lists for ddp_segment_parse(). */
static enum iwarp_fault check_segment(const u8 *fpdu, const struct ddp_segment *seg)
{
	const struct ddp_op *op = ddp_op(seg->opcode);

	if (FIELD_GET(DDP_CTRL_VERSION, fpdu[MPA_LEN_LEN]) != DDP_VERSION)
		return seg->tagged ? IWARP_DDP_TAGGED_VERSION : IWARP_DDP_UNTAGGED_VERSION;
	if (!seg->tagged && seg->qn >= DDP_QN_COUNT)
		return IWARP_DDP_QN;

	if (FIELD_GET(RDMAP_CTRL_VERSION, fpdu[MPA_LEN_LEN + 1]) != RDMAP_VERSION)
		return IWARP_RDMAP_VERSION;
	if (!op || !!(op->flags & DDP_OP_TAGGED) != seg->tagged || op->qn != seg->qn)
		return IWARP_RDMAP_OPCODE;

	if (seg->payload_len < op->payload_min)
		return IWARP_ULPDU_SHORT;
	if (seg->payload_len > op->payload_max)
		return IWARP_DDP_TOO_LONG;
	/*
	 * Without L (Last), another segment would follow, for which the message's buffer has no
	 * room.
	 */
	if (op->flags & DDP_OP_SINGLE && !seg->last)
		return IWARP_DDP_TOO_LONG;
	/* The TO of an empty segment is ignored. The last byte may be at 2^64 - 1. */
	if (seg->payload_len && seg->to + (seg->payload_len - 1) < seg->to)
		return IWARP_DDP_TO_WRAP;
	return IWARP_OK;
}

enum iwarp_fault ddp_segment_parse(const u8 *fpdu, size_t have, struct ddp_segment *seg)
{
	struct ddp_wire_untagged untagged;
	struct ddp_wire_tagged tagged;
	enum iwarp_fault fault;

	if (have < DDP_CTRL_END || have < ddp_header_len(fpdu))
		return IWARP_TRUNCATED;
	fault = ddp_length_check(fpdu);
	if (fault)
		return fault;

	if (fpdu[MPA_LEN_LEN] & DDP_CTRL_TAGGED) {
		memcpy(&tagged, fpdu, sizeof(tagged));
		*seg = (struct ddp_segment) {
			.opcode = FIELD_GET(RDMAP_CTRL_OPCODE, tagged.rdmap_ctrl),
			.tagged = true,
			.last = tagged.ddp_ctrl & DDP_CTRL_LAST,
			.hdr_len = DDP_TAGGED_HEAD,
			.payload_len = be16_to_cpu(tagged.ulpdu_len) - DDP_TAGGED_LEN,
			.stag = be32_to_cpu(tagged.stag),
			.to = be64_to_cpu(tagged.to),
		};
	} else {
		memcpy(&untagged, fpdu, sizeof(untagged));
		*seg = (struct ddp_segment) {
			.opcode = FIELD_GET(RDMAP_CTRL_OPCODE, untagged.rdmap_ctrl),
			.last = untagged.ddp_ctrl & DDP_CTRL_LAST,
			.hdr_len = DDP_UNTAGGED_HEAD,
			.payload_len = be16_to_cpu(untagged.ulpdu_len) - DDP_UNTAGGED_LEN,
			.inv_stag = be32_to_cpu(untagged.inv_stag),
			.qn = be32_to_cpu(untagged.qn),
			.msn = be32_to_cpu(untagged.msn),
			.mo = be32_to_cpu(untagged.mo),
		};
	}

	fault = check_segment(fpdu, seg);
	if (!fault && !(ddp_op(seg->opcode)->flags & DDP_OP_INVALIDATE))
		seg->inv_stag = 0;
	return fault;
}

size_t ddp_build_tagged(u8 *buf, u8 opcode, bool last, u32 stag, u64 to, u16 payload_len)
{
	const struct ddp_wire_tagged head = {
		.ulpdu_len = cpu_to_be16(DDP_TAGGED_LEN + payload_len),
		.ddp_ctrl = DDP_CTRL_TAGGED | (last ? DDP_CTRL_LAST : 0) |
			    FIELD_PREP(DDP_CTRL_VERSION, DDP_VERSION),
		.rdmap_ctrl = FIELD_PREP(RDMAP_CTRL_VERSION, RDMAP_VERSION) |
			      FIELD_PREP(RDMAP_CTRL_OPCODE, opcode),
		.stag = cpu_to_be32(stag),
		.to = cpu_to_be64(to),
	};

	memcpy(buf, &head, sizeof(head));
	return sizeof(head);
}

size_t ddp_build_untagged(u8 *buf, u8 opcode, bool last, u32 msn, u32 mo, u32 inv_stag,
			  u16 payload_len)
{
	const struct ddp_op *op = ddp_op(opcode);
	const struct ddp_wire_untagged head = {
		.ulpdu_len = cpu_to_be16(DDP_UNTAGGED_LEN + payload_len),
		.ddp_ctrl = (last ? DDP_CTRL_LAST : 0) |
			    FIELD_PREP(DDP_CTRL_VERSION, DDP_VERSION),
		.rdmap_ctrl = FIELD_PREP(RDMAP_CTRL_VERSION, RDMAP_VERSION) |
			      FIELD_PREP(RDMAP_CTRL_OPCODE, opcode),
		.inv_stag = cpu_to_be32(op->flags & DDP_OP_INVALIDATE ? inv_stag : 0),
		.qn = cpu_to_be32(op->qn),
		.msn = cpu_to_be32(msn),
		.mo = cpu_to_be32(mo),
	};

	memcpy(buf, &head, sizeof(head));
	return sizeof(head);
}

void ddp_untagged_init(struct ddp_untagged_rx *rx)
{
	*rx = (struct ddp_untagged_rx) { .next_msn = DDP_MSN_FIRST };
}

enum iwarp_fault ddp_untagged_verify(const struct ddp_untagged_rx *rx,
				     const struct ddp_segment *seg)
{
	if (seg->msn != rx->next_msn)
		return IWARP_DDP_MSN;
	if (seg->mo != rx->next_mo)
		return IWARP_DDP_MO;
	if (rx->open && seg->opcode != rx->opcode)
		return IWARP_RDMAP_OPCODE;
	if (seg->mo + seg->payload_len < seg->mo)
		return IWARP_DDP_TOO_LONG;
	return IWARP_OK;
}

void ddp_untagged_advance(struct ddp_untagged_rx *rx, const struct ddp_segment *seg)
{
	rx->open = !seg->last;
	rx->opcode = seg->opcode;
	if (seg->last) {
		rx->next_msn++;
		rx->next_mo = 0;
	} else {
		rx->next_mo += seg->payload_len;
	}
}
