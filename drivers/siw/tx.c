// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Transmit: posted requests and owed responses become FPDUs, as many as TCP has room for, which are
 * then pushed together.
 *
 * A message is built whole before the next one begins; requests and responses take turns at that. A
 * request completes when TCP has taken its last byte, except for a read, which completes with its
 * response. A request that cannot be carried out completes with an error and stops the pass, whose
 * result ends the stream.
 */
#include <linux/crc32c.h>
#include <linux/random.h>
#include <linux/tcp.h>
#include <net/sock.h>

#include "drivers/siw/tx.h"
#include "drivers/siw/counter.h"
#include "drivers/siw/mem.h"
#include "drivers/siw/mr.h"
#include "drivers/siw/qp.h"
#include "drivers/siw/read.h"
#include "drivers/siw/result.h"
#include "drivers/siw/sgl.h"
#include "drivers/siw/sq.h"
#include "drivers/siw/stats.h"
#include "drivers/siw/stream.h"
#include "drivers/siw/stream_state.h"
#include "drivers/siw/txbuf.h"
#include "drivers/siw/user_sq.h"
#include "drivers/siw/wqe.h"
#include "iwarp/atomic.h"
#include "iwarp/ddp.h"
#include "iwarp/fpdu.h"
#include "iwarp/rdmap.h"
#include "iwarp/term.h"

/* Data is copied, then read again for its CRC: an FPDU stays within a level 1 cache. */
#define FPDU_MAX	(16 * 1024)

/* What the smallest MSS leaves, and more than any control message needs. */
#define LEAST_PAYLOAD	64

/* A peer from which nothing has come in this time gets another message to look at. */
#define PROBE_DELAY	(HZ / 2)
#define MAX_PROBES	3

static_assert(sizeof_field(struct siw_tx, ctrl) <= LEAST_PAYLOAD);
static_assert(DDP_HEAD_MAX + LEAST_PAYLOAD + MPA_TRAILER_MAX + MPA_MARKER_LEN <= SIW_TXBUF_MIN);

/* What became of an attempt to begin the next request or response. */
enum outcome {
	BEGUN,		/* its message is to be built */
	DONE,		/* nothing was to be sent */
	WAIT,		/* there is none, or an event will come that wakes transmit */
	FAILED,		/* completed with an error; the pass stops */
};

/**
 * struct tx_op - how a kind of request is sent
 * @begin: begins it
 * @plain: opcode on the wire
 * @solicited: opcode when the peer shall be woken
 * @local: needs no connection
 */
struct tx_op {
	enum outcome (*begin)(struct siw_qp *qp, struct siw_send_wqe *sqe, u8 opcode);
	u8 plain;
	u8 solicited;
	bool local;
};

void siw_tx_init(struct siw_qp *qp)
{
	const struct siw_stream_cfg *cfg = &qp->stream->cfg;
	struct siw_tx *tx = &qp->stream->tx;
	int qn;

	memset(tx, 0, sizeof(*tx));
	for (qn = 0; qn < DDP_QN_COUNT; qn++)
		tx->next_msn[qn] = DDP_MSN_FIRST;
	tx->await_first_fpdu = !cfg->initiator;
	tx->rtr_due = cfg->initiator && cfg->rtr != SIW_RTR_NONE;
	tx->probes_left = cfg->initiator ? MAX_PROBES : 0;
}

bool siw_tx_idle(const struct siw_qp *qp)
{
	const struct siw_tx *tx = &qp->stream->tx;

	return !tx->msg.active && !tx->probe_due && siw_txbuf_empty(&tx->buf);
}

static void drop_message(struct siw_tx *tx)
{
	if (tx->msg.active && !tx->msg.bytes)
		siw_sgl_iter_exit(&tx->msg.sgl);
	tx->msg.active = false;
}

