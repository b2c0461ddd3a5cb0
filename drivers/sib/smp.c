// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The way of an SMP: parts with a directed route, which ibwire/smp.c steps through, and parts by
 * LID, which the switches' tables lead. A loop with a bounded number of links for each direction.
 */
#include "drivers/sib/smp.h"

#include "drivers/sib/forward.h"
#include "drivers/sib/receive.h"
#include "drivers/sib/sma.h"
#include "ibwire/smp.h"

/* Decisions of a node about an SMP. */
enum smp_act {
	SMP_ACT_DROP,
	SMP_ACT_TAKE,
	SMP_ACT_SEND,
};

/**
 * struct smp_trip - an SMP on its way
 * @packet: the SMP
 * @at: port that it has come to; at first, the one that sends it
 * @out: port that sends it on, for SMP_ACT_SEND
 */
struct smp_trip {
	struct sib_packet *packet;
	struct sib_port *at;
	struct sib_port *out;
};

static bool is_directed(const struct sib_packet *p)
{
	return p->payload[offsetof(struct mad_wire, mgmt_class)] == MAD_CLASS_SMP_DIRECTED;
}

/* Returns whether the SMP is where its DLID leads. The permissive one leads to every port. */
static bool is_at_lid(const struct smp_trip *trip)
{
	return trip->packet->dlid == LID_PERMISSIVE ||
	       sib_port_has_lid(sib_port_end(trip->at), trip->packet->dlid);
}

/* Chooses the port for the DLID. @begins: the SMP begins its way, or this part of it, here. */
static enum smp_act by_lid_table(struct smp_trip *trip, bool begins)
{
	struct sib_node *node = trip->at->node;

	if (!sib_node_is_switch(node)) {
		trip->out = trip->at;
		return begins ? SMP_ACT_SEND : SMP_ACT_DROP;
	}
	rcu_read_lock();
	trip->out = sib_switch_way(node, trip->packet->dlid);
	rcu_read_unlock();
	/* Only a directed route may lead back the way that the SMP came. */
	if (trip->out && trip->out->num && (begins || trip->out != trip->at))
		return SMP_ACT_SEND;
	sib_count(trip->at, SIB_RCV_SWITCH_RELAY_ERRORS);
	return SMP_ACT_DROP;
}

/* Goes on by the LID at an end of the directed route. @lid: the other end of the part by LID. */
static enum smp_act leave_route(struct smp_trip *trip, u16 lid)
{
	trip->packet->dlid = lid;
	trip->packet->slid = READ_ONCE(sib_port_end(trip->at)->lid);
	return is_at_lid(trip) ? SMP_ACT_TAKE : by_lid_table(trip, true);
}

/* Goes on by the port that the directed route names. */
static enum smp_act follow_route(struct smp_trip *trip, u8 port)
{
	trip->packet->dlid = LID_PERMISSIVE;
	trip->packet->slid = LID_PERMISSIVE;
	trip->out = &trip->at->node->ports[port];
	return SMP_ACT_SEND;
}

static struct smp_node describe(const struct sib_port *at)
{
	return (struct smp_node) {
		.is_switch = sib_node_is_switch(at->node),
		.num_ports = at->node->num_ports,
		.in_port = at->num,
	};
}

/* Decides at a node to which an SMP has come. */
static enum smp_act arrive(struct smp_trip *trip)
{
	const struct smp_node node = describe(trip->at);
	u8 *smp = trip->packet->payload, port;
	bool returning;

	if (!is_at_lid(trip))
		return by_lid_table(trip, false);
	if (!is_directed(trip->packet))
		return SMP_ACT_TAKE;
	returning = get_unaligned_be16(smp + offsetof(struct mad_wire, status)) & SMP_DIRECTION;
	switch (smp_step(smp, &node, &port)) {
	case SMP_HERE:
		return SMP_ACT_TAKE;
	case SMP_PORT:
		return follow_route(trip, port);
	case SMP_LID:
		return leave_route(trip, get_unaligned_be16(smp + (returning ? SMP_DR_SLID :
								   SMP_DR_DLID)));
	default:
		sib_count(trip->at, SIB_VL15_DROPPED);
		return SMP_ACT_DROP;
	}
}

