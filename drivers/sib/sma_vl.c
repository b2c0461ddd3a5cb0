// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The attributes SLtoVLMappingTable and VLArbitrationTable. */
#include "drivers/sib/sma_vl.h"

#include <linux/slab.h>

/* Blocks of VL arbitration: entries 0 to 31 for low, and for high priority. There are no others. */
#define VL_ARB_LOW	1
#define VL_ARB_HIGH	3
#define VL_ARB_TABLES	2

/* Returns the port that the modifier names, and the offset of the row in its table; or NULL. */
static struct sib_port *sl_port(const struct sib_sma_call *call, size_t *row)
{
	struct smtable_at at;

	*row = 0;
	/* A CA has a table for the port by which the SMP came, whatever the modifier says. */
	if (!sib_node_is_switch(call->node))
		return call->in;
	if (!smtable_at_sl_to_vl(call->attr_mod, &at) || at.in_port > call->node->num_ports)
		return NULL;
	*row = at.in_port * SL_TO_VL_LEN;
	return sib_sma_port(call, at.port);
}

static u8 *table_of(struct sib_port *port)
{
	return rcu_dereference_protected(port->sl_to_vl, lockdep_is_held(&port->node->mgmt));
}

/* Until a table is set, VL 0 carries all SLs. */
u16 sib_sma_get_sl_to_vl(struct sib_sma_call *call)
{
	struct sib_port *port;
	size_t row;

	port = sl_port(call, &row);
	if (!port)
		return MAD_STATUS_BAD_VALUE;
	if (table_of(port))
		memcpy(call->data, table_of(port) + row, SL_TO_VL_LEN);
	else
		memset(call->data, 0, SL_TO_VL_LEN);
	return 0;
}

u16 sib_sma_set_sl_to_vl(struct sib_sma_call *call)
{
	size_t rows = sib_node_is_switch(call->node) ? call->node->num_ports + 1 : 1, row, i;
	struct sib_port *port;
	u8 *table;

	port = sl_port(call, &row);
	if (!port)
		return MAD_STATUS_BAD_VALUE;
	table = table_of(port);
	if (!table) {
		table = kcalloc(rows, SL_TO_VL_LEN, GFP_KERNEL);
		if (!table)
			return MAD_STATUS_BUSY;
	}
	/* Each packet needs one entry, so it does not matter that others change later. */
	for (i = 0; i < SL_TO_VL_LEN; i++)
		WRITE_ONCE(table[row + i], call->data[i]);
	rcu_assign_pointer(port->sl_to_vl, table);
	return 0;
}

/* Returns the port that the modifier names, and the offset of the block in its tables; or NULL. */
static struct sib_port *arb_port(const struct sib_sma_call *call, size_t *offset)
{
	struct smtable_at at;

	if (!smtable_at_vl_arb(call->attr_mod, &at) ||
	    (at.block != VL_ARB_LOW && at.block != VL_ARB_HIGH))
		return NULL;
	*offset = at.block == VL_ARB_HIGH ? SIB_VL_ARB_LEN : 0;
	return sib_sma_port(call, at.port);
}

u16 sib_sma_get_vl_arb(struct sib_sma_call *call)
{
	const struct sib_port *port;
	size_t offset;

	port = arb_port(call, &offset);
	if (!port)
		return MAD_STATUS_BAD_VALUE;
	if (port->vl_arb)
		memcpy(call->data, port->vl_arb + offset, SIB_VL_ARB_LEN);
	else
		memset(call->data, 0, SIB_VL_ARB_LEN);
	return 0;
}

u16 sib_sma_set_vl_arb(struct sib_sma_call *call)
{
	struct sib_port *port;
	size_t offset;

	port = arb_port(call, &offset);
	if (!port)
		return MAD_STATUS_BAD_VALUE;
	if (!port->vl_arb)
		port->vl_arb = kcalloc(VL_ARB_TABLES, SIB_VL_ARB_LEN, GFP_KERNEL);
	if (!port->vl_arb)
		return MAD_STATUS_BUSY;
	memcpy(port->vl_arb + offset, call->data, SIB_VL_ARB_LEN);
	return 0;
}
