/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The MPA handshake: request and reply frames, and what the two sides agree on.
 *
 * Initiator:  mpa_request_init(), mpa_frame_build() ... mpa_rx_*(MPA_REPLY),
 *             mpa_frame_parse(), then mpa_negotiate_initiator() unless rejected.
 * Responder:  mpa_rx_*(MPA_REQUEST), mpa_frame_parse(), the ULP decides,
 *             mpa_negotiate_responder(), mpa_reply_init() or mpa_reject_init(),
 *             mpa_frame_build().
 */
#ifndef IWARP_MPA_H
#define IWARP_MPA_H

#include "fault.h"
#include "wire.h"

/**
 * enum mpa_kind - which of the two frames
 * @MPA_REQUEST: from the initiator (TCP client)
 * @MPA_REPLY: from the responder
 */
enum mpa_kind {
	MPA_REQUEST,
	MPA_REPLY,
};

/**
 * enum mpa_rtr - kinds of ready-to-receive message, as bits of a mask
 * @MPA_RTR_NONE: none; the initiator sends the first FPDU, as RFC 5044 demands
 * @MPA_RTR_WRITE: zero-length RDMA Write
 * @MPA_RTR_SEND: zero-length Send (takes MSN 1, but no receive)
 * @MPA_RTR_READ: zero-length RDMA Read
 * @MPA_RTR_ALL: all three
 */
enum mpa_rtr {
	MPA_RTR_NONE = 0,
	MPA_RTR_WRITE = 1,
	MPA_RTR_SEND = 2,
	MPA_RTR_READ = 4,
	MPA_RTR_ALL = 7,
};

/**
 * struct mpa_frame - a request or reply, decoded
 * @kind: request or reply
 * @rev: MPA_REV_*
 * @markers: the sender wants markers in what it receives
 * @crc: the sender wants CRCs, both ways
 * @reject: reply only: the connection is refused
 * @enhanced: @ird, @ord, @peer_to_peer and @rtr are on the wire (revision 2)
 * @peer_to_peer: bit A
 * @rtr: mask of enum mpa_rtr, bits B, C and D
 * @ird: inbound read depth, 14 bits; MPA_DEPTH_ULP if left to the ULP, or parsed from a
 *	frame that is not enhanced
 * @ord: outbound read depth, likewise
 * @pd: the ULP's private data, not owned: for a parsed frame it points into the
 *	buffer that was parsed, NULL when there is none
 * @pd_len: its length, without the enhanced words
 */
struct mpa_frame {
	enum mpa_kind kind;
	u8 rev;
	bool markers;
	bool crc;
	bool reject;
	bool enhanced;
	bool peer_to_peer;
	u8 rtr;
	u16 ird;
	u16 ord;
	u16 pd_len;
	const u8 *pd;
};

/**
 * mpa_frame_build() - write a frame
 * @buf: gets the frame
 * @size: bytes there; MPA_FRAME_MAX always suffices
 * @frame: the frame; @frame->pd must not overlap @buf
 *
 * Return: bytes written; -EINVAL for a frame that cannot be expressed (revision other
 * than 1 or 2, enhanced without revision 2, depth above 14 bits, unknown RTR bits, a
 * rejecting request, pd_len without pd); -EMSGSIZE for private data above 512 (508 if
 * enhanced); -ENOSPC if @size is too small. @buf is untouched on error.
 */
int mpa_frame_build(u8 *buf, size_t size, const struct mpa_frame *frame);

/**
 * mpa_frame_parse_header() - decode the fixed first part of a frame
 * @buf: MPA_HDR_LEN bytes
 * @kind: the frame expected here
 * @frame: filled, all but the enhanced words and @pd; @pd_len is the ULP's part already
 * @private_len: bytes of private data on the wire still to read, enhanced words included
 *
 * Return: IWARP_OK, IWARP_MPA_KEY, IWARP_MPA_REV or IWARP_MPA_PD_LEN. With IWARP_MPA_REV
 * @frame holds what was read, so that a fallback to another revision can be decided.
 */
