/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_REPLY_H_
#define _KRDMA_MAD_REPLY_H_

#include "mad/recvbuf.h"

/**
 * mad_reply() - send a MAD back to where another one came from
 * @to: the MAD that is answered
 * @answer: the answer, which is copied
 * @pkey_index: index of its P_Key
 * @out_port: port of a switch by which an SMP with a directed route leaves; otherwise 0
 *
 * Called with mad_port.serial held. What cannot be sent is dropped, and counted.
 */
void mad_reply(struct mad_recv *to, const void *answer, u16 pkey_index, u32 out_port);

/**
 * mad_forward() - send an SMP with a directed route on its way
 * @smp: the SMP, which has come to a switch
 * @out_port: port by which it leaves
 *
 * Called with mad_port.serial held. What cannot be sent is dropped, and counted.
 */
void mad_forward(struct mad_recv *smp, u32 out_port);

#endif /* _KRDMA_MAD_REPLY_H_ */
