/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_TABLE_H_
#define _KRDMA_MAD_TABLE_H_

#include "mad/agent.h"

/**
 * mad_table_add() - make an agent known to look-ups
 * @agent: the agent; &ib_mad_agent.hi_tid is set
 *
 * Return: 0; -ENODEV if the port is gone; -EBUSY if another agent has one of the methods; -ENOMEM;
 * -ENOSPC if there are too many agents.
 */
int mad_table_add(struct mad_agent *agent);

/**
 * mad_table_remove() - hide an agent from look-ups
 * @agent: the agent; references from earlier look-ups may be left
 */
void mad_table_remove(struct mad_agent *agent);

/**
 * mad_table_find_id() - find the agent of a response
 * @qp: QP by which it came
 * @tid: its transaction, whose upper half is the agent's number
 *
 * Return: the agent, with a reference; or NULL.
 */
struct mad_agent *mad_table_find_id(struct mad_qp *qp, u64 tid);

/**
 * mad_table_find_request() - find the agent that wants a request
 * @qp: QP by which it came
 * @mad: the request
 * @other_version: out: if there is none, an agent wants another version of the class
 *
 * Return: the agent, with a reference; or NULL.
 */
struct mad_agent *mad_table_find_request(struct mad_qp *qp, const struct ib_mad *mad,
					 bool *other_version);

#endif /* _KRDMA_MAD_TABLE_H_ */
