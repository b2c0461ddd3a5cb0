/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The MPA handshake: request and reply frames, and what the two sides agree on.
 *
 * The initiator calls mpa_request_init() and mpa_frame_build(), sends the request, collects the
 * reply with the functions from mpa_rx_init(MPA_REPLY) to mpa_rx_parse(), and, unless the reply
 * is a rejection, calls mpa_negotiate_initiator().
 *
 * The responder collects the request with the functions from mpa_rx_init(MPA_REQUEST) to
 * mpa_rx_parse(). After the ULP has decided, the responder calls mpa_negotiate_responder() and
 * mpa_reply_init(), or mpa_reject_init(), then mpa_frame_build(), and sends the reply.
 */
#ifndef IWARP_MPA_H
#define IWARP_MPA_H

#include "fault.h"
#include "wire.h"

/**
 * enum mpa_kind - kinds of frame in the handshake
 * @MPA_REQUEST: from the initiator (TCP client)
 * @MPA_REPLY: from the responder
 */
enum mpa_kind {
	MPA_REQUEST,
	MPA_REPLY,
};

/**
 * enum mpa_rtr - kinds of ready-to-receive message, as bits of a mask
 * @MPA_RTR_NONE: no RTR message: the first FPDU comes from the initiator's ULP (RFC 5044)
 * @MPA_RTR_WRITE: zero-length RDMA Write
 * @MPA_RTR_SEND: zero-length Send, which has MSN 1 but consumes no posted receive
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
 * @markers: the sender of the frame wants markers in the FPDUs that it receives
 * @crc: the sender of the frame wants CRCs in both directions
 * @large_fpdus: request: the sender wants large FPDUs, see struct mpa_policy; reply: the sender
 *	agrees to them
 * @reject: reply only: the connection is rejected
 * @enhanced: @ird, @ord, @peer_to_peer and @rtr are on the wire (revision 2)
 * @peer_to_peer: flag A (wire.h): the initiator sends an RTR message first
 * @rtr: mask of enum mpa_rtr, from the flags B, C and D (wire.h)
 * @ird: inbound read depth, 14 bits. MPA_DEPTH_ULP means that the sender leaves the depth to the
 *	ULP; the parser also sets this value if the frame is not enhanced
 * @ord: outbound read depth, like @ird
 * @pd: the ULP's private data, or NULL if there is none; the parser makes it point into the buffer
 *	that was parsed
 * @pd_len: length of @pd in bytes, without the enhanced words
 */
