/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Splits a byte stream, which arrives in pieces of any size, into FPDUs.
 *
 * The state determines what the caller does next:
 *
 *	HEADER   call iwarp_rx_header() until the state changes; then rx->seg is valid
 *	PAYLOAD  place up to rx->left bytes, and call iwarp_rx_payload() with their number
 *	TRAILER  call iwarp_rx_trailer() until it returns true; then pad and CRC are complete
 *
 * For a segment without payload, the state changes from HEADER to TRAILER. The stream must not have
 * markers.
 *
 * Nothing in this file checks the CRC. A caller that has not checked the CRC earlier computes it
 * over rx->head (rx->seg.hdr_len bytes) once the state is PAYLOAD or TRAILER, over the payload
 * while the payload is placed, and over rx->trailer (rx->pad bytes). The caller then compares the
 * result with the received CRC.
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
 * @IWARP_RX_PAYLOAD: an FPDU's payload
 * @IWARP_RX_TRAILER: an FPDU's pad or CRC
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
 * @pad: number of pad bytes of this FPDU
 * @left: number of payload bytes still to come
 * @have: number of bytes of head or trailer that were collected
 * @fault: fault of the head, in IWARP_RX_FAULT
 * @seg: the segment; valid from the end of HEADER until the next HEADER begins
 * @head: length field and header as received, for CRC and Terminate
 * @trailer: pad and CRC as received
 *
 * The caller serialises all calls. A zeroed structure needs no iwarp_rx_init().
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
 * iwarp_rx_want() - get the number of bytes that the present part of the FPDU still lacks
 * @rx: the receiver
 *
 * Return: number of bytes up to the end of head, payload or trailer; up to the end of the control
 * bytes while the length of the head is not known; 0 after a fault.
 */
size_t iwarp_rx_want(const struct iwarp_rx *rx);

/**
 * iwarp_rx_header() - collect an FPDU's head
 * @rx: the receiver, in IWARP_RX_HEADER
 * @data: stream bytes
 * @len: number of bytes at @data
 * @consumed: out: number of bytes taken; never more than the head has
 *
 * When the head is complete, the state is no longer IWARP_RX_HEADER. A fault is permanent: later
 * calls return it again and take no bytes.
 *
 * Return: IWARP_OK if the head is complete or more bytes are needed; otherwise the fault of
 * ddp_segment_parse().
 */
enum iwarp_fault iwarp_rx_header(struct iwarp_rx *rx, const u8 *data, size_t len,
				 size_t *consumed);

/**
 * iwarp_rx_payload() - count payload that the caller has taken from the stream
 * @rx: the receiver, in IWARP_RX_PAYLOAD
 * @len: number of bytes; bytes beyond rx->left are not counted
 */
void iwarp_rx_payload(struct iwarp_rx *rx, size_t len);

/**
 * iwarp_rx_trailer() - collect pad and CRC
 * @rx: the receiver, in IWARP_RX_TRAILER
 * @data: stream bytes
 * @len: number of bytes at @data
 * @consumed: out: number of bytes taken; never more than the trailer has
 * @crc: out: the received CRC, set if the function returns true. The caller compares it with its
 *	own CRC, crc32c(~0, ...) ^ ~0, if the connection uses CRCs. siw ignores @crc: siw's reasm.c
 *	checks the CRC of each FPDU before the FPDU gets here
 *
 * Return: true if the trailer is complete: the state is IWARP_RX_HEADER, and seg, head and trailer
 * stay valid until the next iwarp_rx_header(). False if more bytes are needed.
 */
bool iwarp_rx_trailer(struct iwarp_rx *rx, const u8 *data, size_t len, size_t *consumed,
		      u32 *crc);

/**
 * iwarp_rx_bad_segment() - describe the present FPDU for a Terminate
 * @rx: the receiver, in any state
 * @bad_segment: out: the FPDU, with fpdu pointing into @rx; for a Read Request the caller sets
 *	read_req and read_req_len
 */
void iwarp_rx_bad_segment(const struct iwarp_rx *rx, struct iwarp_bad_segment *bad_segment);

#endif /* IWARP_RX_H */
