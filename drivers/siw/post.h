/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The verbs that post work requests.
 */
#ifndef SIW_POST_H
#define SIW_POST_H

#include <rdma/ib_verbs.h>

/*
 * Post requests to a QP of the kernel. Return 0, or the errno of soft_sq_post() or soft_rq_post()
 * for the request *@bad_wr. If a process posts to the QP, siw_post_send() without requests is the
 * doorbell, and returns 0 or the errno of siw_user_sq_doorbell(); with requests, siw_post_send()
 * returns -EINVAL. siw_post_recv() returns -EINVAL if the QP has an SRQ. It is not called for the
 * QP of a process, which posts receives to the ring that it maps. Any context.
 */
int siw_post_send(struct ib_qp *base, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int siw_post_recv(struct ib_qp *base, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);

#endif /* SIW_POST_H */