void siw_tx_abandon(struct siw_qp *qp)
{
	struct siw_tx *tx = &qp->stream->tx;

	drop_message(tx);
	tx->unpushed_tail = tx->unpushed_head;
	tx->rtr_due = false;
	tx->imm_of = NULL;
	tx->probe_due = false;
}

/* Messages */

/* Member by member, for the walk is large, and its own to begin. */
static struct siw_tx_msg *begin(struct siw_tx *tx, bool tagged, u8 opcode, u32 length)
{
	struct siw_tx_msg *msg = &tx->msg;

	msg->active = true;
	msg->tagged = tagged;
	msg->opcode = opcode;
	msg->left = length;
	msg->mo = 0;
	msg->msn = 0;
	msg->inv_stag = 0;
	msg->bytes = NULL;
	msg->sqe = NULL;
	siw_sgl_iter_init_empty(&msg->sgl);
	return msg;
}

static struct siw_tx_msg *begin_untagged(struct siw_tx *tx, u8 opcode, u32 length)
{
	struct siw_tx_msg *msg = begin(tx, false, opcode, length);

	msg->msn = tx->next_msn[ddp_op(opcode)->qn]++;
	return msg;
}

static struct siw_tx_msg *begin_tagged(struct siw_tx *tx, u8 opcode, u32 length, u32 stag, u64 to)
{
	struct siw_tx_msg *msg = begin(tx, true, opcode, length);

	msg->stag = stag;
	msg->to = to;
	return msg;
}

/*
 * The sink's STag is no memory of ours: it only has to be unknown to anyone but the peer, and never
 * 0, the local DMA lkey.
 */
static void begin_read_request(struct siw_qp *qp, struct siw_send_wqe *sqe, u32 length)
{
	struct siw_stream *s = qp->stream;
	struct rdmap_read_req req = {
		.sink_stag = get_random_u32() | BIT(8),
		.source_stag = sqe ? sqe->rkey : 0,
		.source_to = sqe ? sqe->raddr : 0,
		.length = length,
	};
	struct siw_tx_msg *msg;

	rdmap_read_req_build(s->tx.ctrl, &req);
	msg = begin_untagged(&s->tx, RDMAP_READ_REQUEST, RDMAP_READ_REQ_LEN);
	msg->bytes = s->tx.ctrl;
	siw_orrq_add(&s->reads, sqe, msg->msn, &req);
}

/* Send queue */

static enum outcome give_up(struct siw_qp *qp, struct siw_send_wqe *sqe, enum ib_wc_status status)
{
	struct siw_tx *tx = &qp->stream->tx;

	siw_sq_done(qp, sqe, status);
	tx->result.stop = SIW_TERMINATE;
	tx->result.fault = IWARP_RDMAP_LOCAL;
	return FAILED;
}

/*
 * Of a request that cannot be begun. Those before it are not to blame: it waits for them, reads
 * included, so that none of them is flushed.
 */
static enum outcome fail_request(struct siw_qp *qp, struct siw_send_wqe *sqe,
				 enum ib_wc_status status)
{
	struct siw_stream *s = qp->stream;

	s->tx.held = s->tx.unpushed_head != s->tx.unpushed_tail;
	if (s->tx.held || siw_orrq_used(&s->reads))
		return WAIT;
	return give_up(qp, sqe, status);
}

/* Takes a message back that has only just begun. */
static enum outcome fail_begun(struct siw_qp *qp, struct siw_send_wqe *sqe)
{
	struct siw_tx *tx = &qp->stream->tx;

	if (!tx->msg.tagged)
		tx->next_msn[ddp_op(tx->msg.opcode)->qn]--;
	tx->msg.active = false;
	return fail_request(qp, sqe, IB_WC_LOC_PROT_ERR);
}

static enum outcome tx_begin_send(struct siw_qp *qp, struct siw_send_wqe *sqe, u8 opcode)
{
	struct siw_tx_msg *msg = begin_untagged(&qp->stream->tx, opcode, sqe->length);

