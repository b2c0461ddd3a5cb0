/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The fabric: nodes, their ports, links, and what the subnet manager (SM) has set.
 *
 *	sib_fabric -- sib_node -- sib_port -- link -- sib_port -- sib_node
 *
 * A node is a switch or a channel adapter (CA). Its agents for subnet and performance management
 * answer, whether or not the CA is a device of the kernel. Tables that the SM has not set are not
 * allocated, so that a node without a device takes little memory.
 *
 * Locks, outermost first: sib_fabric.topology, .links, sib_node.mgmt. Packets are forwarded under
 * RCU alone.
 */
#ifndef SIB_MODEL_H
#define SIB_MODEL_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable-types.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "drivers/sib/model_port.h"
#include "drivers/sib/model_switch.h"
#include "drivers/sib/model_tap.h"
#include "ibwire/notice.h"
#include "ibwire/smtable.h"

struct dentry;
struct net;
struct sib_device;
struct sib_sampler;

#define SIB_DESC_LEN		64	/* bytes of the attribute NodeDescription */

#define SIB_CA_PORTS		8	/* ports of a CA at most */
#define SIB_SWITCH_PORTS	254	/* the same of a switch, without its port 0 */
#define SIB_FABRIC_NODES	65536	/* nodes of a fabric at most */

/* Links or switches that a packet may cross: tables that lead in a circle lose it. */
#define SIB_HOPS_MAX		64

/**
 * struct sib_node - a switch or a CA
 * @fabric: its fabric
 * @by_name: entry in sib_fabric.by_name
 * @by_guid: entry in sib_fabric.by_guid
 * @rcu: frees the node after those who read it
 * @name: name in the fabric, unique, with zeros at the end
 * @type: NODE_TYPE_CA or NODE_TYPE_SWITCH
 * @num_ports: number of ports, without a switch's port 0
 * @gone: the node is not in the fabric any more; protected by sib_fabric.queue_lock
 * @guid: GUID of the node, unique in the fabric
 * @system_guid: SystemImageGUID; protected by @mgmt
 * @desc: NodeDescription; protected by @mgmt
 * @led: its light is on; protected by @mgmt
 * @mgmt: protects what the SM has set, at the node and its ports
 * @sw: what a switch has; unused in a CA
 * @sampler: its mechanism of samples; NULL until it is used; protected by sib_fabric.clearing
 * @device: the device that the CA is, or NULL; changed with sib_fabric.topology held for writing
 * @ports: ports by their number; element 0 of a CA has no port
 */
struct sib_node {
	struct sib_fabric *fabric;
	struct rhash_head by_name;
	struct rhash_head by_guid;
	struct rcu_head rcu;
	char name[SIB_NAME_LEN];
	u8 type;
	u8 num_ports;
	bool gone;
	u64 guid;
	u64 system_guid;
	char desc[SIB_DESC_LEN];
	bool led;
	struct mutex mgmt; /* protects what the SM has set */
	struct sib_switch sw;
	struct sib_sampler *sampler;
	struct sib_device __rcu *device;
	struct sib_port ports[];
};

/**
 * struct sib_fabric - nodes and links of a subnet
 * @ref: references to a default fabric: one of each device
 * @net: network namespace whose default fabric this is, which outlives the fabric; NULL: the fabric
 *	is in configfs
 * @name: name of the fabric; "ns-" and the inode of the namespace if it is a default fabric
 * @topology: protects the members from @by_name to @num_links, sib_port.peer and sib_node.device.
 *	Held for reading while an SMP is handled, so that no node vanishes meanwhile
 * @links: serialises changes of the state of links, which concern two nodes; taken before the mgmt
 *	of either
 * @clearing: protects what performance management has set: values of counters, and
 *	sib_node.sampler; only sib_sampler.lock is taken inside
 * @by_name: all nodes by name
 * @by_guid: all nodes by GUID
 * @num_nodes: number of nodes
 * @num_switches: number of those that are switches
 * @num_links: number of links
 * @guid: GUID from which those of the nodes are made
 * @next_guid: number of the next node that needs a GUID; protected by @topology
 * @root: the switch of a default fabric
 * @queue_lock: protects @queue and sib_port.backlog; taken with interrupts off, innermost
 * @queue: management packets that wait for @work
 * @wq: runs @work and @trap_work
 * @work: handles the packets of @queue, one after another
 * @trap_work: sends traps
 * @trap_lock: protects @trapping and the traps of ports; taken with interrupts off, innermost
 * @trapping: sib_traps of the ports that have to send a trap
 * @tap: where packets are captured
 * @debugfs: folder of the fabric's files
 */
struct sib_fabric {
	struct kref ref;
	const struct net *net;
	char name[SIB_NAME_LEN];
	struct rw_semaphore topology; /* protects the nodes, their links and devices */
	struct mutex links; /* serialises changes of the state of links */
	struct mutex clearing; /* protects sib_port.cleared and sib_node.sampler */
	struct rhashtable by_name;
	struct rhashtable by_guid;
	u32 num_nodes;
	u32 num_switches;
	u32 num_links;
	u64 guid;
	u16 next_guid;
	struct sib_node *root;
	spinlock_t queue_lock; /* protects @queue and sib_port.backlog */
	struct list_head queue;
	struct workqueue_struct *wq;
	struct work_struct work;
	struct delayed_work trap_work;
	spinlock_t trap_lock; /* protects @trapping and the traps of ports */
	struct list_head trapping;
	struct sib_tap *tap;
	struct dentry *debugfs;
};

static inline bool sib_node_is_switch(const struct sib_node *node)
{
	return node->type == NODE_TYPE_SWITCH;
}

/* The sizes are promised: see Documentation/fabric.rst. */
static_assert(sizeof(struct sib_node) + 2 * sizeof(struct sib_port) <= 2048);
static_assert(sizeof(struct sib_node) + 37 * sizeof(struct sib_port) <= 16384);

/* Returns the kind of the port, which decides what of PortInfo it has. */
static inline enum portinfo_kind sib_port_kind(const struct sib_port *port)
{
	if (!sib_node_is_switch(port->node))
		return PORTINFO_CA;
	return port->num ? PORTINFO_SWITCH : PORTINFO_SWITCH_0;
}

/* Returns the port of the node that has a LID and keys: that of a CA itself, a switch's port 0. */
static inline struct sib_port *sib_port_end(struct sib_port *port)
{
	return sib_node_is_switch(port->node) ? &port->node->ports[0] : port;
}

static inline bool sib_port_has_lid(const struct sib_port *port, u16 lid)
{
	u16 first = READ_ONCE(port->lid);

	return first && lid >= first && lid - first < 1 << READ_ONCE(port->lmc);
}

#endif /* SIB_MODEL_H */
