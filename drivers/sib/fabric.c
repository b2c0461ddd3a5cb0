// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Fabrics. */
#include "drivers/sib/fabric.h"

#include <linux/err.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "drivers/sib/agent.h"
#include "drivers/sib/link.h"
#include "drivers/sib/node.h"
#include "drivers/sib/queue.h"
#include "drivers/sib/trap.h"

static const struct rhashtable_params by_name = {
	.key_len = SIB_NAME_LEN,
	.key_offset = offsetof(struct sib_node, name),
	.head_offset = offsetof(struct sib_node, by_name),
	.automatic_shrinking = true,
};

struct sib_node *sib_fabric_find(struct sib_fabric *fabric, const char *name)
{
	char key[SIB_NAME_LEN];

	lockdep_assert_held(&fabric->topology);
	if (strscpy_pad(key, name, sizeof(key)) < 0)
		return NULL;
	return rhashtable_lookup_fast(&fabric->by_name, key, by_name);
}

/* Returns 0; -EEXIST if the fabric has a node of this name; -ENOMEM. */
static int add_node(struct sib_node *node)
{
	struct sib_fabric *fabric = node->fabric;
	int ret;

	lockdep_assert_held_write(&fabric->topology);
	ret = rhashtable_lookup_insert_fast(&fabric->by_name, &node->by_name, by_name);
	if (!ret)
		list_add_tail(&node->entry, &fabric->nodes);
	return ret;
}

static void del_node(struct sib_node *node)
{
	lockdep_assert_held_write(&node->fabric->topology);
	rhashtable_remove_fast(&node->fabric->by_name, &node->by_name, by_name);
	list_del(&node->entry);
}

/* Gives a fabric its switch. Returns 0 or -ENOMEM. */
static int add_root(struct sib_fabric *fabric, u64 guid)
{
	struct sib_node *root;
	int ret;

	root = sib_node_create(fabric, "switch", NODE_TYPE_SWITCH, SIB_ROOT_PORTS, guid,
			       "sib switch");
	if (!root)
		return -ENOMEM;
	down_write(&fabric->topology);
	ret = add_node(root);
	up_write(&fabric->topology);
	if (ret)
		sib_node_free(root);
	else
		fabric->root = root;
	return ret;
}

struct sib_fabric *sib_fabric_create(const char *name, u64 guid)
{
	struct sib_fabric *fabric = kzalloc(sizeof(*fabric), GFP_KERNEL);

	if (!fabric)
		return NULL;
	kref_init(&fabric->ref);
	strscpy(fabric->name, name, sizeof(fabric->name));
	init_rwsem(&fabric->topology);
	mutex_init(&fabric->links);
	mutex_init(&fabric->clearing);
	INIT_LIST_HEAD(&fabric->nodes);
	spin_lock_init(&fabric->queue_lock);
	INIT_LIST_HEAD(&fabric->queue);
	INIT_WORK(&fabric->work, sib_agent_work);
	INIT_DELAYED_WORK(&fabric->trap_work, sib_trap_work);
	if (rhashtable_init(&fabric->by_name, &by_name))
		goto free_fabric;
	fabric->wq = alloc_ordered_workqueue("sib_agent", WQ_MEM_RECLAIM);
	if (!fabric->wq)
		goto destroy_table;
	if (add_root(fabric, guid))
		goto destroy_wq;
	return fabric;

destroy_wq:
	destroy_workqueue(fabric->wq);
destroy_table:
	rhashtable_destroy(&fabric->by_name);
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
	rhashtable_destroy(&fabric->by_name);
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

/*
 * Adds a CA of the default fabric. If its name is taken, because the device of this name was
 * renamed, a number follows.
 */
static int add_named(struct sib_node *node)
{
	char first[SIB_NAME_LEN], next[SIB_NAME_LEN];
	int ret, i;

	strscpy(first, node->name, sizeof(first));
	ret = add_node(node);
	for (i = 2; ret == -EEXIST && i <= SIB_ROOT_PORTS + 2; i++) {
		snprintf(next, sizeof(next), "%.*s@%d", SIB_NAME_LEN - 5, first, i);
		strscpy_pad(node->name, next, sizeof(node->name));
		ret = add_node(node);
	}
	return ret;
}

struct sib_node *sib_fabric_add_ca(struct sib_fabric *fabric, const char *name)
{
	struct sib_port *peer = free_port(fabric->root);
	struct sib_node *node;
	int ret;

	if (!peer)
		return ERR_PTR(-EUSERS);
	node = sib_node_create(fabric, name, NODE_TYPE_CA, 1,
			       fabric->root->guid | peer->num << 8, "");
	if (!node)
		return ERR_PTR(-ENOMEM);
	down_write(&fabric->topology);
	ret = add_named(node);
	if (!ret)
		sib_link_connect(&node->ports[1], peer);
	up_write(&fabric->topology);
	if (!ret)
		return node;
	sib_node_free(node);
	return ERR_PTR(ret);
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
	del_node(node);
	sib_queue_forget(node);
	up_write(&fabric->topology);
	sib_node_free(node);
}
