// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The global route header. */

#include "grh.h"

enum ibwire_fault grh_parse(const u8 *at, size_t len, struct grh *grh)
{
	struct grh_wire wire;
	u32 word;

	if (len < sizeof(wire))
		return IBWIRE_TRUNCATED;
	memcpy(&wire, at, sizeof(wire));
	word = be32_to_cpu(wire.ver_tclass_flow);
	if (FIELD_GET(GRH_VERSION_MASK, word) != GRH_IP_VERSION ||
	    wire.next_header != GRH_NEXT_HEADER)
		return IBWIRE_GRH;
	*grh = (struct grh) {
		.tclass = FIELD_GET(GRH_TCLASS_MASK, word),
		.hop_limit = wire.hop_limit,
		.pay_len = be16_to_cpu(wire.pay_len),
		.flow = FIELD_GET(GRH_FLOW_MASK, word),
	};
	memcpy(grh->sgid, wire.sgid, sizeof(grh->sgid));
	memcpy(grh->dgid, wire.dgid, sizeof(grh->dgid));
	return grh->pay_len == len - sizeof(wire) ? IBWIRE_OK : IBWIRE_PAYLEN;
}

void grh_build(u8 *buf, const struct grh *grh)
{
	struct grh_wire wire = {
		.ver_tclass_flow = cpu_to_be32(FIELD_PREP(GRH_VERSION_MASK, GRH_IP_VERSION) |
					       FIELD_PREP(GRH_TCLASS_MASK, grh->tclass) |
					       FIELD_PREP(GRH_FLOW_MASK, grh->flow)),
		.pay_len = cpu_to_be16(grh->pay_len),
		.next_header = GRH_NEXT_HEADER,
		.hop_limit = grh->hop_limit,
	};

	memcpy(wire.sgid, grh->sgid, sizeof(wire.sgid));
	memcpy(wire.dgid, grh->dgid, sizeof(wire.dgid));
	memcpy(buf, &wire, sizeof(wire));
}
