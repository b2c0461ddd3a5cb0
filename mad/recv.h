/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_RECV_H_
#define _KRDMA_MAD_RECV_H_

#include "mad/recvbuf.h"

/**
 * mad_receive() - handle a MAD that has come by a QP
 * @recv: the MAD, which is checked here, and freed or given to an agent
 *
 * Called with mad_port.serial held.
 */
void mad_receive(struct mad_recv *recv);

/**
 * mad_receive_local() - handle a MAD that this port has sent to itself
 * @recv: the MAD; its completion is filled in
 *
 * Called with mad_port.serial held.
 */
void mad_receive_local(struct mad_recv *recv);

#endif /* _KRDMA_MAD_RECV_H_ */
