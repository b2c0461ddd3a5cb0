// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Fabrics. */
#include "drivers/sib/fabric.h"

#include <linux/err.h>
#include <linux/slab.h>

#include "drivers/sib/agent.h"
#include "drivers/sib/link.h"
#include "drivers/sib/node.h"
#include "drivers/sib/queue.h"
#include "drivers/sib/trap.h"

static void add_node(struct sib_node *node)
{
	lockdep_assert_held_write(&node->fabric->topology);
	list_add_tail(&node->entry, &node->fabric->nodes);
}

struct sib_fabric *sib_fabric_create(u64 guid)
{
	struct sib_fabric *fabric = kzalloc(sizeof(*fabric), GFP_KERNEL);

	if (!fabric)
		return NULL;
	kref_init(&fabric->ref);
	init_rwsem(&fabric->topology);
	mutex_init(&fabric->links);
	mutex_init(&fabric->clearing);
	INIT_LIST_HEAD(&fabric->nodes);
	spin_lock_init(&fabric->queue_lock);
	INIT_LIST_HEAD(&fabric->queue);
	INIT_WORK(&fabric->work, sib_agent_work);
	INIT_DELAYED_WORK(&fabric->trap_work, sib_trap_work);
	fabric->wq = alloc_ordered_workqueue("sib_agent", WQ_MEM_RECLAIM);
	if (!fabric->wq)
		goto free_fabric;
	fabric->root = sib_node_create(fabric, NODE_TYPE_SWITCH, SIB_ROOT_PORTS, guid,
				       "sib switch");
	if (!fabric->root)
		goto destroy_wq;
	down_write(&fabric->topology);
	add_node(fabric->root);
	up_write(&fabric->topology);
	return fabric;

destroy_wq:
	destroy_workqueue(fabric->wq);
free_fabric:
	kfree(fabric);
	return NULL;
}

void sib_fabric_free(struct sib_fabric *fabric)
{
	/* No port changes its state any more, so nothing starts the work again. */
	cancel_delayed_work_sync(&fabric->trap_work);
	destroy_workqueue(fabric->wq);
	sib_fabric_remove(fabric->root);
	WARN_ON(!list_empty(&fabric->nodes) || !list_empty(&fabric->queue));
	mutex_destroy(&fabric->clearing);
	mutex_destroy(&fabric->links);
	kfree(fabric);
}

/* Returns a port of the switch that has no link, or NULL. */
static struct sib_port *free_port(struct sib_node *node)
{
	int num;

	for (num = 1; num <= node->num_ports; num++)
		if (!rcu_access_pointer(node->ports[num].peer))
			return &node->ports[num];
	return NULL;
}

struct sib_node *sib_fabric_add_ca(struct sib_fabric *fabric)
{
	struct sib_port *peer = free_port(fabric->root);
	struct sib_node *node;

	if (!peer)
		return ERR_PTR(-EUSERS);
	node = sib_node_create(fabric, NODE_TYPE_CA, 1, fabric->root->guid | peer->num << 8, "");
	if (!node)
		return ERR_PTR(-ENOMEM);
	down_write(&fabric->topology);
	add_node(node);
	sib_link_connect(&node->ports[1], peer);
	up_write(&fabric->topology);
	return node;
}

void sib_fabric_attach(struct sib_node *node, struct sib_device *dev)
{
	down_write(&node->fabric->topology);
	rcu_assign_pointer(node->device, dev);
	up_write(&node->fabric->topology);
}

void sib_fabric_remove(struct sib_node *node)
{
	struct sib_fabric *fabric = node->fabric;
	int num;

	down_write(&fabric->topology);
	RCU_INIT_POINTER(node->device, NULL);
	for (num = 1; num <= node->num_ports; num++)
		sib_link_disconnect(&node->ports[num]);
	list_del(&node->entry);
	sib_queue_forget(node);
	up_write(&fabric->topology);
	sib_node_free(node);
}
