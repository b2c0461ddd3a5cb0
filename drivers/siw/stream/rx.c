// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receive: divides the byte stream, in whatever pieces it arrives, into FPDUs, and places their
 * payload straight from the socket's buffers.
 *
 * Three handlers per opcode process an FPDU. "begin" runs when the header is complete, and decides
 * whether and where the payload may go; "place" copies payload there as it arrives; "end" runs when
 * the FPDU is complete, and completes the message if the FPDU was its last. A fault that a handler
 * returns stops the pass, whose result says why. With CRC or markers an FPDU is processed only
 * after all of it has arrived and its CRC is right (reasm.c), so that a fault is the peer's and not
 * damage on the way.
 */
#include <linux/skbuff.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "drivers/siw/stream/rx.h"
#include "drivers/siw/base/stats.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/queue/rq.h"
#include "drivers/siw/stream/read.h"
#include "drivers/siw/stream/reasm.h"
#include "drivers/siw/stream/result.h"
#include "drivers/siw/stream/stream.h"
#include "drivers/siw/stream/stream_state.h"
#include "iwarp/fpdu.h"
#include "soft/counter.h"
#include "soft/mem.h"
#include "soft/mw.h"
#include "soft/rq.h"
#include "soft/sgl.h"
#include "soft/sq.h"
#include "soft/wqe.h"

/**
 * struct siw_rx_op - handlers of an opcode
 * @begin: called when the header is complete
 * @place: called with payload, in pieces
 * @end: called when the FPDU is complete
 * @counter: counter of the messages with the opcode
 */
struct siw_rx_op {
	enum iwarp_fault (*begin)(struct siw_stream *s, const struct ddp_segment *seg);
	enum iwarp_fault (*place)(struct siw_stream *s, const u8 *data, u32 len);
	enum iwarp_fault (*end)(struct siw_stream *s, const struct ddp_segment *seg);
	enum siw_counter counter;
};

void siw_rx_init(struct siw_stream *s)
{
	struct siw_rx *rx = s->rx;
	int qn;

	memset(rx, 0, sizeof(*rx));
	iwarp_rx_init(&rx->fpdu);
	for (qn = 0; qn < DDP_QN_COUNT; qn++)
		ddp_untagged_init(&rx->queue[qn]);
	rx->rtr_send = !s->cfg.initiator && s->cfg.rtr == SIW_RTR_SEND;
}

/* Returns the fault for @err, the errno of an access to the memory that a tagged segment names. */
static enum iwarp_fault write_errno_to_fault(int err)
{
	switch (err) {
	case 0:
		return IWARP_OK;
	case -EPERM:
		return IWARP_DDP_STREAM;
	case -EACCES:
		return IWARP_RDMAP_ACCESS;
	case -EOVERFLOW:
		return IWARP_DDP_TO_WRAP;
	case -ERANGE:
		return IWARP_DDP_BOUNDS;
	default:
		return IWARP_DDP_STAG;
	}
}

/* Checks that both the memory and the QP give the peer the right in @access. Returns an errno. */
static int check_remote(const struct siw_stream *s, struct soft_mem *mem, u64 to, u32 len,
			int access)
{
	const struct siw_qp *qp = s->qp;
	int err;

	if (!soft_mem_is_for(mem, &qp->soft.base))
		return -EPERM;
	err = soft_mem_check(mem, qp->soft.base.pd, to, len, access);
	if (err)
		return err;
	return READ_ONCE(qp->attr.qp_access_flags) & access ? 0 : -EACCES;
}

/* Handlers of Sends */

static void rx_complete_recv(struct siw_stream *s, const struct soft_rq_result *result)
{
	struct siw_rx *rx = s->rx;

	soft_sgl_iter_exit(&rx->recv);
	rx->wqe_valid = false;
	soft_rq_complete(&s->qp->soft, &rx->wqe, result);
}

/* Sets the status with which the receive completes when the stream fails. Returns @fault. */
static enum iwarp_fault rx_fail_recv(struct siw_rx *rx, enum ib_wc_status status,
				     enum iwarp_fault fault)
{
	rx->wqe_status = status;
	return fault;
}