	msg->inv_stag = sqe->inv_stag;
	msg->sqe = sqe;
	if (siw_send_wqe_begin(qp, sqe, &msg->sgl, 0))
		return fail_begun(qp, sqe);
	return BEGUN;
}

static enum outcome tx_begin_write(struct siw_qp *qp, struct siw_send_wqe *sqe, u8 opcode)
{
	struct siw_tx_msg *msg = begin_tagged(&qp->stream->tx, opcode, sqe->length, sqe->rkey,
					      sqe->raddr);

	msg->sqe = sqe;
	if (siw_send_wqe_begin(qp, sqe, &msg->sgl, 0))
		return fail_begun(qp, sqe);
	return BEGUN;
}

/* Before a read or an atomic operation is asked for. */
static enum outcome check_asking(struct siw_qp *qp, struct siw_send_wqe *sqe)
{
	struct siw_stream *s = qp->stream;
	struct siw_sgl_iter sgl;

	if (!qp->stream->cfg.ord)
		return fail_request(qp, sqe, IB_WC_LOC_QP_OP_ERR);
	if (siw_orrq_used(&s->reads) >= qp->stream->cfg.ord)
		return WAIT;
	/* The sink is entered when data comes; that it can be is worth knowing before. */
	if (siw_send_wqe_begin(qp, sqe, &sgl, IB_ACCESS_LOCAL_WRITE))
		return fail_request(qp, sqe, IB_WC_LOC_PROT_ERR);
	siw_sgl_iter_exit(&sgl);
	WRITE_ONCE(sqe->state, SIW_SEND_WQE_READING);
	return BEGUN;
}

static enum outcome begin_read(struct siw_qp *qp, struct siw_send_wqe *sqe, u8 opcode)
{
	enum outcome outcome = check_asking(qp, sqe);

	if (outcome == BEGUN)
		begin_read_request(qp, sqe, sqe->length);
	return outcome;
}

static enum outcome begin_atomic(struct siw_qp *qp, struct siw_send_wqe *sqe, u8 opcode)
{
	struct siw_stream *s = qp->stream;
	enum outcome outcome = check_asking(qp, sqe);
	struct siw_tx_msg *msg;

	if (outcome != BEGUN)
		return outcome;
	msg = begin_untagged(&s->tx, opcode, RDMAP_ATOMIC_REQ_LEN);
	sqe->atomic.id = msg->msn;
	rdmap_atomic_req_build(s->tx.ctrl, &sqe->atomic);
	msg->bytes = s->tx.ctrl;
	siw_orrq_add_atomic(&s->reads, sqe, msg->msn);
	return BEGUN;
}

static enum outcome register_mr(struct siw_qp *qp, struct siw_send_wqe *sqe, u8 opcode)
{
	if (siw_mr_register(qp->base.pd, sqe->mr, sqe->key, sqe->access))
		return fail_request(qp, sqe, IB_WC_MW_BIND_ERR);
	siw_sq_done(qp, sqe, IB_WC_SUCCESS);
	return DONE;
}

/* Reads before it may be placing into the memory it takes away. */
static enum outcome tx_invalidate(struct siw_qp *qp, struct siw_send_wqe *sqe, u8 opcode)
{
	if (siw_orrq_used(&qp->stream->reads))
		return WAIT;
	if (siw_mem_invalidate(qp->dev, qp->base.pd, sqe->inv_stag))
		return fail_request(qp, sqe, IB_WC_MW_BIND_ERR);
	siw_sq_done(qp, sqe, IB_WC_SUCCESS);
	return DONE;
}

#define ATOMIC_OP { begin_atomic, RDMAP_ATOMIC_REQUEST, RDMAP_ATOMIC_REQUEST }

