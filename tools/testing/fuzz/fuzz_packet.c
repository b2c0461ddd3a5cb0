// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Parses packets of InfiniBand of any content, builds what was parsed, and parses it again. The
 * input is the packet.
 */

#include "fuzz.h"
#include "ibwire/packet.h"

/* Claims that both were decoded from headers with the same values. */
static void claim_same(const struct ibwire_packet *a, const struct ibwire_packet *b)
{
	CLAIM(a->lrh.vl == b->lrh.vl && a->lrh.sl == b->lrh.sl && a->lrh.next == b->lrh.next);
	CLAIM(a->lrh.dlid == b->lrh.dlid && a->lrh.slid == b->lrh.slid);
	CLAIM(a->lrh.words == b->lrh.words);
	CLAIM(!memcmp(&a->grh, &b->grh, sizeof(a->grh)));
	CLAIM(a->bth.pkey == b->bth.pkey && a->bth.dqpn == b->bth.dqpn && a->bth.psn == b->bth.psn);
	CLAIM(a->bth.solicited == b->bth.solicited && a->bth.migrated == b->bth.migrated);
	CLAIM(a->bth.fecn == b->bth.fecn && a->bth.becn == b->bth.becn);
	CLAIM(a->bth.ack_req == b->bth.ack_req && a->bth.opcode == b->bth.opcode);
	CLAIM(a->op == b->op && a->head_len == b->head_len);
	CLAIM(a->ext.qkey == b->ext.qkey && a->ext.sqpn == b->ext.sqpn);
	CLAIM(a->ext.srqn == b->ext.srqn && a->ext.rkey == b->ext.rkey && a->ext.va == b->ext.va);
	CLAIM(a->ext.len == b->ext.len && a->ext.swap_add == b->ext.swap_add);
	CLAIM(a->ext.compare == b->ext.compare && a->ext.syndrome == b->ext.syndrome);
	CLAIM(a->ext.msn == b->ext.msn && a->ext.old == b->ext.old && a->ext.imm == b->ext.imm);
	CLAIM(a->ext.inv_rkey == b->ext.inv_rkey);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibwire_packet packet, built, again;
	uint8_t *in = exact(data, size), *out;

	if (ibwire_packet_parse(in, size, &packet)) {
		free(in);
		return 0;
	}
	CLAIM(packet.head_len <= IBWIRE_HEAD_MAX);
	CLAIM(packet.head_len + packet.payload_len + packet.bth.pad + ICRC_LEN + VCRC_LEN == size);
	ibwire_packet_check(in, size, &packet);

	built = packet;
	out = exact(in, size);
	CLAIM(ibwire_packet_head_build(out, &built) == size);
	ibwire_packet_tail_build(out, &built);
	CLAIM(!ibwire_packet_parse(out, size, &again));
	CLAIM(!ibwire_packet_check(out, size, &again));
	claim_same(&packet, &again);
	CLAIM(again.payload_len == packet.payload_len && again.bth.pad == packet.bth.pad);
	free(out);
	free(in);
	return 0;
}
