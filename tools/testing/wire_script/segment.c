// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends DDP segments and receives RDMAP messages. A field of a segment that a script does not name
 * is sent with the value of a conforming peer: message numbers and offsets continue the stream.
 */

#include "decode.h"
#include "iwarp/fpdu.h"
#include "payload.h"
#include "segment.h"
#include "stream.h"

static const struct message_kind kinds[] = {
	{ "write", RDMAP_WRITE, true, 0, false },
	{ "readreq", RDMAP_READ_REQUEST, false, DDP_QN_READ_REQUEST, false },
	{ "readresp", RDMAP_READ_RESPONSE, true, 0, false },
	{ "send", RDMAP_SEND, false, DDP_QN_SEND, false },
	{ "sendinv", RDMAP_SEND_INV, false, DDP_QN_SEND, true },
	{ "sendse", RDMAP_SEND_SE, false, DDP_QN_SEND, false },
	{ "sendseinv", RDMAP_SEND_SE_INV, false, DDP_QN_SEND, true },
	{ "term", RDMAP_TERMINATE, false, DDP_QN_TERMINATE, false },
	{ "imm", RDMAP_IMMEDIATE, false, DDP_QN_SEND, false },
	{ "immse", RDMAP_IMMEDIATE_SE, false, DDP_QN_SEND, false },
	{ "atomic", RDMAP_ATOMIC_REQUEST, false, DDP_QN_READ_REQUEST, false },
	{ "atomicresp", RDMAP_ATOMIC_RESPONSE, false, DDP_QN_ATOMIC_RESPONSE, false },
};

const struct message_kind *message_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

/* Sending */

static void add_tagged(struct run *run, struct conn *conn, struct args *args, struct bytes *fpdu,
		       u32 len, bool last)
{
	struct direction *tx = &conn->tx;
	bool open = tx->tagged_open;
	struct ddp_wire_tagged hdr;
	u32 stag = args_number(args, "stag", open ? tx->tagged_stag : 0);
	u64 to = args_number(args, "to", open ? tx->tagged_to : 0);

	hdr.stag = cpu_to_be32(stag);
	hdr.to = cpu_to_be64(to);
	bytes_add(run, fpdu, &hdr.stag, sizeof(hdr) - offsetof(struct ddp_wire_tagged, stag));
	tx->tagged_open = !last;
	tx->tagged_stag = stag;
	tx->tagged_to = to + len;
}

static void count_untagged(struct direction *dir, u32 qn, u32 msn, u32 mo, bool last)
{
	if (qn >= CONN_QUEUES)
		return;
	dir->msn[qn] = last ? msn + 1 : msn;
	dir->mo[qn] = last ? 0 : mo;
}

static void add_untagged(struct run *run, struct conn *conn, const struct message_kind *kind,
			 struct args *args, struct bytes *fpdu, u32 len, bool last)
{
	struct direction *tx = &conn->tx;
	u32 qn = args_number(args, "qn", kind->qn);
	u32 known = qn < CONN_QUEUES ? qn : 0;
	u32 msn = args_number(args, "msn", tx->msn[known]);
	u32 mo = args_number(args, "mo", tx->mo[known]);
	struct ddp_wire_untagged hdr = {
		.inv_stag = cpu_to_be32(args_number(args, "inv", 0)),
		.qn = cpu_to_be32(qn),
		.msn = cpu_to_be32(msn),
		.mo = cpu_to_be32(mo),
	};

	bytes_add(run, fpdu, &hdr.inv_stag,
		  sizeof(hdr) - offsetof(struct ddp_wire_untagged, inv_stag));
	count_untagged(tx, qn, msn, mo + len, last);
}

void segment_send(struct run *run, struct conn *conn, const struct message_kind *kind,
		  struct args *args)
{
	bool tagged = args_number(args, "t", kind->tagged);
	bool last = args_number(args, "last", 1);
	static const u8 zero[MPA_PAD_MAX];
	struct bytes payload = {}, fpdu = {};
	u8 ctrl[2];

