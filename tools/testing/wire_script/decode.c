// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Describes frames and FPDUs without checking them; bytes that cannot be parsed are left out. */

#include "decode.h"
#include "iwarp/ddp.h"
#include "iwarp/fpdu.h"
#include "iwarp/mpa.h"
#include "iwarp/term.h"

#define FPDUS_MAX	8

/* Appends a line about the frame. Returns the length of the frame. */
static size_t add_frame(struct run *run, const char **text, const u8 *at, size_t len,
			enum mpa_kind kind)
{
	u16 pd_len = get_unaligned_be16(at + offsetof(struct mpa_wire_hdr, pd_len));
	enum iwarp_fault fault;
	struct mpa_frame f;

	fault = mpa_frame_parse(at, len, kind, &f);
	*text = run_text(run, "%s\n  MPA %s:", *text, kind ? "reply" : "request");
	if (fault)
		*text = run_text(run, "%s %s", *text, iwarp_fault_name(fault));
	else
		*text = run_text(run, "%s rev=%u mark=%d crc=%d rej=%d s=%d a=%d rtr=%u", *text,
				 f.rev, f.markers, f.crc, f.reject, f.enhanced, f.peer_to_peer,
				 f.rtr);
	if (!fault)
		*text = run_text(run, "%s ird=%u ord=%u, %u bytes of private data", *text, f.ird,
				 f.ord, f.pd_len);
	return min_t(size_t, len, MPA_HDR_LEN + pd_len);
}

static const char *segment(struct run *run, const u8 *at, size_t len, struct ddp_segment *seg)
{
	const char *name = ddp_op(seg->opcode)->name;
	const char *last = seg->last ? " last" : "";
	const char *about = "";
	struct iwarp_term term;

	if (seg->opcode == RDMAP_TERMINATE && len >= seg->hdr_len &&
	    !iwarp_term_parse(at + seg->hdr_len,
			      min_t(size_t, len - seg->hdr_len, seg->payload_len), &term))
		about = run_text(run, ": layer=%u etype=%u code=%u (%s)", term.layer, term.etype,
				 term.code, iwarp_fault_name(term.fault));
	if (seg->tagged)
		return run_text(run, "%s%s stag=%#x to=%#llx, %u bytes", name, last, seg->stag,
				seg->to, seg->payload_len);
	return run_text(run, "%s%s qn=%u msn=%u mo=%u, %u bytes%s", name, last, seg->qn, seg->msn,
			seg->mo, seg->payload_len, about);
}

const char *decode(struct run *run, const u8 *at, size_t len)
{
	const char *text = bytes_dump(run, at, len);

	for (int n = 0; n < FPDUS_MAX && len; n++) {
		bool request = len >= MPA_HDR_LEN && !memcmp(at, MPA_KEY_REQUEST, MPA_KEY_LEN);
		bool reply = len >= MPA_HDR_LEN && !memcmp(at, MPA_KEY_REPLY, MPA_KEY_LEN);
		struct ddp_segment seg;
		size_t took, whole;

		if (request || reply) {
			took = add_frame(run, &text, at, len, reply ? MPA_REPLY : MPA_REQUEST);
		} else if (len >= MPA_LEN_LEN && !ddp_segment_parse(at, len, &seg)) {
			took = mpa_fpdu_size(get_unaligned_be16(at));
			whole = MPA_LEN_LEN + get_unaligned_be16(at);
			text = run_text(run, "%s\n  %s%s", text, segment(run, at, len, &seg),
					whole > len ? " (not whole)" : "");
		} else {
			break;
		}
		took = min_t(size_t, took, len);
		at += took;
		len -= took;
	}
	return text;
}
