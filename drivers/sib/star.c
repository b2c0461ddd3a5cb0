// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The shape of a default fabric: CAs with one port around a switch. */
#include "drivers/sib/star.h"

#include <linux/err.h>
#include <linux/string.h>

#include "drivers/sib/fabric.h"
#include "drivers/sib/link.h"
#include "drivers/sib/node.h"

/* Ports of the switch. */
#define ROOT_PORTS	36

/* Makes the switch of a new fabric. Returns 0 or -ENOMEM. */
static int add_root(struct sib_fabric *fabric)
{
	struct sib_node *root;
	int ret;

	root = sib_node_create(fabric, "switch", NODE_TYPE_SWITCH, ROOT_PORTS, fabric->guid,
			       "sib switch");
	if (!root)
		return -ENOMEM;
	down_write(&fabric->topology);
	ret = sib_fabric_add(root);
	up_write(&fabric->topology);
	if (ret)
		sib_node_free(root);
	else
		fabric->root = root;
	return ret;
}

struct sib_fabric *sib_star_create(const char *name, u64 guid)
{
	struct sib_fabric *fabric = sib_fabric_create(name, guid);

	if (!fabric || !add_root(fabric))
		return fabric;
	sib_fabric_free(fabric);
	return NULL;
}

void sib_star_free(struct sib_fabric *fabric)
{
	sib_fabric_remove(fabric->root);
	sib_fabric_free(fabric);
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
 * Adds a CA. If its name is taken, because the device of this name was renamed, a number follows.
 * Returns 0 or -ENOMEM.
 */
static int add_named(struct sib_node *node)
{
	char first[SIB_NAME_LEN], next[SIB_NAME_LEN];
	int ret, i;

	strscpy(first, node->name, sizeof(first));
	ret = sib_fabric_add(node);
	for (i = 2; ret == -EEXIST && i <= ROOT_PORTS + 2; i++) {
		snprintf(next, sizeof(next), "%.*s@%d", SIB_NAME_LEN - 5, first, i);
		strscpy_pad(node->name, next, sizeof(node->name));
		ret = sib_fabric_add(node);
	}
	return ret;
}

struct sib_node *sib_star_add_ca(struct sib_fabric *fabric, const char *name,
				 struct sib_device *dev)
{
	struct sib_port *peer = free_port(fabric->root);
	struct sib_node *node;
	int ret;

	if (!peer)
		return ERR_PTR(-EUSERS);
	node = sib_node_create(fabric, name, NODE_TYPE_CA, 1, fabric->guid | peer->num << 8, "");
	if (!node)
		return ERR_PTR(-ENOMEM);
	down_write(&fabric->topology);
	ret = add_named(node);
	if (!ret) {
		sib_link_connect(&node->ports[1], peer);
		sib_fabric_attach(node, dev);
	}
	up_write(&fabric->topology);
	if (!ret)
		return node;
	sib_node_free(node);
	return ERR_PTR(ret);
}