static const struct tx_op ops[] = {
	[IB_WR_SEND]		   = { tx_begin_send, RDMAP_SEND, RDMAP_SEND_SE },
	[IB_WR_SEND_WITH_INV]	   = { tx_begin_send, RDMAP_SEND_INV, RDMAP_SEND_SE_INV },
	[IB_WR_RDMA_WRITE]	   = { tx_begin_write, RDMAP_WRITE, RDMAP_WRITE },
	[IB_WR_RDMA_WRITE_WITH_IMM] = { tx_begin_write, RDMAP_WRITE, RDMAP_WRITE },
	[IB_WR_RDMA_READ]	   = { begin_read },
	[IB_WR_RDMA_READ_WITH_INV] = { begin_read },
	[IB_WR_REG_MR]		   = { register_mr, .local = true },
	[IB_WR_LOCAL_INV]	   = { tx_invalidate, .local = true },
	[IB_WR_ATOMIC_CMP_AND_SWP]	      = ATOMIC_OP,
	[IB_WR_ATOMIC_FETCH_AND_ADD]	      = ATOMIC_OP,
	[IB_WR_MASKED_ATOMIC_CMP_AND_SWP]     = ATOMIC_OP,
	[IB_WR_MASKED_ATOMIC_FETCH_AND_ADD]   = ATOMIC_OP,
};

/* What the request at the head of the queue may have to wait for before it is even looked at. */
static bool must_wait(struct siw_qp *qp, const struct siw_send_wqe *sqe, const struct tx_op *op)
{
	struct siw_stream *s = qp->stream;

	return (s->tx.await_first_fpdu && !op->local) || (sqe->fence && siw_orrq_used(&s->reads));
}

static enum outcome try_request(struct siw_qp *qp, struct siw_send_wqe *sqe)
{
	const struct tx_op *op = sqe->opcode < ARRAY_SIZE(ops) ? &ops[sqe->opcode] : NULL;

	if (!op || !op->begin)
		return fail_request(qp, sqe, IB_WC_LOC_QP_OP_ERR);
	if (must_wait(qp, sqe, op))
		return WAIT;
	/* What a process posted made no sense. */
	if (unlikely(sqe->status != IB_WC_SUCCESS))
		return fail_request(qp, sqe, sqe->status);
	return op->begin(qp, sqe, sqe->solicited ? op->solicited : op->plain);
}

static enum outcome tx_begin_request(struct siw_qp *qp)
{
	struct siw_send_wqe *sqe;
	enum outcome outcome;

	while ((sqe = siw_sq_peek(qp))) {
		outcome = try_request(qp, sqe);
		if (outcome == WAIT || outcome == FAILED)
			return outcome;
		siw_sq_advance(qp);
		if (outcome == BEGUN) {
			qp->stream->tx.prefer_sq = false;
			return BEGUN;
		}
	}
	return WAIT;
}

/* Messages of our own */

static enum outcome tx_begin_atomic_response(struct siw_qp *qp,
					     const struct siw_irrq_entry *response)
{
	struct rdmap_atomic_resp resp = { .id = response->atomic.id };
	struct siw_tx *tx = &qp->stream->tx;
	struct siw_tx_msg *msg;

	if (siw_mem_atomic(response->mem, qp->base.pd, &response->atomic, &resp.old)) {
		tx->result.stop = SIW_SOURCE_GONE;
		return FAILED;
	}
	rdmap_atomic_resp_build(tx->ctrl, &resp);
	msg = begin_untagged(tx, RDMAP_ATOMIC_RESPONSE, RDMAP_ATOMIC_RESP_LEN);
	msg->bytes = tx->ctrl;
	return BEGUN;
}

static void begin_read_response(struct siw_qp *qp, struct siw_irrq_entry *response)
{
	struct siw_stream *s = qp->stream;
	const struct rdmap_read_req *req = &response->req;
	struct siw_tx_msg *msg;

	msg = begin_tagged(&s->tx, RDMAP_READ_RESPONSE, req->length, req->sink_stag, req->sink_to);
	if (response->mem)
		siw_sgl_iter_init_range(&msg->sgl, response->mem, req->source_stag, req->source_to,
					req->length, IB_ACCESS_REMOTE_READ);
	response->mem = NULL;
}

