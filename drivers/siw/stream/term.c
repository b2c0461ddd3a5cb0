// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * How a stream ends: by our Terminate, which is sent after the FPDUs that were already built; by
 * the peer's Terminate; by the loss of the stream's connection; or because the stream is aborted.
 * Transmit and receive return the reason why they stopped; only siw_stream_act() acts on the
 * reason.
 */
#include <linux/jiffies.h>
#include <trace/events/siw.h>

#include "drivers/siw/stream/term.h"
#include "drivers/siw/base/stats.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/stream/read.h"
#include "drivers/siw/stream/result.h"
#include "drivers/siw/stream/rx.h"
#include "drivers/siw/stream/stream_state.h"
#include "drivers/siw/stream/tx.h"
#include "iwarp/term.h"
#include "soft/counter.h"
#include "soft/sq.h"
#include "soft/wqe.h"

void siw_stream_fail(struct siw_stream *s)
{
	if (s->failed)
		return;
	s->failed = true;
	siw_tx_abandon(s->tx);
	siw_rx_abandon(s);
	siw_reads_clear(&s->reads);
	siw_qp_set_err(s->qp);
	siw_qp_flush(s->qp);
}

static void stream_lost(struct siw_stream *s)
{
	if (s->ended)
		return;
	s->ended = true;
	siw_stream_fail(s);
	siw_stream_notify(s, SIW_STREAM_LOST);
}

void siw_stream_do_abort(struct siw_stream *s)
{
	/* Do not abort while a Terminate is pending: once it is sent, the stream ends anyway. */
	if (s->ended || siw_terminate_pending(s))
		return;
	s->ended = true;
	siw_stream_fail(s);
	siw_stream_notify(s, SIW_STREAM_ABORTED);
}

static bool fault_is_protection(enum iwarp_fault fault)
{
	struct iwarp_fault_code code = iwarp_fault_code(fault);

	return (code.layer == IWARP_LAYER_RDMAP && code.etype == RDMAP_ETYPE_PROTECTION) ||
	       (code.layer == IWARP_LAYER_DDP && code.etype == DDP_ETYPE_TAGGED);
}

static enum ib_event_type fault_to_event(enum iwarp_fault fault)
{
	if (fault_is_protection(fault))
		return IB_EVENT_QP_ACCESS_ERR;
	return iwarp_fault_code(fault).layer == IWARP_LAYER_LLP ? IB_EVENT_QP_FATAL :
								  IB_EVENT_QP_REQ_ERR;
}

static enum ib_wc_status fault_to_wc_status(enum iwarp_fault fault)
{
	if (fault_is_protection(fault))
		return IB_WC_REM_ACCESS_ERR;
	return iwarp_fault_code(fault).layer == IWARP_LAYER_DDP ? IB_WC_REM_INV_REQ_ERR :
								  IB_WC_REM_OP_ERR;
}

/*
 * Ends the stream by a Terminate. @segment: the peer's segment at fault; NULL if there is none.
 * Returns false if no Terminate may be sent; the caller then ends the stream as lost.
 */
static bool terminate(struct siw_stream *s, enum iwarp_fault fault,
		      const struct iwarp_bad_segment *segment)
{
	struct siw_qp *qp = s->qp;
	struct iwarp_fault_code code = iwarp_fault_code(fault);

	/*
	 * A responder sends nothing before it has received a valid FPDU of the initiator (RFC
	 * 5044). Until then, a local fault or a fault of MPA resets the connection without a
	 * Terminate. A fault of DDP or RDMAP is in an FPDU that is valid for MPA, so the Terminate
	 * may be sent.
	 */
	if (s->tx->await_first_fpdu && !segment &&
	    (iwarp_fault_is_local(fault) || code.layer == IWARP_LAYER_LLP)) {
		if (!iwarp_fault_is_local(fault))
			ibdev_warn_ratelimited(&qp->dev->soft.base,
					       "QP %u: stream reset before its first FPDU: %s\n",
					       qp->soft.base.qp_num, iwarp_fault_name(fault));
		return false;
	}
	ibdev_warn_ratelimited(&qp->dev->soft.base, "QP %u: stream terminated: %s\n",
			       qp->soft.base.qp_num, iwarp_fault_name(fault));
	trace_siw_terminate_sent(&qp->soft.base, code.layer, code.etype, code.code,
				 iwarp_fault_name(fault));

	/* Build the Terminate first, because siw_stream_fail() frees what @segment may point at. */
	s->tx->term_len = iwarp_term_build(s->tx->term, sizeof(s->tx->term), fault, segment);
	WRITE_ONCE(s->term_state, SIW_TERM_DUE);
	s->term_deadline = jiffies + SIW_TERMINATE_TIMEOUT;
	siw_stream_fail(s);
	siw_stream_set_pending(s, SIW_PENDING_TX);
	return true;
}

/*
 * Ends the stream because of a fault. The consumer learns of a local fault by a completion. A fault
 * of the peer is counted, and raises an event of the QP. Returns what terminate() returns.
 */