static enum iwarp_fault rx_begin_recv(struct siw_stream *s)
{
	struct siw_rx *rx = s->rx;

	if (!siw_rq_pop(s->qp, &rx->wqe))
		return IWARP_DDP_NO_BUFFER;
	rx->wqe_valid = true;
	rx->wqe_status = IB_WC_WR_FLUSH_ERR;
	if (soft_sgl_iter_init(&rx->recv, soft_rq_pd(&s->qp->soft), rx->wqe.sge, rx->wqe.num_sge,
			       IB_ACCESS_LOCAL_WRITE))
		return rx_fail_recv(rx, IB_WC_LOC_PROT_ERR, IWARP_DDP_LOCAL);
	return IWARP_OK;
}

static enum iwarp_fault rx_begin_send(struct siw_stream *s, const struct ddp_segment *seg)
{
	struct siw_rx *rx = s->rx;
	enum iwarp_fault fault;

	fault = ddp_untagged_verify(&rx->queue[DDP_QN_SEND], seg);
	if (fault)
		return fault;
	/* A zero-length Send as first FPDU is the RTR message (RFC 6581): it takes no receive. */
	if (rx->rtr_send && !rx->started && seg->opcode == RDMAP_SEND && !seg->payload_len &&
	    seg->last)
		return IWARP_OK;
	if (!rx->wqe_valid) {
		fault = rx_begin_recv(s);
		if (fault)
			return fault;
	}
	if ((u64)seg->mo + seg->payload_len > rx->wqe.length)
		return rx_fail_recv(rx, IB_WC_LOC_LEN_ERR, IWARP_DDP_TOO_LONG);
	return IWARP_OK;
}

static enum iwarp_fault rx_place_send(struct siw_stream *s, const u8 *data, u32 len)
{
	struct siw_rx *rx = s->rx;

	if (soft_sgl_iter_copy_in(&rx->recv, data, len))
		return rx_fail_recv(rx, IB_WC_LOC_PROT_ERR, IWARP_DDP_LOCAL);
	return IWARP_OK;
}

static enum iwarp_fault rx_end_send(struct siw_stream *s, const struct ddp_segment *seg)
{
	struct siw_rx *rx = s->rx;
	u8 flags = ddp_op(seg->opcode)->flags;
	struct soft_rq_result result = {
		.status = IB_WC_SUCCESS,
		.length = seg->mo + seg->payload_len,
		.solicited = flags & DDP_OP_SOLICITED,
		.invalidated = flags & DDP_OP_INVALIDATE,
		.inv_stag = seg->inv_stag,
	};

	ddp_untagged_advance(&rx->queue[DDP_QN_SEND], seg);
	if (!seg->last || !rx->wqe_valid)
		return IWARP_OK;
	if (result.invalidated && soft_mw_invalidate_by_peer(&s->qp->soft.base, seg->inv_stag))
		return IWARP_RDMAP_CANNOT_INVALIDATE;
	rx_complete_recv(s, &result);
	return IWARP_OK;
}

/* Handlers of Writes */

static void rx_close_write(struct siw_rx *rx)
{
	if (rx->write_open)
		soft_sgl_iter_exit(&rx->write);
	rx->write_open = false;
}

/*
 * Begins a segment of a Write. The iterator, which refers to the memory, is kept for the segments
 * that follow. Its length is U32_MAX, because each segment is checked on its own.
 */
static enum iwarp_fault rx_begin_write(struct siw_stream *s, const struct ddp_segment *seg)
{
	struct siw_rx *rx = s->rx;
	struct soft_mem *mem;
	int err;

	/* The STag and TO of a zero-length segment are not validated. */
	if (!seg->payload_len)
		return IWARP_OK;
	if (!rx->write_open || rx->write_stag != seg->stag || rx->write_to != seg->to) {
		rx_close_write(rx);
		mem = soft_sgl_iter_get_mem(&rx->write, &s->qp->dev->soft, seg->stag);
		if (!mem)
			return write_errno_to_fault(-ENOENT);
		soft_sgl_iter_init_range(&rx->write, &s->qp->soft.base, mem, seg->stag, seg->to,
					 U32_MAX, IB_ACCESS_REMOTE_WRITE);
		rx->write_open = true;
		rx->write_stag = seg->stag;
	}
	rx->write_to = seg->to + seg->payload_len;
	err = check_remote(s, rx->write.mem, seg->to, seg->payload_len, IB_ACCESS_REMOTE_WRITE);
	return write_errno_to_fault(err);
}

