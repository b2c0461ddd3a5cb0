/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_AGENT_H_
#define _KRDMA_MAD_AGENT_H_

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>

#include "mad/port.h"

/**
 * struct mad_agent - an agent
 * @base: the part that the consumer sees
 * @port: the port
 * @qp: QP 0 or QP 1 of the port
 * @want: requests that the agent gets
 * @in_port: entry in mad_port.agents
 * @by_class: entry in mad_port.wanted, if @want has a method
 * @rcu: frees the agent after look-ups
 * @refs: references: the consumer's, one for each send that has not completed, and one for each
 *	look-up while the agent is called
 * @unused: the last reference was dropped
 * @work: calls the handlers of sends in @finished, and handles those in @local
 * @timer: ends or repeats sends whose deadline has passed
 * @partial: RMPP messages that have begun to come; protected by mad_port.serial
 * @nr_partial: number of those of which segments are missing
 * @nr_whole: number of those that are complete
 * @rmpp_timer: ends messages in @partial
 * @lock: protects the members below, and the members of sends that are marked so; taken with
 *	interrupts off, and mad_qp.lock may be taken inside
 * @dead: no send is posted any more
 * @posted: sends that the QP has not completed
 * @waiting: sends that wait for a response, earliest deadline first
 * @local: sends to the port itself that were not handled yet
 * @finished: sends whose handler is to be called
 */
struct mad_agent {
	struct ib_mad_agent base;
	struct mad_port *port;
	struct mad_qp *qp;
	struct ib_mad_reg_req want;
	struct list_head in_port;
	struct hlist_node by_class;
	struct rcu_head rcu;
	refcount_t refs;
	struct completion unused;
	struct work_struct work;
	struct delayed_work timer;
	struct list_head partial;
	u32 nr_partial;
	u32 nr_whole;
	struct delayed_work rmpp_timer;

	spinlock_t lock;	/* protects the members below */
	bool dead;
	struct list_head posted;
	struct list_head waiting;
	struct list_head local;
	struct list_head finished;
};

static inline struct mad_agent *to_mad_agent(struct ib_mad_agent *base)
{
	return container_of(base, struct mad_agent, base);
}

static inline bool mad_agent_get(struct mad_agent *agent)
{
	return refcount_inc_not_zero(&agent->refs);
}

static inline void mad_agent_put(struct mad_agent *agent)
{
	if (refcount_dec_and_test(&agent->refs))
		complete(&agent->unused);
}

#endif /* _KRDMA_MAD_AGENT_H_ */
