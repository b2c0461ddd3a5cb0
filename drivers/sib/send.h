/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Sends of datagrams. */
#ifndef SIB_SEND_H
#define SIB_SEND_H

#include <rdma/ib_verbs.h>

/* Operations of a device. A datagram is sent, and its request completes, while it is posted. */
int sib_post_send(struct ib_qp *base, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int sib_post_recv(struct ib_qp *base, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);

struct sib_qp;

/**
 * sib_send_held() - send, or flush, the requests that were posted in SQD
 * @qp: QP that has left SQD; a concurrent post waits behind them
 *
 * Process context.
 */
void sib_send_held(struct sib_qp *qp);

#endif /* SIB_SEND_H */