static enum iwarp_fault rx_place_write(struct siw_stream *s, const u8 *data, u32 len)
{
	return write_errno_to_fault(soft_sgl_iter_copy_in(&s->rx->write, data, len));
}

static enum iwarp_fault rx_end_write(struct siw_stream *s, const struct ddp_segment *seg)
{
	if (seg->last)
		rx_close_write(s->rx);
	return IWARP_OK;
}

/* Handlers of Read Responses */

static void rx_close_read(struct siw_rx *rx)
{
	if (rx->read_open)
		soft_sgl_iter_exit(&rx->read);
	rx->read_open = false;
}

static enum iwarp_fault rx_fail_read(struct siw_stream *s)
{
	struct siw_orrq_entry *read = siw_orrq_first(&s->reads);

	soft_sq_complete(&s->qp->soft, read->wqe, IB_WC_LOC_PROT_ERR);
	return IWARP_RDMAP_LOCAL;
}

static void rx_complete_read(struct siw_stream *s, struct soft_send_wqe *wqe)
{
	siw_orrq_pop(&s->reads);
	if (wqe)
		soft_sq_complete(&s->qp->soft, wqe, IB_WC_SUCCESS);
	/* A fence or ORD may make requests wait for the completion of this read: transmit again. */
	siw_stream_set_pending(s, SIW_PENDING_TX);
}

static enum iwarp_fault rx_begin_response(struct siw_stream *s, const struct ddp_segment *seg)
{
	struct siw_orrq_entry *read = siw_orrq_first(&s->reads);
	struct siw_rx *rx = s->rx;
	enum iwarp_fault fault;

	if (!read || read->atomic)
		return IWARP_READ_UNSOLICITED;
	fault = rdmap_read_sink_verify(&read->sink, seg);
	if (fault || !seg->payload_len || rx->read_open)
		return fault;
	/* wqe is NULL only for the RTR read, whose response has no payload and returned above. */
	if (soft_send_wqe_iter_init(read->wqe, s->qp->soft.base.pd, &rx->read,
				    IB_ACCESS_LOCAL_WRITE))
		return rx_fail_read(s);
	rx->read_open = true;
	return IWARP_OK;
}

static enum iwarp_fault rx_place_response(struct siw_stream *s, const u8 *data, u32 len)
{
	return soft_sgl_iter_copy_in(&s->rx->read, data, len) ? rx_fail_read(s) : IWARP_OK;
}

static enum iwarp_fault rx_end_response(struct siw_stream *s, const struct ddp_segment *seg)
{
	struct siw_orrq_entry *read = siw_orrq_first(&s->reads);
	struct soft_send_wqe *wqe = read->wqe;

	if (!rdmap_read_sink_advance(&read->sink, seg))
		return IWARP_OK;
	rx_close_read(s->rx);
	if (wqe && wqe->opcode == IB_WR_RDMA_READ_WITH_INV &&
	    soft_mw_invalidate(&s->qp->soft.base, wqe->inv_stag))
		return rx_fail_read(s);
	rx_complete_read(s, wqe);
	return IWARP_OK;
}

/*
 * Begins a control message, which has one segment. "place" collects its payload, and "end" parses
 * it.
 */

static enum iwarp_fault rx_begin_control(struct siw_stream *s, const struct ddp_segment *seg)
{
	return ddp_untagged_verify(&s->rx->queue[seg->qn], seg);
}

/*
 * Collects the payload. Drops bytes beyond the buffer: a Terminate may be longer than in RFC 5040.
 */
static enum iwarp_fault rx_place_control(struct siw_stream *s, const u8 *data, u32 len)
{
	struct siw_rx *rx = s->rx;

