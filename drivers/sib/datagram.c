// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The way of a datagram of data. */
#include "drivers/sib/datagram.h"

#include "drivers/sib/forward.h"
#include "drivers/sib/node.h"
#include "drivers/sib/pma.h"
#include "drivers/sib/queue.h"
#include "drivers/sib/receive.h"

/* Returns whether the node's agent answers the datagram, and not the host. */
static bool is_for_agent(struct sib_port *port, const struct sib_packet *p)
{
	return p->dqpn == SIB_PMA_QPN && p->qkey == SIB_PMA_QKEY && p->len == MAD_LEN &&
	       sib_pma_takes(p->payload) && sib_port_find_pkey(port, p->pkey) >= 0;
}

void sib_datagram_send(struct sib_port *from, struct sib_packet *packet)
{
	struct sib_port *to = sib_forward(from, packet);

	if (!to)
		return;
	/* The agent takes locks, so it answers in the fabric's work item. */
	if (is_for_agent(to, packet))
		sib_queue_add(to, packet);
	else
		sib_receive(to, packet);
}