	payload_build(run, kind, args, &payload);
	ctrl[0] = (args_number(args, "dv", DDP_VERSION) & DDP_CTRL_VERSION) |
		  args_number(args, "drsvd", 0) << 2 | (tagged ? DDP_CTRL_TAGGED : 0) |
		  (last ? DDP_CTRL_LAST : 0);
	ctrl[1] = (args_number(args, "op", kind->opcode) & RDMAP_CTRL_OPCODE) |
		  args_number(args, "rrsvd", 0) << 4 | args_number(args, "rv", RDMAP_VERSION) << 6;
	bytes_add(run, &fpdu, "\0", MPA_LEN_LEN);
	bytes_add(run, &fpdu, ctrl, sizeof(ctrl));
	if (tagged)
		add_tagged(run, conn, args, &fpdu, payload.len, last);
	else
		add_untagged(run, conn, kind, args, &fpdu, payload.len, last);
	bytes_add(run, &fpdu, payload.at, payload.len);
	put_unaligned_be16(args_number(args, "ulen", fpdu.len - MPA_LEN_LEN), fpdu.at);
	if (!args_bytes(args, "pad", &fpdu))
		bytes_add(run, &fpdu, zero, mpa_pad(fpdu.len - MPA_LEN_LEN));

	/* A Terminate of the host repeats the header of the last FPDU, or of the one marked so. */
	if (!conn->pinned) {
		conn->last.len = 0;
		bytes_add(run, &conn->last, fpdu.at, fpdu.len);
		conn->pinned = args_flag(args, "offender");
	}
	stream_send(run, conn, &fpdu, args);
}

/* Receiving */

/**
 * struct seen - a segment that was received
 * @fpdu: bytes of the FPDU from the length field to the end of the payload
 * @ddp: first control byte, of DDP
 * @rdmap: second control byte, of RDMAP
 * @tagged: Tagged flag in @ddp
 * @last: Last flag in @ddp
 * @stag: STag, if tagged
 * @to: tagged offset, if tagged
 * @inv: STag to invalidate, if untagged
 * @qn: queue number, if untagged
 * @msn: message sequence number, if untagged
 * @mo: message offset, if untagged
 * @payload: pointer to the payload within @fpdu
 * @len: number of bytes at @payload
 */
struct seen {
	struct bytes fpdu;
	u8 ddp;
	u8 rdmap;
	bool tagged;
	bool last;
	u32 stag;
	u64 to;
	u32 inv;
	u32 qn;
	u32 msn;
	u32 mo;
	const u8 *payload;
	u32 len;
};

static void take_segment(struct run *run, struct conn *conn, struct seen *seen, const char *what)
{
	const u8 *at;
	size_t head;

	*seen = (struct seen) {};
	stream_take(run, conn, &seen->fpdu, what);
	at = seen->fpdu.at;
	if (seen->fpdu.len < DDP_CTRL_END)
		run_fail(run, "an FPDU without control bytes");
	seen->ddp = at[2];
	seen->rdmap = at[3];
	seen->tagged = seen->ddp & DDP_CTRL_TAGGED;
	seen->last = seen->ddp & DDP_CTRL_LAST;
	head = seen->tagged ? DDP_TAGGED_HEAD : DDP_UNTAGGED_HEAD;
	if (seen->fpdu.len < head)
		run_fail(run, "an FPDU shorter than its header");
	if (seen->tagged) {
		seen->stag = get_unaligned_be32(at + 4);
		seen->to = (u64)get_unaligned_be32(at + 8) << 32 | get_unaligned_be32(at + 12);
	} else {
		seen->inv = get_unaligned_be32(at + 4);
		seen->qn = get_unaligned_be32(at + 8);
		seen->msn = get_unaligned_be32(at + 12);
		seen->mo = get_unaligned_be32(at + 16);
	}
	seen->payload = at + head;
	seen->len = seen->fpdu.len - head;
}

static void require(struct run *run, const struct seen *seen, bool good, const char *rule)
{
	if (!good)
		run_fail(run, "rule broken: %s; seen:\n%s", rule,
			 decode(run, seen->fpdu.at, seen->fpdu.len));
}

