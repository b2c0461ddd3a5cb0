// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The way of a datagram of data. */
#include "drivers/sib/datagram.h"

#include "drivers/sib/forward.h"
#include "drivers/sib/multicast.h"
#include "drivers/sib/node.h"
#include "drivers/sib/pma.h"
#include "drivers/sib/queue.h"
#include "drivers/sib/receive.h"
#include "drivers/sib/violation.h"

/* Returns whether the node's agent gets the datagram, and not the host. */
static bool is_for_agent(const struct sib_packet *p)
{
	return p->dqpn == SIB_PMA_QPN && p->len == MAD_LEN && sib_pma_takes(p->payload);
}

/* Gives a request to the agent, unless its keys or its address are wrong. */
static void give_to_agent(struct sib_port *port, const struct sib_packet *p)
{
	if (p->has_grh && !sib_port_has_gid(port, p->grh.dgid))
		sib_count(port, SIB_RCV_ERRORS);
	else if (sib_port_find_pkey(port, p->pkey) < 0)
		sib_violation_of_pkey(port, p);
	else if (p->qkey != SIB_PMA_QKEY)
		sib_violation_of_qkey(port, p);
	else
		sib_queue_add(port, p);
}

/* Gives a datagram to the agent or the host. */
static void hand_over(struct sib_port *to, struct sib_packet *packet)
{
	/* The agent takes locks, so it answers in the fabric's work item. */
	if (is_for_agent(packet))
		give_to_agent(to, packet);
	else
		sib_receive(to, packet);
}

void sib_datagram_send(struct sib_port *from, struct sib_packet *packet)
{
	struct sib_port *to;

	if (lid_is_multicast(packet->dlid)) {
		sib_multicast_send(from, packet);
		return;
	}
	to = sib_forward(from, packet);
	if (to)
		hand_over(to, packet);
}

void sib_datagram_arrive(struct sib_port *in, struct sib_packet *packet)
{
	struct sib_port *to;

	if (lid_is_multicast(packet->dlid)) {
		sib_multicast_arrive(in, packet);
		return;
	}
	to = sib_forward_arrived(in, packet);
	if (to)
		hand_over(to, packet);
}
