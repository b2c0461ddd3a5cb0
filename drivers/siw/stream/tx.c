// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Transmit: builds FPDUs from posted requests, and from responses to the peer's reads, until there
 * are as many bytes as TCP should get now, and then pushes these FPDUs together.
 *
 * A message is built completely before the next one starts; requests and responses alternate. A
 * Send or Write completes when TCP has taken its last byte, a read when its response has arrived. A
 * request that cannot be carried out completes with an error and stops the pass. The result of the
 * pass then ends the stream.
 *
 * Only the owner of the stream uses the state of transmit.
 */
#include <linux/crc32.h>
#include <linux/random.h>
#include <linux/tcp.h>
#include <net/dst.h>
#include <net/inet_connection_sock.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "drivers/siw/stream/tx.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/base/stats.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/queue/sq.h"
#include "drivers/siw/queue/user_sq.h"
#include "drivers/siw/stream/read.h"
#include "drivers/siw/stream/result.h"
#include "drivers/siw/stream/stream.h"
#include "drivers/siw/stream/stream_state.h"
#include "drivers/siw/stream/txbuf.h"
#include "iwarp/atomic.h"
#include "iwarp/ddp.h"
#include "iwarp/fpdu.h"
#include "iwarp/rdmap.h"
#include "iwarp/term.h"
#include "soft/atomic.h"
#include "soft/counter.h"
#include "soft/mem.h"
#include "soft/mr.h"
#include "soft/mr_pi.h"
#include "soft/mw.h"
#include "soft/sgl.h"
#include "soft/sq.h"
#include "soft/wqe.h"

/*
 * Largest FPDU in bytes: with CRC, and without. Payload is copied and then read again for its CRC,
 * so an FPDU with CRC should fit into a level 1 cache.
 */
#define FPDU_MAX_CRC	(16 * 1024)
#define FPDU_MAX	(32 * 1024)

/* Bytes that TCP puts into one socket buffer at most, unless a single segment is longer. */
#define FULL_SKB	(64 * 1024)

/*
 * Largest number of unacknowledged bytes if the peer runs on this CPU. The peer cannot receive
 * while we send, so a larger number of bytes would be evicted from the CPU's caches before the peer
 * receives them.
 */
#define SHARED_CPU_AHEAD	(128u * 1024)

/* Shortest possible round trip to another host, in us. A peer on this host has a shorter one. */
#define OTHER_HOST_MIN_RTT	5

/* Smallest room for payload in an FPDU, whatever the MSS. Every control message fits. */
#define LEAST_PAYLOAD	64

/* After PROBE_DELAY jiffies without an FPDU from the peer, a probe is sent; MAX_PROBES at most. */
#define PROBE_DELAY	(HZ / 2)
#define MAX_PROBES	3

static_assert(sizeof_field(struct siw_tx, ctrl) <= LEAST_PAYLOAD);
static_assert(DDP_HEAD_MAX + LEAST_PAYLOAD + MPA_TRAILER_MAX + MPA_MARKER_LEN <= SIW_TXBUF_MIN);

/* Result of an attempt to start the next request or response. */
enum tx_start {
	TX_STARTED,	/* the message of the request or response is to be built */
	TX_LOCAL_DONE,	/* the request is done; nothing is to be sent */
	TX_WAIT,	/* nothing can start now; siw_tx.result is set if memory is short, and
			 * otherwise an event schedules transmit when something can start
			 */
	TX_FAILED,	/* the pass has to stop; siw_tx.result is set */
};

/**
 * struct tx_op - how a kind of request is sent
 * @start: starts a request
 * @plain: opcode on the wire
 * @solicited: opcode on the wire if the peer's completion is to be a solicited one
 * @local: requests of this kind send nothing
 */
struct tx_op {
	enum tx_start (*start)(struct siw_stream *s, struct soft_send_wqe *wqe, u8 opcode);
	u8 plain;
	u8 solicited;
	bool local;
};

/* The next FPDU: where it is built, and its parts. */
struct tx_fpdu {
	u8 *at;			/* where the FPDU is built; NULL if memory is short */
	u32 marker_bytes;	/* bytes left free before the header, for the FPDU's markers */
	u32 head;		/* bytes of the length field and the DDP header */
	u32 payload;		/* bytes of payload */
};

