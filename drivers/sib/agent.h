/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The work item of a fabric in which the agents of all nodes run. */
#ifndef SIB_AGENT_H
#define SIB_AGENT_H

#include <linux/workqueue.h>

/**
 * sib_agent_work() - handle management packets, in the order in which they came
 * @work: sib_fabric.work
 */
void sib_agent_work(struct work_struct *work);

#endif /* SIB_AGENT_H */
