/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Layouts and constants of the iWARP protocols: MPA (RFC 5044, 6581), DDP (RFC 5041) and RDMAP (RFC
 * 5040, 7306). All numbers are big-endian except the CRC, see fpdu.h.
 *
 * The structures are copied from and to message buffers with memcpy(), because these buffers are
 * not aligned.
 */
#ifndef IWARP_WIRE_H
#define IWARP_WIRE_H

#include "compat/port.h"

/* MPA request and reply frames */

#define MPA_KEY_LEN		16
#define MPA_KEY_REQUEST		"MPA ID Req Frame"
#define MPA_KEY_REPLY		"MPA ID Rep Frame"

#define MPA_FLAG_MARKERS	0x80
#define MPA_FLAG_CRC		0x40
#define MPA_FLAG_REJECT		0x20
#define MPA_FLAG_ENHANCED	0x10
/* Flags of siw: a request asks for large FPDUs, and a reply agrees to them. See mpa_policy. */
#define MPA_FLAG_LARGE_WANTED	0x08
#define MPA_FLAG_LARGE_AGREED	0x04

#define MPA_REV_BASIC		1
#define MPA_REV_ENHANCED	2

/**
 * struct mpa_wire_hdr - first part of every MPA request and reply
 * @key: MPA_KEY_REQUEST or MPA_KEY_REPLY, without a terminating zero
 * @flags: MPA_FLAG_*; the other bits are reserved: sent as zero, ignored when received
 * @rev: MPA_REV_*
 * @pd_len: number of bytes that follow: private data, including the enhanced words
 */
struct mpa_wire_hdr {
	u8 key[MPA_KEY_LEN];
	u8 flags;
	u8 rev;
	__be16 pd_len;
};

/**
 * struct mpa_wire_enhanced - the enhanced words: first bytes of private data, if MPA_FLAG_ENHANCED
 * @ird: MPA_IRD_PEER_TO_PEER, MPA_IRD_RTR_SEND and the inbound read depth
 * @ord: MPA_ORD_RTR_WRITE, MPA_ORD_RTR_READ and the outbound read depth
 */
struct mpa_wire_enhanced {
	__be16 ird;
	__be16 ord;
};

/* The flags in the enhanced words; the letters A to D are their names in RFC 6581. */
#define MPA_IRD_PEER_TO_PEER	0x8000	/* A: the initiator sends an RTR message first */
#define MPA_IRD_RTR_SEND	0x4000	/* B: zero-length Send */
#define MPA_ORD_RTR_WRITE	0x8000	/* C: zero-length Write */
#define MPA_ORD_RTR_READ	0x4000	/* D: zero-length Read */
#define MPA_DEPTH_MASK		0x3fff
#define MPA_DEPTH_ULP		0x3fff	/* a depth that is left to the ULP, not negotiated by MPA */

#define MPA_HDR_LEN		20
#define MPA_ENHANCED_LEN	4
#define MPA_PD_MAX		512
#define MPA_PD_MAX_ENHANCED	(MPA_PD_MAX - MPA_ENHANCED_LEN)
#define MPA_FRAME_MAX		(MPA_HDR_LEN + MPA_PD_MAX)

static_assert(sizeof(struct mpa_wire_hdr) == MPA_HDR_LEN);
static_assert(offsetof(struct mpa_wire_hdr, flags) == 16);
static_assert(offsetof(struct mpa_wire_hdr, rev) == 17);
static_assert(offsetof(struct mpa_wire_hdr, pd_len) == 18);
static_assert(sizeof(struct mpa_wire_enhanced) == MPA_ENHANCED_LEN);
static_assert(sizeof(MPA_KEY_REQUEST) == MPA_KEY_LEN + 1);
static_assert(sizeof(MPA_KEY_REPLY) == MPA_KEY_LEN + 1);

/* FPDU: length, ULPDU, pad to a multiple of 4 bytes, CRC; a marker every 512 bytes if negotiated */

#define MPA_LEN_LEN		2
#define MPA_CRC_LEN		4
#define MPA_PAD_MAX		3
#define MPA_TRAILER_MAX		(MPA_PAD_MAX + MPA_CRC_LEN)
#define MPA_MARKER_LEN		4
#define MPA_MARKER_PERIOD	512

/* DDP and RDMAP control bytes */

#define DDP_CTRL_TAGGED		0x80
#define DDP_CTRL_LAST		0x40
#define DDP_CTRL_VERSION	0x03	/* the bits 0x3c are reserved */
#define DDP_VERSION		1

#define RDMAP_CTRL_VERSION	0xc0
#define RDMAP_CTRL_OPCODE	0x0f	/* the bits 0x30 are reserved */
#define RDMAP_VERSION		1