enum iwarp_fault mpa_frame_parse_header(const u8 *buf, enum mpa_kind kind,
					struct mpa_frame *frame, u16 *private_len);

/**
 * mpa_frame_parse_private() - decode the private data of a frame
 * @buf: private data as it came
 * @len: bytes there; at least the private_len of mpa_frame_parse_header()
 * @frame: completed; @frame->pd points into @buf
 *
 * Return: IWARP_OK, or IWARP_TRUNCATED if @len is less than the frame's private data.
 */
enum iwarp_fault mpa_frame_parse_private(const u8 *buf, size_t len, struct mpa_frame *frame);

/**
 * mpa_frame_parse() - decode a whole frame
 * @buf: the frame
 * @len: bytes there; those behind the frame are ignored
 * @kind: the frame expected
 * @frame: filled; @frame->pd points into @buf
 *
 * Return: as mpa_frame_parse_header() and mpa_frame_parse_private(); IWARP_TRUNCATED if @len ends
 * before the frame does.
 */
enum iwarp_fault mpa_frame_parse(const u8 *buf, size_t len, enum mpa_kind kind,
				 struct mpa_frame *frame);

/**
 * struct mpa_rx - collects one handshake frame, and no byte beyond it
 * @kind: the frame expected
 * @have: bytes in @buf
 * @buf: the frame so far
 *
 * Read mpa_rx_want() bytes to mpa_rx_space() and call mpa_rx_add(), until nothing is wanted,
 * then call mpa_rx_parse(). The bytes after the frame stay in the stream, because after a reply
 * they are FPDUs.
 */
struct mpa_rx {
	enum mpa_kind kind;
	u16 have;
	u8 buf[MPA_FRAME_MAX];
};

/**
 * mpa_rx_init() - begin to collect
 * @rx: the collector
 * @kind: the frame expected
 */
void mpa_rx_init(struct mpa_rx *rx, enum mpa_kind kind);

/**
 * mpa_rx_want() - how many bytes may be read now
 * @rx: the collector
 *
 * Return: bytes that certainly belong to the frame, and for which there is room; 0 if the frame
 * is complete or its header faulty, which mpa_rx_parse() then reports.
 */
size_t mpa_rx_want(const struct mpa_rx *rx);

/**
 * mpa_rx_space() - where the wanted bytes go
 * @rx: the collector
 *
 * Return: room for mpa_rx_want() bytes.
 */
u8 *mpa_rx_space(struct mpa_rx *rx);

/**
 * mpa_rx_add() - count bytes that were written to mpa_rx_space()
 * @rx: the collector
 * @len: at most mpa_rx_want(); the excess is not counted
 */
void mpa_rx_add(struct mpa_rx *rx, size_t len);

/**
 * mpa_rx_push() - collect from a buffer
 * @rx: the collector
 * @data: stream bytes
 * @len: how many
 *
 * Return: bytes taken; fewer than @len once the frame is whole or faulty.
 */
size_t mpa_rx_push(struct mpa_rx *rx, const u8 *data, size_t len);

/**
 * mpa_rx_parse() - decode what was collected
 * @rx: the collector; @frame->pd points into it
 * @frame: filled
 *
 * Return: as mpa_frame_parse(); IWARP_TRUNCATED while bytes are still wanted.
 */
enum iwarp_fault mpa_rx_parse(const struct mpa_rx *rx, struct mpa_frame *frame);

/**
 * struct mpa_policy - what this side asks for and can do
 * @rev: highest revision to speak, MPA_REV_*
 * @markers: want markers in what we receive
 * @crc: want CRCs; used if either side wants them
 * @peer_to_peer: do the RTR exchange of RFC 6581 (with @rev 2)
 * @rtr: mask of enum mpa_rtr: kinds we can send as initiator or receive as responder
 * @ird: reads we can serve at the same time, or MPA_DEPTH_ULP
 * @ord: reads we want to have outstanding, or MPA_DEPTH_ULP
 */