/* Sends an answer to a LID, from the LID that was asked: one of several, if the port has an LMC. */
static enum smp_act answer_lid(struct smp_trip *trip, u16 requester)
{
	u16 asked = trip->packet->dlid;
	enum smp_act act = SMP_ACT_SEND;

	if (requester == LID_PERMISSIVE) {
		/* The neighbour has asked, and has no LID yet. */
		trip->packet->dlid = LID_PERMISSIVE;
		trip->out = trip->at;
	} else {
		act = leave_route(trip, requester);
	}
	if (asked != LID_PERMISSIVE)
		trip->packet->slid = asked;
	return act;
}

/* Decides at the node whose agent has answered. */
static enum smp_act send_answer(struct smp_trip *trip)
{
	const struct smp_node node = describe(trip->at);
	u16 requester = trip->packet->slid;
	u8 *smp = trip->packet->payload, port;

	if (!is_directed(trip->packet))
		return answer_lid(trip, requester);
	switch (smp_start(smp, &node, &port)) {
	case SMP_HERE:
		return SMP_ACT_TAKE;
	case SMP_PORT:
		return follow_route(trip, port);
	case SMP_LID:
		return leave_route(trip, requester);
	default:
		sib_count(trip->at, SIB_VL15_DROPPED);
		return SMP_ACT_DROP;
	}
}

/* Takes an SMP from node to node. Returns whether it has come to its destination. */
static bool travel(struct smp_trip *trip, enum smp_act act)
{
	struct sib_port *in;
	int hops;

	for (hops = 0; act == SMP_ACT_SEND && hops < SIB_HOPS_MAX; hops++) {
		in = sib_cross(trip->out, trip->packet);
		if (!in) {
			sib_count(trip->out, SIB_VL15_DROPPED);
			return false;
		}
		trip->at = in;
		act = arrive(trip);
	}
	if (act == SMP_ACT_SEND)
		sib_count(trip->at, SIB_RCV_SWITCH_RELAY_ERRORS);
	return act == SMP_ACT_TAKE;
}

/* Gives an SMP to the host of a node. */
static void give_to_host(struct smp_trip *trip)
{
	unsigned long flags;

	rcu_read_lock();
	local_irq_save(flags);
	sib_receive(trip->at, trip->packet);
	local_irq_restore(flags);
	rcu_read_unlock();
}

/* Takes an SMP to an agent or a host, and an answer back. */
static void run(struct smp_trip *trip, enum smp_act act)
{
	while (travel(trip, act)) {
		switch (sib_sma_process(trip->at, trip->packet->payload, trip->packet->slid,
					false)) {
		case SIB_SMA_ANSWERED:
			act = send_answer(trip);
			break;
		case SIB_SMA_HOST:
			/* The host takes the last step of a route again, which changes nothing. */
			give_to_host(trip);
			return;
		case SIB_SMA_TAKEN:
			return;
		case SIB_SMA_DROPPED:
			sib_count(trip->at, SIB_VL15_DROPPED);
			return;
		}
	}
}

void sib_smp_run(struct sib_port *from, struct sib_packet *packet)
{
	struct smp_trip trip = { .packet = packet, .at = from, .out = from };
	enum smp_act act = SMP_ACT_SEND;

	/* The host has taken the first step of a route. An own LID leads to the own agent. */
	if (sib_port_has_lid(from, packet->dlid))
		act = arrive(&trip);
	else if (sib_node_is_switch(from->node))
		act = by_lid_table(&trip, true);
	run(&trip, act);
}

void sib_smp_arrive(struct sib_port *in, struct sib_packet *packet)
{
	struct smp_trip trip = { .packet = packet, .at = in, .out = in };

	run(&trip, arrive(&trip));
}