/**
 * enum rdmap_opcode - RDMAP messages
 * @RDMAP_WRITE: RDMA Write, tagged
 * @RDMAP_READ_REQUEST: RDMA Read Request, untagged queue 1
 * @RDMAP_READ_RESPONSE: RDMA Read Response, tagged
 * @RDMAP_SEND: Send; all kinds of Send use untagged queue 0
 * @RDMAP_SEND_INV: Send with Invalidate
 * @RDMAP_SEND_SE: Send with Solicited Event
 * @RDMAP_SEND_SE_INV: Send with Solicited Event and Invalidate
 * @RDMAP_TERMINATE: Terminate, untagged queue 2
 * @RDMAP_IMMEDIATE: Immediate Data (RFC 7306), untagged queue 0
 * @RDMAP_IMMEDIATE_SE: Immediate Data with Solicited Event (RFC 7306)
 * @RDMAP_ATOMIC_REQUEST: Atomic Request (RFC 7306), untagged queue 1
 * @RDMAP_ATOMIC_RESPONSE: Atomic Response (RFC 7306), untagged queue 3
 */
enum rdmap_opcode {
	RDMAP_WRITE = 0x0,
	RDMAP_READ_REQUEST = 0x1,
	RDMAP_READ_RESPONSE = 0x2,
	RDMAP_SEND = 0x3,
	RDMAP_SEND_INV = 0x4,
	RDMAP_SEND_SE = 0x5,
	RDMAP_SEND_SE_INV = 0x6,
	RDMAP_TERMINATE = 0x7,
	RDMAP_IMMEDIATE = 0x8,
	RDMAP_IMMEDIATE_SE = 0x9,
	RDMAP_ATOMIC_REQUEST = 0xa,
	RDMAP_ATOMIC_RESPONSE = 0xb,
};

/**
 * enum ddp_queue - untagged queue numbers
 * @DDP_QN_SEND: Sends and Immediate Data
 * @DDP_QN_READ_REQUEST: Read and Atomic Requests
 * @DDP_QN_TERMINATE: Terminate
 * @DDP_QN_ATOMIC_RESPONSE: Atomic Responses (RFC 7306)
 * @DDP_QN_COUNT: number of queues
 */
enum ddp_queue {
	DDP_QN_SEND = 0,
	DDP_QN_READ_REQUEST = 1,
	DDP_QN_TERMINATE = 2,
	DDP_QN_ATOMIC_RESPONSE = 3,
	DDP_QN_COUNT = 4,
};

#define DDP_MSN_FIRST		1

/**
 * struct ddp_wire_tagged - head of an FPDU that carries a tagged segment
 * @ulpdu_len: number of bytes after this field, without pad, CRC and markers
 * @ddp_ctrl: DDP_CTRL_*, with DDP_CTRL_TAGGED
 * @rdmap_ctrl: RDMAP_CTRL_*
 * @stag: steering tag of the data sink
 * @to: tagged offset in the data sink
 */
struct ddp_wire_tagged {
	__be16 ulpdu_len;
	u8 ddp_ctrl;
	u8 rdmap_ctrl;
	__be32 stag;
	__be64 to;
};

/**
 * struct ddp_wire_untagged - head of an FPDU that carries an untagged segment
 * @ulpdu_len: number of bytes after this field, without pad, CRC and markers
 * @ddp_ctrl: DDP_CTRL_*, without DDP_CTRL_TAGGED
 * @rdmap_ctrl: RDMAP_CTRL_*
 * @inv_stag: STag to invalidate; reserved if the opcode has no STag to invalidate
 * @qn: enum ddp_queue
 * @msn: message sequence number
 * @mo: offset of this segment in its message
 */
struct ddp_wire_untagged {
	__be16 ulpdu_len;
	u8 ddp_ctrl;
	u8 rdmap_ctrl;
	__be32 inv_stag;
	__be32 qn;
	__be32 msn;
	__be32 mo;
};

#define DDP_TAGGED_LEN		14	/* DDP header, as part of the ULPDU */
#define DDP_UNTAGGED_LEN	18
#define DDP_CTRL_END		(MPA_LEN_LEN + 2)	/* length field and control bytes */
#define DDP_TAGGED_HEAD		(MPA_LEN_LEN + DDP_TAGGED_LEN)
#define DDP_UNTAGGED_HEAD	(MPA_LEN_LEN + DDP_UNTAGGED_LEN)
#define DDP_HEAD_MAX		DDP_UNTAGGED_HEAD

static_assert(sizeof(struct ddp_wire_tagged) == DDP_TAGGED_HEAD);
static_assert(offsetof(struct ddp_wire_tagged, stag) == 4);
static_assert(offsetof(struct ddp_wire_tagged, to) == 8);
static_assert(sizeof(struct ddp_wire_untagged) == DDP_UNTAGGED_HEAD);
static_assert(offsetof(struct ddp_wire_untagged, inv_stag) == 4);
static_assert(offsetof(struct ddp_wire_untagged, qn) == 8);
static_assert(offsetof(struct ddp_wire_untagged, msn) == 12);
static_assert(offsetof(struct ddp_wire_untagged, mo) == 16);

/**
 * struct rdmap_wire_read_req - payload of a Read Request
 * @sink_stag: STag of the requester's memory, which the data is written to
 * @sink_to: offset in that memory
 * @length: number of bytes to read
 * @source_stag: STag of the responder's memory, which the data is read from
 * @source_to: offset in that memory
 */
