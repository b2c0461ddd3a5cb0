// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Agents: registration and unregistration.
 */
#include <linux/slab.h>
#include <trace/events/ib_mad.h>

#include "ibwire/mad.h"
#include "mad/client.h"
#include "mad/local.h"
#include "mad/rmpp_recv.h"
#include "mad/send.h"
#include "mad/table.h"

static bool class_valid(enum ib_qp_type qp_type, const struct ib_mad_reg_req *req)
{
	static const u8 no_oui[3];

	return req->mgmt_class && mad_class_is_smp(req->mgmt_class) == (qp_type == IB_QPT_SMI) &&
	       (!mad_class_has_oui(req->mgmt_class) || memcmp(req->oui, no_oui, sizeof(no_oui)));
}

static bool arguments_valid(enum ib_qp_type qp_type, const struct ib_mad_reg_req *req,
			    u8 rmpp_version, ib_mad_send_handler send_handler,
			    ib_mad_recv_handler recv_handler, u32 flags)
{
	if (qp_type != IB_QPT_SMI && qp_type != IB_QPT_GSI)
		return false;
	if ((rmpp_version && rmpp_version != IB_MGMT_RMPP_VERSION) || flags & ~IB_MAD_USER_RMPP)
		return false;
	if (!req)
		return send_handler && !(flags & IB_MAD_USER_RMPP);
	/* IB_MAD_USER_RMPP goes with classes that have no RMPP here, but for the agent have one. */
	if (rmpp_version && !ib_is_mad_class_rmpp(req->mgmt_class) && !(flags & IB_MAD_USER_RMPP))
		return false;
	return recv_handler && class_valid(qp_type, req);
}

static void run_agent(struct work_struct *work)
{
	struct mad_agent *agent = container_of(work, struct mad_agent, work);

	mutex_lock(&agent->port->serial);
	mad_local_run(agent);
	mad_send_finish_all(agent);
	mutex_unlock(&agent->port->serial);
}

static struct mad_agent *new_agent(void)
{
	struct mad_agent *agent = kzalloc(sizeof(*agent), GFP_KERNEL);

	if (!agent)
		return NULL;
	INIT_LIST_HEAD(&agent->base.mad_agent_sec_list);
	INIT_LIST_HEAD(&agent->partial);
	INIT_LIST_HEAD(&agent->posted);
	INIT_LIST_HEAD(&agent->waiting);
	INIT_LIST_HEAD(&agent->local);
	INIT_LIST_HEAD(&agent->finished);
	INIT_HLIST_NODE(&agent->by_class);
	spin_lock_init(&agent->lock);
	refcount_set(&agent->refs, 1);
	init_completion(&agent->unused);
	INIT_WORK(&agent->work, run_agent);
	INIT_DELAYED_WORK(&agent->timer, mad_send_timer);
	INIT_DELAYED_WORK(&agent->rmpp_timer, mad_rmpp_timer);
	return agent;
}

/**
 * ib_register_mad_agent() - register to send and receive MADs by a port
 * @device: device of the port
 * @port_num: number of the port
 * @qp_type: IB_QPT_SMI for QP 0, which has the SMPs, or IB_QPT_GSI for QP 1, which has the rest
 * @mad_reg_req: requests that the agent wants, which are copied; NULL: it gets responses only
 * @rmpp_version: IB_MGMT_RMPP_VERSION, or 0 without RMPP
 * @send_handler: called when a send has completed; NULL if the agent sends nothing
 * @recv_handler: called for each received MAD; NULL if the agent receives nothing
 * @context: for &ib_mad_agent.context
 * @registration_flags: IB_MAD_USER_RMPP if the agent does RMPP himself
 *
 * Handlers are called in process context, one at a time for a port. They may send, but neither
 * register nor unregister agents of the port. Process context, may sleep.
 *
 * Return: the agent; or an ERR_PTR: -EINVAL for another type of QP or version of RMPP, an unknown
 * flag, a class that the QP does not have, or that has no RMPP if @rmpp_version is set, a vendor's
 * class without an OUI, requests without @recv_handler, neither requests nor @send_handler, or
 * IB_MAD_USER_RMPP without requests; -ENODEV if the device has no such port, or is being removed;
 * -EPROTONOSUPPORT if the port has no such QP; -EBUSY if another agent has one of the methods;
 * -ENOSPC if there are 2^24 agents; -ENOMEM.
 */
struct ib_mad_agent *ib_register_mad_agent(struct ib_device *device, u32 port_num,
					   enum ib_qp_type qp_type,
					   struct ib_mad_reg_req *mad_reg_req, u8 rmpp_version,
					   ib_mad_send_handler send_handler,
					   ib_mad_recv_handler recv_handler, void *context,
					   u32 registration_flags)
{
	struct mad_agent *agent;
	struct mad_port *port;
	int ret;

	if (!arguments_valid(qp_type, mad_reg_req, rmpp_version, send_handler, recv_handler,
			     registration_flags))
		return ERR_PTR(-EINVAL);
	port = mad_port_get(device, port_num);
	if (!port)
		return ERR_PTR(-ENODEV);
	ret = -ENOMEM;
	agent = new_agent();
	if (!agent)
		goto err_put;
	agent->port = port;
	agent->qp = &port->qps[qp_type == IB_QPT_GSI];
	agent->base.device = device;
	agent->base.qp = agent->qp->ibqp;
	agent->base.recv_handler = recv_handler;
	agent->base.send_handler = send_handler;
	agent->base.context = context;
	agent->base.flags = registration_flags;
	agent->base.port_num = port_num;
	agent->base.rmpp_version = rmpp_version;
	agent->base.smp_allowed = true;
	if (mad_reg_req)
		agent->want = *mad_reg_req;
	ret = -EPROTONOSUPPORT;
	if (!agent->base.qp)
		goto err_free;
	ret = mad_table_add(agent);
	if (!ret) {
		trace_ib_mad_create_agent(agent);
		return &agent->base;
	}

err_free:
	kfree(agent);
err_put:
	mad_port_put(port);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL(ib_register_mad_agent);

/**
 * ib_unregister_mad_agent() - end an agent
 * @mad_agent: the agent
 *
 * Its sends complete with IB_WC_WR_FLUSH_ERR before the function returns, and no handler runs
 * afterwards. Process context, may sleep; not from a handler of the port.
 */
void ib_unregister_mad_agent(struct ib_mad_agent *mad_agent)
{
	struct mad_agent *agent = to_mad_agent(mad_agent);

	might_sleep();
	trace_ib_mad_unregister_agent(agent);
	mad_table_remove(agent);
	mad_send_cancel_all(agent);
	/* Sends and look-ups have references. No timer or work item has any. */
	mad_agent_put(agent);
	wait_for_completion(&agent->unused);
	cancel_work_sync(&agent->work);
	cancel_delayed_work_sync(&agent->timer);
	cancel_delayed_work_sync(&agent->rmpp_timer);
	mad_rmpp_end(agent);
	mad_port_put(agent->port);
	kfree_rcu(agent, rcu);
}
EXPORT_SYMBOL(ib_unregister_mad_agent);