void siw_tx_init(struct siw_stream *s)
{
	const struct siw_stream_cfg *cfg = &s->cfg;
	u32 probe = READ_ONCE(s->qp->dev->settings.probe);
	struct siw_tx *tx = s->tx;
	int qn;

	memset(tx, 0, sizeof(*tx));
	for (qn = 0; qn < DDP_QN_COUNT; qn++)
		tx->next_msn[qn] = DDP_MSN_FIRST;
	tx->await_first_fpdu = !cfg->initiator;
	tx->rtr_due = cfg->initiator && cfg->rtr != SIW_RTR_NONE;
	if (cfg->initiator && (probe == SIW_PROBE_ALWAYS ||
			       (probe == SIW_PROBE_AGREED && cfg->rtr == SIW_RTR_WRITE)))
		tx->probes_left = MAX_PROBES;
}

bool siw_tx_idle(const struct siw_tx *tx)
{
	return !tx->msg.active && !tx->probe_due && siw_txbuf_empty(&tx->buf);
}

static void tx_drop_message(struct siw_tx *tx)
{
	if (tx->msg.active && !tx->msg.bytes)
		soft_sgl_iter_exit(&tx->msg.sgl);
	tx->msg.active = false;
}

void siw_tx_abandon(struct siw_tx *tx)
{
	tx_drop_message(tx);
	soft_sgl_iter_free(&tx->msg.sgl);
	tx->unsent_tail = tx->unsent_head;
	tx->rtr_due = false;
	tx->imm_wqe = NULL;
	tx->probe_due = false;
}

/* Functions that start messages */

/* Sets the members one by one, because clearing all of msg->sgl, which is large, is not needed. */
static struct siw_tx_msg *tx_start_message(struct siw_tx *tx, bool tagged, u8 opcode, u32 length)
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
	msg->wqe = NULL;
	soft_sgl_iter_init_empty(&msg->sgl);
	return msg;
}

static struct siw_tx_msg *tx_start_untagged(struct siw_tx *tx, u8 opcode, u32 length)
{
	struct siw_tx_msg *msg = tx_start_message(tx, false, opcode, length);

	msg->msn = tx->next_msn[ddp_op(opcode)->qn]++;
	return msg;
}

static struct siw_tx_msg *tx_start_tagged(struct siw_tx *tx, u8 opcode, u32 length, u32 stag,
					  u64 to)
{
	struct siw_tx_msg *msg = tx_start_message(tx, true, opcode, length);

	msg->stag = stag;
	msg->to = to;
	return msg;
}

/*
 * Starts a Read Request. @wqe: the read; NULL for the RTR read. The sink STag names no memory,
 * because the response is placed into the SGEs of @wqe. The STag is random so that only the peer
 * knows it. The index in the STag is not 0, because 0 is the index of the local DMA lkey.
 */
static void tx_start_read_request(struct siw_stream *s, struct soft_send_wqe *wqe, u32 length)
{
	struct rdmap_read_req req = {
		.sink_stag = get_random_u32() | BIT(8),
		.source_stag = wqe ? wqe->rkey : 0,
		.source_to = wqe ? wqe->raddr : 0,
		.length = length,
	};
	struct siw_tx_msg *msg;

	rdmap_read_req_build(s->tx->ctrl, &req);
	msg = tx_start_untagged(s->tx, RDMAP_READ_REQUEST, RDMAP_READ_REQ_LEN);
	msg->bytes = s->tx->ctrl;
	siw_orrq_add(&s->reads, wqe, msg->msn, &req);
}

/* Functions that start requests and responses */

/*
 * Fails @wqe, which is the next request to be sent. Returns TX_WAIT until all requests before @wqe
 * have completed, reads included, because the failure ends the stream and would flush those
 * requests.
 */
static enum tx_start tx_fail_wqe(struct siw_stream *s, struct soft_send_wqe *wqe,
				 enum ib_wc_status status)
{
	struct siw_tx *tx = s->tx;

	tx->stalled = tx->unsent_head != tx->unsent_tail;
	if (tx->stalled || siw_orrq_used(&s->reads))
		return TX_WAIT;
	soft_sq_complete(&s->qp->soft, wqe, status);
	tx->result.stop = SIW_TERMINATE;
	tx->result.fault = IWARP_RDMAP_LOCAL;
	return TX_FAILED;
}

/* Prepares the data of @wqe for the message that was just started. On failure undoes the start. */
static enum tx_start tx_start_data(struct siw_stream *s, struct soft_send_wqe *wqe)
{
	struct siw_tx *tx = s->tx;
	struct siw_tx_msg *msg = &tx->msg;

	msg->wqe = wqe;
	if (!soft_send_wqe_iter_init(wqe, s->qp->soft.base.pd, &msg->sgl, 0))
		return TX_STARTED;
	if (!msg->tagged)
		tx->next_msn[ddp_op(msg->opcode)->qn]--;
	msg->active = false;
	return tx_fail_wqe(s, wqe, IB_WC_LOC_PROT_ERR);
}

