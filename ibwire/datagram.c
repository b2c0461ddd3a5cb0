// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* A datagram that has come to a port as bytes. */

#include "datagram.h"
#include "mad.h"

#define PKEY_BASE_MASK		0x7fff
#define GID_MULTICAST		0xff	/* first byte of the GID of a multicast group */

/* Checks the LIDs. Only SMPs come from and go to ports that have no LID yet. */
static enum ibwire_fault check_lids(const struct lrh *lrh)
{
	bool is_smp = lrh->vl == VL_MANAGEMENT;

	if (is_smp ? lid_is_multicast(lrh->dlid) : lrh->dlid == LID_PERMISSIVE)
		return IBWIRE_DLID;
	if (lid_is_unicast(lrh->slid) || (is_smp && lrh->slid == LID_PERMISSIVE))
		return IBWIRE_OK;
	return IBWIRE_SLID;
}

static enum ibwire_fault check_smp(const u8 *bytes, const struct ibwire_packet *packet)
{
	enum ibwire_fault fault;
	struct mad mad;

	if (packet->bth.dqpn || packet->ext.sqpn)
		return IBWIRE_QP;
	if (packet->lrh.next == LNH_GLOBAL)
		return IBWIRE_GRH;
	if (packet->op->flags & OP_IMMDT)
		return IBWIRE_OPCODE;
	if (packet->payload_len != MAD_LEN)
		return IBWIRE_PAYLOAD;
	fault = mad_parse(bytes + packet->head_len, MAD_LEN, &mad);
	if (fault)
		return fault;
	return mad_class_is_smp(mad.mgmt_class) ? IBWIRE_OK : IBWIRE_MAD_CLASS;
}

static enum ibwire_fault check_message(const struct ibwire_packet *packet,
				       const struct datagram_limits *limits)
{
	bool to_group = lid_is_multicast(packet->lrh.dlid);
	bool is_global = packet->lrh.next == LNH_GLOBAL;
	bool names_group = is_global && packet->grh.dgid[0] == GID_MULTICAST;
	bool is_group_qp = packet->bth.dqpn == QPN_MULTICAST;

	if (packet->lrh.vl >= limits->num_vls)
		return IBWIRE_VL;
	if (!packet->bth.dqpn || !packet->ext.sqpn || to_group != is_group_qp)
		return IBWIRE_QP;
	if (to_group != names_group)
		return IBWIRE_GRH;
	if (!(packet->bth.pkey & PKEY_BASE_MASK))
		return IBWIRE_PKEY;
	return packet->payload_len > limits->mtu ? IBWIRE_MTU : IBWIRE_OK;
}

enum ibwire_fault datagram_parse(const u8 *bytes, size_t len, const struct datagram_limits *limits,
				 struct ibwire_packet *packet)
{
	enum ibwire_fault fault = ibwire_packet_parse(bytes, len, packet);

	if (!fault)
		fault = ibwire_packet_check(bytes, len, packet);
	if (fault)
		return fault;
	if ((packet->bth.opcode & OPCODE_SERVICE_MASK) != SERVICE_UD)
		return IBWIRE_OPCODE;
	fault = check_lids(&packet->lrh);
	if (fault)
		return fault;
	if (packet->lrh.vl == VL_MANAGEMENT)
		return check_smp(bytes, packet);
	return check_message(packet, limits);
}
