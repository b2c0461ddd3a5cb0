/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The end of a stream: what the results of transmit and receive lead to.
 */
#ifndef SIW_TERM_H
#define SIW_TERM_H

#include "drivers/siw/result.h"

struct siw_qp;

/* Does what the result of siw_rx_run() or siw_tx_run() asks for. */
void siw_stream_act(struct siw_qp *qp, const struct siw_result *result);
/*
 * A Terminate that TCP has taken is the last that we say; one that it does not take in time ends
 * the connection all the same.
 */
void siw_terminate_check(struct siw_qp *qp);
/* What siw_stream_abort() has asked for. */
void siw_stream_do_abort(struct siw_qp *qp);
/*
 * Gives back all requests that have begun and flushes the queues; what is built still goes out.
 * Idempotent.
 */
void siw_stream_fail(struct siw_qp *qp);

#endif /* SIW_TERM_H */