	len = min_t(u32, len, sizeof(rx->ctrl) - rx->ctrl_len);
	memcpy(rx->ctrl + rx->ctrl_len, data, len);
	rx->ctrl_len += len;
	return IWARP_OK;
}

/*
 * Begins a Read Request or an atomic request. If IRD is exceeded, the fault is that there is no
 * buffer, because IRD is the number of buffers of untagged queue 1.
 */
static enum iwarp_fault rx_begin_request(struct siw_stream *s, const struct ddp_segment *seg)
{
	enum iwarp_fault fault = rx_begin_control(s, seg);

	if (!fault && siw_irrq_full(&s->reads))
		fault = IWARP_DDP_NO_BUFFER;
	return fault;
}

/*
 * Looks up the memory that the peer wants to read or change, and checks the peer's rights. On
 * success *@source is the memory, with a reference.
 */
static enum iwarp_fault get_source_mem(struct siw_stream *s, u32 stag, u64 to, u32 length,
				       int access, struct soft_mem **source)
{
	struct soft_mem *mem = soft_mem_get(&s->qp->dev->soft, stag);
	int err;

	if (!mem)
		return IWARP_RDMAP_STAG;
	err = check_remote(s, mem, to, length, access);
	if (!err) {
		*source = mem;
		return IWARP_OK;
	}
	soft_mem_put(mem);
	switch (err) {
	case -EPERM:
		return IWARP_RDMAP_STREAM;
	case -EACCES:
		return IWARP_RDMAP_ACCESS;
	case -EOVERFLOW:
		return IWARP_RDMAP_TO_WRAP;
	case -ERANGE:
		return IWARP_RDMAP_BOUNDS;
	default:
		return IWARP_RDMAP_STAG;
	}
}

/*
 * Makes room for the peer's next request. If memory is short, the stream must not fail, because IRD
 * allows the request. Instead, receive stops at the next FPDU, until a response has made room or
 * memory is available.
 */
static bool rx_reserve_request(struct siw_stream *s)
{
	struct siw_rx *rx = s->rx;

	rx->no_room = !siw_irrq_reserve(&s->reads, s->qp);
	if (rx->no_room)
		rx->budget = 0;
	return !rx->no_room;
}

static enum iwarp_fault rx_end_read_request(struct siw_stream *s, const struct ddp_segment *seg)
{
	struct soft_mem *mem = NULL;
	struct rdmap_read_req req;
	enum iwarp_fault fault;

	ddp_untagged_advance(&s->rx->queue[seg->qn], seg);
	fault = rdmap_read_req_parse(s->rx->ctrl, s->rx->ctrl_len, &req);
	/* The source of a zero-length read is not validated. */
	if (!fault && req.length)
		fault = get_source_mem(s, req.source_stag, req.source_to, req.length,
				       IB_ACCESS_REMOTE_READ, &mem);
	if (fault)
		return fault;
	siw_irrq_add(&s->reads, mem, false, s->rx->fpdu.head)->req = req;
	rx_reserve_request(s);
	siw_stream_set_pending(s, SIW_PENDING_TX);
	return IWARP_OK;
}

static enum iwarp_fault rx_end_atomic_request(struct siw_stream *s, const struct ddp_segment *seg)
{
	struct rdmap_atomic_req req;
	enum iwarp_fault fault;
	struct soft_mem *mem;

	ddp_untagged_advance(&s->rx->queue[seg->qn], seg);
	fault = rdmap_atomic_req_parse(s->rx->ctrl, s->rx->ctrl_len, &req);
	if (!fault)
		fault = get_source_mem(s, req.stag, req.to, sizeof(u64), IB_ACCESS_REMOTE_ATOMIC,
				       &mem);
	if (fault)
		return fault;
	siw_irrq_add(&s->reads, mem, true, s->rx->fpdu.head)->atomic = req;
	rx_reserve_request(s);
	siw_stream_set_pending(s, SIW_PENDING_TX);
	return IWARP_OK;
}