struct mpa_frame {
	enum mpa_kind kind;
	u8 rev;
	bool markers;
	bool crc;
	bool large_fpdus;
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
 * @buf: out: the frame
 * @size: size of @buf in bytes; MPA_FRAME_MAX always suffices
 * @frame: the frame; @frame->pd must not overlap @buf
 *
 * Return: number of bytes written; -EINVAL for a frame that the wire format does not allow: a
 * revision other than 1 or 2, enhanced without revision 2, a depth above 14 bits, unknown RTR bits,
 * a request that rejects, pd_len without pd; -EMSGSIZE for private data of more than 512 bytes (508
 * if enhanced); -ENOSPC if @size is too small. After an error @buf is unchanged.
 */
int mpa_frame_build(u8 *buf, size_t size, const struct mpa_frame *frame);

/**
 * mpa_frame_parse_header() - decode the fixed first part of a frame
 * @buf: MPA_HDR_LEN bytes
 * @kind: kind of frame that is expected
 * @frame: out: the frame, without pd and the members that are in the enhanced words; pd_len does
 *	not count the enhanced words
 * @private_len: out: number of bytes still to be read, private data and enhanced words; 0 on a
 *	fault
 *
 * Return: IWARP_OK; IWARP_MPA_KEY for a frame of another kind; IWARP_MPA_REV for a revision other
 * than 1 or 2, in which case @frame is set, except for pd_len, so that the caller can decide on a
 * fallback to another revision; IWARP_MPA_PD_LEN if the private data is too long, or too short for
 * the enhanced words.
 */
enum iwarp_fault mpa_frame_parse_header(const u8 *buf, enum mpa_kind kind,
					struct mpa_frame *frame, u16 *private_len);

/**
 * mpa_frame_parse_private() - decode the enhanced words and private data of a frame
 * @buf: the bytes after the header, as received
 * @len: number of bytes at @buf; at least private_len of mpa_frame_parse_header()
 * @frame: in: as set by mpa_frame_parse_header(); out: complete, with pd pointing into @buf
 *
 * Return: IWARP_OK; IWARP_TRUNCATED if @len is too small.
 */
enum iwarp_fault mpa_frame_parse_private(const u8 *buf, size_t len, struct mpa_frame *frame);

/**
 * mpa_frame_parse() - decode a whole frame
 * @buf: the frame
 * @len: number of bytes at @buf; bytes behind the frame are ignored
 * @kind: kind of frame that is expected
 * @frame: out: the frame; its pd points into @buf
 *
 * Return: as mpa_frame_parse_header(); IWARP_TRUNCATED if @len is less than the length of the
 * frame.
 */
enum iwarp_fault mpa_frame_parse(const u8 *buf, size_t len, enum mpa_kind kind,
				 struct mpa_frame *frame);

/**
 * struct mpa_rx - collects one handshake frame, and no byte beyond it
 * @kind: kind of frame that is expected
 * @have: number of bytes in @buf
 * @buf: the bytes collected so far
 *
 * The caller reads mpa_rx_want() bytes to mpa_rx_space() and calls mpa_rx_add(), until
 * mpa_rx_want() returns 0, then calls mpa_rx_parse(). The bytes after the frame are left in the
 * stream: after a reply, these bytes are FPDUs.
 */
struct mpa_rx {
	enum mpa_kind kind;
	u16 have;
	u8 buf[MPA_FRAME_MAX];
};

/**
 * mpa_rx_init() - begin to collect a frame
 * @rx: the collector
 * @kind: kind of frame that is expected
 */
void mpa_rx_init(struct mpa_rx *rx, enum mpa_kind kind);

/**
 * mpa_rx_want() - get the number of bytes that may be read now
 * @rx: the collector
 *
 * Return: number of bytes that are known to belong to the frame and that fit into the buffer; 0 if
 * the frame is complete, or if its header is faulty. mpa_rx_parse() reports the fault.
 */
size_t mpa_rx_want(const struct mpa_rx *rx);

/**
 * mpa_rx_space() - get the buffer for the wanted bytes
 * @rx: the collector
 *
 * Return: room for mpa_rx_want() bytes.
 */
u8 *mpa_rx_space(struct mpa_rx *rx);

/**
 * mpa_rx_add() - count bytes that were written to mpa_rx_space()
 * @rx: the collector
 * @len: number of bytes; bytes beyond mpa_rx_want() are not counted
 */
void mpa_rx_add(struct mpa_rx *rx, size_t len);

/**
 * mpa_rx_push() - collect bytes from a buffer
 * @rx: the collector
 * @data: stream bytes
 * @len: number of bytes at @data
 *
 * Return: number of bytes taken, which is less than @len if the frame is complete or faulty.
 */
size_t mpa_rx_push(struct mpa_rx *rx, const u8 *data, size_t len);

/**
 * mpa_rx_parse() - decode the frame that was collected
 * @rx: the collector
 * @frame: out: the frame; its pd points into @rx
 *
 * Return: as mpa_frame_parse(); IWARP_TRUNCATED if the frame is not complete yet.
 */
enum iwarp_fault mpa_rx_parse(const struct mpa_rx *rx, struct mpa_frame *frame);

/**
 * struct mpa_policy - capabilities and wishes of this side
 * @rev: highest revision that we support, MPA_REV_*
 * @markers: we want markers in the FPDUs that we receive
 * @crc: we want CRCs, which are used if one side wants them
 * @large_fpdus: we want FPDUs that may be larger than a TCP segment, which are used if both sides
 *	want them. A request asks for them by one flag, and a reply agrees by another, because some
 *	peers repeat the flags of a request in their reply. RFC 5044 reserves both flags, so peers
 *	that do not know the flags send them as zero, and ignore them
 * @peer_to_peer: we support the RTR message of RFC 6581 (with @rev 2)
 * @rtr: mask of enum mpa_rtr: kinds that we can send as initiator and receive as responder
 * @ird: number of reads that we can serve at a time, or MPA_DEPTH_ULP
 * @ord: number of reads that we want to have outstanding, or MPA_DEPTH_ULP
 */
struct mpa_policy {
	u8 rev;
	bool markers;
	bool crc;
	bool large_fpdus;
	bool peer_to_peer;
	u8 rtr;
	u16 ird;
	u16 ord;
};

/**
 * struct mpa_agreement - result of a handshake
 * @rev: MPA_REV_*
 * @enhanced: the frames had depths and RTR bits
 * @crc: both sides generate and check CRCs
 * @large_fpdus: an FPDU may be larger than a TCP segment
 * @tx_markers: the peer wants markers in the FPDUs that we send
 * @rx_markers: we asked for markers in the FPDUs that we receive
 * @rtr: RTR message with which the initiator begins the stream, or MPA_RTR_NONE
 * @ird: number of reads that the peer may have outstanding; MPA_DEPTH_ULP if neither side limits it
 * @ord: number of reads that we may have outstanding; MPA_DEPTH_ULP if neither side limits it
 */
struct mpa_agreement {
	u8 rev;
	bool enhanced;
	bool crc;
	bool large_fpdus;
	bool tx_markers;
	bool rx_markers;
	enum mpa_rtr rtr;
	u16 ird;
	u16 ord;
};

/**
 * mpa_request_init() - fill in an MPA request that asks for what a policy says
 * @policy: our policy
 * @frame: out: the request, without private data
 */
void mpa_request_init(const struct mpa_policy *policy, struct mpa_frame *frame);

/**
 * mpa_negotiate_responder() - agree on a connection, on the responder's side
 * @policy: our policy, with the depths that the ULP passed to accept
 * @request: the request, parsed
 * @agreement: out: the agreement; set on IWARP_OK
 *
 * Our IRD is limited by the peer's ORD, our ORD by the peer's IRD. A zero-length Read is chosen as
 * RTR message only if the agreed IRD is not 0.
 *
 * Return: IWARP_OK; IWARP_MPA_REV if the request has a higher revision than @policy; IWARP_MPA_RTR
 * if both sides want peer-to-peer, but have no usable kind of RTR message in common. After a fault
 * the caller sends the reply of mpa_reject_init().
 */
enum iwarp_fault mpa_negotiate_responder(const struct mpa_policy *policy,
					 const struct mpa_frame *request,
					 struct mpa_agreement *agreement);

/**
 * mpa_reply_init() - make a reply that accepts the connection
 * @policy: as given to mpa_negotiate_responder()
 * @request: as given to mpa_negotiate_responder()
 * @agreement: result of mpa_negotiate_responder()
 * @frame: out: the reply, without private data
 */
void mpa_reply_init(const struct mpa_policy *policy, const struct mpa_frame *request,
		    const struct mpa_agreement *agreement, struct mpa_frame *frame);

/**
 * mpa_reject_init() - make a reply that rejects the connection
 * @policy: our policy
 * @request: the request, parsed with IWARP_OK or IWARP_MPA_REV
 * @frame: out: the reply, without private data
 *
 * The reply has the request's revision if we support it, otherwise our highest.
 */
void mpa_reject_init(const struct mpa_policy *policy, const struct mpa_frame *request,
		     struct mpa_frame *frame);

/**
 * mpa_negotiate_initiator() - agree on a connection, on the initiator's side
 * @request: as mpa_request_init() made it; the depths limit what is agreed on even in revision 1,
 *	which does not send them
 * @reply: the reply, parsed; the caller handles a rejection first
 * @agreement: out: the agreement; set on IWARP_OK
 *
 * Return: IWARP_OK; IWARP_MPA_REV if the revisions of request and reply differ; IWARP_MPA_FRAME if
 * the reply is a rejection, only one of the two frames is enhanced, or only the reply is
 * peer-to-peer; IWARP_MPA_IRD if the peer's ORD exceeds the IRD that we offered; IWARP_MPA_RTR if
 * the peer supports none of the kinds of RTR message that we offered.
 */
enum iwarp_fault mpa_negotiate_initiator(const struct mpa_frame *request,
					 const struct mpa_frame *reply,
					 struct mpa_agreement *agreement);

/**
 * mpa_reply_asks_rev1() - does the peer ask for a new connection in revision 1?
 * @request: the request that was sent
 * @reply: the reply, parsed with IWARP_OK or IWARP_MPA_REV; may accept or reject the connection
 *
 * Return: true if the request has revision 2 and the reply revision 1.
 */
bool mpa_reply_asks_rev1(const struct mpa_frame *request, const struct mpa_frame *reply);

#endif /* IWARP_MPA_H */
