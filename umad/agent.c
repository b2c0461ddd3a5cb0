// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The agents of a file.
 *
 * An agent is taken out of umad_file.agents with agents_lock held for writing, so that no thread
 * uses it any more. Afterwards it is unregistered without the lock.
 */
#include "umad/agent.h"

#include <linux/nospec.h>
#include <linux/slab.h>

#include "umad/recv.h"
#include "umad/send.h"
#include "umad/umad.h"

static int free_id(const struct umad_file *file)
{
	int id;

	for (id = 0; id < UMAD_MAX_AGENTS; id++)
		if (!file->agents[id])
			return id;
	return -ENOMEM;
}

/* Registers an agent for a free id. Returns an ERR_PTR() on error. */
static struct umad_agent *new_agent(struct umad_file *file, struct umad_agent_spec *spec)
{
	struct umad_agent *agent;
	int ret;

	lockdep_assert_held_write(&file->agents_lock);
	if (!file->ibdev)
		return ERR_PTR(-EPIPE);
	ret = free_id(file);
	if (ret < 0)
		return ERR_PTR(ret);
	agent = kzalloc(sizeof(*agent), GFP_KERNEL_ACCOUNT);
	if (!agent)
		return ERR_PTR(-ENOMEM);
	agent->id = ret;
	agent->file = file;
	agent->base = ib_register_mad_agent(file->ibdev, file->port->node.port,
					    spec->qpn ? IB_QPT_GSI : IB_QPT_SMI,
					    spec->want.mgmt_class ? &spec->want : NULL,
					    spec->rmpp_version, umad_send_done, umad_received,
					    agent, spec->flags);
	if (!IS_ERR(agent->base))
		return agent;
	ret = PTR_ERR(agent->base);
	kfree(agent);
	return ERR_PTR(ret);
}

int umad_agent_register(struct umad_file *file, struct umad_agent_spec *spec, u64 *serial)
{
	struct umad_agent *agent;
	bool had_pkey;
	int ret;

	down_write(&file->agents_lock);
	/* First, because a MAD may come, and be read, as soon as the agent is registered. */
	had_pkey = file->has_pkey;
	if (!file->is_used && spec->has_pkey)
		WRITE_ONCE(file->has_pkey, true);
	agent = new_agent(file, spec);
	if (IS_ERR(agent)) {
		WRITE_ONCE(file->has_pkey, had_pkey);
		ret = PTR_ERR(agent);
		goto out;
	}
	refcount_inc(&file->port->users);
	agent->serial = ++file->last_serial;
	*serial = agent->serial;
	ret = agent->id;
	file->agents[ret] = agent;
	file->is_used = true;
out:
	up_write(&file->agents_lock);
	return ret;
}

/* Unregisters an agent that is in no table any more. */
static void end_agent(struct umad_agent *agent)
{
	struct umad_port *port = agent->file->port;

	lockdep_assert_not_held(&agent->file->agents_lock);
	ib_unregister_mad_agent(agent->base);
	kfree(agent);
	umad_port_unuse(port);
}

void umad_agent_withdraw(struct umad_file *file, u64 serial)
{
	struct umad_agent *agent = NULL;
	int id;

	down_write(&file->agents_lock);
	for (id = 0; id < UMAD_MAX_AGENTS && !agent; id++) {
		if (file->agents[id] && file->agents[id]->serial == serial) {
			agent = file->agents[id];
			file->agents[id] = NULL;
		}
	}
	up_write(&file->agents_lock);
	if (agent)
		end_agent(agent);
}

int umad_agent_unregister(struct umad_file *file, u32 id)
{
	struct umad_agent *agent;

	if (id >= UMAD_MAX_AGENTS)
		return -EINVAL;
	id = array_index_nospec(id, UMAD_MAX_AGENTS);
	down_write(&file->agents_lock);
	agent = file->agents[id];
	file->agents[id] = NULL;
	up_write(&file->agents_lock);
	if (!agent)
		return -EINVAL;
	end_agent(agent);
	return 0;
}

void umad_agents_end(struct umad_file *file)
{
	struct umad_agent *agents[UMAD_MAX_AGENTS];
	int id;

	down_write(&file->agents_lock);
	file->ibdev = NULL;
	memcpy(agents, file->agents, sizeof(agents));
	memset(file->agents, 0, sizeof(file->agents));
	up_write(&file->agents_lock);

	/* Before the agents go, because nothing that comes from here on is to be queued. */
	umad_queue_end(&file->queue);
	for (id = 0; id < UMAD_MAX_AGENTS; id++)
		if (agents[id])
			end_agent(agents[id]);
}