static enum tx_start tx_start_send(struct siw_stream *s, struct soft_send_wqe *wqe, u8 opcode)
{
	struct siw_tx_msg *msg = tx_start_untagged(s->tx, opcode, wqe->length);

	msg->inv_stag = wqe->inv_stag;
	return tx_start_data(s, wqe);
}

static enum tx_start tx_start_write(struct siw_stream *s, struct soft_send_wqe *wqe, u8 opcode)
{
	tx_start_tagged(s->tx, opcode, wqe->length, wqe->rkey, wqe->raddr);
	return tx_start_data(s, wqe);
}

/*
 * Checks whether the Read or Atomic Request of @wqe may be sent now. Returns TX_STARTED if it may,
 * otherwise TX_WAIT or TX_FAILED.
 */
static enum tx_start tx_check_read(struct siw_stream *s, struct soft_send_wqe *wqe)
{
	struct soft_sgl_iter *sgl = &s->tx->msg.sgl;

	if (!s->cfg.ord)
		return tx_fail_wqe(s, wqe, IB_WC_LOC_QP_OP_ERR);
	if (siw_orrq_used(&s->reads) >= s->cfg.ord)
		return TX_WAIT;
	if (!siw_orrq_reserve(&s->reads, s->qp)) {
		s->tx->result.stop = SIW_NO_MEMORY;
		return TX_WAIT;
	}
	/* Check the sink now, so that a request with an invalid sink fails before it is sent. */
	if (soft_send_wqe_iter_init(wqe, s->qp->soft.base.pd, sgl, IB_ACCESS_LOCAL_WRITE))
		return tx_fail_wqe(s, wqe, IB_WC_LOC_PROT_ERR);
	soft_sgl_iter_exit(sgl);
	WRITE_ONCE(wqe->state, SOFT_SEND_WQE_READING);
	return TX_STARTED;
}

static enum tx_start tx_start_read(struct siw_stream *s, struct soft_send_wqe *wqe, u8 opcode)
{
	enum tx_start start = tx_check_read(s, wqe);

	if (start == TX_STARTED)
		tx_start_read_request(s, wqe, wqe->length);
	return start;
}

static enum tx_start tx_start_atomic(struct siw_stream *s, struct soft_send_wqe *wqe, u8 opcode)
{
	const struct soft_atomic *atomic = &wqe->atomic;
	enum tx_start start = tx_check_read(s, wqe);
	struct rdmap_atomic_req req;
	struct siw_tx_msg *msg;

	if (start != TX_STARTED)
		return start;
	msg = tx_start_untagged(s->tx, opcode, RDMAP_ATOMIC_REQ_LEN);
	req = (struct rdmap_atomic_req) {
		.op = atomic->swaps ? RDMAP_ATOMIC_CMP_SWAP : RDMAP_ATOMIC_FETCH_ADD,
		.id = msg->msn,
		.stag = wqe->rkey,
		.to = wqe->raddr,
		.data = atomic->data,
		.data_mask = atomic->data_mask,
		.compare = atomic->compare,
		.compare_mask = atomic->compare_mask,
	};
	rdmap_atomic_req_build(s->tx->ctrl, &req);
	msg->bytes = s->tx->ctrl;
	siw_orrq_add(&s->reads, wqe, msg->msn, NULL);
	return TX_STARTED;
}

static enum tx_start tx_register_mr(struct siw_stream *s, struct soft_send_wqe *wqe, u8 opcode)
{
	int ret;

	if (wqe->opcode == IB_WR_REG_MR_INTEGRITY)
		ret = soft_mr_pi_register(s->qp->soft.base.pd, wqe->mr, wqe->key, wqe->access);
	else
		ret = soft_mr_register(s->qp->soft.base.pd, wqe->mr, wqe->key, wqe->access);
	if (ret)
		return tx_fail_wqe(s, wqe, IB_WC_MW_BIND_ERR);
	soft_sq_complete(&s->qp->soft, wqe, IB_WC_SUCCESS);
	return TX_LOCAL_DONE;
}

static enum tx_start tx_bind_mw(struct siw_stream *s, struct soft_send_wqe *wqe, u8 opcode)
{
	if (soft_mw_bind(&s->qp->soft.base, &s->qp->soft.windows, &wqe->bind))
		return tx_fail_wqe(s, wqe, IB_WC_MW_BIND_ERR);
	soft_sq_complete(&s->qp->soft, wqe, IB_WC_SUCCESS);
	return TX_LOCAL_DONE;
}

