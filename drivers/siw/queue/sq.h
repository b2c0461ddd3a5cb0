/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Send queues: the kernel posts to the queues of soft/, and processes post to rings.
 */
#ifndef SIW_SQ_H
#define SIW_SQ_H

#include <linux/types.h>

struct siw_qp;
struct soft_send_wqe;

/*
 * Called by the stream's owner. Returns the next entry to transmit; NULL if there is none now, or
 * if memory for the entry is short: then siw_user_sq.no_memory is true, and the caller has to try
 * again later.
 */
struct soft_send_wqe *siw_sq_peek(struct siw_qp *qp);

/* Returns whether all posted requests have completed. Any context. */
bool siw_sq_empty(struct siw_qp *qp);

/*
 * Flushes at most SOFT_FLUSH_BATCH requests: entries first, and then requests that are still in a
 * process's ring. Does nothing if the QP is not in ERR. Returns whether requests are left; if so,
 * the function has to be called again. Any context.
 */
bool siw_sq_flush(struct siw_qp *qp);

/*
 * Empties the send queue of a QP in RESET, without completions. Requests in a process's ring are
 * dropped. Our position in the ring stays as it is, because the process keeps its position, too.
 * Process context.
 */
void siw_sq_reset(struct siw_qp *qp);

#endif /* SIW_SQ_H */
