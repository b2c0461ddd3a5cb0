// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Parses packets of InfiniBand of any content, builds what was parsed, and parses it again, also as
 * a datagram that comes to a port. The input is the packet.
 */

#include "fuzz.h"
#include "ibwire/datagram.h"
#include "ibwire/mad.h"

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

/* Checks a packet with right CRCs as a port would, and claims what a port relies on. */
static void check_datagram(const uint8_t *bytes, size_t len)
{
	const struct datagram_limits limits = { .num_vls = bytes[len - 1] & 15, .mtu = 256 };
	struct ibwire_packet packet;

	if (datagram_parse(bytes, len, &limits, &packet))
		return;
	CLAIM((packet.bth.opcode & OPCODE_SERVICE_MASK) == SERVICE_UD);
	CLAIM(packet.lrh.dlid && packet.lrh.slid && !lid_is_multicast(packet.lrh.slid));
	CLAIM(packet.payload_len <= limits.mtu);
	if (packet.lrh.vl == VL_MANAGEMENT) {
		CLAIM(!packet.bth.dqpn && !packet.ext.sqpn && packet.payload_len == MAD_LEN);
		CLAIM(packet.head_len == LRH_LEN + BTH_LEN + DETH_LEN);
		return;
	}
	CLAIM(packet.lrh.vl < limits.num_vls && packet.bth.dqpn && packet.ext.sqpn);
	CLAIM(packet.lrh.dlid != LID_PERMISSIVE);
	CLAIM(!lid_is_multicast(packet.lrh.dlid) || packet.lrh.next == LNH_GLOBAL);
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
	check_datagram(out, size);
	CLAIM(again.payload_len == packet.payload_len && again.bth.pad == packet.bth.pad);
	free(out);
	free(in);
	return 0;
}
