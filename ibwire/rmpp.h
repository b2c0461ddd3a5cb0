/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The header of RMPP, which sends a message as several MADs, its segments (IBTA 13.6). */
#ifndef IBWIRE_RMPP_H
#define IBWIRE_RMPP_H

#include "mad.h"

#define RMPP_VERSION		1

/* Types */
#define RMPP_DATA		1
#define RMPP_ACK		2
#define RMPP_STOP		3
#define RMPP_ABORT		4

/* Flags */
#define RMPP_ACTIVE		0x1	/* the MAD is part of an RMPP message */
#define RMPP_FIRST		0x2
#define RMPP_LAST		0x4

/* Status of a Stop or an Abort. */
#define RMPP_STATUS_NORMAL	0
#define RMPP_STATUS_RESX	1	/* Stop: resources are exhausted */
#define RMPP_STATUS_T2L		118	/* the whole message takes too long */
#define RMPP_STATUS_BAD_LEN	119	/* Last and PayloadLength disagree */
#define RMPP_STATUS_BAD_SEG	120	/* First and SegmentNumber disagree */
#define RMPP_STATUS_BADT	121	/* unknown type */
#define RMPP_STATUS_W2S		122	/* NewWindowLast is too small */
#define RMPP_STATUS_S2B		123	/* SegmentNumber is too big */
#define RMPP_STATUS_BAD_STATUS	124	/* a status that the type may not have */
#define RMPP_STATUS_UNV		125	/* another version of RMPP */
#define RMPP_STATUS_TMR		126	/* too many retries */
#define RMPP_STATUS_UNSPEC	127
#define RMPP_STATUS_ABORT_MIN	RMPP_STATUS_T2L
#define RMPP_STATUS_VENDOR_MIN	128
#define RMPP_STATUS_VENDOR_MAX	191

#define RMPP_RESP_TIME_NONE	0x1f	/* the receiver names no time; RRespTime has five bits */

/**
 * struct rmpp - header of RMPP, decoded
 * @type: RMPP_DATA, RMPP_ACK, RMPP_STOP, RMPP_ABORT
 * @flags: RMPP_ACTIVE, RMPP_FIRST, RMPP_LAST
 * @resp_time: the sender of this header answers within 4.096 us * 2^@resp_time
 * @status: RMPP_STATUS_*
 * @segment: Data: number of the segment, from 1 on; Ack: the last one that came in order
 * @length: Data: PayloadLength in bytes, in the first and the last segment; Ack: NewWindowLast, the
 *	last segment that may be sent
 */
struct rmpp {
	u8 type;
	u8 flags;
	u8 resp_time;
	u8 status;
	u32 segment;
	u32 length;
};

/**
 * rmpp_is_active() - is a MAD part of an RMPP message?
 * @mad: MAD_LEN bytes, of a class that has RMPP
 *
 * Return: the flag Active.
 */
bool rmpp_is_active(const u8 *mad);

/**
 * rmpp_parse() - decode and check the header of RMPP
 * @mad: MAD_LEN bytes, of a class that has RMPP
 * @rmpp: out: the header
 *
 * Return: RMPP_STATUS_NORMAL, or what an Abort would say, in this order: RMPP_STATUS_UNV,
 * RMPP_STATUS_BADT, RMPP_STATUS_BAD_STATUS, and for Data RMPP_STATUS_BAD_SEG if First is not set on
 * segment 1 or set on another one, or the segment is 0, and RMPP_STATUS_BAD_LEN if the last segment
 * has a length that is less than the class's own header or more than a MAD has room for.
 */
u8 rmpp_parse(const u8 *mad, struct rmpp *rmpp);

/**
 * rmpp_build() - write the header of RMPP
 * @mad: MAD_LEN bytes
 * @rmpp: the header
 */
void rmpp_build(u8 *mad, const struct rmpp *rmpp);

/**
 * rmpp_class_header() - get the length of a class's own header, which each segment repeats
 * @mgmt_class: a class that has RMPP
 *
 * PayloadLength counts it for each segment.
 *
 * Return: bytes between the header of RMPP and the data.
 */
size_t rmpp_class_header(u8 mgmt_class);

#endif /* IBWIRE_RMPP_H */
