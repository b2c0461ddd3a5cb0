/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Receive: the byte stream becomes FPDUs, and these are placed. Only the engine's runner touches
 * this.
 */
#ifndef SIW_RX_H
#define SIW_RX_H

#include "drivers/siw/reasm.h"
#include "drivers/siw/sgl.h"
#include "drivers/siw/qp.h"
#include "drivers/siw/result.h"
#include "iwarp/rdmap.h"
#include "iwarp/rx.h"
#include "iwarp/term.h"

struct siw_rx_op;

/**
 * struct siw_rx - receive state of a stream
 * @reasm: the FPDU that comes in, where it has to be whole first
 * @fpdu: the FPDU being taken apart
 * @op: handlers of its opcode
 * @queue: what must come next on each untagged queue
 * @recv: walk over @rqe
 * @rqe: receive that the incoming Send fills
 * @rqe_taken: there is one
 * @rqe_status: how it ends if the stream ends before the Send is whole
 * @write: walk of the incoming Write
 * @write_stag: its STag, while @write is open
 * @write_to: where its next segment begins if it goes on where the last one ended
 * @write_open: a Write is coming in and its memory is at hand
 * @read: walk over the read that the incoming response answers
 * @read_open: it has begun
 * @result: why the pass stops; what comes in after that is dropped
 * @rtr_send: the first Send is a ready-to-receive message if it is empty
 * @started: an FPDU has been received whole
 * @ctrl: payload of a control message: of Read Request, Terminate and those of RFC 7306
 * @ctrl_len: bytes of it that are in
 * @term: the peer's Terminate, decoded, of SIW_TERMINATED; points into @ctrl
 */
struct siw_rx {
	struct siw_reasm reasm;
	struct iwarp_rx fpdu;
	const struct siw_rx_op *op;
	struct ddp_untagged_rx queue[DDP_QN_COUNT];

	struct siw_sgl_iter recv;
	struct siw_recv_wqe rqe;
	bool rqe_taken;
	enum ib_wc_status rqe_status;

	struct siw_sgl_iter write;
	u32 write_stag;
	u64 write_to;
	bool write_open;

	struct siw_sgl_iter read;
	bool read_open;

	struct siw_result result;
	bool rtr_send;
	bool started;
	u8 ctrl[RDMAP_CONTROL_MAX];
	u8 ctrl_len;
	struct iwarp_term term;
};

void siw_rx_init(struct siw_qp *qp);
/*
 * Receives what there is, within the budget of a pass, and notices the end of the connection.
 * Returns why it stopped. The socket is locked, BHs are off.
 */
struct siw_result siw_rx_run(struct siw_qp *qp);
/* The segment at fault, of a result that says so; valid until the next pass. */
void siw_rx_bad_segment(const struct siw_qp *qp, struct iwarp_bad_segment *segment);
/* Lets go of the receive and the memory at hand; from here on what comes in is dropped. */
void siw_rx_abandon(struct siw_qp *qp);

#endif /* SIW_RX_H */