struct rdmap_wire_read_req {
	__be32 sink_stag;
	__be64 sink_to;
	__be32 length;
	__be32 source_stag;
	__be64 source_to;
} __packed;

#define RDMAP_READ_REQ_LEN	28

static_assert(sizeof(struct rdmap_wire_read_req) == RDMAP_READ_REQ_LEN);
static_assert(offsetof(struct rdmap_wire_read_req, length) == 12);
static_assert(offsetof(struct rdmap_wire_read_req, source_to) == 20);

/**
 * enum rdmap_atomic_op - what an Atomic Request does
 * @RDMAP_ATOMIC_FETCH_ADD: adds to the word
 * @RDMAP_ATOMIC_SWAP: replaces the word
 * @RDMAP_ATOMIC_CMP_SWAP: replaces the word if it equals the value to compare with
 */
enum rdmap_atomic_op {
	RDMAP_ATOMIC_FETCH_ADD = 0,
	RDMAP_ATOMIC_SWAP = 1,
	RDMAP_ATOMIC_CMP_SWAP = 2,
};

#define RDMAP_ATOMIC_OP		0x0000000f	/* the 28 bits above are reserved */

/**
 * struct rdmap_wire_atomic_req - payload of an Atomic Request
 * @op: enum rdmap_atomic_op, in the bits RDMAP_ATOMIC_OP
 * @id: chosen by the requester, repeated in the response
 * @stag: STag of the memory
 * @to: offset of the word in that memory
 * @data: value to add or to swap in
 * @data_mask: mask for @data, see struct rdmap_atomic_req
 * @compare: value to compare with
 * @compare_mask: mask of the bits to compare
 */
struct rdmap_wire_atomic_req {
	__be32 op;
	__be32 id;
	__be32 stag;
	__be64 to;
	__be64 data;
	__be64 data_mask;
	__be64 compare;
	__be64 compare_mask;
} __packed;

/**
 * struct rdmap_wire_atomic_resp - payload of an Atomic Response
 * @id: id of the request
 * @old: value of the word before the operation
 */
struct rdmap_wire_atomic_resp {
	__be32 id;
	__be64 old;
} __packed;

/**
 * struct rdmap_wire_immediate - payload of an Immediate Data message
 * @zero: not used by verbs
 * @data: the consumer's four bytes
 */
struct rdmap_wire_immediate {
	__be32 zero;
	__be32 data;
};

#define RDMAP_ATOMIC_REQ_LEN	52
#define RDMAP_ATOMIC_RESP_LEN	12
#define RDMAP_IMMEDIATE_LEN	8

static_assert(sizeof(struct rdmap_wire_atomic_req) == RDMAP_ATOMIC_REQ_LEN);
static_assert(offsetof(struct rdmap_wire_atomic_req, to) == 12);
static_assert(offsetof(struct rdmap_wire_atomic_req, compare_mask) == 44);
static_assert(sizeof(struct rdmap_wire_atomic_resp) == RDMAP_ATOMIC_RESP_LEN);
static_assert(sizeof(struct rdmap_wire_immediate) == RDMAP_IMMEDIATE_LEN);

/* Length of the largest payload of a control message, in bytes. */
#define RDMAP_CONTROL_MAX	RDMAP_ATOMIC_REQ_LEN

/*
 * The payload of a Terminate begins with the control word, whose bits say what follows: with M, the
 * ULPDU_Length of the bad segment (2 bytes); with D, the DDP header of the bad segment (14 or 18
 * bytes); with R, the Read Request in the bad segment (28 bytes).
 */

#define TERM_CTRL_LAYER		0xf0000000
#define TERM_CTRL_ETYPE		0x0f000000
#define TERM_CTRL_CODE		0x00ff0000
#define TERM_CTRL_M		0x00008000
#define TERM_CTRL_D		0x00004000
#define TERM_CTRL_R		0x00002000	/* the 13 bits below are reserved */

#define TERM_CTRL_LEN		4
#define TERM_SEG_LEN_LEN	2
#define TERM_PAYLOAD_MAX	(TERM_CTRL_LEN + TERM_SEG_LEN_LEN + DDP_UNTAGGED_LEN + \
				 RDMAP_READ_REQ_LEN)

static_assert(TERM_PAYLOAD_MAX <= RDMAP_CONTROL_MAX);

/**
 * enum iwarp_layer - the layer that found the error that a Terminate reports
 * @IWARP_LAYER_RDMAP: RDMAP
 * @IWARP_LAYER_DDP: DDP
 * @IWARP_LAYER_LLP: MPA
 */
enum iwarp_layer {
	IWARP_LAYER_RDMAP = 0,
	IWARP_LAYER_DDP = 1,
	IWARP_LAYER_LLP = 2,
};

#define RDMAP_ETYPE_LOCAL	0
#define RDMAP_ETYPE_PROTECTION	1
#define RDMAP_ETYPE_OPERATION	2
#define DDP_ETYPE_LOCAL		0
#define DDP_ETYPE_TAGGED	1
#define DDP_ETYPE_UNTAGGED	2
#define LLP_ETYPE_MPA		0

#endif /* IWARP_WIRE_H */