static enum iwarp_fault rx_begin_atomic_response(struct siw_stream *s,
						 const struct ddp_segment *seg)
{
	const struct siw_orrq_entry *read = siw_orrq_first(&s->reads);
	enum iwarp_fault fault = rx_begin_control(s, seg);

	if (!fault && !(read && read->atomic))
		fault = IWARP_READ_UNSOLICITED;
	return fault;
}

static enum iwarp_fault rx_end_atomic_response(struct siw_stream *s, const struct ddp_segment *seg)
{
	const struct siw_orrq_entry *read = siw_orrq_first(&s->reads);
	struct rdmap_atomic_resp resp;
	struct soft_sgl_iter *sgl = &s->rx->read;
	enum iwarp_fault fault;
	int err;

	ddp_untagged_advance(&s->rx->queue[seg->qn], seg);
	fault = rdmap_atomic_resp_parse(s->rx->ctrl, s->rx->ctrl_len, &resp);
	if (fault)
		return fault;
	if (resp.id != read->msn)
		return IWARP_ATOMIC_ID;

	/* Place the original value into the SGEs of the request. */
	err = soft_send_wqe_iter_init(read->wqe, s->qp->soft.base.pd, sgl, IB_ACCESS_LOCAL_WRITE);
	if (err)
		return rx_fail_read(s);
	err = soft_sgl_iter_copy_in(sgl, &resp.old, sizeof(resp.old));
	soft_sgl_iter_exit(sgl);
	if (err)
		return rx_fail_read(s);
	rx_complete_read(s, read->wqe);
	return IWARP_OK;
}

static enum iwarp_fault rx_begin_immediate(struct siw_stream *s, const struct ddp_segment *seg)
{
	enum iwarp_fault fault = rx_begin_control(s, seg);

	return fault ?: rx_begin_recv(s);
}

static enum iwarp_fault rx_end_immediate(struct siw_stream *s, const struct ddp_segment *seg)
{
	struct siw_rx *rx = s->rx;
	const struct soft_rq_result result = {
		.status = IB_WC_SUCCESS,
		.solicited = ddp_op(seg->opcode)->flags & DDP_OP_SOLICITED,
		.immediate = true,
		.imm = rdmap_immediate_parse(rx->ctrl),
	};

	ddp_untagged_advance(&rx->queue[seg->qn], seg);
	rx_complete_recv(s, &result);
	return IWARP_OK;
}

static enum iwarp_fault rx_end_terminate(struct siw_stream *s, const struct ddp_segment *seg)
{
	struct siw_rx *rx = s->rx;
	struct iwarp_term term;

	/* A Terminate too short to name an error is ignored. */
	if (!iwarp_term_parse(rx->ctrl, rx->ctrl_len, &term))
		rx->result.stop = SIW_TERMINATED;
	return IWARP_OK;
}

#define IMMEDIATE_OP { rx_begin_immediate, rx_place_control, rx_end_immediate, SIW_RX_IMMEDIATES }
#define SEND_OP { rx_begin_send, rx_place_send, rx_end_send, SIW_RX_SENDS }

static const struct siw_rx_op rx_ops[] = {
	[RDMAP_WRITE]		= { rx_begin_write, rx_place_write, rx_end_write, SIW_RX_WRITES },
	[RDMAP_READ_REQUEST]	= { rx_begin_request, rx_place_control, rx_end_read_request,
				    SIW_RX_READ_REQS },
	[RDMAP_READ_RESPONSE]	= { rx_begin_response, rx_place_response, rx_end_response,
				    SIW_RX_READ_RESPS },
	[RDMAP_SEND]		= SEND_OP,
	[RDMAP_SEND_INV]	= SEND_OP,
	[RDMAP_SEND_SE]		= SEND_OP,
	[RDMAP_SEND_SE_INV]	= SEND_OP,
	[RDMAP_TERMINATE]	= { rx_begin_control, rx_place_control, rx_end_terminate,
				    SIW_RX_TERMINATES },
	[RDMAP_IMMEDIATE]	= IMMEDIATE_OP,
	[RDMAP_IMMEDIATE_SE]	= IMMEDIATE_OP,
	[RDMAP_ATOMIC_REQUEST]	= { rx_begin_request, rx_place_control, rx_end_atomic_request,
				    SIW_RX_ATOMIC_REQS },
	[RDMAP_ATOMIC_RESPONSE]	= { rx_begin_atomic_response, rx_place_control,
				    rx_end_atomic_response, SIW_RX_ATOMIC_RESPS },
};

