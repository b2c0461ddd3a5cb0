/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_RMPP_RECV_H_
#define _KRDMA_MAD_RMPP_RECV_H_

#include "mad/agent.h"
#include "mad/recvbuf.h"

/**
 * mad_rmpp_receive() - take a MAD of RMPP
 * @agent: agent that gets the message, whose RMPP ib_mad does
 * @recv: the MAD: a segment, or an answer to segments of the agent's; its flag Active is set
 *
 * Called with mad_port.serial held.
 *
 * Return: the first segment of a message that is whole now; or NULL.
 */
struct mad_recv *mad_rmpp_receive(struct mad_agent *agent, struct mad_recv *recv);

/**
 * mad_rmpp_timer() - end an agent's messages whose next segment does not come
 * @work: mad_agent.rmpp_timer
 */
void mad_rmpp_timer(struct work_struct *work);

/**
 * mad_rmpp_end() - free an agent's messages
 * @agent: the agent, which is not called any more
 */
void mad_rmpp_end(struct mad_agent *agent);

#endif /* _KRDMA_MAD_RMPP_RECV_H_ */
