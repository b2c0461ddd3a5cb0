/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_PORT_H_
#define _KRDMA_MAD_PORT_H_

#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/krdma_mad.h>

#include "mad/qp.h"

struct mad_device;
struct smp_node;

enum {
	MAD_PORT_CQE = 128,	/* room of a CQ that can be resized, at first */
	MAD_PORT_BUCKETS = 32,	/* buckets of requests by class */
	MAD_PORT_REPLIES = 256,	/* answers under way; further ones are dropped */
	MAD_PORT_PARTIAL = 256,	/* RMPP messages of which segments are missing */
	/* The uppermost byte is 0, because adapters write the virtual function there. */
	MAD_PORT_ID_MAX = 0xffffff,
};

/**
 * struct mad_port - a port with MADs
 * @owner: has the references to the ports of the device, see client.c; NULL if the port has no MADs
 * @device: the device
 * @num: number of the port
 * @serial: held by the work items of the port and of its agents, which handle receives, completions
 *	and timeouts; so the handlers of agents are called one at a time
 * @pd: PD of both QPs
 * @cq: CQ of both QPs
 * @room: number of completions that @cq has room for, beyond those of what can be sent and of the
 *	receives that are posted
 * @poll: polls @cq
 * @poll_ended: @cq is not polled any more
 * @refill: posts receives that could not be posted
 * @qps: QP 0, if the port has one, and QP 1
 * @nr_replies: number of answers that have not completed; protected by @serial
 * @nr_partial: number of RMPP messages of which segments are missing
 * @counters: see enum krdma_mad_counter
 * @tables: protects changes of the members below, which are read under RCU
 * @gone: no agent can be registered any more
 * @agents: all agents, entry mad_agent.in_port; not read without @tables
 * @wanted: agents that want requests, entry mad_agent.by_class, by class
 * @ids: agents by &ib_mad_agent.hi_tid
 * @next_id: where the search for a free number begins
 */
struct mad_port {
	struct mad_device *owner;
	struct ib_device *device;
	u32 num;
	struct mutex serial;	/* one work item at a time */
	struct ib_pd *pd;
	struct ib_cq *cq;
	atomic_t room;
	struct work_struct poll;
	bool poll_ended;
	struct delayed_work refill;
	struct mad_qp qps[2];
	u32 nr_replies;
	atomic_t nr_partial;
	atomic_long_t counters[KRDMA_MAD_NR_COUNTERS];

	struct mutex tables;	/* protects changes of the members below */
	bool gone;
	struct list_head agents;
	struct hlist_head wanted[MAD_PORT_BUCKETS];
	struct xarray ids;
	u32 next_id;
};

/* Runs the work items of all ports. */
extern struct workqueue_struct *mad_wq;

/**
 * mad_port_init() - create what all ports share
 *
 * Return: 0 or -ENOMEM.
 */
int mad_port_init(void);

/**
 * mad_port_exit() - destroy what all ports shared
 */
void mad_port_exit(void);

static inline void mad_count(struct mad_port *port, enum krdma_mad_counter counter)
{
	atomic_long_inc(&port->counters[counter]);
}

static inline bool mad_port_is_switch(const struct mad_port *port)
{
	return port->device->node_type == RDMA_NODE_IB_SWITCH;
}

/**
 * mad_port_open() - create the QPs of a port
 * @port: zeroed memory, of which @port->device and @port->num are set
 * @receive: gets each MAD, with @port->serial held
 *
 * Return: 0; -ENOMEM; or the provider's error. After an error, the port is closed.
 */
int mad_port_open(struct mad_port *port, void (*receive)(struct mad_recv *recv));

/**
 * mad_port_close() - take back all sends from the QPs, and destroy the QPs
 * @port: the port
 */
void mad_port_close(struct mad_port *port);

/**
 * mad_port_end() - free the PD
 * @port: the port, which is closed, and whose sends have completed, so that no address handle is
 *	left
 */
void mad_port_end(struct mad_port *port);

/**
 * mad_port_free() - free what a closed port keeps for its agents
 * @port: the port, which is closed and has no agents; or zeroed memory
 */
void mad_port_free(struct mad_port *port);

/**
 * mad_port_node() - describe the node to the functions for directed routes
 * @port: the port
 * @in_port: port by which an SMP has come; 0 if this node sends it
 *
 * Return: the description.
 */
struct smp_node mad_port_node(const struct mad_port *port, u8 in_port);

#endif /* _KRDMA_MAD_PORT_H_ */
