// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The attributes GUIDInfo and P_KeyTable. */
#include "drivers/sib/sma_keys.h"

#include <linux/slab.h>

#include "drivers/sib/event.h"
#include "drivers/sib/node.h"

/* Returns the end port's table that the modifier names, or NULL. */
static struct sib_port *guid_port(const struct sib_sma_call *call)
{
	return call->attr_mod < SIB_GUIDS / GUIDS_PER_BLOCK ? sib_port_end(call->in) : NULL;
}

u16 sib_sma_get_guid_info(struct sib_sma_call *call)
{
	const struct sib_port *port = guid_port(call);
	int i;

	if (!port)
		return MAD_STATUS_BAD_VALUE;
	for (i = 0; i < GUIDS_PER_BLOCK; i++)
		put_unaligned_be64(sib_port_guid(port, call->attr_mod * GUIDS_PER_BLOCK + i),
				   call->data + 8 * i);
	return 0;
}

u16 sib_sma_set_guid_info(struct sib_sma_call *call)
{
	struct sib_port *port = guid_port(call);
	u64 *guids;
	u32 index;
	int i;

	if (!port)
		return MAD_STATUS_BAD_VALUE;
	guids = port->guids ?: kcalloc(SIB_GUIDS - 1, sizeof(*guids), GFP_KERNEL);
	if (!guids)
		return MAD_STATUS_BUSY;
	/* Pairs with smp_load_acquire() in sib_port_has_gid(). */
	smp_store_release(&port->guids, guids);
	for (i = 0; i < GUIDS_PER_BLOCK; i++) {
		/* The first GUID is that of the port, which an SM cannot change. */
		index = call->attr_mod * GUIDS_PER_BLOCK + i;
		if (index)
			WRITE_ONCE(guids[index - 1], get_unaligned_be64(call->data + 8 * i));
	}
	call->port = port;
	call->events = SIB_EVENT(GID_CHANGE);
	return 0;
}

/* Returns the port whose table the modifier names, or NULL. */
static struct sib_port *pkey_port(const struct sib_sma_call *call, struct smtable_at *at)
{
	if (!smtable_at_pkeys(call->attr_mod, at) || at->block >= SIB_PKEYS / PKEYS_PER_BLOCK)
		return NULL;
	/* A CA has the table of the port by which the SMP came. */
	return sib_node_is_switch(call->node) ? sib_sma_port(call, at->port) : call->in;
}

u16 sib_sma_get_pkeys(struct sib_sma_call *call)
{
	u16 keys[PKEYS_PER_BLOCK];
	struct sib_port *port;
	struct smtable_at at;
	int i;

	port = pkey_port(call, &at);
	if (!port)
		return MAD_STATUS_BAD_VALUE;
	for (i = 0; i < PKEYS_PER_BLOCK; i++)
		keys[i] = sib_port_pkey(port, at.block * PKEYS_PER_BLOCK + i);
	pkeys_build(call->data, keys);
	return 0;
}

u16 sib_sma_set_pkeys(struct sib_sma_call *call)
{
	struct sib_pkeys *old, *new;
	struct sib_port *port;
	struct smtable_at at;
	int i;

	port = pkey_port(call, &at);
	if (!port)
		return MAD_STATUS_BAD_VALUE;
	new = kmalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return MAD_STATUS_BUSY;
	for (i = 0; i < SIB_PKEYS; i++)
		new->key[i] = sib_port_pkey(port, i);
	pkeys_parse(call->data, &new->key[at.block * PKEYS_PER_BLOCK]);
	old = rcu_replace_pointer(port->pkeys, new, lockdep_is_held(&port->node->mgmt));
	if (old)
		kfree_rcu(old, rcu);
	call->port = port;
	call->events = SIB_EVENT(PKEY_CHANGE);
	return 0;
}
