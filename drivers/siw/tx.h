/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Transmit: posted requests and owed responses become FPDUs. Only the engine's runner touches this.
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

#define SIW_TX_UNPUSHED		64	/* power of two */

/**
 * struct siw_tx_msg - the message being built
 * @active: there is one
 * @tagged: its buffer model
 * @opcode: enum rdmap_opcode
 * @left: bytes of payload still to be built
 * @mo: untagged: bytes built
 * @msn: untagged: its number
 * @inv_stag: untagged: STag for the peer to invalidate
 * @stag: tagged: sink
 * @to: tagged: offset in the sink
 * @bytes: the payload, when it is not in @sgl
 * @sgl: walk over the payload
 * @sqe: request that completes when TCP has the message, or NULL
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
	struct siw_send_wqe *sqe;
};

/**
 * struct siw_tx_unpushed - a request wholly built, which completes when TCP has it
 * @sqe: the request
 * @end: where it ends in the stream
 * @msn: number of its message, of a Send
 */
struct siw_tx_unpushed {
	struct siw_send_wqe *sqe;
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
 * @probes_left: how many of them there may be yet
 * @probe_time: time for the next, in jiffies; 0: not set
 * @prefer_sq: the last message was a response: the send queue has its turn
 * @held: the next request has failed, and waits for those before it to complete
 * @unpushed: ring of requests
 * @unpushed_head: next free; free running
 * @unpushed_tail: the oldest
 * @imm_of: a request whose write is built, and whose immediate data come next
 * @result: why the pass stops; until that is acted on, requests and responses are still there
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
	bool prefer_sq;
	bool held;
	struct siw_tx_unpushed unpushed[SIW_TX_UNPUSHED];
	u32 unpushed_head;
	u32 unpushed_tail;
	struct siw_send_wqe *imm_of;
	struct siw_result result;
	u8 ctrl[RDMAP_CONTROL_MAX];
};

void siw_tx_init(struct siw_qp *qp);
/*
 * Pad, markers and CRC of an FPDU, which covers them: @len bytes so far, @spread bytes behind @at,
 * which is what its markers take at @pos of the stream. Returns its size with all of them.
 */
u32 siw_tx_seal(u8 *at, u32 spread, u32 len, u64 pos, bool with_crc);
/*
 * Builds and pushes what there is, within the budget of a pass. Returns why it stopped. The socket
 * is locked, BHs are off.
 */
struct siw_result siw_tx_run(struct siw_qp *qp);
/* Nothing is built, nothing is in the making, nothing waits at TCP's door. */
bool siw_tx_idle(const struct siw_qp *qp);
/* The request whose message a Terminate of the peer's is about, if TCP has not taken all of it. */
struct siw_send_wqe *siw_tx_find_wqe(struct siw_qp *qp, const struct iwarp_term *term);
/* Lets go of all requests and responses; whole FPDUs that are built still go out. */
void siw_tx_abandon(struct siw_qp *qp);

#endif /* SIW_TX_H */