static enum tx_start tx_invalidate(struct siw_stream *s, struct soft_send_wqe *wqe, u8 opcode)
{
	/* Wait for earlier reads: their responses may be placed into memory that loses its STag. */
	if (siw_orrq_used(&s->reads))
		return TX_WAIT;
	if (soft_mw_invalidate(&s->qp->soft.base, wqe->inv_stag))
		return tx_fail_wqe(s, wqe, IB_WC_MW_BIND_ERR);
	soft_sq_complete(&s->qp->soft, wqe, IB_WC_SUCCESS);
	return TX_LOCAL_DONE;
}

#define ATOMIC_OP { tx_start_atomic, RDMAP_ATOMIC_REQUEST, RDMAP_ATOMIC_REQUEST }

static const struct tx_op tx_ops[] = {
	[IB_WR_SEND]		   = { tx_start_send, RDMAP_SEND, RDMAP_SEND_SE },
	[IB_WR_SEND_WITH_INV]	   = { tx_start_send, RDMAP_SEND_INV, RDMAP_SEND_SE_INV },
	[IB_WR_RDMA_WRITE]	   = { tx_start_write, RDMAP_WRITE, RDMAP_WRITE },
	[IB_WR_RDMA_WRITE_WITH_IMM] = { tx_start_write, RDMAP_WRITE, RDMAP_WRITE },
	[IB_WR_RDMA_READ]	   = { tx_start_read },
	[IB_WR_RDMA_READ_WITH_INV] = { tx_start_read },
	[IB_WR_REG_MR]		   = { tx_register_mr, .local = true },
	[IB_WR_REG_MR_INTEGRITY]   = { tx_register_mr, .local = true },
	[IB_WR_LOCAL_INV]	   = { tx_invalidate, .local = true },
	[IB_WR_BIND_MW]		   = { tx_bind_mw, .local = true },
	[IB_WR_ATOMIC_CMP_AND_SWP]	      = ATOMIC_OP,
	[IB_WR_ATOMIC_FETCH_AND_ADD]	      = ATOMIC_OP,
	[IB_WR_MASKED_ATOMIC_CMP_AND_SWP]     = ATOMIC_OP,
	[IB_WR_MASKED_ATOMIC_FETCH_AND_ADD]   = ATOMIC_OP,
};

/*
 * Carries out requests that need no message, up to the first that needs one, and starts the message
 * of that request. Stops earlier if the budget of the pass is used up.
 */
static enum tx_start tx_start_request(struct siw_stream *s)
{
	struct soft_send_wqe *wqe;
	const struct tx_op *op;
	enum tx_start start;

	while ((wqe = siw_sq_peek(s->qp))) {
		if (s->tx->cost >= s->pass_bytes) {
			siw_stream_set_pending(s, SIW_PENDING_TX);
			return TX_WAIT;
		}
		op = wqe->opcode < ARRAY_SIZE(tx_ops) ? &tx_ops[wqe->opcode] : NULL;
		if (!op || !op->start)
			return tx_fail_wqe(s, wqe, IB_WC_LOC_QP_OP_ERR);
		if ((s->tx->await_first_fpdu && !op->local) ||
		    (wqe->fence && siw_orrq_used(&s->reads)))
			return TX_WAIT;
		/* The status is an error if a process has posted an invalid request. */
		if (unlikely(wqe->status != IB_WC_SUCCESS))
			return tx_fail_wqe(s, wqe, wqe->status);

		start = op->start(s, wqe, wqe->solicited ? op->solicited : op->plain);
		if (start == TX_WAIT || start == TX_FAILED)
			return start;
		soft_sq_advance(&s->qp->soft.sq);
		if (start == TX_STARTED) {
			s->tx->serve_sq_first = false;
			return TX_STARTED;
		}
		s->tx->cost += SIW_MIN_COST;
	}
	if (s->qp->user_sq.no_memory)
		s->tx->result.stop = SIW_NO_MEMORY;
	return TX_WAIT;
}

/* Carries out the peer's atomic operation. Returns 0 or the errno of soft_mem_atomic(). */
static int tx_run_atomic(struct siw_stream *s, const struct siw_irrq_entry *entry, u64 *old)
{
	const struct rdmap_atomic_req *req = &entry->atomic;
	const struct soft_atomic op = {
		.swaps = req->op != RDMAP_ATOMIC_FETCH_ADD,
		.data = req->data,
		.data_mask = req->data_mask,
		.compare = req->compare,
		.compare_mask = req->op == RDMAP_ATOMIC_CMP_SWAP ? req->compare_mask : 0,
	};

	return soft_mem_atomic(entry->mem, &s->qp->soft.base, req->stag, req->to, &op, old);
}

