// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Ports of the nodes in slots. A port that has a directory stays, whatever its node is. */
#include "drivers/sib/slot_port.h"

#include "drivers/sib/fabric.h"
#include "drivers/sib/link.h"
#include "drivers/sib/node.h"

static struct sib_port *find_port(struct sib_slot *slot, u8 num)
{
	lockdep_assert_held(&slot->fabric->topology);
	return &slot->node->ports[num];
}

void sib_slot_read_port(struct sib_slot *slot, u8 num, struct sib_slot_port *info)
{
	struct sib_fabric *fabric = slot->fabric;
	const struct sib_port *peer;
	struct sib_port *port;

	memset(info, 0, sizeof(*info));
	down_read(&fabric->topology);
	port = find_port(slot, num);
	mutex_lock(&port->node->mgmt);
	info->info = port->info;
	info->guid = sib_port_end(port)->guid;
	info->lid = sib_port_end(port)->info.lid;
	mutex_unlock(&port->node->mgmt);
	peer = rcu_dereference_protected(port->peer, lockdep_is_held(&fabric->topology));
	if (peer) {
		strscpy(info->peer, peer->node->name, sizeof(info->peer));
		info->peer_num = peer->num;
	}
	up_read(&fabric->topology);
}

int sib_slot_open_port(struct sib_slot *slot, unsigned int num)
{
	int ret = -EINVAL;

	down_write(&slot->fabric->topology);
	if (num && num <= slot->node->num_ports) {
		set_bit(num, slot->dirs);
		ret = 0;
	}
	up_write(&slot->fabric->topology);
	return ret;
}

void sib_slot_close_port(struct sib_slot *slot, u8 num)
{
	struct sib_port *port;

	down_write(&slot->fabric->topology);
	port = find_port(slot, num);
	clear_bit(num, slot->dirs);
	sib_link_disconnect(port);
	if (!rcu_access_pointer(port->node->device)) {
		mutex_lock(&port->node->mgmt);
		sib_port_reset(port);
		mutex_unlock(&port->node->mgmt);
	}
	up_write(&slot->fabric->topology);
}

int sib_slot_connect(struct sib_slot *slot, u8 num, const char *peer, unsigned int peer_num)
{
	struct sib_fabric *fabric = slot->fabric;
	struct sib_port *a, *b;
	struct sib_node *node;
	int ret = -ENOENT;

	down_write(&fabric->topology);
	node = sib_fabric_find(fabric, peer);
	if (!node || !peer_num || peer_num > node->num_ports)
		goto unlock;
	a = find_port(slot, num);
	b = &node->ports[peer_num];
	if (a == b) {
		ret = -EINVAL;
	} else if (rcu_access_pointer(a->peer) || rcu_access_pointer(b->peer)) {
		ret = -EBUSY;
	} else {
		sib_link_connect(a, b);
		ret = 0;
	}
unlock:
	up_write(&fabric->topology);
	return ret;
}

void sib_slot_disconnect(struct sib_slot *slot, u8 num)
{
	down_write(&slot->fabric->topology);
	sib_link_disconnect(find_port(slot, num));
	up_write(&slot->fabric->topology);
}

int sib_slot_plug(struct sib_slot *slot, u8 num, bool in)
{
	int ret;

	down_read(&slot->fabric->topology);
	ret = sib_link_plug(find_port(slot, num), in);
	up_read(&slot->fabric->topology);
	return ret;
}

int sib_slot_set_port(struct sib_slot *slot, u8 num, void (*set)(struct sib_port *port, u8 value),
		      u8 value)
{
	struct sib_fabric *fabric = slot->fabric;
	struct sib_port *port;
	int ret = -EBUSY;

	/* No link comes up meanwhile. */
	down_write(&fabric->topology);
	port = find_port(slot, num);
	mutex_lock(&port->node->mgmt);
	if (port->info.state == PORT_STATE_DOWN) {
		set(port, value);
		sib_port_publish(port);
		ret = 0;
	}
	mutex_unlock(&port->node->mgmt);
	/* The SM may have restricted the port so that the ends had nothing in common. */
	if (!ret)
		sib_link_retrain(port);
	up_write(&fabric->topology);
	return ret;
}

int sib_slot_set_port_guid(struct sib_slot *slot, u8 num, u64 guid)
{
	struct sib_fabric *fabric = slot->fabric;
	struct sib_port *port;
	int ret = 0;

	if (!guid)
		return -EINVAL;
	down_write(&fabric->topology);
	port = find_port(slot, num);
	if (sib_node_is_switch(port->node)) {
		ret = -EOPNOTSUPP;
	} else if (rcu_access_pointer(port->peer) || rcu_access_pointer(port->node->device)) {
		ret = -EBUSY;
	} else {
		mutex_lock(&port->node->mgmt);
		port->guid = guid;
		mutex_unlock(&port->node->mgmt);
	}
	up_write(&fabric->topology);
	return ret;
}