static bool terminate_by_result(struct siw_stream *s, const struct siw_result *result)
{
	struct siw_qp *qp = s->qp;
	enum iwarp_fault fault = result->fault;
	struct iwarp_bad_segment segment;

	if (!iwarp_fault_is_local(fault)) {
		soft_qp_count(&qp->soft,
			      fault == IWARP_MPA_CRC ? SIW_RX_CRC_ERRORS : SIW_RX_PROTOCOL_ERRORS);
		siw_qp_event(qp, fault_to_event(fault));
	}
	if (result->by_segment)
		siw_rx_bad_segment(s->rx, &segment);
	return terminate(s, fault, result->by_segment ? &segment : NULL);
}

/*
 * Ends the stream because our consumer has invalidated the memory that the next response would be
 * read from. The peer has done nothing wrong, so no fault is counted. Returns what terminate()
 * returns.
 */
static bool terminate_response(struct siw_stream *s)
{
	const struct siw_irrq_entry *response = siw_irrq_first(&s->reads);
	struct iwarp_bad_segment segment = {
		.fpdu = response->head, .fpdu_len = sizeof(response->head),
	};
	u8 req[RDMAP_READ_REQ_LEN];

	if (!response->is_atomic) {
		segment.read_req = req;
		segment.read_req_len = rdmap_read_req_build(req, &response->req);
	}
	siw_qp_event(s->qp, fault_to_event(IWARP_RDMAP_STAG));
	return terminate(s, IWARP_RDMAP_STAG, &segment);
}

/* Ends the stream because of the peer's Terminate. A request that the Terminate names fails. */
static void terminated_by_peer(struct siw_stream *s)
{
	struct siw_qp *qp = s->qp;
	struct siw_orrq_entry *read;
	struct soft_send_wqe *wqe;
	struct iwarp_term term;

	siw_rx_peer_term(s->rx, &term);
	ibdev_warn_ratelimited(&qp->dev->soft.base,
			       "QP %u: peer terminated the stream: %s (layer %u, type %u, code %u)\n",
			       qp->soft.base.qp_num, iwarp_fault_name(term.fault), term.layer,
			       term.etype, term.code);
	trace_siw_terminate_received(&qp->soft.base, term.layer, term.etype, term.code,
				     iwarp_fault_name(term.fault));

	/* Fail the request whose Read or Atomic Request the Terminate names. */
	if (term.untagged && term.qn == DDP_QN_READ_REQUEST) {
		read = siw_orrq_find(&s->reads, term.msn);
		if (read && read->wqe)
			soft_sq_complete(&qp->soft, read->wqe, fault_to_wc_status(term.fault));
	}
	/*
	 * Fail the Send or Write that the Terminate names, unless the request has completed because
	 * TCP had taken all of it.
	 */
	wqe = siw_tx_find_wqe(s->tx, &term);
	if (wqe)
		soft_sq_complete(&qp->soft, wqe, fault_to_wc_status(term.fault));

	siw_qp_event(qp, IB_EVENT_QP_FATAL);
	siw_stream_fail(s);
	siw_stream_notify(s, SIW_STREAM_TERM_RECEIVED);
}

/* Ends the stream because received bytes cannot be processed. @why is for the log. */
static void stream_stuck(struct siw_stream *s, const char *why)
{
	struct siw_qp *qp = s->qp;

	siw_count(qp->dev, SIW_RX_MEMORY_ERRORS);
	ibdev_warn_ratelimited(&qp->dev->soft.base, "QP %u: stream lost: %s\n",
			       qp->soft.base.qp_num, why);
	siw_qp_event(qp, IB_EVENT_QP_FATAL);
	stream_lost(s);
}

void siw_stream_act(struct siw_stream *s, const struct siw_result *result)
{
	unsigned long events = result->events;
	int event;

	for_each_set_bit(event, &events, BITS_PER_TYPE(result->events))
		siw_stream_notify(s, event);
	switch (result->stop) {
	case SIW_IDLE:
		break;
	case SIW_NO_MEMORY:
		timer_reduce(&s->retry, jiffies + SIW_RETRY_DELAY);
		break;
	case SIW_TERMINATE:
		if (!terminate_by_result(s, result))
			stream_lost(s);
		break;
	case SIW_SOURCE_GONE:
		if (!terminate_response(s))
			stream_lost(s);
		break;
	case SIW_STARVED:
		stream_stuck(s, "no memory");
		break;
	case SIW_UNREADABLE:
		stream_stuck(s, "received bytes are in the memory of a device");
		break;
	case SIW_TERMINATED:
		terminated_by_peer(s);
		break;
	case SIW_LOST:
		stream_lost(s);
		break;
	}
}

void siw_terminate_check(struct siw_stream *s)
{
	if (s->term_state == SIW_TERM_NONE || s->term_state == SIW_TERM_SENT)
		return;
	if (s->term_state == SIW_TERM_BUILT && siw_tx_idle(s->tx)) {
		WRITE_ONCE(s->term_state, SIW_TERM_SENT);
		siw_stream_notify(s, SIW_STREAM_TERM_SENT);
	} else if (time_after_eq(jiffies, s->term_deadline)) {
		stream_lost(s);
	} else {
		timer_reduce(&s->retry, s->term_deadline);
	}
}
