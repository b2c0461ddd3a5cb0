// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The attributes LinearForwardingTable and MulticastForwardingTable. A table is as long as the
 * highest block that was set.
 */
#include "drivers/sib/sma_forward.h"

#include <linux/mm.h>
#include <linux/slab.h>

static struct sib_lft *lft_of(const struct sib_node *node)
{
	return rcu_dereference_protected(node->sw.lft, lockdep_is_held(&node->mgmt));
}

static u16 linear_check(const struct sib_sma_call *call, struct smtable_at *at)
{
	if (!sib_node_is_switch(call->node))
		return MAD_STATUS_BAD_ATTR;
	if (!smtable_at_linear(call->attr_mod, at) || at->block >= SIB_LINEAR_CAP / LIDS_PER_BLOCK)
		return MAD_STATUS_BAD_VALUE;
	return 0;
}

u16 sib_sma_get_linear(struct sib_sma_call *call)
{
	const struct sib_lft *lft;
	struct smtable_at at;
	u16 status;

	status = linear_check(call, &at);
	if (status)
		return status;
	lft = lft_of(call->node);
	if (lft && at.block * LIDS_PER_BLOCK < lft->len)
		memcpy(call->data, lft->port + at.block * LIDS_PER_BLOCK, LIDS_PER_BLOCK);
	else
		memset(call->data, SWITCH_PORT_NONE, LIDS_PER_BLOCK);
	return 0;
}

/* Makes room for @len LIDs. Returns the table; NULL if there is no memory. */
static struct sib_lft *grow_lft(struct sib_node *node, u32 len)
{
	struct sib_lft *old = lft_of(node), *new;

	if (old && len <= old->len)
		return old;
	new = kvmalloc(struct_size(new, port, len), GFP_KERNEL);
	if (!new)
		return NULL;
	new->len = len;
	memset(new->port, SWITCH_PORT_NONE, len);
	if (old)
		memcpy(new->port, old->port, old->len);
	rcu_assign_pointer(node->sw.lft, new);
	if (old)
		kvfree_rcu(old, rcu);
	return new;
}

u16 sib_sma_set_linear(struct sib_sma_call *call)
{
	struct smtable_at at;
	struct sib_lft *lft;
	u16 status;
	int i;

	status = linear_check(call, &at);
	if (status)
		return status;
	if (!linear_is_valid(call->data, call->node->num_ports))
		return MAD_STATUS_BAD_VALUE;
	lft = grow_lft(call->node, (at.block + 1) * LIDS_PER_BLOCK);
	if (!lft)
		return MAD_STATUS_BUSY;
	/* Each packet needs one entry, so it does not matter that others change later. */
	for (i = 0; i < LIDS_PER_BLOCK; i++)
		WRITE_ONCE(lft->port[at.block * LIDS_PER_BLOCK + i], call->data[i]);
	return 0;
}

static struct sib_mft *mft_of(const struct sib_node *node)
{
	return rcu_dereference_protected(node->sw.mft, lockdep_is_held(&node->mgmt));
}

static u16 multicast_check(const struct sib_sma_call *call, struct smtable_at *at)
{
	if (!sib_node_is_switch(call->node))
		return MAD_STATUS_BAD_ATTR;
	if (!smtable_at_multicast(call->attr_mod, at) ||
	    at->block >= SIB_MULTICAST_CAP / MLIDS_PER_BLOCK ||
	    at->position >= call->node->sw.positions)
		return MAD_STATUS_BAD_VALUE;
	return 0;
}

/* Returns the place of the mask of LID @index, from the first multicast LID on. */
static size_t mask_at(const struct sib_node *node, u32 index, u8 position)
{
	return (size_t)index * node->sw.positions + position;
}

u16 sib_sma_get_multicast(struct sib_sma_call *call)
{
	const struct sib_mft *mft;
	struct smtable_at at;
	__be16 mask;
	u32 index;
	u16 status;
	int i;

	status = multicast_check(call, &at);
	if (status)
		return status;
	memset(call->data, 0, 2 * MLIDS_PER_BLOCK);
	mft = mft_of(call->node);
	for (i = 0; mft && i < MLIDS_PER_BLOCK; i++) {
		index = at.block * MLIDS_PER_BLOCK + i;
		if (index >= mft->len)
			break;
		mask = mft->mask[mask_at(call->node, index, at.position)];
		memcpy(call->data + 2 * i, &mask, sizeof(mask));
	}
	return 0;
}

/* Makes room for @len LIDs. Returns the table; NULL if there is no memory. */
static struct sib_mft *grow_mft(struct sib_node *node, u32 len)
{
	struct sib_mft *old = mft_of(node), *new;

	if (old && len <= old->len)
		return old;
	new = kvzalloc(struct_size(new, mask, mask_at(node, len, 0)), GFP_KERNEL);
	if (!new)
		return NULL;
	new->len = len;
	if (old)
		memcpy(new->mask, old->mask, mask_at(node, old->len, 0) * sizeof(old->mask[0]));
	rcu_assign_pointer(node->sw.mft, new);
	if (old)
		kvfree_rcu(old, rcu);
	return new;
}

u16 sib_sma_set_multicast(struct sib_sma_call *call)
{
	struct smtable_at at;
	struct sib_mft *mft;
	__be16 mask;
	u32 index;
	u16 status;
	int i;

	status = multicast_check(call, &at);
	if (status)
		return status;
	if (!multicast_is_valid(call->data, at.position, call->node->num_ports))
		return MAD_STATUS_BAD_VALUE;
	mft = grow_mft(call->node, (at.block + 1) * MLIDS_PER_BLOCK);
	if (!mft)
		return MAD_STATUS_BUSY;
	for (i = 0; i < MLIDS_PER_BLOCK; i++) {
		index = at.block * MLIDS_PER_BLOCK + i;
		memcpy(&mask, call->data + 2 * i, sizeof(mask));
		WRITE_ONCE(mft->mask[mask_at(call->node, index, at.position)], mask);
	}
	return 0;
}
