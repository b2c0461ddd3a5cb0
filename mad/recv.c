// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Received MADs: they are checked, follow their directed route, and are processed by the provider
 * or given to an agent.
 */
#include "mad/recv.h"

#include <trace/events/ib_mad.h>

#include "ibwire/smp.h"
#include "mad/process.h"
#include "mad/reply.h"
#include "mad/rmpp_recv.h"
#include "mad/send.h"
#include "mad/table.h"

static void drop(struct mad_recv *recv, enum krdma_mad_counter why)
{
	mad_count(recv->qp->port, why);
	ib_free_recv_mad(&recv->info);
}

/* Checks what the rest of the code relies on. Returns false, and counts, if the MAD is dropped. */
static bool is_valid(struct mad_recv *recv)
{
	struct mad_port *port = recv->qp->port;
	bool on_qp0 = recv->qp == &port->qps[0];
	struct mad mad;

	mad_count(port, KRDMA_MAD_RECEIVED);
	if (recv->wc.byte_len != sizeof(recv->data))
		mad_count(port, KRDMA_MAD_BAD_LENGTH);
	else if (mad_parse(mad_recv_bytes(recv), MAD_LEN, &mad))
		mad_count(port, KRDMA_MAD_BAD_VERSION);
	else if (on_qp0 != mad_class_is_smp(mad.mgmt_class))
		mad_count(port, KRDMA_MAD_BAD_CLASS);
	else if (on_qp0 && recv->wc.src_qp != IB_QP0)
		mad_count(port, KRDMA_MAD_BAD_SOURCE);
	else
		return true;
	return false;
}

/* Follows a directed route. Returns false if the SMP does not end here; then it is gone. */
static bool follow_route(struct mad_recv *recv)
{
	struct mad_port *port = recv->qp->port;
	struct smp_node node = mad_port_node(port, recv->wc.port_num);
	u8 out_port = 0;

	trace_ib_mad_handle_ib_smi((const struct ib_smp *)&recv->data.mad);
	switch (smp_step(mad_recv_bytes(recv), &node, &out_port)) {
	case SMP_HERE:
		return true;
	case SMP_PORT:
		mad_forward(recv, out_port);
		ib_free_recv_mad(&recv->info);
		return false;
	default:
		/* No LIDs are forwarded by software, because only switches with tables have any. */
		drop(recv, KRDMA_MAD_BAD_ROUTE);
		return false;
	}
}

static void call_agent(struct mad_agent *agent, struct mad_recv *recv)
{
	trace_ib_mad_recv_done_agent(agent);
	agent->base.recv_handler(&agent->base, NULL, &recv->info);
}

/* Gives a response to the agent whose request it answers. */
static void take_response(struct mad_agent *agent, struct mad_recv *recv)
{
	struct mad_send *send = mad_send_match(agent, recv, false);

	if (send && mad_send_answer(send, recv))
		return;
	/* An agent with RMPP of its own gets the answers of its receivers, which end no request. */
	if (agent->base.flags & IB_MAD_USER_RMPP &&
	    mad_class_has_rmpp(recv->data.mad.mad_hdr.mgmt_class) &&
	    rmpp_is_active(mad_recv_bytes(recv))) {
		call_agent(agent, recv);
		return;
	}
	drop(recv, KRDMA_MAD_UNMATCHED);
}

/*
 * Gives an agent a MAD, or what is then a whole message. Drops the reference to the agent.
 * @is_response: the agent was found by the transaction.
 */
static void give(struct mad_agent *agent, struct mad_recv *recv, bool is_response)
{
	if (ib_mad_kernel_rmpp_agent(&agent->base) &&
	    mad_class_has_rmpp(recv->data.mad.mad_hdr.mgmt_class) &&
	    rmpp_is_active(mad_recv_bytes(recv)))
		recv = mad_rmpp_receive(agent, recv);
	if (!recv)
		goto out;
	if (!agent->base.recv_handler || READ_ONCE(agent->dead))
		drop(recv, KRDMA_MAD_UNWANTED);
	else if (is_response)
		take_response(agent, recv);
	else
		call_agent(agent, recv);
out:
	mad_agent_put(agent);
}

/* Gives a response to the agent of its transaction. Returns false if there is none. */
static bool deliver_response(struct mad_recv *recv)
{
	struct mad_agent *agent;

	agent = mad_table_find_id(recv->qp, be64_to_cpu(recv->data.mad.mad_hdr.tid));
	if (agent)
		give(agent, recv, true);
	return agent;
}

/* Sends an answer to a MAD back, or gives it to the agent of this port that has sent the MAD. */
static void answer_to(struct mad_recv *recv, const struct ib_mad *answer, u16 pkey_index)
{
	struct mad_port *port = recv->qp->port;
	struct smp_node node = mad_port_node(port, 0);
	u8 smp[IB_MGMT_MAD_SIZE], out_port = 0;

	if (recv->local) {
		recv->data.mad = *answer;
		if (!deliver_response(recv))
			drop(recv, KRDMA_MAD_UNMATCHED);
		return;
	}
	memcpy(smp, answer, sizeof(smp));
	if (answer->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE) {
		switch (smp_start(smp, &node, &out_port)) {
		case SMP_PORT:
		case SMP_LID:
			break;
		default:
			drop(recv, KRDMA_MAD_BAD_ROUTE);
			return;
		}
	}
	mad_reply(recv, smp, pkey_index, out_port);
	ib_free_recv_mad(&recv->info);
}

static void deliver_request(struct mad_recv *recv)
{
	struct mad_agent *agent;
	struct ib_mad answer;
	bool other_version;

	agent = mad_table_find_request(recv->qp, &recv->data.mad, &other_version);
	if (agent) {
		give(agent, recv, false);
		return;
	}
	mad_count(recv->qp->port, KRDMA_MAD_UNWANTED);
	if (mad_refuse(&recv->data.mad, other_version ? IB_MGMT_MAD_STATUS_BAD_VERSION :
		       IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB, &answer))
		answer_to(recv, &answer, recv->wc.pkey_index);
	else
		ib_free_recv_mad(&recv->info);
}

/* Handles a MAD that is at its destination. */
static void handle(struct mad_recv *recv)
{
	const struct ib_mad_hdr *hdr = &recv->data.mad.mad_hdr;
	struct ib_mad answer;
	u16 pkey_index;

	switch (mad_process(recv, &answer, &pkey_index)) {
	case MAD_PROCESSED_REPLY:
		answer_to(recv, &answer, pkey_index);
		return;
	case MAD_PROCESSED_TAKEN:
		ib_free_recv_mad(&recv->info);
		return;
	case MAD_PROCESSED_NOT:
		break;
	}
	if (ib_response_mad(hdr) && deliver_response(recv))
		return;
	/* A TrapRepress may be for the agent that handles traps of the whole node. */
	if (ib_response_mad(hdr) && hdr->method != IB_MGMT_METHOD_TRAP_REPRESS)
		drop(recv, KRDMA_MAD_UNMATCHED);
	else
		deliver_request(recv);
}

void mad_receive(struct mad_recv *recv)
{
	struct mad_port *port = recv->qp->port;

	/* Some adapters do not fill this in; a switch names the port by which the MAD came. */
	if (!mad_port_is_switch(port))
		recv->wc.port_num = port->num;
	trace_ib_mad_recv_done_handler(recv);
	if (!is_valid(recv)) {
		ib_free_recv_mad(&recv->info);
		return;
	}
	if (recv->data.mad.mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE &&
	    !follow_route(recv))
		return;
	handle(recv);
}

void mad_receive_local(struct mad_recv *recv)
{
	recv->local = true;
	handle(recv);
}
