// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prints a conversation that our code builds, in text2pcap's format. "I" marks packets from the
 * initiator, "O" packets from the responder. The argument is "plain" or "markers".
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc32c.h"
#include "iwarp/atomic.h"
#include "iwarp/fpdu.h"
#include "iwarp/mpa.h"
#include "iwarp/rdmap.h"
#include "iwarp/term.h"

#define BUF_MAX 4096

static u8 fpdu[BUF_MAX];	/* the FPDU being built, from its length field on */
static bool markers;		/* both sides ask for markers */
static u64 positions[2];	/* stream positions of initiator and responder, with markers */

static void print_packet(char direction, const u8 *data, size_t len)
{
	printf("%c\n000000", direction);
	for (size_t i = 0; i < len; i++)
		printf(" %02x", data[i]);
	printf("\n");
}

/*
 * Writes the FPDU's words to @out, with a marker before each word at a marker's position. Returns
 * the length in bytes.
 */
static size_t insert_markers(u64 position, u8 *out, size_t len)
{
	size_t from = 0, to = 0, start = 0;

	while (from < len) {
		if (!mpa_marker_gap(position + to)) {
			mpa_marker_build(out + to, from ? to - start : 0);
			to += MPA_MARKER_LEN;
			start = from ? start : to;
		}
		memcpy(out + to, fpdu + from, 4);
		from += 4;
		to += 4;
	}
	return to;
}

/* Sends the FPDU whose first @head_len bytes are built, with a payload. */
static void send_fpdu(char direction, size_t head_len, const void *payload, size_t len)
{
	u64 *position = &positions[direction == 'O'];
	size_t fpdu_len = head_len + len;
	u8 out[2 * BUF_MAX];

	memcpy(fpdu + head_len, payload, len);
	fpdu_len += mpa_trailer_build(fpdu + fpdu_len, fpdu_len - MPA_LEN_LEN, 0);
	len = fpdu_len;
	if (markers) {
		len = insert_markers(*position, out, fpdu_len);
		if (len != mpa_stream_len(*position, fpdu_len))
			abort();
	} else {
		memcpy(out, fpdu, fpdu_len);
	}
	mpa_crc_put(out + len - MPA_CRC_LEN, crc32c(~0u, out, len - MPA_CRC_LEN) ^ ~0u);
	print_packet(direction, out, len);
	*position += len;
}

static void handshake(void)
{
	const struct mpa_policy initiator = {
		.rev = 2, .crc = true, .peer_to_peer = true, .rtr = MPA_RTR_ALL, .ird = 8,
		.ord = 4, .markers = markers,
	};
	const struct mpa_policy responder = {
		.rev = 2, .peer_to_peer = true, .rtr = MPA_RTR_ALL, .ird = 2, .ord = 16,
		.markers = markers,
	};
	struct mpa_frame request, reply;
	struct mpa_agreement agreement;
	u8 buf[MPA_FRAME_MAX];

	mpa_request_init(&initiator, &request);
	request.pd = (const u8 *)"hello";
	request.pd_len = 5;
	print_packet('I', buf, mpa_frame_build(buf, sizeof(buf), &request));
	if (mpa_negotiate_responder(&responder, &request, &agreement))
		abort();
	mpa_reply_init(&responder, &request, &agreement, &reply);
	print_packet('O', buf, mpa_frame_build(buf, sizeof(buf), &reply));
}

static void initiator_sends(void)
{
	send_fpdu('I', ddp_build_tagged(fpdu, RDMAP_WRITE, true, 0, 0, 0), "", 0);
	send_fpdu('I',
		  ddp_build_tagged(fpdu, RDMAP_WRITE, false, 0x11223344, 0x5566778899aabbcc, 5),
		  "abcde", 5);
	send_fpdu('I', ddp_build_untagged(fpdu, RDMAP_SEND, false, 1, 0, 0, 4), "abcd", 4);
	send_fpdu('I', ddp_build_untagged(fpdu, RDMAP_SEND, true, 1, 4, 0, 2), "ef", 2);
	send_fpdu('I', ddp_build_untagged(fpdu, RDMAP_SEND_INV, true, 2, 0, 0xa1b2c3d4, 3),
		  "abc", 3);
	send_fpdu('I', ddp_build_untagged(fpdu, RDMAP_SEND_SE, true, 3, 0, 0, 1), "a", 1);
	send_fpdu('I', ddp_build_untagged(fpdu, RDMAP_SEND_SE_INV, true, 4, 0, 0x01020304, 0),
		  "", 0);
}

