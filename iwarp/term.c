// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The payload of a Terminate: what went wrong, and the headers it went wrong in. */

#include "ddp.h"
#include "term.h"

static size_t ddp_len_at(const u8 *ddp)
{
	return *ddp & DDP_CTRL_TAGGED ? DDP_TAGGED_LEN : DDP_UNTAGGED_LEN;
}

/* MPA's errors and local catastrophic ones are not about one segment. */
static bool echoes_segment(struct iwarp_fault_code wire)
{
	return wire.layer == IWARP_LAYER_DDP ? wire.etype != DDP_ETYPE_LOCAL :
	       wire.layer == IWARP_LAYER_RDMAP && wire.etype != RDMAP_ETYPE_LOCAL;
}

/* Whether the DDP header came whole, and ULPDU_Length says that all of it is one. */
static bool has_ddp(const struct iwarp_bad_segment *offender)
{
	return offender->fpdu_len >= DDP_CTRL_END &&
	       offender->fpdu_len >= ddp_header_len(offender->fpdu) &&
	       !ddp_length_check(offender->fpdu);
}

static bool has_read_req(const struct iwarp_bad_segment *offender)
{
	const u8 *ctrl = offender->fpdu + MPA_LEN_LEN;

	return !(ctrl[0] & DDP_CTRL_TAGGED) &&
	       FIELD_GET(RDMAP_CTRL_OPCODE, ctrl[1]) == RDMAP_READ_REQUEST &&
	       offender->read_req && offender->read_req_len >= RDMAP_READ_REQ_LEN;
}

/* Each echo builds on the one before: no DDP header without a length, and so on. */
static u32 echo_flags(struct iwarp_fault_code wire, const struct iwarp_bad_segment *offender)
{
	u32 flags;

	if (!offender || !echoes_segment(wire) || offender->fpdu_len < MPA_LEN_LEN)
		return 0;
	flags = TERM_CTRL_M;
	if (!has_ddp(offender))
		return flags;
	flags |= TERM_CTRL_D;
	if (wire.layer == IWARP_LAYER_RDMAP && has_read_req(offender))
		flags |= TERM_CTRL_R;
	return flags;
}

int iwarp_term_build(u8 *buf, size_t size, enum iwarp_fault fault,
		     const struct iwarp_bad_segment *offender)
{
	struct iwarp_fault_code wire = iwarp_fault_code(fault);
	u32 flags = echo_flags(wire, offender);
	size_t head = 0, req = 0;

	/* Length field and DDP header lie together in the offender as in the Terminate. */
	if (flags & TERM_CTRL_M)
		head = flags & TERM_CTRL_D ? ddp_header_len(offender->fpdu) : TERM_SEG_LEN_LEN;
	if (flags & TERM_CTRL_R)
		req = RDMAP_READ_REQ_LEN;
	if (size < TERM_CTRL_LEN + head + req)
		return -ENOSPC;

	put_unaligned_be32(FIELD_PREP(TERM_CTRL_LAYER, wire.layer) |
			   FIELD_PREP(TERM_CTRL_ETYPE, wire.etype) |
			   FIELD_PREP(TERM_CTRL_CODE, wire.code) | flags, buf);
	if (head)
		memcpy(buf + TERM_CTRL_LEN, offender->fpdu, head);
	if (req)
		memcpy(buf + TERM_CTRL_LEN + head, offender->read_req, req);
	return TERM_CTRL_LEN + head + req;
}

static void parse_tagged(const u8 *ddp, struct iwarp_term *term)
{
	struct ddp_wire_tagged wire;

	memcpy((u8 *)&wire + MPA_LEN_LEN, ddp, DDP_TAGGED_LEN);
	term->stag = be32_to_cpu(wire.stag);
	term->to = be64_to_cpu(wire.to);
}

/* Which message was at fault: a tagged one has no number, but a place. */
static void parse_ddp(const u8 *ddp, struct iwarp_term *term)
{
	term->ddp = ddp;
	term->ddp_len = ddp_len_at(ddp);
	term->untagged = !(*ddp & DDP_CTRL_TAGGED);
	if (!term->untagged) {
		parse_tagged(ddp, term);
		return;
	}
	term->qn = get_unaligned_be32(ddp + offsetof(struct ddp_wire_untagged, qn) - MPA_LEN_LEN);
	term->msn = get_unaligned_be32(ddp + offsetof(struct ddp_wire_untagged, msn) -
				       MPA_LEN_LEN);
}

/* Takes the echoed headers the flags promise, as far as @len reaches. */
static void parse_echo(const u8 *buf, size_t len, u32 flags, struct iwarp_term *term)
{
	if (flags & TERM_CTRL_M) {
		if (len < TERM_SEG_LEN_LEN)
			return;
		term->seg_len = get_unaligned_be16(buf);
		buf += TERM_SEG_LEN_LEN;
		len -= TERM_SEG_LEN_LEN;
	}
	if (flags & TERM_CTRL_D) {
		if (!len || len < ddp_len_at(buf))
			return;
		parse_ddp(buf, term);
		buf += term->ddp_len;
		len -= term->ddp_len;
	}
	if (flags & TERM_CTRL_R && len >= RDMAP_READ_REQ_LEN)
		term->read_req = buf;
}

enum iwarp_fault iwarp_term_parse(const u8 *buf, size_t len, struct iwarp_term *term)
{
	u32 ctrl;

	if (len < TERM_CTRL_LEN)
		return IWARP_ULPDU_SHORT;
	ctrl = get_unaligned_be32(buf);
	*term = (struct iwarp_term) {
		.layer = FIELD_GET(TERM_CTRL_LAYER, ctrl),
		.etype = FIELD_GET(TERM_CTRL_ETYPE, ctrl),
		.code = FIELD_GET(TERM_CTRL_CODE, ctrl),
	};
	term->fault = iwarp_fault_from_code(term->layer, term->etype, term->code);
	parse_echo(buf + TERM_CTRL_LEN, len - TERM_CTRL_LEN, ctrl, term);
	return IWARP_OK;
}
