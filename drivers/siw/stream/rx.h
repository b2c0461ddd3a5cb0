/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Receive: divides the byte stream into FPDUs and places their payload. Called by the stream's
 * owner.
 */
#ifndef SIW_RX_H
#define SIW_RX_H

#include "drivers/siw/stream/reasm.h"
#include "drivers/siw/stream/result.h"
#include "iwarp/rdmap.h"
#include "iwarp/rx.h"
#include "iwarp/term.h"
#include "soft/sgl.h"
#include "soft/wqe.h"

struct siw_rx_op;
struct siw_stream;

/**
 * struct siw_rx - receive state of a stream
 * @reasm: reassembly; used by streams with CRC or markers
 * @fpdu: parser of the current FPDU
 * @op: handlers of the opcode of the current FPDU
 * @queue: expected MSN and MO of each untagged queue
 * @recv: iterator over @wqe
 * @wqe: receive that the current Send or Immediate Data message has taken
 * @wqe_valid: @wqe holds a receive
 * @wqe_status: status of @wqe's completion if the stream fails before the message is complete
 * @write: iterator of the current Write
 * @write_stag: STag of @write
 * @write_to: TO that the next segment has if it continues @write
 * @write_open: @write is initialised and holds a reference to its memory
 * @read: iterator over the request that the current Read Response or Atomic Response answers
 * @read_open: @read is initialised
 * @messages: messages received since the stream began; wraps
 * @budget: bytes that the current pass may still process, see SIW_MIN_COST; the budget is
 *	used up if @budget is 0 or less
 * @result: result of the current pass; if it ends the stream, bytes received after it are dropped
 * @rtr_send: if the first FPDU is a zero-length Send, it counts as the RTR message
 * @started: an FPDU has been received
 * @no_room: receive has stopped, because the IRRQ is full and could not grow
 * @ctrl: payload of a control message: Read Request, Terminate, and the control
 *	messages of RFC 7306
 * @ctrl_len: bytes in @ctrl
 */
struct siw_rx {
	struct siw_reasm reasm;
	struct iwarp_rx fpdu;
	const struct siw_rx_op *op;
	struct ddp_untagged_rx queue[DDP_QN_COUNT];

	struct soft_sgl_iter recv;
	struct soft_recv_wqe wqe;
	bool wqe_valid;
	enum ib_wc_status wqe_status;

	struct soft_sgl_iter write;
	u32 write_stag;
	u64 write_to;
	bool write_open;

	struct soft_sgl_iter read;
	bool read_open;

	u32 messages;
	int budget;
	struct siw_result result;
	bool rtr_send;
	bool started;
	bool no_room;
	u8 ctrl[RDMAP_CONTROL_MAX];
	u8 ctrl_len;
};

static_assert(sizeof(struct siw_rx) <= 1024);

void siw_rx_init(struct siw_stream *s);

/*
 * Receives bytes up to the budget of a pass, and detects the end of the connection. Returns the
 * result of the pass. Called with the socket locked and BHs off.
 */
struct siw_result siw_rx_run(struct siw_stream *s);

/*
 * Describes in *@segment the peer's segment that is at fault; *@segment is valid until the pass
 * ends. Called after a result with by_segment set.
 */
void siw_rx_bad_segment(const struct siw_rx *rx, struct iwarp_bad_segment *segment);

/*
 * Decodes the peer's Terminate; *@term points into memory of @rx, and is valid until the pass ends.
 * Called after the result SIW_TERMINATED.
 */
void siw_rx_peer_term(const struct siw_rx *rx, struct iwarp_term *term);

/* Called when the stream fails. Completes the current receive, and drops references to memory. */
void siw_rx_abandon(struct siw_stream *s);

#endif /* SIW_RX_H */
