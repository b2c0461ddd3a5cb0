// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The payload of a Terminate: the error, and the headers of the segment in which it was found. */

#include "term.h"
#include "ddp.h"

static size_t ddp_len_at(const u8 *ddp)
{
	return *ddp & DDP_CTRL_TAGGED ? DDP_TAGGED_LEN : DDP_UNTAGGED_LEN;
}

/*
 * Returns the flags of the parts of the bad segment that the Terminate echoes: none; the length;
 * the length and the DDP header; or these two and the Read Request.
 */
static u32 echo_flags(struct iwarp_fault_code wire, const struct iwarp_bad_segment *bad_segment)
{
	bool is_rdmap = wire.layer == IWARP_LAYER_RDMAP && wire.etype != RDMAP_ETYPE_LOCAL;
	bool is_ddp = wire.layer == IWARP_LAYER_DDP && wire.etype != DDP_ETYPE_LOCAL;
	const u8 *ctrl;

	/* Errors of MPA and local catastrophic errors do not concern one segment. */
	if (!bad_segment || (!is_rdmap && !is_ddp) || bad_segment->fpdu_len < MPA_LEN_LEN)
		return 0;

	/* Echo only the length if ULPDU_Length or the received bytes end within the DDP header. */
	if (bad_segment->fpdu_len < DDP_CTRL_END ||
	    bad_segment->fpdu_len < ddp_header_len(bad_segment->fpdu) ||
	    ddp_length_check(bad_segment->fpdu))
		return TERM_CTRL_M;

	ctrl = bad_segment->fpdu + MPA_LEN_LEN;
	if (is_rdmap && !(ctrl[0] & DDP_CTRL_TAGGED) &&
	    FIELD_GET(RDMAP_CTRL_OPCODE, ctrl[1]) == RDMAP_READ_REQUEST &&
	    bad_segment->read_req && bad_segment->read_req_len >= RDMAP_READ_REQ_LEN)
		return TERM_CTRL_M | TERM_CTRL_D | TERM_CTRL_R;
	return TERM_CTRL_M | TERM_CTRL_D;
}

int iwarp_term_build(u8 *buf, size_t size, enum iwarp_fault fault,
		     const struct iwarp_bad_segment *bad_segment)
{
	struct iwarp_fault_code wire = iwarp_fault_code(fault);
	u32 flags = echo_flags(wire, bad_segment);
	size_t head = 0, req = 0;

	/* Length field and DDP header are adjacent both in the bad segment and in the Terminate. */
	if (flags & TERM_CTRL_M)
		head = flags & TERM_CTRL_D ? ddp_header_len(bad_segment->fpdu) : TERM_SEG_LEN_LEN;
	if (flags & TERM_CTRL_R)
		req = RDMAP_READ_REQ_LEN;
	if (size < TERM_CTRL_LEN + head + req)
		return -ENOSPC;

	put_unaligned_be32(FIELD_PREP(TERM_CTRL_LAYER, wire.layer) |
			   FIELD_PREP(TERM_CTRL_ETYPE, wire.etype) |
			   FIELD_PREP(TERM_CTRL_CODE, wire.code) | flags, buf);
	if (head)
		memcpy(buf + TERM_CTRL_LEN, bad_segment->fpdu, head);
	if (req)
		memcpy(buf + TERM_CTRL_LEN + head, bad_segment->read_req, req);
	return TERM_CTRL_LEN + head + req;
}

/* Decodes each echoed part whose flag is set in @flags and that is complete in @len bytes. */
static void parse_echo(const u8 *buf, size_t len, u32 flags, struct iwarp_term *term)
{
	struct ddp_wire_untagged untagged;
	struct ddp_wire_tagged tagged;

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
		term->ddp = buf;
		term->ddp_len = ddp_len_at(buf);
		term->untagged = !(*buf & DDP_CTRL_TAGGED);
		if (term->untagged) {
			memcpy((u8 *)&untagged + MPA_LEN_LEN, buf, DDP_UNTAGGED_LEN);
			term->qn = be32_to_cpu(untagged.qn);
			term->msn = be32_to_cpu(untagged.msn);
		} else {
			memcpy((u8 *)&tagged + MPA_LEN_LEN, buf, DDP_TAGGED_LEN);
			term->stag = be32_to_cpu(tagged.stag);
			term->to = be64_to_cpu(tagged.to);
		}
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
