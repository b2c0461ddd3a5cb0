/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The verbs that post work requests.
 */
#ifndef SIW_POST_H
#define SIW_POST_H

#include <rdma/ib_verbs.h>

int siw_post_send(struct ib_qp *base, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int siw_post_recv(struct ib_qp *base, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);

#endif /* SIW_POST_H */