/* Starts the response to the peer's oldest read or atomic operation. */
static enum tx_start tx_start_response(struct siw_stream *s)
{
	struct siw_irrq_entry *entry = siw_irrq_first(&s->reads);
	const struct rdmap_read_req *req;
	struct rdmap_atomic_resp resp;
	struct siw_tx *tx = s->tx;
	struct siw_tx_msg *msg;

	if (!entry)
		return TX_WAIT;
	tx->serve_sq_first = true;
	if (entry->is_atomic) {
		resp = (struct rdmap_atomic_resp) { .id = entry->atomic.id };
		if (tx_run_atomic(s, entry, &resp.old)) {
			tx->result.stop = SIW_SOURCE_GONE;
			return TX_FAILED;
		}
		rdmap_atomic_resp_build(tx->ctrl, &resp);
		msg = tx_start_untagged(tx, RDMAP_ATOMIC_RESPONSE, RDMAP_ATOMIC_RESP_LEN);
		msg->bytes = tx->ctrl;
		return TX_STARTED;
	}

	req = &entry->req;
	msg = tx_start_tagged(tx, RDMAP_READ_RESPONSE, req->length, req->sink_stag, req->sink_to);
	/* The iterator takes over the reference to entry->mem. */
	if (entry->mem)
		soft_sgl_iter_init_range(&msg->sgl, &s->qp->soft.base, entry->mem, req->source_stag,
					 req->source_to, req->length, IB_ACCESS_REMOTE_READ);
	entry->mem = NULL;
	return TX_STARTED;
}

/* Starts the ready-to-receive message (RFC 6581). Returns false if none was agreed on. */
static bool tx_start_rtr(struct siw_stream *s)
{
	struct siw_tx *tx = s->tx;

	tx->rtr_due = false;
	switch (s->cfg.rtr) {
	case SIW_RTR_SEND:
		tx_start_untagged(tx, RDMAP_SEND, 0);
		return true;
	case SIW_RTR_WRITE:
		tx_start_tagged(tx, RDMAP_WRITE, 0, 0, 0);
		return true;
	case SIW_RTR_READ:
		tx_start_read_request(s, NULL, 0);
		return true;
	default:
		return false;
	}
}

/* Starts the message that is to be sent next. Returns false if there is none now. */
static bool tx_next_message(struct siw_stream *s)
{
	struct siw_tx *tx = s->tx;
	struct siw_tx_msg *msg;
	enum tx_start start;

	/* A stream that has failed sends its Terminate, and nothing else. */
	if (s->failed) {
		if (s->term_state != SIW_TERM_DUE)
			return false;
		msg = tx_start_untagged(tx, RDMAP_TERMINATE, tx->term_len);
		msg->bytes = tx->term;
		s->term_state = SIW_TERM_BUILT;
		return true;
	}
	/*
	 * After SIW_STREAM_DRAINED, only our FIN may be sent. Requests that are posted later are
	 * flushed when the connection has closed.
	 */
	if (s->drained)
		return false;
	if (tx->rtr_due)
		return tx_start_rtr(s);
	if (tx->imm_wqe) {
		struct soft_send_wqe *wqe = tx->imm_wqe;

		tx->imm_wqe = NULL;
		rdmap_immediate_build(tx->ctrl, wqe->imm);
		msg = tx_start_untagged(tx, wqe->solicited ? RDMAP_IMMEDIATE_SE : RDMAP_IMMEDIATE,
					RDMAP_IMMEDIATE_LEN);
		msg->bytes = tx->ctrl;
		msg->wqe = wqe;
		return true;
	}
	/* The probe is an empty Write, which changes nothing at the peer. */
	if (tx->probe_due) {
		tx->probe_due = false;
		tx_start_tagged(tx, RDMAP_WRITE, 0, 0, 0);
		return true;
	}

	/*
	 * Serve the second queue only if the first has nothing to start. If the first has failed,
	 * the pass stops.
	 */
	if (tx->serve_sq_first) {
		start = tx_start_request(s);
		if (start == TX_WAIT)
			start = tx_start_response(s);
	} else {
		start = tx_start_response(s);
		if (start == TX_WAIT)
			start = tx_start_request(s);
	}
	return start == TX_STARTED;
}

/* Functions that build FPDUs */

/* Determines the size of the message's next FPDU, and reserves memory for it. */
static struct tx_fpdu tx_size_fpdu(struct siw_stream *s)
{
	struct siw_tx *tx = s->tx;
	const struct siw_stream_cfg *cfg = &s->cfg;
	u32 max = cfg->crc ? FPDU_MAX_CRC : FPDU_MAX;
	bool markers = cfg->tx_markers;
	bool tagged = tx->msg.tagged;
	struct tx_fpdu fpdu = { .head = tagged ? DDP_TAGGED_HEAD : DDP_UNTAGGED_HEAD };
	u32 room, len;

