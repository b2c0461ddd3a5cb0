/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The verbs that post work requests.
 */
#ifndef SIW_POST_H
#define SIW_POST_H

#include <rdma/ib_verbs.h>

/*
 * Both return 0, or the errno of siw_sq_post() or siw_rq_post() for the request *@bad_wr. For a
 * process's QP, siw_post_send() without requests is the doorbell, which returns the errno of
 * siw_user_sq_check(); with requests, and siw_post_recv() for a process's QP or one with an SRQ,
 * return -EINVAL. Any context.
 */
int siw_post_send(struct ib_qp *base, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int siw_post_recv(struct ib_qp *base, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);

#endif /* SIW_POST_H */
