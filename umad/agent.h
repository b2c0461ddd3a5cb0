/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_UMAD_AGENT_H_
#define _KRDMA_UMAD_AGENT_H_

#include <rdma/ib_mad.h>

struct umad_file;

/**
 * struct umad_agent_spec - the agent that a process wants
 * @qpn: 0 or 1
 * @rmpp_version: version of RMPP, or 0
 * @flags: IB_USER_MAD_USER_RMPP
 * @has_pkey: headers have the index of the P_Key, if this is the first agent of the file
 * @want: requests that the agent gets; those of class 0 are none
 */
struct umad_agent_spec {
	u32 qpn;
	u8 rmpp_version;
	u32 flags;
	bool has_pkey;
	struct ib_mad_reg_req want;
};

/**
 * umad_agent_register() - register an agent
 * @file: the file
 * @spec: the agent
 * @serial: out: number by which umad_agent_withdraw() finds the agent
 *
 * Return: the id, 0 or more; -EPIPE: the device was removed; -ENOMEM: there is no memory, or no
 * free id; or the errors of ib_register_mad_agent().
 */
int umad_agent_register(struct umad_file *file, struct umad_agent_spec *spec, u64 *serial);

/**
 * umad_agent_withdraw() - unregister an agent whose id the process did not get
 * @file: the file
 * @serial: from umad_agent_register()
 *
 * Has no effect if another thread has unregistered the agent already.
 */
void umad_agent_withdraw(struct umad_file *file, u64 serial);

/**
 * umad_agent_unregister() - unregister an agent
 * @file: the file
 * @id: its id
 *
 * Return: 0; -EINVAL if there is no such agent.
 */
int umad_agent_unregister(struct umad_file *file, u32 id);

/**
 * umad_agents_end() - end the use of the device by a file
 * @file: the file; may have been ended already
 *
 * Unregisters all agents, and frees the MADs that were not read.
 */
void umad_agents_end(struct umad_file *file);

#endif /* _KRDMA_UMAD_AGENT_H_ */
