// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Posting: requests go into a queue of the QP, and the QP's stream is run. A process writes its
 * requests to rings that it maps; its doorbell is a call of siw_post_send() without requests.
 */
#include "drivers/siw/post.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/queue/user_sq.h"
#include "drivers/siw/stream/stream.h"
#include "soft/rq.h"
#include "soft/sq.h"

int siw_post_send(struct ib_qp *base, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr)
{
	struct siw_qp *qp = to_siw_qp(base);
	bool flushed;
	int ret;

	if (!siw_qp_is_user(qp)) {
		ret = soft_sq_post(&qp->soft, wr, bad_wr);
		siw_stream_kick(qp->stream);
		return ret;
	}

	*bad_wr = wr;
	/* Refuse a list: inline data at a process's addresses would be read as if in the kernel. */
	if (wr)
		return -EINVAL;
	ret = siw_user_sq_doorbell(qp, &flushed);
	if (flushed) {
		/* Flush receives, too, because a process rings no doorbell for them. */
		siw_qp_flush(qp);
	} else if (!ret) {
		siw_stream_kick(qp->stream);
	}
	return ret;
}

int siw_post_recv(struct ib_qp *base, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr)
{
	/* A QP with an SRQ has no receive queue. */
	if (base->srq) {
		*bad_wr = wr;
		return -EINVAL;
	}
	return soft_rq_post(&to_siw_qp(base)->soft, wr, bad_wr);
}