/* Functions that process the byte stream */

/* Returns whether the stream has failed. If so, received bytes are dropped. */
static bool rx_is_over(const struct siw_stream *s)
{
	return s->failed || siw_ends_stream(s->rx->result.stop);
}

static void rx_stop(struct siw_rx *rx, enum iwarp_fault fault, bool by_segment)
{
	rx->result.stop = SIW_TERMINATE;
	rx->result.fault = fault;
	rx->result.by_segment = by_segment;
}

void siw_rx_bad_segment(const struct siw_rx *rx, struct iwarp_bad_segment *segment)
{
	iwarp_rx_bad_segment(&rx->fpdu, segment);
	segment->read_req = rx->ctrl;
	segment->read_req_len = rx->ctrl_len;
}

void siw_rx_peer_term(const struct siw_rx *rx, struct iwarp_term *term)
{
	iwarp_term_parse(rx->ctrl, rx->ctrl_len, term);
}

/* The next two functions consume bytes of one part of an FPDU, and return how many. */

static size_t rx_header(struct siw_stream *s, const u8 *data, size_t len)
{
	struct siw_rx *rx = s->rx;
	enum iwarp_fault fault;
	size_t taken;

	rx->ctrl_len = 0;
	fault = iwarp_rx_header(&rx->fpdu, data, len, &taken);
	if (!fault && rx->fpdu.state != IWARP_RX_HEADER) {
		rx->op = &rx_ops[rx->fpdu.seg.opcode];
		fault = rx->op->begin(s, &rx->fpdu.seg);
	}
	if (fault)
		rx_stop(rx, fault, true);
	return taken;
}

/*
 * Does not check the CRC, because reasm.c has checked it before the FPDU came here. In streams
 * without CRC, the field has no meaning.
 */
static size_t rx_trailer(struct siw_stream *s, const u8 *data, size_t len)
{
	struct siw_rx *rx = s->rx;
	const struct ddp_segment *seg = &rx->fpdu.seg;
	int size = mpa_fpdu_size(ddp_ulpdu_len(seg));
	enum iwarp_fault fault;
	size_t taken;
	u32 crc;

	if (!iwarp_rx_trailer(&rx->fpdu, data, len, &taken, &crc))
		return taken;
	soft_qp_count(&s->qp->soft, SIW_RX_FPDUS);
	soft_qp_count_add(&s->qp->soft, SIW_RX_BYTES, size);
	rx->budget -= SIW_MIN_COST - min(size, SIW_MIN_COST);

	fault = rx->op->end(s, seg);
	if (fault) {
		rx_stop(rx, fault, true);
		return taken;
	}
	if (seg->last) {
		rx->messages++;
		soft_qp_count(&s->qp->soft, rx->op->counter);
	}
	if (rx->started || rx_is_over(s))
		return taken;

	/* A responder may not send before it has received an FPDU (RFC 5044). */
	rx->started = true;
	if (!s->cfg.initiator) {
		s->tx->await_first_fpdu = false;
		siw_stream_set_pending(s, SIW_PENDING_TX);
		rx->result.events |= BIT(SIW_STREAM_ESTABLISHED);
	}
	return taken;
}

/*
 * Processes a piece of the stream, of any length, from which markers have been removed. Stops early
 * if the stream is over, or before the next FPDU if the budget is used up. Returns the number of
 * bytes processed.
 */
static u32 rx_data(struct siw_stream *s, const u8 *data, u32 len)
{
	struct siw_rx *rx = s->rx;
	enum iwarp_fault fault;
	size_t taken;
	u32 done;

	for (done = 0; done < len && !rx_is_over(s); done += taken) {
		if (rx->budget <= 0 && rx->fpdu.state == IWARP_RX_HEADER && !rx->fpdu.have)
			break;
		switch (rx->fpdu.state) {
		case IWARP_RX_PAYLOAD:
			taken = min_t(size_t, len - done, rx->fpdu.left);
			fault = rx->op->place(s, data + done, taken);
			if (fault)
				rx_stop(rx, fault, true);
			iwarp_rx_payload(&rx->fpdu, taken);
			break;
		case IWARP_RX_TRAILER:
			taken = rx_trailer(s, data + done, len - done);
			break;
		default:
			taken = rx_header(s, data + done, len - done);
			break;
		}
		rx->budget -= taken;
	}
	return done;
}