static enum outcome tx_begin_response(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;
	struct siw_irrq_entry *response = siw_irrq_head(&s->reads);

	if (!response)
		return WAIT;
	s->tx.prefer_sq = true;
	if (response->is_atomic)
		return tx_begin_atomic_response(qp, response);
	begin_read_response(qp, response);
	return BEGUN;
}

static bool tx_begin_immediate(struct siw_qp *qp)
{
	struct siw_tx *tx = &qp->stream->tx;
	struct siw_send_wqe *sqe = tx->imm_of;
	struct siw_tx_msg *msg;

	tx->imm_of = NULL;
	rdmap_immediate_build(tx->ctrl, sqe->imm);
	msg = begin_untagged(tx, sqe->solicited ? RDMAP_IMMEDIATE_SE : RDMAP_IMMEDIATE,
			     RDMAP_IMMEDIATE_LEN);
	msg->bytes = tx->ctrl;
	msg->sqe = sqe;
	return true;
}

static bool begin_rtr(struct siw_qp *qp)
{
	struct siw_tx *tx = &qp->stream->tx;

	tx->rtr_due = false;
	switch (qp->stream->cfg.rtr) {
	case SIW_RTR_SEND:
		begin_untagged(tx, RDMAP_SEND, 0);
		return true;
	case SIW_RTR_WRITE:
		begin_tagged(tx, RDMAP_WRITE, 0, 0, 0);
		return true;
	case SIW_RTR_READ:
		begin_read_request(qp, NULL, 0);
		return true;
	default:
		return false;
	}
}

/* An empty Write changes nothing at the peer. */
static bool begin_probe(struct siw_qp *qp)
{
	struct siw_tx *tx = &qp->stream->tx;

	tx->probe_due = false;
	begin_tagged(tx, RDMAP_WRITE, 0, 0, 0);
	return true;
}

static bool begin_terminate(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;
	struct siw_tx_msg *msg;

	if (s->term_state != SIW_TERM_DUE)
		return false;
	msg = begin_untagged(&s->tx, RDMAP_TERMINATE, s->term_len);
	msg->bytes = s->term;
	s->term_state = SIW_TERM_BUILT;
	return true;
}

/* The one whose turn it is, or the other if that has nothing to begin; nothing behind a failure. */
static bool begin_request_or_response(struct siw_qp *qp)
{
	bool prefer_sq = qp->stream->tx.prefer_sq;
	enum outcome outcome = prefer_sq ? tx_begin_request(qp) : tx_begin_response(qp);

	if (outcome == WAIT)
		outcome = prefer_sq ? tx_begin_response(qp) : tx_begin_request(qp);
	return outcome == BEGUN;
}

static bool begin_message(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;

	if (s->failed)
		return begin_terminate(qp);
	/* Our FIN is said: what is posted after it is flushed when the connection has ended. */
	if (s->drained)
		return false;
	if (s->tx.rtr_due)
		return begin_rtr(qp);
	if (s->tx.imm_of)
		return tx_begin_immediate(qp);
	if (s->tx.probe_due)
		return begin_probe(qp);
	return begin_request_or_response(qp);
}

/* FPDUs */

static u32 max_payload(const struct siw_qp *qp, bool tagged)
{
	u32 mss = min_t(u32, tcp_sk(siw_stream_sk(qp))->mss_cache, FPDU_MAX);

	/* Those that fall into this one, not the most that may: a full FPDU is a full segment. */
	if (unlikely(qp->stream->cfg.tx_markers))
		mss -= MPA_MARKER_LEN * mpa_markers_within(qp->stream->tx.buf.built, mss);
	return max_t(u32, mpa_max_payload(mss, false, tagged), LEAST_PAYLOAD);
}

