// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Slots: nodes that the administrator sets up. */
#include "drivers/sib/slot.h"

#include "drivers/sib/fabric.h"
#include "drivers/sib/guid.h"
#include "drivers/sib/node.h"
#include "drivers/sib/sib.h"

void sib_slot_read(struct sib_slot *slot, struct sib_slot_info *info)
{
	struct sib_node *node;

	down_read(&slot->fabric->topology);
	node = slot->node;
	mutex_lock(&node->mgmt);
	*info = (struct sib_slot_info) {
		.type = node->type,
		.num_ports = node->num_ports,
		.guid = node->guid,
		.system_guid = node->system_guid,
	};
	memcpy(info->desc, node->desc, sizeof(node->desc));
	mutex_unlock(&node->mgmt);
	up_read(&slot->fabric->topology);
}

/* Returns a GUID that no node has. A fabric that has room for a node has one. */
static u64 free_guid(struct sib_fabric *fabric)
{
	u64 guid;

	do
		guid = fabric->guid | (u64)fabric->next_guid++ << SIB_GUID_NODE_SHIFT;
	while (sib_fabric_has_guid(fabric, guid) && fabric->num_nodes < SIB_FABRIC_NODES);
	return guid;
}

int sib_slot_fill(struct sib_slot *slot, const char *name)
{
	struct sib_fabric *fabric = slot->fabric;
	struct sib_node *node;
	int ret = -ENOMEM;

	down_write(&fabric->topology);
	node = sib_node_create(fabric, name, NODE_TYPE_CA, 1, free_guid(fabric), name);
	if (node)
		ret = sib_fabric_add(node);
	if (ret) {
		sib_node_free(node);
	} else {
		slot->node = node;
		set_bit(1, slot->dirs);
	}
	up_write(&fabric->topology);
	return ret;
}

void sib_slot_empty(struct sib_slot *slot)
{
	sib_fabric_remove(slot->node);
	slot->node = NULL;
}

/* Returns 0 if the node can be changed, -EBUSY if it has a link or a device. */
static int check_idle(const struct sib_node *node)
{
	int num;

	lockdep_assert_held_write(&node->fabric->topology);
	if (rcu_access_pointer(node->device))
		return -EBUSY;
	for (num = 1; num <= node->num_ports; num++)
		if (rcu_access_pointer(node->ports[num].peer))
			return -EBUSY;
	return 0;
}

/* Copies what the administrator has set up, as far as the new node has it. */
static void copy_setup(const struct sib_node *old, struct sib_node *new)
{
	bool are_cas = !sib_node_is_switch(old) && !sib_node_is_switch(new);
	int num, last = min(old->num_ports, new->num_ports);
	const struct sib_port *from;

	if (old->system_guid != old->guid)
		new->system_guid = old->system_guid;
	memcpy(new->desc, old->desc, sizeof(new->desc));
	for (num = 1; num <= last; num++) {
		from = &old->ports[num];
		sib_port_set_width(&new->ports[num], from->info.width_supported);
		sib_port_set_speed(&new->ports[num], from->info.speed_supported);
		sib_port_set_mtu(&new->ports[num], from->info.mtu_cap);
		sib_port_set_vls(&new->ports[num], from->info.vl_cap);
		sib_port_publish(&new->ports[num]);
		if (are_cas && from->guid != old->guid + num)
			new->ports[num].guid = from->guid;
	}
}

/* Replaces the node. Returns 0, or an errno if the old one stays. */
static int replace(struct sib_slot *slot, u8 type, u8 num_ports, u64 guid)
{
	struct sib_node *old = slot->node, *new;
	int ret;

	lockdep_assert_held_write(&slot->fabric->topology);
	if (check_idle(old) ||
	    find_next_bit(slot->dirs, SIB_SWITCH_PORTS + 1, num_ports + 1) <= SIB_SWITCH_PORTS)
		return -EBUSY;
	new = sib_node_create(slot->fabric, old->name, type, num_ports, guid, "");
	if (!new)
		return -ENOMEM;
	copy_setup(old, new);
	ret = sib_fabric_replace(old, new);
	if (ret)
		sib_node_free(new);
	else
		slot->node = new;
	return ret;
}

