/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The queue of management packets: SMPs that a host sends, and requests for the agent of
 * performance management. A work item of the fabric handles them in order.
 */
#ifndef SIB_QUEUE_H
#define SIB_QUEUE_H

#include "drivers/sib/model.h"
#include "drivers/sib/packet.h"
#include "ibwire/mad.h"

/* Packets of a port that may wait; and up to how many a request for the agent may join them. */
#define SIB_BACKLOG_MAX		512
#define SIB_BACKLOG_REQUESTS	256

/**
 * struct sib_item - a packet that waits
 * @entry: entry in sib_fabric.queue
 * @port: port that sends an SMP, or to which another packet came
 * @packet: the packet, whose payload is @mad
 * @mad: the payload
 */
struct sib_item {
	struct list_head entry;
	struct sib_port *port;
	struct sib_packet packet;
	u8 mad[MAD_LEN];
};

/**
 * sib_queue_add() - add a copy of a packet
 * @port: see &sib_item.port
 * @packet: a MAD
 *
 * Called under RCU, or by the device of the port's node, so that the port stays.
 *
 * Return: true; false if too many packets of the port wait, the node has left its fabric, or there
 * is no memory; then the packet
 * is counted as dropped.
 */
bool sib_queue_add(struct sib_port *port, const struct sib_packet *packet);

/**
 * sib_queue_take() - take the oldest packet
 * @fabric: the fabric
 *
 * Called with sib_fabric.topology held, so that the port stays.
 *
 * Return: the packet, to be freed by kfree(); NULL if none waits.
 */
struct sib_item *sib_queue_take(struct sib_fabric *fabric);

/**
 * sib_queue_forget() - drop the packets of a node that leaves its fabric
 * @node: the node; packets that still come to it are dropped
 *
 * Called with sib_fabric.topology held for writing.
 */
void sib_queue_forget(struct sib_node *node);

#endif /* SIB_QUEUE_H */
