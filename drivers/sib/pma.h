/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The agent for performance management of each node (PMA): answers with the counters of ports. */
#ifndef SIB_PMA_H
#define SIB_PMA_H

#include "drivers/sib/model.h"

#define SIB_PMA_QPN	1
#define SIB_PMA_QKEY	0x80010000

/**
 * sib_pma_takes() - is a MAD a request for the agent?
 * @mad: MAD_LEN bytes
 *
 * Any context.
 *
 * Return: true for a request of performance management; false for answers, and for what nobody
 * answers: Send, Trap, Report, TrapRepress.
 */
bool sib_pma_takes(const u8 *mad);

/**
 * sib_pma_process() - answer a request, with a status if the agent does not know its method
 * @in: port by which the request came
 * @mad: MAD_LEN bytes that sib_pma_takes(); becomes the answer
 *
 * Process context.
 */
void sib_pma_process(struct sib_port *in, u8 *mad);

#endif /* SIB_PMA_H */
