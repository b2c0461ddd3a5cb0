// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receive: the byte stream, in whatever pieces it comes, is taken apart into FPDUs and placed
 * straight from the socket's buffers.
 *
 * For each FPDU: "begin" when its header is whole decides whether and where its payload may go;
 * "place" puts payload there as it comes; "end", when the FPDU is whole, does what completes a
 * message. A fault in any of them stops the pass, and its result says why. With CRC or markers an
 * FPDU is looked at when all of it is in and its CRC is right (reasm.c), so that what is refused is
 * the peer's doing and no damage on the way.
 */
#include <linux/skbuff.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "drivers/siw/rx.h"
#include "drivers/siw/cep.h"
#include "drivers/siw/counter.h"
#include "drivers/siw/mem.h"
#include "drivers/siw/qp.h"
#include "drivers/siw/read.h"
#include "drivers/siw/reasm.h"
#include "drivers/siw/result.h"
#include "drivers/siw/rq.h"
#include "drivers/siw/sgl.h"
#include "drivers/siw/sq.h"
#include "drivers/siw/stats.h"
#include "drivers/siw/stream.h"
#include "drivers/siw/stream_state.h"
#include "drivers/siw/wqe.h"
#include "iwarp/fpdu.h"

/**
 * struct siw_rx_op - handlers of an opcode
 * @begin: the header is whole
 * @place: takes payload, in pieces
 * @end: the FPDU is whole
 * @counter: of messages
 */
struct siw_rx_op {
	enum iwarp_fault (*begin)(struct siw_qp *qp, const struct ddp_segment *seg);
	enum iwarp_fault (*place)(struct siw_qp *qp, const u8 *data, u32 len);
	enum iwarp_fault (*end)(struct siw_qp *qp, const struct ddp_segment *seg);
	enum siw_counter counter;
};

static struct siw_rx *rx_of(const struct siw_qp *qp)
{
	return &qp->stream->rx;
}

void siw_rx_init(struct siw_qp *qp)
{
	struct siw_rx *rx = rx_of(qp);
	int qn;

	memset(rx, 0, sizeof(*rx));
	iwarp_rx_init(&rx->fpdu);
	for (qn = 0; qn < DDP_QN_COUNT; qn++)
		ddp_untagged_init(&rx->queue[qn]);
	rx->rtr_send = !qp->stream->cfg.initiator && qp->stream->cfg.rtr == SIW_RTR_SEND;
}

/*
 * What it means for the peer when memory it named cannot be used, in a tagged segment and in a Read
 * Request.
 */

static enum iwarp_fault write_fault(int err)
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

/* Both the region and the QP have to grant the peer the right in @access. */
static int check_remote(const struct siw_qp *qp, struct siw_mem *mem, u64 to, u32 len, int access)
{
	int err = siw_mem_check(mem, qp->base.pd, to, len, access);

	if (err)
		return err;
	return READ_ONCE(qp->attr.qp_access_flags) & access ? 0 : -EACCES;
}