static void build_header(const struct siw_tx_msg *msg, u8 *fpdu, u32 payload)
{
	bool last = payload == msg->left;

	if (msg->tagged)
		ddp_build_tagged(fpdu, msg->opcode, last, msg->stag, msg->to, payload);
	else
		ddp_build_untagged(fpdu, msg->opcode, last, msg->msn, msg->mo, msg->inv_stag,
				   payload);
}

static int copy_payload(struct siw_tx_msg *msg, u8 *to, u32 len)
{
	if (!msg->bytes)
		return siw_sgl_iter_copy_out(&msg->sgl, to, len);
	memcpy(to, msg->bytes + msg->mo, len);
	return 0;
}

u32 siw_tx_seal(u8 *at, u32 spread, u32 len, u64 pos, bool with_crc)
{
	u32 pad = mpa_pad(len - MPA_LEN_LEN);
	u32 crc = 0;

	memset(at + spread + len, 0, pad);
	len += pad + MPA_CRC_LEN;
	if (unlikely(spread))
		mpa_markers_insert(at, len, pos);
	len += spread;
	if (with_crc)
		crc = ~crc32c(~0, at, len - MPA_CRC_LEN);
	mpa_crc_put(at + len - MPA_CRC_LEN, crc);
	return len;
}

static void advance(struct siw_tx_msg *msg, u32 payload)
{
	msg->left -= payload;
	msg->mo += payload;
	msg->to += payload;
}

/* The most that an FPDU takes of the stream. */
static u32 fpdu_room(const struct siw_qp *qp, u32 head, u32 payload)
{
	u32 len = head + payload + MPA_TRAILER_MAX;

	return qp->stream->cfg.tx_markers ? mpa_stream_len(0, len) : len;
}

/* What the markers of an FPDU take, if it comes next. */
static u32 spread_of(const struct siw_qp *qp, u32 head, u32 payload)
{
	u32 len = mpa_fpdu_size(head - MPA_LEN_LEN + payload);

	if (!qp->stream->cfg.tx_markers)
		return 0;
	return mpa_stream_len(qp->stream->tx.buf.built, len) - len;
}

/* The next FPDU of the message: 0, -ENOMEM, or why its data cannot be had. */
static int build_fpdu(struct siw_qp *qp)
{
	struct siw_tx *tx = &qp->stream->tx;
	struct siw_tx_msg *msg = &tx->msg;
	u32 head = msg->tagged ? DDP_TAGGED_HEAD : DDP_UNTAGGED_HEAD;
	u32 payload = min(msg->left, max_payload(qp, msg->tagged));
	u32 room = fpdu_room(qp, head, payload);
	u8 *at = siw_txbuf_reserve(&tx->buf, &room);
	u32 spread, len;
	int ret;

	if (!at)
		return -ENOMEM;
	payload = min(payload, mpa_max_payload(room, qp->stream->cfg.tx_markers, msg->tagged));
	spread = spread_of(qp, head, payload);
	build_header(msg, at + spread, payload);
	if (payload) {
		ret = copy_payload(msg, at + spread + head, payload);
		if (ret)
			return ret;
	}
	len = siw_tx_seal(at, spread, head + payload, tx->buf.built, qp->stream->cfg.crc);
	siw_txbuf_commit(&tx->buf, len);
	advance(msg, payload);
	siw_qp_count(qp, SIW_TX_FPDUS);
	siw_qp_count_add(qp, SIW_TX_BYTES, len - spread);
	if (unlikely(spread))
		siw_qp_count_add(qp, SIW_TX_MARKERS, spread / MPA_MARKER_LEN);
	return 0;
}

