// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Fabrics, and nodes that come and go. Hash tables find a node by its name and by its GUID, because
 * a fabric may have thousands.
 */
#include "drivers/sib/fabric.h"

#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "drivers/sib/agent.h"
#include "drivers/sib/link.h"
#include "drivers/sib/node.h"
#include "drivers/sib/queue.h"
#include "drivers/sib/reader.h"
#include "drivers/sib/trap.h"

static const struct rhashtable_params by_name = {
	.key_len = SIB_NAME_LEN,
	.key_offset = offsetof(struct sib_node, name),
	.head_offset = offsetof(struct sib_node, by_name),
	.automatic_shrinking = true,
};

static const struct rhashtable_params by_guid = {
	.key_len = sizeof(u64),
	.key_offset = offsetof(struct sib_node, guid),
	.head_offset = offsetof(struct sib_node, by_guid),
	.automatic_shrinking = true,
};

struct sib_fabric *sib_fabric_create(const char *name, u64 guid)
{
	struct sib_fabric *fabric = kzalloc(sizeof(*fabric), GFP_KERNEL);

	if (!fabric)
		return NULL;
	kref_init(&fabric->ref);
	strscpy(fabric->name, name, sizeof(fabric->name));
	fabric->guid = guid;
	init_rwsem(&fabric->topology);
	mutex_init(&fabric->links);
	mutex_init(&fabric->clearing);
	spin_lock_init(&fabric->queue_lock);
	INIT_LIST_HEAD(&fabric->queue);
	INIT_WORK(&fabric->work, sib_agent_work);
	INIT_DELAYED_WORK(&fabric->trap_work, sib_trap_work);
	spin_lock_init(&fabric->trap_lock);
	INIT_LIST_HEAD(&fabric->trapping);
	if (rhashtable_init(&fabric->by_name, &by_name))
		goto free_fabric;
	if (rhashtable_init(&fabric->by_guid, &by_guid))
		goto destroy_names;
	fabric->tap = sib_tap_create();
	if (!fabric->tap)
		goto destroy_guids;
	fabric->wq = alloc_ordered_workqueue("sib_agent", WQ_MEM_RECLAIM);
	if (!fabric->wq)
		goto end_tap;
	return fabric;

end_tap:
	sib_tap_end(fabric->tap);
destroy_guids:
	rhashtable_destroy(&fabric->by_guid);
destroy_names:
	rhashtable_destroy(&fabric->by_name);
free_fabric:
	kfree(fabric);
	return NULL;
}

void sib_fabric_free(struct sib_fabric *fabric)
{
	/*
	 * Wait for those who have found a node under RCU, and try to queue a packet for it. After
	 * that nothing starts a work item, because no node is left.
	 */
	synchronize_rcu();
	cancel_delayed_work_sync(&fabric->trap_work);
	destroy_workqueue(fabric->wq);
	WARN_ON(fabric->num_nodes || !list_empty(&fabric->queue));
	sib_tap_end(fabric->tap);
	rhashtable_destroy(&fabric->by_guid);
	rhashtable_destroy(&fabric->by_name);
	mutex_destroy(&fabric->clearing);
	mutex_destroy(&fabric->links);
	kfree(fabric);
}

struct sib_node *sib_fabric_find(struct sib_fabric *fabric, const char *name)
{
	char key[SIB_NAME_LEN];

	lockdep_assert_held(&fabric->topology);
	if (strscpy_pad(key, name, sizeof(key)) < 0)
		return NULL;
	return rhashtable_lookup_fast(&fabric->by_name, key, by_name);
}

bool sib_fabric_has_guid(struct sib_fabric *fabric, u64 guid)
{
	lockdep_assert_held(&fabric->topology);
	return rhashtable_lookup_fast(&fabric->by_guid, &guid, by_guid);
}

int sib_fabric_add(struct sib_node *node)
{
	struct sib_fabric *fabric = node->fabric;
	int ret;

	lockdep_assert_held_write(&fabric->topology);
	if (fabric->num_nodes >= SIB_FABRIC_NODES)
		return -ENOSPC;
	ret = rhashtable_lookup_insert_fast(&fabric->by_name, &node->by_name, by_name);
	if (ret)
		return ret;
	ret = rhashtable_lookup_insert_fast(&fabric->by_guid, &node->by_guid, by_guid);
	if (ret) {
		rhashtable_remove_fast(&fabric->by_name, &node->by_name, by_name);
		return ret;
	}
	fabric->num_nodes++;
	fabric->num_switches += sib_node_is_switch(node);
	return 0;
}

/* Ends the use of a node that is in no table any more. */
static void retire(struct sib_node *node)
{
	struct sib_fabric *fabric = node->fabric;

	fabric->num_switches -= sib_node_is_switch(node);
	sib_queue_forget(node);
	sib_node_free(node);
}

int sib_fabric_replace(struct sib_node *old, struct sib_node *node)
{
	struct sib_fabric *fabric = old->fabric;
	int ret = 0;

	lockdep_assert_held_write(&fabric->topology);
	if (node->guid != old->guid)
		ret = rhashtable_lookup_insert_fast(&fabric->by_guid, &node->by_guid, by_guid);
	else
		ret = rhashtable_replace_fast(&fabric->by_guid, &old->by_guid, &node->by_guid,
					      by_guid);
	if (ret)
		return ret;
	if (node->guid != old->guid)
		rhashtable_remove_fast(&fabric->by_guid, &old->by_guid, by_guid);
	rhashtable_replace_fast(&fabric->by_name, &old->by_name, &node->by_name, by_name);
	fabric->num_switches += sib_node_is_switch(node);
	retire(old);
	return 0;
}

void sib_fabric_remove(struct sib_node *node)
{
	struct sib_fabric *fabric = node->fabric;
	int num;

	down_write(&fabric->topology);
	for (num = 1; num <= node->num_ports; num++)
		sib_link_disconnect(&node->ports[num]);
	rhashtable_remove_fast(&fabric->by_name, &node->by_name, by_name);
	rhashtable_remove_fast(&fabric->by_guid, &node->by_guid, by_guid);
	fabric->num_nodes--;
	retire(node);
	up_write(&fabric->topology);
}

void sib_fabric_attach(struct sib_node *node, struct sib_device *dev)
{
	lockdep_assert_held_write(&node->fabric->topology);
	rcu_assign_pointer(node->device, dev);
}

void sib_fabric_detach(struct sib_node *node)
{
	down_write(&node->fabric->topology);
	RCU_INIT_POINTER(node->device, NULL);
	up_write(&node->fabric->topology);
	synchronize_rcu();
}
