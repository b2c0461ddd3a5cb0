/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A Get or Set of an attribute of performance management. Each attribute has a function that reads
 * it, and, unless it is read-only, one that sets it. All are called with sib_fabric.clearing held,
 * so that no reader finds half of a Set. They return 0 or the status of the answer, a MAD_STATUS_*;
 * a call that fails has changed nothing.
 */
#ifndef SIB_PMA_CALL_H
#define SIB_PMA_CALL_H

#include "drivers/sib/model.h"

#define SIB_PMA_DATA_LEN	192
#define SIB_PMA_ALL_PORTS	255	/* PortSelect of all ports of a node */

/**
 * struct sib_pma_call - a Get or Set
 * @node: the node that is asked
 * @data: the attribute as it was sent, SIB_PMA_DATA_LEN bytes; becomes that of the answer
 */
struct sib_pma_call {
	struct sib_node *node;
	u8 *data;
};

/* The ports that a PortSelect names: from the first one to the last one. */
struct sib_pma_ports {
	struct sib_port *first;
	struct sib_port *last;
};

/* Finds the ports of a PortSelect. Returns false if there are none. A switch has a port 0, too. */
static inline bool sib_pma_select(struct sib_node *node, u8 select, struct sib_pma_ports *ports)
{
	const u8 first = !sib_node_is_switch(node);
	bool all = select == SIB_PMA_ALL_PORTS;

	if (!all && (select < first || select > node->num_ports))
		return false;
	ports->first = &node->ports[all ? first : select];
	ports->last = &node->ports[all ? node->num_ports : select];
	return true;
}

/**
 * sib_pma_prepare() - find the ports whose counters are to be set, with room for their values
 * @node: the node
 * @select: PortSelect
 * @ports: out
 *
 * Process context. Called with sib_fabric.clearing held, before a Set changes the first port.
 *
 * Return: 0; MAD_STATUS_BAD_VALUE if there are no such ports; MAD_STATUS_BUSY if memory is short.
 */
u16 sib_pma_prepare(struct sib_node *node, u8 select, struct sib_pma_ports *ports);

/* Returns a sum that stays at its maximum. */
static inline u64 sib_pma_add(u64 a, u64 b)
{
	return a + b < a ? U64_MAX : a + b;
}

#endif /* SIB_PMA_CALL_H */
