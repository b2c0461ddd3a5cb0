/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Splits a byte stream, which arrives in pieces of any size, into FPDUs.
 *
 *	HEADER   iwarp_rx_header() until the state changes: rx->seg is decoded
 *	PAYLOAD  the caller places up to rx->left bytes, iwarp_rx_payload() each time
 *	TRAILER  iwarp_rx_trailer() until it returns true: pad and CRC are in
 *
 * A segment without payload goes from HEADER straight to TRAILER. The stream must be free
 * of markers. The caller computes the CRC over rx->head (rx->seg.hdr_len bytes) once PAYLOAD
 * or TRAILER is reached, the payload as it places it, and rx->trailer (rx->pad bytes).
 */
#ifndef IWARP_RX_H
#define IWARP_RX_H

#include "ddp.h"
#include "fault.h"
#include "term.h"
#include "wire.h"

/**
 * enum iwarp_rx_state - what the next stream byte belongs to
 * @IWARP_RX_HEADER: an FPDU's head
 * @IWARP_RX_PAYLOAD: its payload
 * @IWARP_RX_TRAILER: its pad or CRC
 * @IWARP_RX_FAULT: the head was faulty; no more bytes are consumed
 */
enum iwarp_rx_state {
	IWARP_RX_HEADER,
	IWARP_RX_PAYLOAD,
	IWARP_RX_TRAILER,
	IWARP_RX_FAULT,
};

/**
 * struct iwarp_rx - receiver of one direction of one stream
 * @state: enum iwarp_rx_state
 * @pad: pad bytes of this FPDU
 * @left: payload bytes still to come
 * @have: bytes collected of head or trailer
 * @fault: what was wrong with the head, in IWARP_RX_FAULT
 * @seg: the segment; valid from the end of HEADER until the next one begins
 * @head: length field and header as they came, for CRC and Terminate
 * @trailer: pad and CRC as they came
 *
 * No locking: the caller serialises. Zero-initialised is the same as iwarp_rx_init().
 */
struct iwarp_rx {
	u8 state;
	u8 pad;
	u16 left;
	u8 have;
	enum iwarp_fault fault;
	struct ddp_segment seg;
	u8 head[DDP_HEAD_MAX];
	u8 trailer[MPA_TRAILER_MAX];
};

/**
 * iwarp_rx_init() - expect the first FPDU
 * @rx: the receiver
 */
void iwarp_rx_init(struct iwarp_rx *rx);

/**
 * iwarp_rx_want() - stream bytes that certainly belong to the present part of the FPDU
 * @rx: the receiver
 *
 * Return: bytes to the end of head (as far as known), payload or trailer; 0 after a fault.
 */
size_t iwarp_rx_want(const struct iwarp_rx *rx);

/**
 * iwarp_rx_header() - collect an FPDU's head
 * @rx: in IWARP_RX_HEADER
 * @data: stream bytes
 * @len: how many
 * @consumed: how many were taken; never more than the head has
 *
 * When the head is complete, state leaves IWARP_RX_HEADER. A fault is permanent: later calls
 * return it again and consume nothing.
 *
 * Return: IWARP_OK (complete, or more wanted), or the fault of ddp_segment_parse().
 */
enum iwarp_fault iwarp_rx_header(struct iwarp_rx *rx, const u8 *data, size_t len,
				 size_t *consumed);

/**
 * iwarp_rx_payload() - count payload that the caller has taken from the stream
 * @rx: in IWARP_RX_PAYLOAD
 * @len: bytes, at most rx->left; the excess is not counted
 */
void iwarp_rx_payload(struct iwarp_rx *rx, size_t len);

/**
 * iwarp_rx_trailer() - collect pad and CRC
 * @rx: in IWARP_RX_TRAILER
 * @data: stream bytes
 * @len: how many
 * @consumed: how many were taken; never more than the trailer has
 * @crc: set when complete, to compare with crc32c(~0, ...) ^ ~0; ignore it if CRCs are off
 *
 * Return: true if the trailer is complete; state is then IWARP_RX_HEADER, and seg, head and
 * trailer remain until the next iwarp_rx_header(). False if more is wanted.
 */
bool iwarp_rx_trailer(struct iwarp_rx *rx, const u8 *data, size_t len, size_t *consumed,
		      u32 *crc);

/**
 * iwarp_rx_bad_segment() - describe the present FPDU for a Terminate
 * @rx: in any state
 * @bad_segment: fpdu and fpdu_len are set, pointing into @rx; the caller adds a Read Request
 */
void iwarp_rx_bad_segment(const struct iwarp_rx *rx, struct iwarp_bad_segment *bad_segment);

#endif /* IWARP_RX_H */