static enum iwarp_fault source_fault(int err)
{
	switch (err) {
	case 0:
		return IWARP_OK;
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

/* Sends */

static void end_receive(struct siw_qp *qp, const struct siw_rq_result *result)
{
	struct siw_rx *rx = rx_of(qp);

	siw_sgl_iter_exit(&rx->recv);
	rx->rqe_taken = false;
	siw_rq_complete(qp, &rx->rqe, result);
}

/* The receive says why when the stream is given up. */
static enum iwarp_fault fail_receive(struct siw_qp *qp, enum ib_wc_status status,
				     enum iwarp_fault fault)
{
	rx_of(qp)->rqe_status = status;
	return fault;
}

static enum iwarp_fault begin_receive(struct siw_qp *qp)
{
	struct siw_rx *rx = rx_of(qp);

	if (!siw_rq_take(qp, &rx->rqe))
		return IWARP_DDP_NO_BUFFER;
	rx->rqe_taken = true;
	rx->rqe_status = IB_WC_WR_FLUSH_ERR;
	if (siw_sgl_iter_init(&rx->recv, qp->dev, siw_rq_pd(qp), rx->rqe.sge, rx->rqe.num_sge,
			      IB_ACCESS_LOCAL_WRITE))
		return fail_receive(qp, IB_WC_LOC_PROT_ERR, IWARP_DDP_LOCAL);
	return IWARP_OK;
}

/* An empty Send that opens the stream is between the two of us, no receive of the consumer's. */
static bool is_rtr(const struct siw_rx *rx, const struct ddp_segment *seg)
{
	return rx->rtr_send && !rx->started && seg->opcode == RDMAP_SEND && !seg->payload_len &&
	       seg->last;
}

static enum iwarp_fault rx_begin_send(struct siw_qp *qp, const struct ddp_segment *seg)
{
	struct siw_rx *rx = rx_of(qp);
	enum iwarp_fault fault;

	fault = ddp_untagged_verify(&rx->queue[DDP_QN_SEND], seg);
	if (fault || is_rtr(rx, seg))
		return fault;
	if (!rx->rqe_taken) {
		fault = begin_receive(qp);
		if (fault)
			return fault;
	}
	if ((u64)seg->mo + seg->payload_len > rx->rqe.length)
		return fail_receive(qp, IB_WC_LOC_LEN_ERR, IWARP_DDP_TOO_LONG);
	return IWARP_OK;
}

static enum iwarp_fault place_send(struct siw_qp *qp, const u8 *data, u32 len)
{
	if (siw_sgl_iter_copy_in(&rx_of(qp)->recv, data, len))
		return fail_receive(qp, IB_WC_LOC_PROT_ERR, IWARP_DDP_LOCAL);
	return IWARP_OK;
}

static enum iwarp_fault end_send(struct siw_qp *qp, const struct ddp_segment *seg)
{
	struct siw_rx *rx = rx_of(qp);
	u8 flags = ddp_op(seg->opcode)->flags;
	struct siw_rq_result result = {
		.status = IB_WC_SUCCESS,
		.length = seg->mo + seg->payload_len,
		.solicited = flags & DDP_OP_SOLICITED,
		.invalidated = flags & DDP_OP_INVALIDATE,
		.inv_stag = seg->inv_stag,
	};

	ddp_untagged_advance(&rx->queue[DDP_QN_SEND], seg);
	if (!seg->last || !rx->rqe_taken)
		return IWARP_OK;
	if (result.invalidated &&
	    siw_mem_invalidate_by_peer(qp->dev, qp->base.pd, seg->inv_stag))
		return IWARP_RDMAP_CANNOT_INVALIDATE;
	end_receive(qp, &result);
	return IWARP_OK;
}

/* Writes */

static void close_write(struct siw_rx *rx)
{
	if (rx->write_open)
		siw_sgl_iter_exit(&rx->write);
	rx->write_open = false;
}

/* The walk has no end of its own: each segment is checked before it is placed. */
static int open_write(struct siw_qp *qp, const struct ddp_segment *seg)
{
	struct siw_rx *rx = rx_of(qp);
	struct siw_mem *mem;

	if (rx->write_open && rx->write_stag == seg->stag && rx->write_to == seg->to)
		return 0;
	close_write(rx);
	mem = siw_mem_get(qp->dev, seg->stag);
	if (!mem)
		return -ENOENT;
	siw_sgl_iter_init_range(&rx->write, mem, seg->stag, seg->to, U32_MAX,
				IB_ACCESS_REMOTE_WRITE);
	rx->write_open = true;
	rx->write_stag = seg->stag;
	return 0;
}

static enum iwarp_fault rx_begin_write(struct siw_qp *qp, const struct ddp_segment *seg)
{
	struct siw_rx *rx = rx_of(qp);
	int err;

	/* An empty segment names no memory. */
	if (!seg->payload_len)
		return IWARP_OK;
	err = open_write(qp, seg);
	if (!err)
		err = check_remote(qp, rx->write.mem, seg->to, seg->payload_len,
				   IB_ACCESS_REMOTE_WRITE);
	rx->write_to = seg->to + seg->payload_len;
	return write_fault(err);
}

static enum iwarp_fault place_write(struct siw_qp *qp, const u8 *data, u32 len)
{
	return write_fault(siw_sgl_iter_copy_in(&rx_of(qp)->write, data, len));
}

static enum iwarp_fault end_write(struct siw_qp *qp, const struct ddp_segment *seg)
{
	if (seg->last)
		close_write(rx_of(qp));
	return IWARP_OK;
}

/* Read Responses */

static void close_read(struct siw_rx *rx)
{
	if (rx->read_open)
		siw_sgl_iter_exit(&rx->read);
	rx->read_open = false;
}

static enum iwarp_fault rx_fail_read(struct siw_qp *qp)
{
	struct siw_orrq_entry *read = siw_orrq_head(&qp->stream->reads);

	siw_sq_done(qp, read->sqe, IB_WC_LOC_PROT_ERR);
	return IWARP_RDMAP_LOCAL;
}

static enum iwarp_fault rx_begin_response(struct siw_qp *qp, const struct ddp_segment *seg)
{
	struct siw_orrq_entry *read = siw_orrq_head(&qp->stream->reads);
	struct siw_rx *rx = rx_of(qp);
	enum iwarp_fault fault;

	if (!read || read->atomic)
		return IWARP_READ_UNSOLICITED;
	fault = rdmap_read_sink_verify(&read->sink, seg);
	if (fault || !seg->payload_len || rx->read_open)
		return fault;
	/* There is payload, so a request stands behind it. */
	if (siw_send_wqe_begin(qp, read->sqe, &rx->read, IB_ACCESS_LOCAL_WRITE))
		return rx_fail_read(qp);
	rx->read_open = true;
	return IWARP_OK;
}

static enum iwarp_fault place_response(struct siw_qp *qp, const u8 *data, u32 len)
{
	return siw_sgl_iter_copy_in(&rx_of(qp)->read, data, len) ? rx_fail_read(qp) : IWARP_OK;
}

static void finish_read(struct siw_qp *qp, struct siw_send_wqe *sqe)
{
	struct siw_stream *s = qp->stream;

	siw_orrq_pop(&s->reads);
	if (sqe)
		siw_sq_done(qp, sqe, IB_WC_SUCCESS);
	/* Requests may have waited for it. */
	siw_stream_set_pending(s, SIW_PENDING_TX);
}

static enum iwarp_fault end_response(struct siw_qp *qp, const struct ddp_segment *seg)
{
	struct siw_stream *s = qp->stream;
	struct siw_orrq_entry *read = siw_orrq_head(&s->reads);
	struct siw_send_wqe *sqe = read->sqe;

	if (!rdmap_read_sink_advance(&read->sink, seg))
		return IWARP_OK;
	close_read(&s->rx);
	if (sqe && sqe->opcode == IB_WR_RDMA_READ_WITH_INV &&
	    siw_mem_invalidate(qp->dev, qp->base.pd, sqe->inv_stag))
		return rx_fail_read(qp);
	finish_read(qp, sqe);
	return IWARP_OK;
}

/* Messages of one segment: collected, and acted upon when known to be right */

static enum iwarp_fault begin_control(struct siw_qp *qp, const struct ddp_segment *seg)
{
	return ddp_untagged_verify(&rx_of(qp)->queue[seg->qn], seg);
}

/* IRD is how many buffers queue 1 has. */
static enum iwarp_fault rx_begin_request(struct siw_qp *qp, const struct ddp_segment *seg)
{
	enum iwarp_fault fault = begin_control(qp, seg);

	if (!fault && siw_irrq_full(&qp->stream->reads))
		fault = IWARP_DDP_NO_BUFFER;
	return fault;
}

/* More than a Terminate of the standard's is of no interest. */
static enum iwarp_fault place_control(struct siw_qp *qp, const u8 *data, u32 len)
{
	struct siw_rx *rx = rx_of(qp);

	len = min_t(u32, len, sizeof(rx->ctrl) - rx->ctrl_len);
	memcpy(rx->ctrl + rx->ctrl_len, data, len);
	rx->ctrl_len += len;
	return IWARP_OK;
}

/* Looks up what a read or an atomic operation works on. */
static enum iwarp_fault find_source(struct siw_qp *qp, u32 stag, u64 to, u32 length, int access,
				    struct siw_mem **source)
{
	struct siw_mem *mem = siw_mem_get(qp->dev, stag);
	int err;

	if (!mem)
		return IWARP_RDMAP_STAG;
	err = check_remote(qp, mem, to, length, access);
	if (err) {
		siw_mem_put(mem);
		return source_fault(err);
	}
	*source = mem;
	return IWARP_OK;
}

static enum iwarp_fault end_request(struct siw_qp *qp, const struct ddp_segment *seg)
{
	struct siw_stream *s = qp->stream;
	struct siw_mem *mem = NULL;
	struct rdmap_read_req req;
	enum iwarp_fault fault;

	ddp_untagged_advance(&s->rx.queue[seg->qn], seg);
	fault = rdmap_read_req_parse(s->rx.ctrl, s->rx.ctrl_len, &req);
	/* No byte, no source. */
	if (!fault && req.length)
		fault = find_source(qp, req.source_stag, req.source_to, req.length,
				    IB_ACCESS_REMOTE_READ, &mem);
	if (fault)
		return fault;
	siw_irrq_add(&s->reads, mem, &req, s->rx.fpdu.head);
	siw_stream_set_pending(s, SIW_PENDING_TX);
	return IWARP_OK;
}

static enum iwarp_fault end_atomic(struct siw_qp *qp, const struct ddp_segment *seg)
{
	struct siw_stream *s = qp->stream;
	struct rdmap_atomic_req req;
	enum iwarp_fault fault;
	struct siw_mem *mem;

	ddp_untagged_advance(&s->rx.queue[seg->qn], seg);
	fault = rdmap_atomic_req_parse(s->rx.ctrl, s->rx.ctrl_len, &req);
	if (!fault)
		fault = find_source(qp, req.stag, req.to, sizeof(u64), IB_ACCESS_REMOTE_ATOMIC,
				    &mem);
	if (fault)
		return fault;
	siw_irrq_add_atomic(&s->reads, mem, &req, s->rx.fpdu.head);
	siw_stream_set_pending(s, SIW_PENDING_TX);
	return IWARP_OK;
}

static enum iwarp_fault rx_begin_atomic_response(struct siw_qp *qp, const struct ddp_segment *seg)
{
	const struct siw_orrq_entry *read = siw_orrq_head(&qp->stream->reads);
	enum iwarp_fault fault = begin_control(qp, seg);

	if (!fault && !(read && read->atomic))
		fault = IWARP_READ_UNSOLICITED;
	return fault;
}

/* What was there goes where the request wants it. */
static int store_old(struct siw_qp *qp, struct siw_send_wqe *sqe, u64 old)
{
	struct siw_sgl_iter sgl;
	int err;

	err = siw_send_wqe_begin(qp, sqe, &sgl, IB_ACCESS_LOCAL_WRITE);
	if (err)
		return err;
	err = siw_sgl_iter_copy_in(&sgl, &old, sizeof(old));
	siw_sgl_iter_exit(&sgl);
	return err;
}

static enum iwarp_fault end_atomic_response(struct siw_qp *qp, const struct ddp_segment *seg)
{
	struct siw_stream *s = qp->stream;
	const struct siw_orrq_entry *read = siw_orrq_head(&s->reads);
	struct rdmap_atomic_resp resp;
	enum iwarp_fault fault;

	ddp_untagged_advance(&s->rx.queue[seg->qn], seg);
	fault = rdmap_atomic_resp_parse(s->rx.ctrl, s->rx.ctrl_len, &resp);
	if (fault)
		return fault;
	if (resp.id != read->msn)
		return IWARP_ATOMIC_ID;
	if (store_old(qp, read->sqe, resp.old))
		return rx_fail_read(qp);
	finish_read(qp, read->sqe);
	return IWARP_OK;
}

static enum iwarp_fault rx_begin_immediate(struct siw_qp *qp, const struct ddp_segment *seg)
{
	enum iwarp_fault fault = begin_control(qp, seg);

	return fault ?: begin_receive(qp);
}

static enum iwarp_fault end_immediate(struct siw_qp *qp, const struct ddp_segment *seg)
{
	struct siw_rx *rx = rx_of(qp);
	const struct siw_rq_result result = {
		.status = IB_WC_SUCCESS,
		.solicited = ddp_op(seg->opcode)->flags & DDP_OP_SOLICITED,
		.immediate = true,
		.imm = rdmap_immediate_parse(rx->ctrl),
	};

	ddp_untagged_advance(&rx->queue[seg->qn], seg);
	end_receive(qp, &result);
	return IWARP_OK;
}

static enum iwarp_fault end_terminate(struct siw_qp *qp, const struct ddp_segment *seg)
{
	struct siw_rx *rx = rx_of(qp);

	/* One that is too short to say anything is ignored. */
	if (!iwarp_term_parse(rx->ctrl, rx->ctrl_len, &rx->term))
		rx->result.stop = SIW_TERMINATED;
	return IWARP_OK;
}

#define IMMEDIATE_OP { rx_begin_immediate, place_control, end_immediate, SIW_RX_IMMEDIATES }
#define SEND_OP { rx_begin_send, place_send, end_send, SIW_RX_SENDS }

static const struct siw_rx_op ops[] = {
	[RDMAP_WRITE]	      = { rx_begin_write, place_write, end_write, SIW_RX_WRITES },
	[RDMAP_READ_REQUEST]  = { rx_begin_request, place_control, end_request, SIW_RX_READ_REQS },
	[RDMAP_READ_RESPONSE] = { rx_begin_response, place_response, end_response,
				  SIW_RX_READ_RESPS },
	[RDMAP_SEND]	      = SEND_OP,
	[RDMAP_SEND_INV]      = SEND_OP,
	[RDMAP_SEND_SE]	      = SEND_OP,
	[RDMAP_SEND_SE_INV]   = SEND_OP,
	[RDMAP_TERMINATE]     = { begin_control, place_control, end_terminate, SIW_RX_TERMINATES },
	[RDMAP_IMMEDIATE]     = IMMEDIATE_OP,
	[RDMAP_IMMEDIATE_SE]  = IMMEDIATE_OP,
	[RDMAP_ATOMIC_REQUEST] = { rx_begin_request, place_control, end_atomic,
				   SIW_RX_ATOMIC_REQS },
	[RDMAP_ATOMIC_RESPONSE] = { rx_begin_atomic_response, place_control, end_atomic_response,
				    SIW_RX_ATOMIC_RESPS },
};

/* The stream */

/* What comes in is dropped: this pass has ended the stream, or one before. */
static bool rx_is_over(const struct siw_stream *s)
{
	return s->failed || siw_ends_stream(s->rx.result.stop);
}

static void rx_stop(struct siw_rx *rx, enum iwarp_fault fault, bool by_segment)
{
	rx->result.stop = SIW_TERMINATE;
	rx->result.fault = fault;
	rx->result.by_segment = by_segment;
}

void siw_rx_bad_segment(const struct siw_qp *qp, struct iwarp_bad_segment *segment)
{
	const struct siw_rx *rx = rx_of(qp);

	iwarp_rx_offender(&rx->fpdu, segment);
	segment->read_req = rx->ctrl;
	segment->read_req_len = rx->ctrl_len;
}

static size_t rx_header(struct siw_qp *qp, const u8 *data, size_t len)
{
	struct siw_rx *rx = rx_of(qp);
	enum iwarp_fault fault;
	size_t taken;

	rx->ctrl_len = 0;
	fault = iwarp_rx_header(&rx->fpdu, data, len, &taken);
	if (!fault && rx->fpdu.state != IWARP_RX_HEADER) {
		rx->op = &ops[rx->fpdu.seg.opcode];
		fault = rx->op->begin(qp, &rx->fpdu.seg);
	}
	if (fault)
		rx_stop(rx, fault, true);
	return taken;
}

static size_t rx_payload(struct siw_qp *qp, const u8 *data, size_t len)
{
	struct siw_rx *rx = rx_of(qp);
	enum iwarp_fault fault;

	len = min_t(size_t, len, rx->fpdu.left);
	fault = rx->op->place(qp, data, len);
	if (fault)
		rx_stop(rx, fault, true);
	iwarp_rx_payload(&rx->fpdu, len);
	return len;
}

/* The peer is there: a responder may send from now on. */
static void rx_first_fpdu(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;

	s->rx.started = true;
	if (qp->stream->cfg.initiator)
		return;
	s->tx.await_first_fpdu = false;
	siw_stream_set_pending(s, SIW_PENDING_TX);
	s->rx.result.events |= BIT(SIW_STREAM_ESTABLISHED);
}

static enum iwarp_fault end_fpdu(struct siw_qp *qp)
{
	struct siw_rx *rx = rx_of(qp);
	const struct ddp_segment *seg = &rx->fpdu.seg;
	enum iwarp_fault fault;

	siw_qp_count(qp, SIW_RX_FPDUS);
	siw_qp_count_add(qp, SIW_RX_BYTES, mpa_fpdu_size(ddp_ulpdu_len(seg)));

	fault = rx->op->end(qp, seg);
	if (!fault && seg->last)
		siw_qp_count(qp, rx->op->counter);
	if (!fault && !rx->started && !rx_is_over(qp->stream))
		rx_first_fpdu(qp);
	return fault;
}

static size_t rx_trailer(struct siw_qp *qp, const u8 *data, size_t len)
{
	struct siw_rx *rx = rx_of(qp);
	enum iwarp_fault fault;
	size_t taken;
	u32 crc;

	if (!iwarp_rx_trailer(&rx->fpdu, data, len, &taken, &crc))
		return taken;
	fault = end_fpdu(qp);
	if (fault)
		rx_stop(rx, fault, true);
	return taken;
}

/* Places bytes of the stream, free of markers, in whatever pieces. */
static void rx_data(struct siw_qp *qp, const u8 *data, size_t len)
{
	struct siw_stream *s = qp->stream;
	size_t taken;

	for (; len && !rx_is_over(s); data += taken, len -= taken) {
		if (s->rx.fpdu.state == IWARP_RX_PAYLOAD)
			taken = rx_payload(qp, data, len);
		else if (s->rx.fpdu.state == IWARP_RX_TRAILER)
			taken = rx_trailer(qp, data, len);
		else
			taken = rx_header(qp, data, len);
	}
}

static void rx_skb(struct siw_qp *qp, struct sk_buff *skb, u32 offset, u32 len)
{
	struct skb_seq_state seq;
	const u8 *data;
	u32 done = 0;
	u32 n;

	skb_prepare_seq_read(skb, offset, offset + len, &seq);
	while ((n = skb_seq_read(done, &data, &seq))) {
		n = min(n, len - done);
		rx_data(qp, data, n);
		done += n;
	}
}

static void rx_fpdu(struct siw_qp *qp, struct sk_buff *skb, const struct siw_fpdu *fpdu)
{
	if (fpdu->num_markers)
		siw_qp_count_add(qp, SIW_RX_MARKERS, fpdu->num_markers);
	if (fpdu->fault)
		rx_stop(rx_of(qp), fpdu->fault, false);
	else if (fpdu->data)
		rx_data(qp, fpdu->data, fpdu->len);
	else
		rx_skb(qp, skb, fpdu->offset, fpdu->len);
}

/*
 * Actors of tcp_read_sock(). When the stream is over they take all that comes, and drop it, so that
 * the connection can be closed in order.
 */

static int receive(read_descriptor_t *desc, struct sk_buff *skb, unsigned int offset, size_t len)
{
	rx_skb(desc->arg.data, skb, offset, len);
	desc->count -= min(desc->count, len);
	return len;
}

/* Takes less when memory is short. */
static int receive_whole(read_descriptor_t *desc, struct sk_buff *skb, unsigned int offset,
			 size_t len)
{
	struct siw_qp *qp = desc->arg.data;
	struct siw_stream *s = qp->stream;
	struct siw_reasm_input input;
	struct siw_fpdu fpdu;
	size_t taken = len;
	int ret;

	siw_reasm_begin(&input, skb, offset, len);
	while (!rx_is_over(s)) {
		ret = siw_reasm_next(&s->rx.reasm, &qp->stream->cfg, &input, &fpdu);
		if (ret <= 0) {
			taken = input.offset - offset;
			desc->error = ret;
			break;
		}
		rx_fpdu(qp, skb, &fpdu);
	}
	siw_reasm_end(&input);
	desc->count -= min(desc->count, taken);
	return taken;
}

void siw_rx_abandon(struct siw_qp *qp)
{
	struct siw_rx *rx = rx_of(qp);

	close_write(rx);
	close_read(rx);
	if (rx->rqe_taken)
		end_receive(qp, &(struct siw_rq_result) { .status = rx->rqe_status });
}

static bool rx_at_message_boundary(const struct siw_rx *rx)
{
	int qn;

	for (qn = 0; qn < DDP_QN_COUNT; qn++)
		if (rx->queue[qn].open)
			return false;
	return rx->fpdu.state == IWARP_RX_HEADER && !rx->fpdu.have && !rx->reasm.have &&
	       !rx->write_open && !rx->read_open;
}

/*
 * All that came in has been received; will anything follow? While a Terminate is on its way the end
 * of the stream is that.
 */
static void rx_check_end(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;
	struct sock *sk = siw_stream_sk(qp);

	if (sk->sk_err || (sk->sk_state == TCP_CLOSE && !(sk->sk_shutdown & RCV_SHUTDOWN))) {
		s->rx.result.stop = SIW_LOST;
	} else if (sk->sk_shutdown & RCV_SHUTDOWN && !s->ended && !s->peer_fin &&
		   !siw_terminate_pending(s)) {
		s->peer_fin = true;
		if (s->failed || rx_at_message_boundary(&s->rx))
			s->rx.result.events |= BIT(SIW_STREAM_PEER_FIN);
		else
			rx_stop(&s->rx, IWARP_MPA_CLOSED, false);
	}
}

struct siw_result siw_rx_run(struct siw_qp *qp)
{
	read_descriptor_t desc = { .arg.data = qp, .count = SIW_PASS_BYTES };
	const struct siw_stream_cfg *cfg = &qp->stream->cfg;
	struct siw_stream *s = qp->stream;

	lockdep_assert(lockdep_sock_is_held(siw_stream_sk(qp)));
	s->rx.result = (struct siw_result) {};
	tcp_read_sock(siw_stream_sk(qp), &desc,
		      cfg->crc || cfg->rx_markers ? receive_whole : receive);
	s->moved += SIW_PASS_BYTES - desc.count;
	if (!desc.count)
		siw_stream_set_pending(s, SIW_PENDING_RX);
	if (siw_ends_stream(s->rx.result.stop))
		return s->rx.result;
	/* The actor may have been called once more after that, and have ended the stream. */
	if (desc.error)
		s->rx.result.stop = SIW_NO_MEMORY;
	else if (desc.count)
		rx_check_end(qp);
	return s->rx.result;
}
