// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The queue of management packets. */
#include "drivers/sib/queue.h"

#include <linux/slab.h>

/*
 * Adds a packet, unless the port has too many, or its node has just left the fabric, in which case
 * nobody would take the packet out. Returns whether the packet was added.
 */
static bool enqueue(struct sib_fabric *fabric, struct sib_item *item)
{
	bool is_smp = item->packet.vl == VL_MANAGEMENT;
	struct sib_port *port = item->port;
	unsigned long flags;
	bool has_room;

	spin_lock_irqsave(&fabric->queue_lock, flags);
	/* A storm of requests from others leaves room for the SMPs of the port's own host. */
	has_room = !port->node->gone &&
		   port->backlog < (is_smp ? SIB_BACKLOG_MAX : SIB_BACKLOG_REQUESTS);
	if (has_room) {
		port->backlog++;
		list_add_tail(&item->entry, &fabric->queue);
	}
	spin_unlock_irqrestore(&fabric->queue_lock, flags);
	return has_room;
}

bool sib_queue_add(struct sib_port *port, const struct sib_packet *packet)
{
	struct sib_fabric *fabric = port->node->fabric;
	struct sib_item *item = kmalloc(sizeof(*item), GFP_ATOMIC);

	if (item) {
		item->port = port;
		item->packet = *packet;
		item->packet.payload = item->mad;
		memcpy(item->mad, packet->payload, sizeof(item->mad));
	}
	if (!item || !enqueue(fabric, item)) {
		kfree(item);
		sib_count(port, packet->vl == VL_MANAGEMENT ? SIB_VL15_DROPPED : SIB_RCV_ERRORS);
		return false;
	}
	queue_work(fabric->wq, &fabric->work);
	return true;
}

struct sib_item *sib_queue_take(struct sib_fabric *fabric)
{
	struct sib_item *item;

	spin_lock_irq(&fabric->queue_lock);
	item = list_first_entry_or_null(&fabric->queue, struct sib_item, entry);
	if (item) {
		list_del(&item->entry);
		item->port->backlog--;
	}
	spin_unlock_irq(&fabric->queue_lock);
	return item;
}

void sib_queue_forget(struct sib_node *node)
{
	struct sib_fabric *fabric = node->fabric;
	struct sib_item *item, *next;
	LIST_HEAD(left);

	lockdep_assert_held_write(&fabric->topology);
	spin_lock_irq(&fabric->queue_lock);
	node->gone = true;
	list_for_each_entry_safe(item, next, &fabric->queue, entry)
		if (item->port->node == node)
			list_move(&item->entry, &left);
	spin_unlock_irq(&fabric->queue_lock);
	list_for_each_entry_safe(item, next, &left, entry)
		kfree(item);
}
