// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The agents run in a work item and not in the sender's context, because a sender may hold locks
 * and have interrupts off, and agents take mutexes and allocate memory. One item for the whole
 * fabric keeps the order of packets, and needs no more stack for a longer way.
 */
#include "drivers/sib/agent.h"

#include <linux/sched.h>
#include <linux/slab.h>

#include "drivers/sib/datagram.h"
#include "drivers/sib/node.h"
#include "drivers/sib/pma.h"
#include "drivers/sib/queue.h"
#include "drivers/sib/smp.h"
#include "drivers/sib/violation.h"

/* Packets that are handled before the work item is queued again, behind others. */
#define AGENT_BATCH	256

/* Answers a request for the agent of performance management. */
static void answer_request(struct sib_port *port, struct sib_packet *p)
{
	int index = sib_port_find_pkey(port, p->pkey);
	const u32 requester = p->sqpn;
	const u16 slid = p->slid;
	unsigned long flags;
	u8 gid[GID_LEN];

	/* Nobody can have sent it. */
	if (!lid_is_unicast(slid)) {
		sib_count(port, SIB_RCV_ERRORS);
		return;
	}
	if (index < 0) {
		/* The SM has taken the port out of the partition, since the request came. */
		sib_violation_of_pkey(port, p);
		return;
	}
	sib_pma_process(port, p->payload);
	/* The answer is that of a member of this port's kind, full or limited. */
	p->pkey = sib_port_pkey(port, index);
	p->slid = p->dlid;
	p->dlid = slid;
	p->dqpn = requester;
	p->sqpn = SIB_PMA_QPN;
	memcpy(gid, p->grh.sgid, sizeof(gid));
	memcpy(p->grh.sgid, p->grh.dgid, sizeof(gid));
	memcpy(p->grh.dgid, gid, sizeof(gid));
	rcu_read_lock();
	local_irq_save(flags);
	sib_datagram_send(port, p);
	local_irq_restore(flags);
	rcu_read_unlock();
}

void sib_agent_work(struct work_struct *work)
{
	struct sib_fabric *fabric = container_of(work, struct sib_fabric, work);
	struct sib_item *item = NULL;
	int i;

	for (i = 0; i < AGENT_BATCH; i++) {
		down_read(&fabric->topology);
		item = sib_queue_take(fabric);
		if (item && item->packet.vl == VL_MANAGEMENT)
			sib_smp_run(item->port, &item->packet);
		else if (item)
			answer_request(item->port, &item->packet);
		up_read(&fabric->topology);
		kfree(item);
		if (!item)
			return;
		cond_resched();
	}
	queue_work(fabric->wq, &fabric->work);
}
