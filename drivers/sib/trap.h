/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The work item of a fabric that sends traps. */
#ifndef SIB_TRAP_H
#define SIB_TRAP_H

#include <linux/workqueue.h>

/**
 * sib_trap_work() - send the traps that are due, and those that were not repressed in time again
 * @work: sib_fabric.trap_work
 */
void sib_trap_work(struct work_struct *work);

#endif /* SIB_TRAP_H */
