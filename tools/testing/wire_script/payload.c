// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Builds and compares the payload of messages. Compares all bytes of a received Terminate. */

#include "iwarp/rdmap.h"
#include "iwarp/term.h"
#include "payload.h"

/* Appends the control word of a Terminate. */
static void add_term_control(struct run *run, struct args *args, u32 bits, struct bytes *payload)
{
	__be32 word = cpu_to_be32(FIELD_PREP(TERM_CTRL_LAYER, args_number(args, "layer", 0)) |
				  FIELD_PREP(TERM_CTRL_ETYPE, args_number(args, "etype", 0)) |
				  FIELD_PREP(TERM_CTRL_CODE, args_number(args, "code", 0)) | bits);

	bytes_add(run, payload, &word, sizeof(word));
}

void payload_build(struct run *run, const struct message_kind *kind, struct args *args,
		   struct bytes *payload)
{
	u8 buf[RDMAP_READ_REQ_LEN];

	if (args_bytes(args, "data", payload))
		return;
	if (kind->opcode == RDMAP_READ_REQUEST) {
		const struct rdmap_read_req req = {
			.sink_stag = args_number(args, "sink_stag", 0x51),
			.sink_to = args_number(args, "sink_to", 0),
			.length = args_number(args, "size", 0),
			.source_stag = args_number(args, "src_stag", 0),
			.source_to = args_number(args, "src_to", 0),
		};

		bytes_add(run, payload, buf, rdmap_read_req_build(buf, &req));
	} else if (kind->opcode == RDMAP_TERMINATE) {
		u32 bits = args_number(args, "rsvd", 0);

		bits |= args_number(args, "m", 0) ? TERM_CTRL_M : 0;
		bits |= args_number(args, "d", 0) ? TERM_CTRL_D : 0;
		bits |= args_number(args, "r", 0) ? TERM_CTRL_R : 0;
		add_term_control(run, args, bits, payload);
		args_bytes(args, "headers", payload);
	}
}

static void expect_read_request(struct run *run, struct args *args, const char *prefix,
				const struct bytes *payload)
{
	struct rdmap_read_req req;

	if (payload->len != RDMAP_READ_REQ_LEN)
		run_fail(run, "a Read Request of %zu bytes", payload->len);
	rdmap_read_req_parse(payload->at, payload->len, &req);
	args_expect(args, "size", req.length);
	args_expect(args, "src_stag", req.source_stag);
	args_expect(args, "src_to", req.source_to);
	var_set(run, run_text(run, "%s.sink_stag", prefix), req.sink_stag);
	var_set(run, run_text(run, "%s.sink_to", prefix), req.sink_to);
	var_set(run, run_text(run, "%s.size", prefix), req.length);
	var_set(run, run_text(run, "%s.src_stag", prefix), req.source_stag);
	var_set(run, run_text(run, "%s.src_to", prefix), req.source_to);
}

/*
 * Appends to @headers the headers of conn->last that a Terminate about conn->last quotes after its
 * control word. Returns the bits of the control word that announce these headers.
 */
static u32 add_echo(struct run *run, const struct conn *conn, const char *echo,
		    struct bytes *headers)
{
	const struct bytes *fpdu = &conn->last;
	bool tagged = fpdu->len > MPA_LEN_LEN && fpdu->at[MPA_LEN_LEN] & DDP_CTRL_TAGGED;
	size_t head = tagged ? DDP_TAGGED_HEAD : DDP_UNTAGGED_HEAD;

	if (!strcmp(echo, "none"))
		return 0;
	if (fpdu->len < head)
		run_fail(run, "no FPDU with a whole header was sent, so none can be echoed");
	bytes_add(run, headers, fpdu->at, head);
	if (!strcmp(echo, "hdr"))
		return TERM_CTRL_M | TERM_CTRL_D;
	if (strcmp(echo, "req") || fpdu->len < head + RDMAP_READ_REQ_LEN)
		run_fail(run, "echo must be none, hdr, or req after a Read Request; not %s", echo);
	bytes_add(run, headers, fpdu->at + head, RDMAP_READ_REQ_LEN);
	return TERM_CTRL_M | TERM_CTRL_D | TERM_CTRL_R;
}

static void expect_terminate(struct run *run, struct conn *conn, struct args *args,
			     const struct bytes *payload)
{
	const char *echo = args_text(args, "echo"), *name = "Terminate";
	struct bytes want = {}, headers = {};
	u32 bits = add_echo(run, conn, echo ?: "none", &headers);
	struct iwarp_term term;

	if (!iwarp_term_parse(payload->at, payload->len, &term))
		name = run_text(run, "Terminate (layer=%u etype=%u code=%u, %s)", term.layer,
				term.etype, term.code, iwarp_fault_name(term.fault));
	add_term_control(run, args, bits, &want);
	bytes_add(run, &want, headers.at, headers.len);
	bytes_expect(run, name, payload->at, payload->len, want.at, want.len);
}

void payload_expect(struct run *run, struct conn *conn, const struct message_kind *kind,
		    struct args *args, const char *prefix, const struct bytes *payload)
{
	struct bytes want = {};

	if (args_bytes(args, "data", &want))
		bytes_expect(run, "data", payload->at, payload->len, want.at, want.len);
	else if (kind->opcode == RDMAP_READ_REQUEST)
		expect_read_request(run, args, prefix, payload);
	else if (kind->opcode == RDMAP_TERMINATE)
		expect_terminate(run, conn, args, payload);
}