static const enum siw_counter counters[] = {
	[RDMAP_WRITE]		= SIW_TX_WRITES,
	[RDMAP_READ_REQUEST]	= SIW_TX_READ_REQS,
	[RDMAP_READ_RESPONSE]	= SIW_TX_READ_RESPS,
	[RDMAP_SEND]		= SIW_TX_SENDS,
	[RDMAP_SEND_INV]	= SIW_TX_SENDS,
	[RDMAP_SEND_SE]		= SIW_TX_SENDS,
	[RDMAP_SEND_SE_INV]	= SIW_TX_SENDS,
	[RDMAP_TERMINATE]	= SIW_TX_TERMINATES,
	[RDMAP_IMMEDIATE]	= SIW_TX_IMMEDIATES,
	[RDMAP_IMMEDIATE_SE]	= SIW_TX_IMMEDIATES,
	[RDMAP_ATOMIC_REQUEST]	= SIW_TX_ATOMIC_REQS,
	[RDMAP_ATOMIC_RESPONSE]	= SIW_TX_ATOMIC_RESPS,
};

/* Of which a write is built, and the immediate data are not. */
static bool wants_immediate(const struct siw_tx_msg *msg)
{
	return msg->sqe && msg->sqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM &&
	       msg->opcode == RDMAP_WRITE;
}

static void end_message(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;
	struct siw_tx *tx = &s->tx;

	drop_message(tx);
	siw_qp_count(qp, counters[tx->msg.opcode]);
	if (tx->msg.opcode == RDMAP_READ_RESPONSE || tx->msg.opcode == RDMAP_ATOMIC_RESPONSE)
		siw_irrq_pop(&s->reads);
	if (wants_immediate(&tx->msg))
		tx->imm_of = tx->msg.sqe;
	else if (tx->msg.sqe)
		tx->unpushed[tx->unpushed_head++ & (SIW_TX_UNPUSHED - 1)] =
			(struct siw_tx_unpushed) {
				.sqe = tx->msg.sqe, .end = tx->buf.built, .msn = tx->msg.msn,
			};
}

/* The data of the message at hand went away under us: invalidated by its owner. */
static void fail_message(struct siw_qp *qp)
{
	struct siw_tx *tx = &qp->stream->tx;

	if (tx->msg.sqe)
		give_up(qp, tx->msg.sqe, IB_WC_LOC_PROT_ERR);
	else
		tx->result.stop = SIW_SOURCE_GONE;
}

static bool term_matches_wqe(const struct iwarp_term *term, const struct siw_send_wqe *sqe, u32 msn)
{
	bool write = sqe->opcode == IB_WR_RDMA_WRITE || sqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM;

	if (!term->ddp)
		return false;
	if (!term->untagged)
		return write && term->stag == sqe->rkey && term->to - sqe->raddr < sqe->length;
	return sqe->opcode != IB_WR_RDMA_WRITE && term->qn == DDP_QN_SEND && term->msn == msn;
}

struct siw_send_wqe *siw_tx_find_wqe(struct siw_qp *qp, const struct iwarp_term *term)
{
	struct siw_tx *tx = &qp->stream->tx;
	u32 i;

	for (i = tx->unpushed_tail; i != tx->unpushed_head; i++) {
		struct siw_tx_unpushed *unpushed = &tx->unpushed[i & (SIW_TX_UNPUSHED - 1)];

		if (term_matches_wqe(term, unpushed->sqe, unpushed->msn))
			return unpushed->sqe;
	}
	if (tx->msg.active && tx->msg.sqe && term_matches_wqe(term, tx->msg.sqe, tx->msg.msn))
		return tx->msg.sqe;
	if (tx->imm_of && term_matches_wqe(term, tx->imm_of, 0))
		return tx->imm_of;
	return NULL;
}

/* Building */

static bool has_room(const struct siw_tx *tx)
{
	return !siw_txbuf_full(&tx->buf) &&
	       tx->unpushed_head - tx->unpushed_tail < SIW_TX_UNPUSHED;
}