/* Ends the stream, because the CPU cannot read a socket buffer. */
static void rx_stop_unreadable(struct siw_rx *rx)
{
	rx->result.stop = SIW_UNREADABLE;
}

/* Processes bytes of a socket buffer. Stops where rx_data() stops. Returns the number of bytes. */
static u32 rx_skb(struct siw_stream *s, struct sk_buff *skb, u32 offset, u32 len)
{
	struct skb_seq_state seq;
	const u8 *data;
	u32 done = 0;
	u32 taken;
	u32 n;

	skb_prepare_seq_read(skb, offset, offset + len, &seq);
	while ((n = skb_seq_read(done, &data, &seq))) {
		taken = rx_data(s, data, min(n, len - done));
		done += taken;
		if (taken < n)
			break;
	}
	skb_abort_seq_read(&seq);
	if (unlikely(!n && done < len))
		rx_stop_unreadable(s->rx);
	return done;
}

/* Processes an FPDU of @len bytes that reassembly has kept. */
static void rx_kept(struct siw_stream *s, u32 len)
{
	const u8 *data;
	u32 done = 0;
	u32 n;

	while (done < len) {
		n = len - done;
		data = siw_reasm_at(&s->rx->reasm, done, &n);
		rx_data(s, data, n);
		done += n;
	}
}

/*
 * Processes the FPDUs of a stream with CRC or markers. Returns the number of bytes that were
 * processed or kept. If memory is short, sets *@err.
 */
static u32 rx_reassemble(struct siw_stream *s, struct sk_buff *skb, u32 offset, u32 len, int *err)
{
	struct siw_reasm_input input;
	struct siw_fpdu fpdu;
	int ret;

	siw_reasm_begin(&input, skb, offset, len);
	while (!rx_is_over(s) && s->rx->budget > 0) {
		ret = siw_reasm_next(&s->rx->reasm, &s->cfg, &input, &fpdu);
		if (unlikely(ret == -EFAULT)) {
			rx_stop_unreadable(s->rx);
			break;
		}
		if (ret <= 0) {
			*err = ret;
			break;
		}
		if (fpdu.num_markers)
			soft_qp_count_add(&s->qp->soft, SIW_RX_MARKERS, fpdu.num_markers);
		if (fpdu.fault)
			rx_stop(s->rx, fpdu.fault, false);
		else if (fpdu.data)
			rx_data(s, fpdu.data, fpdu.len);
		else if (fpdu.kept)
			rx_kept(s, fpdu.len);
		else
			rx_skb(s, skb, fpdu.offset, fpdu.len);
	}
	siw_reasm_end(&input);
	return input.offset - offset;
}

/*
 * Processes bytes for tcp_read_sock(), as its actor. Returns less than @len if the budget is used
 * up, and sets desc->error if memory is short; in both cases tcp_read_sock() calls the actor once
 * more, with the rest. After the stream has failed, drops all bytes, because TCP resets a
 * connection that is closed with unread bytes.
 */
static int rx_actor(read_descriptor_t *desc, struct sk_buff *skb, unsigned int offset, size_t len)
{
	struct siw_stream *s = desc->arg.data;
	struct siw_rx *rx = s->rx;
	u32 taken = 0;

	if (rx->budget <= 0)
		return 0;
	rx->budget -= SIW_MIN_COST - min_t(int, len, SIW_MIN_COST);
	if (unlikely(!skb_frags_readable(skb)))
		rx_stop_unreadable(rx);
	else if (s->cfg.crc || s->cfg.rx_markers)
		taken = rx_reassemble(s, skb, offset, len, &desc->error);
	else
		taken = rx_skb(s, skb, offset, len);
	if (rx_is_over(s)) {
		rx->budget -= len;
		taken = len;
	}
	desc->count = rx->budget > 0;
	return taken;
}

