// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * How a stream ends: by a Terminate, ours, queued behind the FPDUs that are built, or the peer's;
 * by the loss of its connection; or because we abort it. Transmit and receive return why they
 * stopped, and siw_stream_act() does what has to be done about it.
 */
#include <linux/jiffies.h>
#include <linux/wait_bit.h>
#include <trace/events/siw.h>

#include "drivers/siw/term.h"
#include "drivers/siw/cep.h"
#include "drivers/siw/counter.h"
#include "drivers/siw/qp.h"
#include "drivers/siw/qp_state.h"
#include "drivers/siw/read.h"
#include "drivers/siw/result.h"
#include "drivers/siw/rx.h"
#include "drivers/siw/sq.h"
#include "drivers/siw/stats.h"
#include "drivers/siw/stream_state.h"
#include "drivers/siw/tx.h"
#include "drivers/siw/wqe.h"
#include "iwarp/term.h"

/* Our Terminate is pending no longer: wakes siw_stream_stop(), which waits for that. */
static void terminate_over(struct siw_stream *s)
{
	smp_mb(); /* what is waited for is written before the look for who waits */
	wake_up_var(&s->term_state);
}

void siw_stream_fail(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;

	if (s->failed)
		return;
	s->failed = true;
	siw_tx_abandon(qp);
	siw_rx_abandon(qp);
	siw_reads_clear(&s->reads);
	siw_qp_fail(qp);
}

static void stream_lost(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;

	if (s->ended)
		return;
	WRITE_ONCE(s->ended, true);
	terminate_over(s);
	siw_stream_fail(qp);
	siw_stream_notify(qp, SIW_STREAM_LOST);
}

void siw_stream_do_abort(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;

	/* A Terminate that is pending is still sent, and ends the stream. */
	if (s->ended || siw_terminate_pending(s))
		return;
	s->ended = true;
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
	struct siw_stream *s = qp->stream;

	/* A responder that has heard nothing of the peer may not send, not even this (RFC 5044). */
	if (s->tx.await_first_fpdu && iwarp_fault_is_local(fault) && !offender) {
		stream_lost(qp);
		return;
	}
	ibdev_warn_ratelimited(&qp->dev->base, "QP %u: stream terminated: %s\n", qp->base.qp_num,
			       iwarp_fault_name(fault));

	trace_siw_terminate_sent(&qp->base, code.layer, code.etype, code.code,
				 iwarp_fault_name(fault));

	/* Before the failure: @offender may point into what is given back. */
	s->term_len = iwarp_term_build(s->term, sizeof(s->term), fault, offender);
	WRITE_ONCE(s->term_state, SIW_TERM_DUE);
	s->term_deadline = jiffies + SIW_TERMINATE_TIMEOUT;
	siw_stream_fail(qp);
	siw_stream_set_pending(s, SIW_PENDING_TX);
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
	const struct siw_irrq_entry *response = siw_irrq_head(&qp->stream->reads);
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
	struct siw_orrq_entry *read;

	if (!term->untagged || term->qn != DDP_QN_READ_REQUEST)
		return;
	read = siw_orrq_find(&qp->stream->reads, term->msn);
	if (read && read->sqe)
		siw_sq_done(qp, read->sqe, term_status(term->fault));
}

/* One about a message that is still on its way to TCP tells which request to blame. */
static void fail_sent(struct siw_qp *qp, const struct iwarp_term *term)
{
	struct siw_send_wqe *sqe = siw_tx_find_wqe(qp, term);

	if (sqe)
		siw_sq_done(qp, sqe, term_status(term->fault));
}

static void terminated_by_peer(struct siw_qp *qp)
{
	const struct iwarp_term *term = &qp->stream->rx.term;

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
		timer_reduce(&qp->stream->retry, jiffies + SIW_RETRY_DELAY);
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
	struct siw_stream *s = qp->stream;

	if (s->term_state == SIW_TERM_NONE || s->term_state == SIW_TERM_SENT)
		return;
	if (s->term_state == SIW_TERM_BUILT && siw_tx_idle(qp)) {
		WRITE_ONCE(s->term_state, SIW_TERM_SENT);
		terminate_over(s);
		siw_stream_notify(qp, SIW_STREAM_TERM_SENT);
	} else if (time_after_eq(jiffies, s->term_deadline)) {
		stream_lost(qp);
	} else {
		timer_reduce(&s->retry, s->term_deadline);
	}
}
