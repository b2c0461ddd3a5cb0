/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_LOCAL_H_
#define _KRDMA_MAD_LOCAL_H_

#include "mad/agent.h"

/**
 * mad_local_run() - handle an agent's SMPs to the port itself
 * @agent: the agent
 *
 * Called with mad_port.serial held.
 */
void mad_local_run(struct mad_agent *agent);

#endif /* _KRDMA_MAD_LOCAL_H_ */
