// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Which agent gets a MAD: a response by its transaction, a request by class, version and method.
 */
#include "mad/table.h"

#include <linux/rculist.h>

#include "ibwire/mad.h"

static struct hlist_head *bucket(struct mad_port *port, u8 mgmt_class)
{
	return &port->wanted[mgmt_class % MAD_PORT_BUCKETS];
}

static bool same_class(const struct ib_mad_reg_req *a, const struct ib_mad_reg_req *b)
{
	return a->mgmt_class == b->mgmt_class &&
	       (!mad_class_has_oui(a->mgmt_class) || !memcmp(a->oui, b->oui, sizeof(a->oui)));
}

/*
 * Agents and requests of a class have the same QP: class_valid() refuses other agents, and
 * is_valid() drops other requests.
 */
static bool has_rival(const struct mad_agent *agent)
{
	struct mad_agent *other;

	hlist_for_each_entry(other, bucket(agent->port, agent->want.mgmt_class), by_class)
		if (same_class(&other->want, &agent->want) &&
		    other->want.mgmt_class_version == agent->want.mgmt_class_version &&
		    bitmap_intersects(other->want.method_mask, agent->want.method_mask,
				      IB_MGMT_MAX_METHODS))
			return true;
	return false;
}

int mad_table_add(struct mad_agent *agent)
{
	struct mad_port *port = agent->port;
	int ret;

	mutex_lock(&port->tables);
	ret = -ENODEV;
	if (port->gone)
		goto unlock;
	ret = -EBUSY;
	if (has_rival(agent))
		goto unlock;
	ret = xa_alloc_cyclic(&port->ids, &agent->base.hi_tid, agent, XA_LIMIT(1, MAD_PORT_ID_MAX),
			      &port->next_id, GFP_KERNEL);
	/* The XArray returns EBUSY if no number is free. */
	if (ret == -EBUSY)
		ret = -ENOSPC;
	if (ret < 0)
		goto unlock;
	ret = 0;
	list_add_tail(&agent->in_port, &port->agents);
	if (!bitmap_empty(agent->want.method_mask, IB_MGMT_MAX_METHODS))
		hlist_add_head_rcu(&agent->by_class, bucket(port, agent->want.mgmt_class));
unlock:
	mutex_unlock(&port->tables);
	return ret;
}

void mad_table_remove(struct mad_agent *agent)
{
	struct mad_port *port = agent->port;

	mutex_lock(&port->tables);
	xa_erase(&port->ids, agent->base.hi_tid);
	list_del(&agent->in_port);
	if (!hlist_unhashed(&agent->by_class))
		hlist_del_init_rcu(&agent->by_class);
	mutex_unlock(&port->tables);
}

struct mad_agent *mad_table_find_id(struct mad_qp *qp, u64 tid)
{
	struct mad_agent *agent;

	rcu_read_lock();
	agent = xa_load(&qp->port->ids, tid >> 32);
	if (agent && (agent->qp != qp || !mad_agent_get(agent)))
		agent = NULL;
	rcu_read_unlock();
	return agent;
}

struct mad_agent *mad_table_find_request(struct mad_qp *qp, const struct ib_mad *mad,
					 bool *other_version)
{
	const struct ib_vendor_mad *vendor = (const struct ib_vendor_mad *)mad;
	struct ib_mad_reg_req asked = { .mgmt_class = mad->mad_hdr.mgmt_class };
	struct mad_agent *agent, *found = NULL;

	*other_version = false;
	if (mad_class_has_oui(asked.mgmt_class))
		memcpy(asked.oui, vendor->oui, sizeof(asked.oui));
	rcu_read_lock();
	hlist_for_each_entry_rcu(agent, bucket(qp->port, asked.mgmt_class), by_class) {
		if (!same_class(&agent->want, &asked))
			continue;
		if (agent->want.mgmt_class_version != mad->mad_hdr.class_version) {
			*other_version = true;
			continue;
		}
		if (test_bit(mad->mad_hdr.method & ~IB_MGMT_METHOD_RESP, agent->want.method_mask) &&
		    mad_agent_get(agent)) {
			found = agent;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}
