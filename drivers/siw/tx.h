/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Transmit: posted requests and responses to the peer become FPDUs. All of this belongs to the
 * owner of the stream.
 */
#ifndef SIW_TX_H
#define SIW_TX_H

#include "drivers/siw/sgl.h"
#include "drivers/siw/result.h"
#include "drivers/siw/txbuf.h"
#include "iwarp/wire.h"

struct iwarp_term;
struct siw_qp;
struct siw_send_wqe;

#define SIW_TX_UNSENT		64	/* power of two */

/**
 * struct siw_tx_msg - the message being built
 * @active: there is one
 * @tagged: its buffer model
 * @opcode: enum rdmap_opcode
 * @left: bytes of payload still to be built
 * @mo: bytes of payload built; the message offset of an untagged message
 * @msn: untagged: message sequence number
 * @inv_stag: untagged: STag for the peer to invalidate
 * @stag: tagged: sink
 * @to: tagged: offset in the sink
 * @bytes: the payload, when it is not in @sgl
 * @sgl: iterator over the payload
 * @wqe: request that completes when TCP has the message, or NULL
 */
struct siw_tx_msg {
	bool active;
	bool tagged;
	u8 opcode;
	u32 left;
	u32 mo;
	u32 msn;
	u32 inv_stag;
	u32 stag;
	u64 to;
	const u8 *bytes;
	struct siw_sgl_iter sgl;
	struct siw_send_wqe *wqe;
};

/**
 * struct siw_tx_unsent - a request wholly built, which completes when TCP has it
 * @wqe: the request
 * @end: where it ends in the stream
 * @msn: of its message, if that is a Send
 */
struct siw_tx_unsent {
	struct siw_send_wqe *wqe;
	u64 end;
	u32 msn;
};

/**
 * struct siw_tx - transmit state of a stream
 * @buf: bytes built
 * @msg: message being built
 * @next_msn: per untagged queue
 * @await_first_fpdu: a responder that has not received the first FPDU sends nothing
 * @rtr_due: the ready-to-receive message comes before all else
 * @probe_due: an empty Write comes before the requests
 * @probes_left: how many of these may still be sent
 * @probe_time: time for the next, in jiffies; 0: not set
 * @serve_sq_first: the last message was a response: the next is a request if there is one
 * @stalled: the next request has failed, and waits for those before it to complete
 * @unsent: ring of requests
 * @unsent_head: next free; free running
 * @unsent_tail: the oldest; free running
 * @imm_wqe: a request whose Write is built, and whose immediate data come next
 * @result: why the pass stops; until that is acted on, requests and responses stay in their queues
 * @ctrl: payload of the control message being built
 */
struct siw_tx {
	struct siw_txbuf buf;
	struct siw_tx_msg msg;
	u32 next_msn[DDP_QN_COUNT];
	bool await_first_fpdu;
	bool rtr_due;
	bool probe_due;
	u8 probes_left;
	unsigned long probe_time;
	bool serve_sq_first;
	bool stalled;
	struct siw_tx_unsent unsent[SIW_TX_UNSENT];
	u32 unsent_head;
	u32 unsent_tail;
	struct siw_send_wqe *imm_wqe;
	struct siw_result result;
	u8 ctrl[RDMAP_CONTROL_MAX];
};

/* Called when a stream starts, before it has an owner. */
void siw_tx_init(struct siw_qp *qp);
/**
 * siw_fpdu_finalize() - complete an FPDU by padding, markers and CRC
 * @at: memory of the FPDU: @marker_bytes free bytes, and then what is built so far
 * @marker_bytes: bytes of the markers that an FPDU of this length has at @pos
 * @len: bytes built so far, from the length field on
 * @pos: position in the stream at which the FPDU begins
 * @with_crc: compute the CRC, which covers all before it; else it is 0
 *
 * Return: bytes of the FPDU, markers included.
 */
u32 siw_fpdu_finalize(u8 *at, u32 marker_bytes, u32 len, u64 pos, bool with_crc);
/*
 * Builds and pushes what there is, within the budget of a pass. Returns why it stopped. Called with
 * the socket locked and BHs off.
 */
struct siw_result siw_tx_run(struct siw_qp *qp);
/* Returns whether nothing is being built, and TCP has taken all that is. */
bool siw_tx_idle(const struct siw_qp *qp);
/* Returns the request that a Terminate of the peer refers to, if TCP has not taken all of it. */
struct siw_send_wqe *siw_tx_find_wqe(struct siw_qp *qp, const struct iwarp_term *term);
/* Drops all requests and responses; FPDUs that are built are still sent. */
void siw_tx_abandon(struct siw_qp *qp);

#endif /* SIW_TX_H */
