// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The local route header. */

#include "lrh.h"

/* The shortest packet with a transport header has LRH, BTH and ICRC. */
#define WORDS_MIN ((LRH_LEN + BTH_LEN + ICRC_LEN) / 4)

enum ibwire_fault lrh_parse(const u8 *packet, size_t len, struct lrh *lrh)
{
	struct lrh_wire wire;

	if (len < sizeof(wire))
		return IBWIRE_TRUNCATED;
	memcpy(&wire, packet, sizeof(wire));
	if (FIELD_GET(LRH_LVER_MASK, wire.vl_lver))
		return IBWIRE_LVER;
	*lrh = (struct lrh) {
		.vl = FIELD_GET(LRH_VL_MASK, wire.vl_lver),
		.sl = FIELD_GET(LRH_SL_MASK, wire.sl_lnh),
		.next = FIELD_GET(LRH_LNH_MASK, wire.sl_lnh),
		.dlid = be16_to_cpu(wire.dlid),
		.slid = be16_to_cpu(wire.slid),
		.words = be16_to_cpu(wire.pkt_len) & LRH_PKT_LEN_MASK,
	};
	if (lrh->next == LNH_RAW || lrh->next == LNH_IP)
		return IBWIRE_RAW;
	if (lrh->words < WORDS_MIN || lrh->words * 4u + VCRC_LEN != len)
		return IBWIRE_LENGTH;
	return lrh->dlid ? IBWIRE_OK : IBWIRE_DLID;
}

void lrh_build(u8 *buf, const struct lrh *lrh)
{
	const struct lrh_wire wire = {
		.vl_lver = FIELD_PREP(LRH_VL_MASK, lrh->vl),
		.sl_lnh = FIELD_PREP(LRH_SL_MASK, lrh->sl) | FIELD_PREP(LRH_LNH_MASK, lrh->next),
		.dlid = cpu_to_be16(lrh->dlid),
		.pkt_len = cpu_to_be16(lrh->words),
		.slid = cpu_to_be16(lrh->slid),
	};

	memcpy(buf, &wire, sizeof(wire));
}
