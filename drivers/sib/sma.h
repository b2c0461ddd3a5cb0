/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The agent for subnet management of each node (SMA): answers Get and Set of the attributes, as an
 * adapter's firmware does.
 */
#ifndef SIB_SMA_H
#define SIB_SMA_H

#include "drivers/sib/model.h"

/**
 * enum sib_sma_verdict - what becomes of an SMP that is at its destination
 * @SIB_SMA_ANSWERED: the SMP is the answer now; with a directed route, on the way back
 * @SIB_SMA_TAKEN: the agent has taken the SMP, which needs no answer
 * @SIB_SMA_HOST: the SMP is for the host: a response, a trap, or SMInfo
 * @SIB_SMA_DROPPED: the SMP is to be dropped: wrong M_Key, or not an SMP
 */
enum sib_sma_verdict {
	SIB_SMA_ANSWERED,
	SIB_SMA_TAKEN,
	SIB_SMA_HOST,
	SIB_SMA_DROPPED,
};

/**
 * sib_sma_process() - process an SMP
 * @in: port by which the SMP came; port 0 of a switch if the switch itself sends it
 * @smp: MAD_LEN bytes
 * @slid: LID that the SMP came from
 * @any_mkey: the M_Key is not checked, because the node's own host sends the SMP
 *
 * Called with sib_fabric.topology held.
 *
 * Return: what becomes of the SMP.
 */
enum sib_sma_verdict sib_sma_process(struct sib_port *in, u8 *smp, u16 slid, bool any_mkey);

#endif /* SIB_SMA_H */