void siw_rx_abandon(struct siw_stream *s)
{
	struct siw_rx *rx = s->rx;

	rx_close_write(rx);
	rx_close_read(rx);
	if (rx->wqe_valid)
		rx_complete_recv(s, &(struct soft_rq_result) { .status = rx->wqe_status });
	soft_sgl_iter_free(&rx->write);
	soft_sgl_iter_free(&rx->read);
	soft_sgl_iter_free(&rx->recv);
}

/* Returns whether the connection was reset, or has timed out. */
static bool rx_is_lost(const struct sock *sk)
{
	return sk->sk_err || (sk->sk_state == TCP_CLOSE && !(sk->sk_shutdown & RCV_SHUTDOWN));
}

/*
 * Checks whether the connection has ended. Called after all bytes in the socket were received. The
 * peer's FIN is a fault unless all bytes before it were read, and end with a complete message.
 * While our Terminate is pending, the FIN is not reported: the Terminate ends the stream.
 */
static void rx_check_end(struct siw_stream *s)
{
	struct sock *sk = siw_stream_sk(s);
	struct siw_rx *rx = s->rx;
	bool boundary;
	int qn;

	if (rx_is_lost(sk)) {
		rx->result.stop = SIW_LOST;
	} else if (sk->sk_shutdown & RCV_SHUTDOWN && !s->ended && !s->peer_fin &&
		   !siw_terminate_pending(s)) {
		s->peer_fin = true;
		boundary = rx->fpdu.state == IWARP_RX_HEADER && !rx->fpdu.have &&
			   !rx->reasm.have && !rx->write_open && !rx->read_open &&
			   tcp_sk(sk)->copied_seq == tcp_sk(sk)->rcv_nxt;
		for (qn = 0; qn < DDP_QN_COUNT; qn++)
			boundary &= !rx->queue[qn].open;
		if (s->failed || boundary)
			rx->result.events |= BIT(SIW_STREAM_PEER_FIN);
		else
			rx_stop(rx, IWARP_MPA_CLOSED, false);
	}
}

struct siw_result siw_rx_run(struct siw_stream *s)
{
	read_descriptor_t desc = { .arg.data = s, .count = 1 };
	struct sock *sk = siw_stream_sk(s);
	unsigned long since;
	int bytes;

	lockdep_assert(lockdep_sock_is_held(sk));
	s->rx->result = (struct siw_result) {};
	s->rx->budget = s->pass_bytes;
	if (!rx_reserve_request(s)) {
		s->rx->result.stop = rx_is_lost(sk) ? SIW_LOST : SIW_NO_MEMORY;
		return s->rx->result;
	}
	/*
	 * Urgent data is data like any other (RFC 6093), but while urg_data is set, tcp_read_sock()
	 * reads only up to the urgent byte.
	 */
	if (unlikely(tcp_sk(sk)->urg_data)) {
		WRITE_ONCE(tcp_sk(sk)->urg_data, 0);
		tcp_fast_path_check(sk);
	}
	bytes = tcp_read_sock(sk, &desc, rx_actor);
	siw_reasm_trim(&s->rx->reasm);
	s->moderation.moved += max(bytes, 0);
	if (s->rx->budget <= 0)
		siw_stream_set_pending(s, SIW_PENDING_RX);
	if (siw_ends_stream(s->rx->result.stop))
		return s->rx->result;
	/*
	 * Check desc.error after the result: when memory is short, rx_actor() sets desc.error, but
	 * tcp_read_sock() may have called rx_actor() once more, and this last call may have ended
	 * the stream.
	 */
	since = s->rx->reasm.short_since;
	if (desc.error && since && time_after(jiffies, since + SIW_STARVED_TIMEOUT))
		s->rx->result.stop = SIW_STARVED;
	else if (desc.error)
		s->rx->result.stop = SIW_NO_MEMORY;
	else if (s->rx->budget > 0)
		rx_check_end(s);
	return s->rx->result;
}
