/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Receive queues: the kernel posts to the queues of soft/, and processes post to rings.
 */
#ifndef SIW_RQ_H
#define SIW_RQ_H

#include <linux/types.h>

struct siw_qp;
struct soft_recv_wqe;

/*
 * Copies the oldest posted receive to @wqe and frees its place. Takes the receive from the SRQ, if
 * the QP has one. Returns false if no receive is posted. Any context.
 */
bool siw_rq_pop(struct siw_qp *qp, struct soft_recv_wqe *wqe);
/*
 * Flushes at most SOFT_FLUSH_BATCH receives. Does nothing if the QP is not in ERR. Returns whether
 * receives are left; if so, the function has to be called again. Any context.
 */
bool siw_rq_flush(struct siw_qp *qp);
/*
 * Empties the receive queue of a QP in RESET, without completions. Receives in a process's ring are
 * dropped. Our position in the ring stays as it is, because the process keeps its position, too.
 * Process context.
 */
void siw_rq_reset(struct siw_qp *qp);

#endif /* SIW_RQ_H */