	if (!cfg->large_fpdus)
		max = min(max, tcp_sk(siw_stream_sk(s))->mss_cache);
	/*
	 * Subtract the markers that really fall into this FPDU, not the largest number that an FPDU
	 * can have, so that a full FPDU fills a segment.
	 */
	if (unlikely(markers))
		max -= MPA_MARKER_LEN * mpa_markers_within(tx->buf.built, max);
	fpdu.payload = max_t(u32, mpa_max_payload(max, false, tagged), LEAST_PAYLOAD);
	fpdu.payload = min(tx->msg.left, fpdu.payload);

	room = mpa_fpdu_size(fpdu.head - MPA_LEN_LEN + fpdu.payload);
	if (unlikely(markers))
		room = mpa_stream_len(0, room);
	fpdu.at = siw_txbuf_reserve(&tx->buf, &room);
	if (!fpdu.at)
		return fpdu;

	fpdu.payload = min(fpdu.payload, mpa_max_payload(room, markers, tagged));
	if (unlikely(markers)) {
		len = mpa_fpdu_size(fpdu.head - MPA_LEN_LEN + fpdu.payload);
		fpdu.marker_bytes = mpa_stream_len(tx->buf.built, len) - len;
	}
	return fpdu;
}

u32 siw_fpdu_finalize(u8 *at, u32 marker_bytes, u32 len, u64 pos, bool with_crc)
{
	u32 pad = mpa_pad(len - MPA_LEN_LEN);
	u32 crc = 0;

	memset(at + marker_bytes + len, 0, pad);
	len += pad + MPA_CRC_LEN;
	if (unlikely(marker_bytes))
		mpa_markers_insert(at, len, pos);
	len += marker_bytes;
	if (with_crc)
		crc = ~crc32c(~0, at, len - MPA_CRC_LEN);
	mpa_crc_put(at + len - MPA_CRC_LEN, crc);
	return len;
}

/*
 * Builds the next FPDU of the message. Returns 0; -ENOMEM if memory is short; or the errno of
 * soft_sgl_iter_copy_out() if the data cannot be read.
 */
static int tx_build_fpdu(struct siw_stream *s)
{
	struct siw_tx *tx = s->tx;
	struct siw_tx_msg *msg = &tx->msg;
	struct tx_fpdu fpdu = tx_size_fpdu(s);
	u32 payload = fpdu.payload;
	bool last = payload == msg->left;
	u8 *head = fpdu.at + fpdu.marker_bytes;
	u32 len;
	int ret;

	if (!fpdu.at)
		return -ENOMEM;
	if (msg->tagged)
		ddp_build_tagged(head, msg->opcode, last, msg->stag, msg->to, payload);
	else
		ddp_build_untagged(head, msg->opcode, last, msg->msn, msg->mo, msg->inv_stag,
				   payload);
	if (msg->bytes) {
		memcpy(head + fpdu.head, msg->bytes + msg->mo, payload);
	} else if (payload) {
		ret = soft_sgl_iter_copy_out(&msg->sgl, head + fpdu.head, payload);
		if (ret)
			return ret;
	}
	len = siw_fpdu_finalize(fpdu.at, fpdu.marker_bytes, fpdu.head + payload, tx->buf.built,
				s->cfg.crc);
	siw_txbuf_commit(&tx->buf, len);
	tx->cost += max_t(u32, len, SIW_MIN_COST);
	msg->left -= payload;
	msg->mo += payload;
	msg->to += payload;

	soft_qp_count(&s->qp->soft, SIW_TX_FPDUS);
	soft_qp_count_add(&s->qp->soft, SIW_TX_BYTES, len - fpdu.marker_bytes);
	if (unlikely(fpdu.marker_bytes))
		soft_qp_count_add(&s->qp->soft, SIW_TX_MARKERS, fpdu.marker_bytes / MPA_MARKER_LEN);
	return 0;
}