struct mpa_policy {
	u8 rev;
	bool markers;
	bool crc;
	bool peer_to_peer;
	u8 rtr;
	u16 ird;
	u16 ord;
};

/**
 * struct mpa_agreement - how the connection runs
 * @rev: MPA_REV_*
 * @enhanced: the frames carried depths and RTR bits
 * @crc: generate and check CRCs
 * @tx_markers: the peer wants markers in what we send
 * @rx_markers: we asked for markers in what we receive
 * @rtr: the RTR message with which the initiator opens the stream, or MPA_RTR_NONE
 * @ird: reads the peer may have outstanding at us; MPA_DEPTH_ULP if neither side limits it
 * @ord: reads we may have outstanding at the peer; likewise
 */
struct mpa_agreement {
	u8 rev;
	bool enhanced;
	bool crc;
	bool tx_markers;
	bool rx_markers;
	enum mpa_rtr rtr;
	u16 ird;
	u16 ord;
};

/**
 * mpa_request_init() - fill in a request according to a policy
 * @policy: ours
 * @frame: filled, without private data
 */
void mpa_request_init(const struct mpa_policy *policy, struct mpa_frame *frame);

/**
 * mpa_negotiate_responder() - agree on a connection, on the responder's side
 * @policy: ours; depths as the ULP gave them on accept
 * @request: parsed
 * @agreement: filled on success
 *
 * The peer's ORD bounds our IRD and its IRD our ORD. A zero-length Read is chosen as RTR
 * only if the agreed IRD admits one.
 *
 * Return: IWARP_OK; IWARP_MPA_REV if the request is newer than @policy; IWARP_MPA_RTR if
 * both want peer-to-peer with no usable kind in common. On a fault: mpa_reject_init().
 */
enum iwarp_fault mpa_negotiate_responder(const struct mpa_policy *policy,
					 const struct mpa_frame *request,
					 struct mpa_agreement *agreement);

/**
 * mpa_reply_init() - fill in the reply that accepts
 * @policy: as given to mpa_negotiate_responder()
 * @request: likewise
 * @agreement: as mpa_negotiate_responder() filled it
 * @frame: filled, without private data
 */
void mpa_reply_init(const struct mpa_policy *policy, const struct mpa_frame *request,
		    const struct mpa_agreement *agreement, struct mpa_frame *frame);

/**
 * mpa_reject_init() - fill in the reply that rejects
 * @policy: ours
 * @request: parsed, possibly with IWARP_MPA_REV
 * @frame: filled, without private data
 *
 * The reply has the request's revision if we speak it, otherwise our highest.
 */
void mpa_reject_init(const struct mpa_policy *policy, const struct mpa_frame *request,
		     struct mpa_frame *frame);

/**
 * mpa_negotiate_initiator() - agree on a connection, on the initiator's side
 * @request: as mpa_request_init() made it; its depths count in revision 1 too
 * @reply: parsed, not rejected (the caller tests @reply->reject first)
 * @agreement: filled on success
 *
 * Return: IWARP_OK; IWARP_MPA_REV if the reply is in another revision than the request;
 * IWARP_MPA_FRAME if it is a rejection, if only one of the two is enhanced, or if only the
 * reply is peer-to-peer; IWARP_MPA_IRD if the peer's ORD exceeds the IRD that we offered;
 * IWARP_MPA_RTR if the peer supports none of the RTR kinds that we offered.
 */
enum iwarp_fault mpa_negotiate_initiator(const struct mpa_frame *request,
					 const struct mpa_frame *reply,
					 struct mpa_agreement *agreement);

/**
 * mpa_reply_asks_rev1() - may a new connection in revision 1 succeed?
 * @request: as sent
 * @reply: parsed (also with IWARP_MPA_REV), rejected or not
 *
 * Return: true if we spoke revision 2 and the peer answered in revision 1.
 */
bool mpa_reply_asks_rev1(const struct mpa_frame *request, const struct mpa_frame *reply);

#endif /* IWARP_MPA_H */