int sib_slot_set_type(struct sib_slot *slot, u8 type)
{
	struct sib_fabric *fabric = slot->fabric;
	struct sib_node *node;
	u8 num_ports;
	int ret = 0;

	down_write(&fabric->topology);
	node = slot->node;
	num_ports = node->num_ports;
	if (type == NODE_TYPE_CA && num_ports > SIB_CA_PORTS)
		num_ports = SIB_CA_PORTS;
	if (node->type != type)
		ret = replace(slot, type, num_ports, node->guid);
	up_write(&fabric->topology);
	return ret;
}

int sib_slot_set_num_ports(struct sib_slot *slot, unsigned int num_ports)
{
	struct sib_fabric *fabric = slot->fabric;
	struct sib_node *node;
	unsigned int most;
	int ret = 0;

	down_write(&fabric->topology);
	node = slot->node;
	most = sib_node_is_switch(node) ? SIB_SWITCH_PORTS : SIB_CA_PORTS;
	if (!num_ports || num_ports > most)
		ret = -EINVAL;
	else if (num_ports != node->num_ports)
		ret = replace(slot, node->type, num_ports, node->guid);
	up_write(&fabric->topology);
	return ret;
}

int sib_slot_set_guid(struct sib_slot *slot, u64 guid)
{
	struct sib_fabric *fabric = slot->fabric;
	struct sib_node *node;
	int ret = 0;

	if (!guid)
		return -EINVAL;
	down_write(&fabric->topology);
	node = slot->node;
	if (guid != node->guid)
		ret = replace(slot, node->type, node->num_ports, guid);
	up_write(&fabric->topology);
	return ret;
}

int sib_slot_set_system_guid(struct sib_slot *slot, u64 guid)
{
	struct sib_fabric *fabric = slot->fabric;
	int ret;

	if (!guid)
		return -EINVAL;
	down_write(&fabric->topology);
	ret = check_idle(slot->node);
	if (!ret) {
		mutex_lock(&slot->node->mgmt);
		slot->node->system_guid = guid;
		mutex_unlock(&slot->node->mgmt);
	}
	up_write(&fabric->topology);
	return ret;
}

void sib_slot_set_desc(struct sib_slot *slot, const char *desc)
{
	struct sib_fabric *fabric = slot->fabric;
	struct sib_device *dev;
	struct sib_node *node;

	down_read(&fabric->topology);
	node = slot->node;
	if (!*desc)
		desc = node->name;
	mutex_lock(&node->mgmt);
	sib_node_describe(node, desc, strlen(desc));
	dev = rcu_dereference_protected(node->device, lockdep_is_held(&fabric->topology));
	if (dev)
		memcpy(dev->soft.base.node_desc, node->desc, sizeof(node->desc));
	mutex_unlock(&node->mgmt);
	up_read(&fabric->topology);
}

int sib_slot_attach(struct sib_slot *slot, struct sib_device *dev)
{
	struct sib_fabric *fabric = slot->fabric;
	struct sib_node *node;
	int ret = 0;

	down_write(&fabric->topology);
	node = slot->node;
	if (sib_node_is_switch(node)) {
		ret = -EOPNOTSUPP;
	} else if (rcu_access_pointer(node->device)) {
		ret = -EBUSY;
	} else {
		dev->fabric = fabric;
		dev->node = node;
		sib_fabric_attach(node, dev);
	}
	up_write(&fabric->topology);
	return ret;
}

struct ib_device *sib_slot_device(struct sib_slot *slot)
{
	struct sib_fabric *fabric = slot->fabric;
	struct sib_device *dev;

	down_read(&fabric->topology);
	dev = rcu_dereference_protected(slot->node->device, lockdep_is_held(&fabric->topology));
	if (dev)
		get_device(&dev->soft.base.dev);
	up_read(&fabric->topology);
	return dev ? &dev->soft.base : NULL;
}
