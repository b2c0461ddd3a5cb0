// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What is posted to a QP: into its queues, and on its way. Processes post by themselves, into the
 * rings that they share with us, and ring the doorbell.
 */
#include "drivers/siw/post.h"
#include "drivers/siw/qp.h"
#include "drivers/siw/rq.h"
#include "drivers/siw/sq.h"
#include "drivers/siw/stream.h"
#include "drivers/siw/user_sq.h"

static int ring_doorbell(struct siw_qp *qp)
{
	bool flushed;
	int ret;

	ret = siw_user_sq_check(qp, &flushed);
	if (flushed) {
		siw_sq_flush(qp);
		/* Receives come without a doorbell: this is the time to look for them, too. */
		siw_rq_flush(qp);
	} else if (!ret) {
		siw_stream_kick(qp);
	}
	return ret;
}

int siw_post_send(struct ib_qp *base, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr)
{
	struct siw_qp *qp = to_siw_qp(base);
	int ret;

	if (siw_qp_is_user(qp)) {
		*bad_wr = wr;
		/* Its list is refused: addresses of inline data would be read as the kernel's. */
		return wr ? -EINVAL : ring_doorbell(qp);
	}
	ret = siw_sq_post(qp, wr, bad_wr);
	siw_stream_kick(qp);
	return ret;
}

int siw_post_recv(struct ib_qp *base, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr)
{
	struct siw_qp *qp = to_siw_qp(base);

	/* Its receives are those of the SRQ, or its process's, which posts by itself. */
	if (base->srq || qp->rq.user.ring) {
		*bad_wr = wr;
		return -EINVAL;
	}
	return siw_rq_post(qp, wr, bad_wr);
}
