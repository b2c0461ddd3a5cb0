// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * How a stream ends: by a Terminate, ours, queued behind the FPDUs that are built, or the peer's;
 * by the loss of its connection; or because we abort it. Transmit and receive return why they
 * stopped, and siw_stream_act() does what has to be done about it.
 */
#include <linux/jiffies.h>
#include <linux/wait_bit.h>
#include <trace/events/siw.h>

#include "drivers/siw/siw_counter.h"
#include "drivers/siw/siw_engine.h"
#include "iwarp/term.h"

/* Our Terminate is pending no longer: wakes siw_stream_stop(), which waits for that. */
static void terminate_over(struct siw_engine *e)
{
	smp_mb(); /* what is waited for is written before the look for who waits */
	wake_up_var(&e->term_state);
}

void siw_stream_fail(struct siw_qp *qp)
{
	struct siw_engine *e = siw_engine(qp);

	if (e->failed)
		return;
	e->failed = true;
	siw_tx_abandon(qp);
	siw_rx_abandon(qp);
	siw_reads_clear(&e->reads);
	siw_qp_fail(qp);
}

static void stream_lost(struct siw_qp *qp)
{
	struct siw_engine *e = siw_engine(qp);

	if (e->ended)
		return;
	WRITE_ONCE(e->ended, true);
	terminate_over(e);
	siw_stream_fail(qp);
	siw_stream_notify(qp, SIW_STREAM_LOST);
}

void siw_stream_do_abort(struct siw_qp *qp)
{
	struct siw_engine *e = siw_engine(qp);

	/* A Terminate that is pending is still sent, and ends the stream. */
	if (e->ended || siw_terminate_pending(e))
		return;
	e->ended = true;
	siw_stream_fail(qp);
	siw_stream_notify(qp, SIW_STREAM_ABORTED);
}

static bool is_protection(enum iwarp_fault fault)
{
	struct iwarp_fault_code code = iwarp_fault_code(fault);

	return (code.layer == IWARP_LAYER_RDMAP && code.etype == RDMAP_ETYPE_PROTECTION) ||
	       (code.layer == IWARP_LAYER_DDP && code.etype == DDP_ETYPE_TAGGED);
}

static enum ib_event_type event_of(enum iwarp_fault fault)
{
	if (is_protection(fault))
		return IB_EVENT_QP_ACCESS_ERR;
	return iwarp_fault_code(fault).layer == IWARP_LAYER_LLP ? IB_EVENT_QP_FATAL :
								  IB_EVENT_QP_REQ_ERR;
}

/* What went wrong here shows in a completion; what the peer did is for counters and event. */
static void report_peer(struct siw_qp *qp, enum iwarp_fault fault)
{
	siw_qp_count(qp, fault == IWARP_MPA_CRC ? SIW_RX_CRC_ERRORS : SIW_RX_PROTOCOL_ERRORS);
	siw_qp_event(qp, event_of(fault));
}

/* @offender: the segment at fault; NULL when none is. */
static void terminate(struct siw_qp *qp, enum iwarp_fault fault,
		      const struct iwarp_bad_segment *offender)
{
	struct iwarp_fault_code code = iwarp_fault_code(fault);
	struct siw_engine *e = siw_engine(qp);

	/* A responder that has heard nothing of the peer may not send, not even this (RFC 5044). */
	if (e->tx.await_first_fpdu && iwarp_fault_is_local(fault) && !offender) {
		stream_lost(qp);
		return;
	}
	ibdev_warn_ratelimited(&qp->dev->base, "QP %u: stream terminated: %s\n", qp->base.qp_num,
			       iwarp_fault_name(fault));

	trace_siw_terminate_sent(&qp->base, code.layer, code.etype, code.code,
				 iwarp_fault_name(fault));

	/* Before the failure: @offender may point into what is given back. */
	e->term_len = iwarp_term_build(e->term, sizeof(e->term), fault, offender);
	WRITE_ONCE(e->term_state, SIW_TERM_DUE);
	e->term_deadline = jiffies + SIW_TERMINATE_TIMEOUT;
	siw_stream_fail(qp);
	siw_engine_due(e, SIW_DUE_TX);
}