static void check_segment(struct run *run, struct conn *conn, const struct message_kind *kind,
			  const struct seen *seen)
{
	u8 opcode = seen->rdmap & RDMAP_CTRL_OPCODE;
	struct direction *rx = &conn->rx;

	if (opcode != kind->opcode || seen->tagged != kind->tagged)
		run_fail(run, "waited for %s; seen:\n%s", kind->name,
			 decode(run, seen->fpdu.at, seen->fpdu.len));
	require(run, seen, (seen->ddp & 0x3f) == DDP_VERSION, "DDP version 1, reserved bits zero");
	require(run, seen, seen->rdmap >> 4 == RDMAP_VERSION << 2,
		"RDMAP version 1, reserved bits zero");
	if (!seen->tagged) {
		require(run, seen, seen->qn == kind->qn, "the queue of its opcode");
		require(run, seen, seen->msn == rx->msn[seen->qn], "message numbers in sequence");
		require(run, seen, seen->mo == rx->mo[seen->qn], "MO continues the message");
		require(run, seen, kind->invalidates || !seen->inv, "reserved word zero");
		count_untagged(rx, seen->qn, seen->msn, seen->mo + seen->len, seen->last);
		return;
	}
	if (rx->tagged_open) {
		require(run, seen, seen->stag == rx->tagged_stag, "one STag throughout a message");
		require(run, seen, seen->to == rx->tagged_to, "TO continues the message");
	}
	rx->tagged_open = !seen->last;
	rx->tagged_stag = seen->stag;
	rx->tagged_to = seen->to + seen->len;
}

/* Compares the header of a message's first segment, and sets variables from the header. */
static void compare_head(struct run *run, const char *prefix, struct args *args,
			 const struct seen *seen)
{
	args_expect(args, "last", seen->last);
	if (seen->tagged) {
		args_expect(args, "stag", seen->stag);
		args_expect(args, "to", seen->to);
		var_set(run, run_text(run, "%s.stag", prefix), seen->stag);
		var_set(run, run_text(run, "%s.to", prefix), seen->to);
		return;
	}
	args_expect(args, "inv", seen->inv);
	args_expect(args, "msn", seen->msn);
	args_expect(args, "mo", seen->mo);
	var_set(run, run_text(run, "%s.msn", prefix), seen->msn);
	var_set(run, run_text(run, "%s.inv", prefix), seen->inv);
}

static const struct message_kind *kind_of(struct run *run, const struct seen *seen)
{
	u8 opcode = seen->rdmap & RDMAP_CTRL_OPCODE;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].opcode == opcode)
			return &kinds[i];
	run_fail(run, "an unknown opcode, %u", opcode);
}

void message_expect(struct run *run, struct conn *conn, const struct message_kind *kind,
		    struct args *args)
{
	const char *prefix = args_text(args, "as") ?: kind->name;
	bool one = args_flag(args, "seg");
	bool skip = args_flag(args, "skip");
	const struct message_kind *other;
	struct bytes payload = {};
	struct seen seen;
	int fpdus = 0;

	do {
		take_segment(run, conn, &seen, kind->name);
		/* The messages of segments that are skipped need not be complete. */
		while (skip && !fpdus && (other = kind_of(run, &seen)) != kind) {
			check_segment(run, conn, other, &seen);
			take_segment(run, conn, &seen, kind->name);
		}
		check_segment(run, conn, kind, &seen);
		if (!fpdus++)
			compare_head(run, prefix, args, &seen);
		bytes_add(run, &payload, seen.payload, seen.len);
	} while (!one && !seen.last);
	args_expect(args, "fpdus", fpdus);
	args_expect(args, "bytes", payload.len);
	var_set(run, run_text(run, "%s.bytes", prefix), payload.len);
	payload_expect(run, conn, kind, args, prefix, &payload);
	args_done(args);
}

void segments_expect(struct run *run, struct conn *conn)
{
	struct seen seen;

	while (conn_has_more(run, conn)) {
		take_segment(run, conn, &seen, "a whole FPDU");
		check_segment(run, conn, kind_of(run, &seen), &seen);
	}
}