/* One step; false when nothing is left to be built, or cannot be built now. */
static bool build(struct siw_qp *qp)
{
	struct siw_tx *tx = &qp->stream->tx;
	int ret;

	if (!tx->msg.active && !begin_message(qp))
		return false;
	ret = build_fpdu(qp);
	if (ret == -ENOMEM) {
		tx->result.stop = SIW_NO_MEMORY;
		return false;
	}
	if (ret) {
		fail_message(qp);
		return false;
	}
	if (!tx->msg.left)
		end_message(qp);
	return true;
}

/*
 * Builds as much as TCP has room for; false when there is no more to build, or TCP is full and will
 * say when it is not.
 */
static bool tx_fill(struct siw_qp *qp)
{
	struct siw_tx *tx = &qp->stream->tx;
	struct sock *sk = siw_stream_sk(qp);
	u64 enough;

	if (!sk_stream_memory_free(sk)) {
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		return false;
	}
	enough = tx->buf.built + sk_stream_wspace(sk);
	while (tx->buf.built < enough && has_room(tx)) {
		if (!build(qp))
			return false;
	}
	return true;
}

/* Pushing */

static void complete_pushed(struct siw_qp *qp)
{
	struct siw_tx *tx = &qp->stream->tx;

	while (tx->unpushed_tail != tx->unpushed_head) {
		const struct siw_tx_unpushed *oldest =
			&tx->unpushed[tx->unpushed_tail & (SIW_TX_UNPUSHED - 1)];

		if (oldest->end > tx->buf.pushed)
			return;
		tx->unpushed_tail++;
		siw_sq_done(qp, oldest->sqe, IB_WC_SUCCESS);
	}
}

/* False: TCP takes no more now, or never. */
static bool push(struct siw_qp *qp)
{
	struct siw_tx *tx = &qp->stream->tx;
	struct sock *sk = siw_stream_sk(qp);
	int ret;

	ret = siw_txbuf_push(&tx->buf, sk);
	complete_pushed(qp);
	if (!ret)
		return true;
	/* Without a connection no Terminate can be sent, whatever it would be about. */
	if (ret != -EAGAIN)
		tx->result.stop = SIW_LOST;
	else if (sk_stream_memory_free(sk) && !siw_ends_stream(tx->result.stop))
		tx->result.stop = SIW_NO_MEMORY;
	return false;
}

/*
 * A responder whose socket changes hands after its reply may have missed that our first FPDU is
 * there, and wait for ever for what it already has (the kernel's own siw does). Its next look comes
 * with the next FPDU.
 */
static void tx_check_probe(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;
	struct siw_tx *tx = &s->tx;

	if (!tx->probes_left || !tx->buf.built || s->rx.started || s->failed || s->drained)
		return;
	if (tx->probe_time && time_after_eq(jiffies, tx->probe_time)) {
		tx->probes_left--;
		tx->probe_time = 0;
		tx->probe_due = true;
		siw_stream_set_pending(s, SIW_PENDING_TX);
	}
	if (!tx->probe_time)
		tx->probe_time = jiffies + PROBE_DELAY;
	timer_reduce(&s->retry, tx->probe_time);
}

struct siw_result siw_tx_run(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;
	struct siw_tx *tx = &s->tx;
	u64 from = tx->buf.pushed;
	bool more;

	lockdep_assert(lockdep_sock_is_held(siw_stream_sk(qp)));
	tx->result = (struct siw_result) {};
	do {
		tx->held = false;
		more = tx_fill(qp);
		if (!push(qp))
			break;
		more |= tx->held || siw_user_sq_has_room(qp);
		if (more && tx->buf.pushed - from >= SIW_PASS_BYTES) {
			siw_stream_set_pending(s, SIW_PENDING_TX);
			break;
		}
	} while (more && !siw_ends_stream(tx->result.stop));
	s->moved += tx->buf.pushed - from;
	tx_check_probe(qp);
	return tx->result;
}
