/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_PROCESS_H_
#define _KRDMA_MAD_PROCESS_H_

#include "mad/recvbuf.h"

/**
 * enum mad_processed - what the provider did with a MAD
 * @MAD_PROCESSED_NOT: the MAD is for agents
 * @MAD_PROCESSED_TAKEN: the provider has taken it
 * @MAD_PROCESSED_REPLY: the provider has made an answer
 */
enum mad_processed {
	MAD_PROCESSED_NOT,
	MAD_PROCESSED_TAKEN,
	MAD_PROCESSED_REPLY,
};

/**
 * mad_process() - have the provider process a MAD
 * @recv: the MAD
 * @answer: out: the provider's answer
 * @pkey_index: out: index of the P_Key for the answer
 *
 * Return: what the provider did.
 */
enum mad_processed mad_process(struct mad_recv *recv, struct ib_mad *answer, u16 *pkey_index);

/**
 * mad_refuse() - make the answer to a request that no agent wants
 * @request: the request
 * @status: its status, IB_MGMT_MAD_STATUS_*
 * @answer: out: the answer
 *
 * Return: false if such a request is not answered (IBTA 13.4.7): only Get and Set are.
 */
bool mad_refuse(const struct ib_mad *request, u16 status, struct ib_mad *answer);

#endif /* _KRDMA_MAD_PROCESS_H_ */