/* Sends a Read Request and its two Responses. Returns the request in @head and @req. */
static void read_data(u8 *head, u8 *req)
{
	const struct rdmap_read_req read = {
		.sink_stag = 0x11, .sink_to = 0x2200000022, .length = 1500,
		.source_stag = 0x33, .source_to = 0x4400000044,
	};
	const u8 data[1000] = { 0 };

	send_fpdu('I',
		  ddp_build_untagged(fpdu, RDMAP_READ_REQUEST, true, 1, 0, 0, RDMAP_READ_REQ_LEN),
		  req, rdmap_read_req_build(req, &read));
	memcpy(head, fpdu, DDP_UNTAGGED_HEAD);
	send_fpdu('O', ddp_build_tagged(fpdu, RDMAP_READ_RESPONSE, false, 0x11, 0x2200000022, 1000),
		  data, 1000);
	send_fpdu('O', ddp_build_tagged(fpdu, RDMAP_READ_RESPONSE, true, 0x11, 0x220000040a, 500),
		  data, 500);
}

static void atomic(u8 op, u32 msn)
{
	const struct rdmap_atomic_req req = {
		.op = op, .id = 0xa1b2c300 + msn, .stag = 0x55667788, .to = 0x1111111111111110,
		.data = 0x2222222222222222, .data_mask = 0x3333333333333333,
		.compare = 0x4444444444444444, .compare_mask = 0x5555555555555555,
	};
	u8 buf[RDMAP_ATOMIC_REQ_LEN];

	send_fpdu('I', ddp_build_untagged(fpdu, RDMAP_ATOMIC_REQUEST, true, msn, 0, 0, sizeof(buf)),
		  buf, rdmap_atomic_req_build(buf, &req));
}

/* Sends the messages that RFC 7306 adds to RDMAP. */
static void extensions(void)
{
	const struct rdmap_atomic_resp resp = { .id = 0xa1b2c302, .old = 0x6666666666666666 };
	u8 buf[RDMAP_ATOMIC_RESP_LEN];

	send_fpdu('I',
		  ddp_build_untagged(fpdu, RDMAP_IMMEDIATE, true, 5, 0, 0, RDMAP_IMMEDIATE_LEN),
		  buf, rdmap_immediate_build(buf, cpu_to_be32(0x01020304)));
	send_fpdu('I',
		  ddp_build_untagged(fpdu, RDMAP_IMMEDIATE_SE, true, 6, 0, 0, RDMAP_IMMEDIATE_LEN),
		  buf, rdmap_immediate_build(buf, cpu_to_be32(0x05060708)));
	atomic(RDMAP_ATOMIC_FETCH_ADD, 2);
	atomic(RDMAP_ATOMIC_CMP_SWAP, 3);
	send_fpdu('O', ddp_build_untagged(fpdu, RDMAP_ATOMIC_RESPONSE, true, 1, 0, 0, sizeof(buf)),
		  buf, rdmap_atomic_resp_build(buf, &resp));
}

static void responder_terminates(const u8 *head, const u8 *req)
{
	const struct iwarp_bad_segment bad_segment = {
		head, DDP_UNTAGGED_HEAD, req, RDMAP_READ_REQ_LEN,
	};
	u8 term[TERM_PAYLOAD_MAX];
	int len = iwarp_term_build(term, sizeof(term), IWARP_RDMAP_OPERATION, &bad_segment);

	send_fpdu('O', ddp_build_untagged(fpdu, RDMAP_TERMINATE, true, 1, 0, 0, len), term, len);
}

int main(int argc, char **argv)
{
	u8 head[DDP_HEAD_MAX], req[RDMAP_READ_REQ_LEN];

	markers = argc > 1 && !strcmp(argv[1], "markers");
	handshake();
	initiator_sends();
	read_data(head, req);
	extensions();
	responder_terminates(head, req);
	return EXIT_SUCCESS;
}
