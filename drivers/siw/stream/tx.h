/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Transmit: builds FPDUs from posted requests and from responses to the peer. Only the owner of the
 * stream uses the state of transmit.
 */
#ifndef SIW_TX_H
#define SIW_TX_H

#include "drivers/siw/stream/result.h"
#include "drivers/siw/stream/txbuf.h"
#include "iwarp/wire.h"
#include "soft/sgl.h"

struct iwarp_term;
struct soft_send_wqe;
struct siw_stream;

#define SIW_TX_UNSENT		64	/* entries of siw_tx.unsent; a power of two */

/**
 * struct siw_tx_msg - the message being built
 * @active: a message is being built
 * @tagged: the message is tagged
 * @opcode: enum rdmap_opcode
 * @left: bytes of payload still to be built
 * @mo: bytes of payload built; also the message offset, if untagged
 * @msn: message sequence number, if untagged
 * @inv_stag: STag that the peer is to invalidate, if untagged
 * @stag: STag of the sink, if tagged
 * @to: offset in the sink at which the next segment is placed, if tagged
 * @bytes: the payload of a control message; NULL if @sgl has the payload
 * @sgl: iterator over the payload; also used to check the sink of a read before its message starts
 * @wqe: request that completes when TCP has taken the whole message, or NULL
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
	struct soft_sgl_iter sgl;
	struct soft_send_wqe *wqe;
};

/**
 * struct siw_tx_unsent - a request that is built, and completes when TCP has taken all of it
 * @wqe: the request
 * @end: low 32 bits of the position in the stream at which the request ends; enough, because TCP
 *	always lacks far less than 2 GiB of what is built
 * @msn: message sequence number of the request, if it is a Send
 */
struct siw_tx_unsent {
	struct soft_send_wqe *wqe;
	u32 end;
	u32 msn;
};

/**
 * struct siw_tx - transmit state of a stream
 * @buf: bytes that are built and that TCP has not taken yet
 * @msg: message being built
 * @next_msn: next message sequence number of each untagged queue
 * @await_first_fpdu: we are the responder, and send no message until the first FPDU has arrived
 * @rtr_due: the ready-to-receive message has to be sent before all other messages
 * @probe_due: a probe (an empty Write) has to be sent before the requests
 * @probes_left: number of probes that may still be sent
 * @probe_time: when the next probe is due, in jiffies; 0 if no time is set
 * @serve_sq_first: the last message was a response; a request is next if there is one
 * @stalled: the next request has failed, and waits until the requests before it have completed
 * @filled: building stopped for lack of room, or enough is built to fill a socket buffer; there may
 *	be more to build
 * @unsent: ring of the requests that are built and have not completed
 * @unsent_head: next free entry of @unsent; free running
 * @unsent_tail: oldest entry of @unsent; free running
 * @imm_wqe: request whose Write is built, and whose immediate data is sent next; or NULL
 * @cost: bytes that the current pass has processed, see SIW_MIN_COST
 * @result: result of the current pass. If it says that a response failed, the peer's request is
 *	still in the IRRQ, because siw_stream_act() builds a Terminate that quotes it
 * @ctrl: payload of the control message being built
 * @term: payload of our Terminate
 * @term_len: bytes in @term
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
	bool filled;
	struct siw_tx_unsent unsent[SIW_TX_UNSENT];
	u32 unsent_head;
	u32 unsent_tail;
	struct soft_send_wqe *imm_wqe;
	u32 cost;
	struct siw_result result;
	u8 ctrl[RDMAP_CONTROL_MAX];
	u8 term[TERM_PAYLOAD_MAX];
	u8 term_len;
};

static_assert(sizeof(struct siw_tx) <= 2048);

/* Called when a stream starts, before it has an owner. */
void siw_tx_init(struct siw_stream *s);
/**
 * siw_fpdu_finalize() - complete an FPDU by padding, markers and CRC
 * @at: memory of the FPDU: @marker_bytes free bytes, and then what is built so far
 * @marker_bytes: bytes of the markers that an FPDU of this length has at @pos
 * @len: bytes built so far, from the length field on
 * @pos: position in the stream at which the FPDU begins
 * @with_crc: the CRC is computed, over all bytes before it; if false, the CRC field is 0
 *
 * Return: length of the FPDU in bytes, markers included.
 */
u32 siw_fpdu_finalize(u8 *at, u32 marker_bytes, u32 len, u64 pos, bool with_crc);
/*
 * Builds FPDUs and pushes them to TCP, up to the budget of a pass. Returns the result of the pass.
 * Called with the socket locked and BHs off.
 */
struct siw_result siw_tx_run(struct siw_stream *s);
/* Returns whether no message is being built, and TCP has taken all FPDUs that were built. */
bool siw_tx_idle(const struct siw_tx *tx);
/*
 * Returns the request to which the peer's Terminate refers; NULL if it refers to none, or if TCP
 * has taken the whole request.
 */
struct soft_send_wqe *siw_tx_find_wqe(const struct siw_tx *tx, const struct iwarp_term *term);
/*
 * Builds a Terminate that is due, even if TCP has no room for it. Called after the stream has
 * failed, with BHs off. Returns 0, or -ENOMEM if memory is short.
 */
int siw_tx_finish(struct siw_stream *s);
/* Drops all requests, and the message being built. FPDUs that are built are still sent. */
void siw_tx_abandon(struct siw_tx *tx);

#endif /* SIW_TX_H */
