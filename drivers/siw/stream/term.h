/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How a stream ends: acts on the results of transmit and receive. Called by the stream's owner.
 */
#ifndef SIW_TERM_H
#define SIW_TERM_H

#include "drivers/siw/stream/result.h"

struct siw_stream;

/* Acts on the result of siw_rx_run() or siw_tx_run(). */
void siw_stream_act(struct siw_stream *s, const struct siw_result *result);

/*
 * Notifies the connection when TCP has taken our Terminate, or gives the stream up when TCP has not
 * taken it in time.
 */
void siw_terminate_check(struct siw_stream *s);

/* Carries out siw_stream_abort(), in a pass. */
void siw_stream_do_abort(struct siw_stream *s);

/*
 * Ends all requests in progress and flushes the queues. FPDUs that were already built are still
 * sent. Has no effect if called again.
 */
void siw_stream_fail(struct siw_stream *s);

#endif /* SIW_TERM_H */
