// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Forwarding of packets of data: at each port the checks of its state, the MTU, the partition and
 * the VL, at each switch a look-up of the DLID.
 *
 * A loop with a bounded number of links, because tables may lead in a circle.
 */
#include "drivers/sib/forward.h"

#include "drivers/sib/node.h"
#include "drivers/sib/tap.h"
#include "drivers/sib/violation.h"

struct sib_port *sib_switch_way(struct sib_node *node, u16 dlid)
{
	const struct sib_lft *lft = rcu_dereference(node->sw.lft);
	u8 num;

	if (!lft || !lid_is_unicast(dlid) || dlid >= lft->len ||
	    dlid > READ_ONCE(node->sw.linear_top))
		return NULL;
	num = READ_ONCE(lft->port[dlid]);
	return num <= node->num_ports ? &node->ports[num] : NULL;
}

struct sib_port *sib_cross(struct sib_port *out, const struct sib_packet *packet)
{
	u32 words = sib_packet_words(packet);
	struct sib_port *in = rcu_dereference_check(out->peer,
						    lockdep_is_held(&out->node->fabric->topology));

	if (!in || READ_ONCE(out->state) < PORT_STATE_INIT)
		return NULL;
	sib_count(out, SIB_XMIT_PACKETS);
	sib_count_add(out, SIB_XMIT_DATA, words);
	sib_count(in, SIB_RCV_PACKETS);
	sib_count_add(in, SIB_RCV_DATA, words);
	sib_tap_packet(out->node->fabric->tap, out, in, packet);
	return in;
}

/* Returns the VL on which a packet leaves by @out, after it came by port @in_num of the node. */
static u8 vl_of(const struct sib_port *out, u8 in_num, u8 sl)
{
	const u8 *table = rcu_dereference(out->sl_to_vl);

	if (!table)
		return 0;
	if (sib_node_is_switch(out->node))
		table += in_num * SL_TO_VL_LEN;
	return sl_to_vl(table, sl);
}

struct sib_port *sib_leave(struct sib_port *out, u8 in_num, struct sib_packet *p)
{
	struct sib_port *in = NULL;

	if (READ_ONCE(out->enforce) & PORT_ENFORCE_PKEY_OUT &&
	    !sib_port_has_partition(out, p->pkey)) {
		sib_count(out, SIB_XMIT_CONSTRAINT_ERRORS);
		sib_violation_at_switch(out, p);
		return NULL;
	}
	p->vl = vl_of(out, in_num, p->sl);
	if (READ_ONCE(out->state) == PORT_STATE_ACTIVE && p->len <= READ_ONCE(out->mtu) &&
	    p->vl < READ_ONCE(out->num_vls))
		in = sib_cross(out, p);
	if (!in) {
		sib_count(out, SIB_XMIT_DISCARDS);
	} else if (lid_is_multicast(p->dlid)) {
		sib_count(out, SIB_MCAST_XMIT);
		sib_count(in, SIB_MCAST_RCV);
	}
	return in;
}

bool sib_enter(struct sib_port *in, const struct sib_packet *p)
{
	if (READ_ONCE(in->state) < PORT_STATE_ARMED) {
		sib_count(in, SIB_RCV_ERRORS);
		return false;
	}
	if (READ_ONCE(in->enforce) & PORT_ENFORCE_PKEY_IN && !sib_port_has_partition(in, p->pkey)) {
		sib_count(in, SIB_RCV_CONSTRAINT_ERRORS);
		sib_violation_at_switch(in, p);
		return false;
	}
	return true;
}

/* Returns the port by which a switch sends a packet on; NULL if the packet was dropped. */
static struct sib_port *relay(struct sib_port *in, const struct sib_packet *p)
{
	struct sib_port *out = sib_switch_way(in->node, p->dlid);

	/* Port 0 has its own LIDs only, and no packet goes back the way that it came. */
	if (out && out->num && out != in)
		return out;
	sib_count(in, SIB_RCV_SWITCH_RELAY_ERRORS);
	return NULL;
}

struct sib_port *sib_forward_arrived(struct sib_port *in, struct sib_packet *packet)
{
	struct sib_port *out;
	int hops;

	for (hops = 1; in; hops++) {
		if (!sib_enter(in, packet))
			return NULL;
		if (sib_port_has_lid(sib_port_end(in), packet->dlid))
			return sib_port_end(in);
		if (!sib_node_is_switch(in->node)) {
			sib_count(in, SIB_RCV_ERRORS);
			return NULL;
		}
		out = relay(in, packet);
		if (!out)
			return NULL;
		if (hops == SIB_HOPS_MAX) {
			sib_count(in, SIB_RCV_SWITCH_RELAY_ERRORS);
			return NULL;
		}
		in = sib_leave(out, in->num, packet);
	}
	return NULL;
}

struct sib_port *sib_forward(struct sib_port *from, struct sib_packet *packet)
{
	struct sib_port *out = from, *in;

	if (sib_port_has_lid(from, packet->dlid)) {
		if (READ_ONCE(from->state) == PORT_STATE_ACTIVE)
			return from;
		sib_count(from, SIB_XMIT_DISCARDS);
		return NULL;
	}
	if (sib_node_is_switch(from->node))
		out = relay(from, packet);
	in = out ? sib_leave(out, from->num, packet) : NULL;
	return in ? sib_forward_arrived(in, packet) : NULL;
}