static const enum siw_counter tx_counters[] = {
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

static void tx_end_message(struct siw_stream *s)
{
	struct siw_tx *tx = s->tx;
	struct soft_send_wqe *wqe = tx->msg.wqe;
	u8 opcode = tx->msg.opcode;

	tx_drop_message(tx);
	soft_qp_count(&s->qp->soft, tx_counters[opcode]);
	if (opcode == RDMAP_READ_RESPONSE || opcode == RDMAP_ATOMIC_RESPONSE) {
		siw_irrq_pop(&s->reads);
		if (unlikely(s->rx->no_room))
			siw_stream_set_pending(s, SIW_PENDING_RX);
	}
	if (!wqe)
		return;
	/* Immediate data follows the Write in a message of its own (RFC 7306). */
	if (wqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM && opcode == RDMAP_WRITE) {
		tx->imm_wqe = wqe;
		return;
	}
	tx->unsent[tx->unsent_head++ & (SIW_TX_UNSENT - 1)] = (struct siw_tx_unsent) {
		.wqe = wqe, .end = tx->buf.built, .msn = tx->msg.msn,
	};
}

static bool term_matches_wqe(const struct iwarp_term *term, const struct soft_send_wqe *wqe,
			     u32 msn)
{
	bool write = wqe->opcode == IB_WR_RDMA_WRITE || wqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM;

	if (!term->ddp)
		return false;
	if (!term->untagged)
		return write && term->stag == wqe->rkey && term->to - wqe->raddr < wqe->length;
	return wqe->opcode != IB_WR_RDMA_WRITE && term->qn == DDP_QN_SEND && term->msn == msn;
}

struct soft_send_wqe *siw_tx_find_wqe(const struct siw_tx *tx, const struct iwarp_term *term)
{
	u32 i;

	for (i = tx->unsent_tail; i != tx->unsent_head; i++) {
		const struct siw_tx_unsent *unsent = &tx->unsent[i & (SIW_TX_UNSENT - 1)];

		if (term_matches_wqe(term, unsent->wqe, unsent->msn))
			return unsent->wqe;
	}
	if (tx->msg.active && tx->msg.wqe && term_matches_wqe(term, tx->msg.wqe, tx->msg.msn))
		return tx->msg.wqe;
	if (tx->imm_wqe && term_matches_wqe(term, tx->imm_wqe, 0))
		return tx->imm_wqe;
	return NULL;
}

/* Functions that build as many FPDUs as fit, and push them */

/*
 * Returns how many bytes may be built now. Usually this is the number that TCP takes. If the peer
 * is on this host, and this CPU has processed the peer's last segment, no more than
 * SHARED_CPU_AHEAD bytes may be unacknowledged, because the peer then receives on this CPU. A
 * Terminate is exempt from this limit.
 */
static u32 tx_room(const struct siw_stream *s)
{
	const struct sock *sk = siw_stream_sk(s);
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 ahead = tp->write_seq - tp->snd_una + siw_txbuf_unpushed(&s->tx->buf);
	u32 room = max(sk_stream_wspace(sk), 0);

	if (!sk_stream_memory_free(sk))
		return 0;
	if (READ_ONCE(sk->sk_incoming_cpu) != raw_smp_processor_id() ||
	    tcp_min_rtt(tp) >= OTHER_HOST_MIN_RTT || s->failed)
		return room;
	return ahead < SHARED_CPU_AHEAD ? min(room, SHARED_CPU_AHEAD - ahead) : 0;
}

/* Returns how many bytes TCP puts into a socket buffer of whole segments. */
static u32 tx_full_skb(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return max(min_t(u32, tp->gso_segs, FULL_SKB / tp->mss_cache), 1u) * tp->mss_cache;
}

/*
 * Returns how many bytes at the end of those that are built should not be pushed yet, but together
 * with the bytes that are built next. If pushed now, they would make a short segment, which costs
 * both ends as much as a full one. Bytes are kept only if they will certainly be pushed soon: the
 * next pass is pending, or TCP will call write_space when the ACK for sent bytes arrives. While TCP
 * has a socket buffer that it cannot send yet, no bytes are kept, because TCP itself appends them
 * to that buffer.
 */
static u32 tx_keep(const struct siw_stream *s)
{
	const struct sock *sk = siw_stream_sk(s);
	const struct siw_tx *tx = s->tx;
	u32 unpushed = siw_txbuf_unpushed(&tx->buf);
	u32 full = tx_full_skb(sk);

	if (!tx->filled || tcp_send_head(sk) || (unpushed < full && !tcp_sk(sk)->packets_out))
		return 0;
	return unpushed % full;
}

/*
 * Builds FPDUs, as many as tx_room() allows. Returns false if nothing is left to build now, if TCP
 * has enough and will call write_space, or if the pass has to stop.
 */
static bool tx_fill(struct siw_stream *s)
{
	struct siw_tx *tx = s->tx;
	struct sock *sk = siw_stream_sk(s);
	const struct dst_entry *dst = __sk_dst_get(sk);
	u32 room = tx_room(s);
	u64 enough;
	int ret;

	tx->filled = !room;
	if (!room) {
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		return false;
	}
	/*
	 * If the MTU of the route has changed, have TCP compute a new MSS before FPDUs are built.
	 * TCP itself would do this only when the FPDUs are pushed. tcp_sync_mss() is called through
	 * the socket, because not all kernels export the function.
	 */
	if (dst && dst_mtu(dst) != inet_csk(sk)->icsk_pmtu_cookie)
		inet_csk(sk)->icsk_sync_mss(sk, dst_mtu(dst));
	enough = tx->buf.built + room;
	while (tx->buf.built < enough && tx->cost < s->pass_bytes && !siw_txbuf_full(&tx->buf) &&
	       tx->unsent_head - tx->unsent_tail < SIW_TX_UNSENT) {
		if (!tx->msg.active && !tx_next_message(s))
			return false;
		ret = tx_build_fpdu(s);
		if (ret)
			goto fail;
		if (!tx->msg.left)
			tx_end_message(s);
	}
	tx->filled = tx->buf.built >= enough || siw_txbuf_unpushed(&tx->buf) >= tx_full_skb(sk);
	return true;

fail:
	if (ret == -ENOMEM) {
		tx->result.stop = SIW_NO_MEMORY;
	} else if (!tx->msg.wqe) {
		tx->result.stop = SIW_SOURCE_GONE;
	} else {
		/* After tx_start_data(), the consumer invalidated the memory or withdrew rights. */
		soft_sq_complete(&s->qp->soft, tx->msg.wqe, IB_WC_LOC_PROT_ERR);
		tx->result.stop = SIW_TERMINATE;
		tx->result.fault = IWARP_RDMAP_LOCAL;
	}
	return false;
}

int siw_tx_finish(struct siw_stream *s)
{
	int ret;

	if (!s->tx->msg.active && !tx_next_message(s))
		return 0;
	ret = tx_build_fpdu(s);
	if (!ret)
		tx_end_message(s);
	return ret;
}

/*
 * Pushes what is built, except for the last tx_keep() bytes, and completes the requests of which
 * TCP has taken every byte. Returns false if TCP takes no more bytes now, or if the connection is
 * lost.
 */
static bool tx_push(struct siw_stream *s)
{
	struct siw_tx *tx = s->tx;
	struct sock *sk = siw_stream_sk(s);
	const struct siw_tx_unsent *oldest;
	u32 from = tx->unsent_tail;
	int ret;

	s->pushing = true;
	ret = siw_txbuf_push(&tx->buf, sk, tx_keep(s));
	s->pushing = false;
	while (tx->unsent_tail != tx->unsent_head) {
		oldest = &tx->unsent[tx->unsent_tail & (SIW_TX_UNSENT - 1)];
		if ((s32)(oldest->end - (u32)tx->buf.pushed) > 0)
			break;
		tx->unsent_tail++;
		soft_sq_set_done(oldest->wqe, IB_WC_SUCCESS);
	}
	if (tx->unsent_tail != from)
		soft_sq_complete_done(&s->qp->soft);
	if (!ret)
		return true;
	/* SIW_LOST replaces SIW_TERMINATE, because a Terminate cannot be sent any more. */
	if (ret != -EAGAIN)
		tx->result.stop = SIW_LOST;
	else if (sk_stream_memory_free(sk) && !siw_ends_stream(tx->result.stop))
		tx->result.stop = SIW_NO_MEMORY;
	return false;
}

/*
 * Works around a lost wakeup in the kernel's own siw: a responder that installs its callbacks after
 * its MPA reply can overlook our first FPDU until the next one arrives. Sends up to MAX_PROBES
 * empty Writes, until an FPDU of the responder has arrived. Sends them only if the responder has
 * agreed to receive an empty Write as ready-to-receive message, or if the administrator has asked
 * for probes.
 */
static void tx_check_probe(struct siw_stream *s)
{
	struct siw_tx *tx = s->tx;

	if (!tx->probes_left || !tx->buf.built || s->rx->started || s->failed || s->drained)
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

struct siw_result siw_tx_run(struct siw_stream *s)
{
	struct siw_tx *tx = s->tx;
	u64 from = tx->buf.pushed;
	bool more;

	lockdep_assert(lockdep_sock_is_held(siw_stream_sk(s)));
	tx->result = (struct siw_result) {};
	tx->cost = 0;
	do {
		tx->stalled = false;
		more = tx_fill(s);
		if (!tx_push(s))
			break;
		more |= tx->stalled || siw_user_sq_has_room(s->qp);
		if (more && tx->cost >= s->pass_bytes) {
			siw_stream_set_pending(s, SIW_PENDING_TX);
			break;
		}
	} while (more && !siw_ends_stream(tx->result.stop));
	s->moderation.moved += tx->buf.pushed - from;
	tx_check_probe(s);
	return tx->result;
}