static void terminate_by_result(struct siw_qp *qp, const struct siw_result *result)
{
	struct iwarp_bad_segment offender;

	if (!iwarp_fault_is_local(result->fault))
		report_peer(qp, result->fault);
	if (result->by_segment)
		siw_rx_bad_segment(qp, &offender);
	terminate(qp, result->fault, result->by_segment ? &offender : NULL);
}

/* The memory of the response that is due was invalidated here: the peer has done nothing wrong. */
static void terminate_response(struct siw_qp *qp)
{
	const struct siw_response *response = siw_reads_due(&siw_engine(qp)->reads);
	struct iwarp_bad_segment offender = {
		.fpdu = response->head, .fpdu_len = sizeof(response->head),
	};
	u8 req[RDMAP_READ_REQ_LEN];

	if (!response->is_atomic) {
		offender.read_req = req;
		offender.read_req_len = rdmap_read_req_build(req, &response->req);
	}
	siw_qp_event(qp, event_of(IWARP_RDMAP_STAG));
	terminate(qp, IWARP_RDMAP_STAG, &offender);
}

static enum ib_wc_status term_status(enum iwarp_fault fault)
{
	if (is_protection(fault))
		return IB_WC_REM_ACCESS_ERR;
	return iwarp_fault_code(fault).layer == IWARP_LAYER_DDP ? IB_WC_REM_INV_REQ_ERR :
								  IB_WC_REM_OP_ERR;
}

/* A Terminate about a Read Request tells which of ours the peer would not answer. */
static void term_fail_read(struct siw_qp *qp, const struct iwarp_term *term)
{
	struct siw_read *read;

	if (!term->untagged || term->qn != DDP_QN_READ_REQUEST)
		return;
	read = siw_reads_find(&siw_engine(qp)->reads, term->msn);
	if (read && read->sqe)
		siw_sq_done(qp, read->sqe, term_status(term->fault));
}

/* One about a message that is still on its way to TCP tells which request to blame. */
static void fail_sent(struct siw_qp *qp, const struct iwarp_term *term)
{
	struct siw_swqe *sqe = siw_tx_find_wqe(qp, term);

	if (sqe)
		siw_sq_done(qp, sqe, term_status(term->fault));
}

static void terminated_by_peer(struct siw_qp *qp)
{
	const struct iwarp_term *term = &siw_engine(qp)->rx.term;

	ibdev_warn_ratelimited(&qp->dev->base, "QP %u: peer terminated the stream: %s\n",
			       qp->base.qp_num, iwarp_fault_name(term->fault));
	trace_siw_terminate_received(&qp->base, term->layer, term->etype, term->code,
				     iwarp_fault_name(term->fault));
	term_fail_read(qp, term);
	fail_sent(qp, term);
	siw_qp_event(qp, IB_EVENT_QP_FATAL);
	siw_stream_fail(qp);
	siw_stream_notify(qp, SIW_STREAM_TERM_RECEIVED);
}

void siw_stream_act(struct siw_qp *qp, const struct siw_result *result)
{
	unsigned long events = result->events;
	int event;

	for_each_set_bit(event, &events, BITS_PER_TYPE(result->events))
		siw_stream_notify(qp, event);
	switch (result->stop) {
	case SIW_IDLE:
		break;
	case SIW_NO_MEMORY:
		timer_reduce(&siw_engine(qp)->retry, jiffies + SIW_RETRY_DELAY);
		break;
	case SIW_TERMINATE:
		terminate_by_result(qp, result);
		break;
	case SIW_SOURCE_GONE:
		terminate_response(qp);
		break;
	case SIW_TERMINATED:
		terminated_by_peer(qp);
		break;
	case SIW_LOST:
		stream_lost(qp);
		break;
	}
}

void siw_terminate_check(struct siw_qp *qp)
{
	struct siw_engine *e = siw_engine(qp);

	if (e->term_state == SIW_TERM_NONE || e->term_state == SIW_TERM_SENT)
		return;
	if (e->term_state == SIW_TERM_BUILT && siw_tx_idle(qp)) {
		WRITE_ONCE(e->term_state, SIW_TERM_SENT);
		terminate_over(e);
		siw_stream_notify(qp, SIW_STREAM_TERM_SENT);
	} else if (time_after_eq(jiffies, e->term_deadline)) {
		stream_lost(qp);
	} else {
		timer_reduce(&e->retry, e->term_deadline);
	}
}
