// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Parses Terminate payloads of any content, and builds Terminates about FPDUs of any content. The
 * input has 1 byte of fault, 1 byte of FPDU length, and the payload to parse. The payload is used a
 * second time for building: as the FPDU, and behind that as the Read Request.
 */

#include "fuzz.h"
#include "iwarp/term.h"

static void claim_within(const uint8_t *part, size_t part_len, const uint8_t *buf, size_t len)
{
	CLAIM(!part || (part >= buf && part + part_len <= buf + len));
}

static void parse(struct input in)
{
	uint8_t *buf = exact(in.at, in.len);
	struct iwarp_term term;

	if (iwarp_term_parse(buf, in.len, &term)) {
		CLAIM(in.len < TERM_CTRL_LEN);
	} else {
		CLAIM(term.layer < 16 && term.etype < 16);
		CLAIM(term.fault != IWARP_OK && term.fault < IWARP_FAULT_COUNT);
		CLAIM(!term.ddp == !term.ddp_len);
		claim_within(term.ddp, term.ddp_len, buf, in.len);
		claim_within(term.read_req, RDMAP_READ_REQ_LEN, buf, in.len);
	}
	free(buf);
}

/* Claims that a Terminate fits any buffer that is long enough, and echoes the bad segment. */
static void build(enum iwarp_fault fault, size_t fpdu_len, struct input in)
{
	uint8_t buf[TERM_PAYLOAD_MAX];
	struct iwarp_bad_segment bad_segment;
	struct iwarp_fault_code wire = iwarp_fault_code(fault);
	struct iwarp_term term;
	uint8_t *fpdu, *req;
	int len;

	fpdu_len = fpdu_len < in.len ? fpdu_len : in.len;
	fpdu = exact(in.at, fpdu_len);
	req = exact(in.at + fpdu_len, in.len - fpdu_len);
	bad_segment = (struct iwarp_bad_segment) { fpdu, fpdu_len, req, in.len - fpdu_len };

	len = iwarp_term_build(buf, sizeof(buf), fault, &bad_segment);
	CLAIM(len >= TERM_CTRL_LEN && len <= TERM_PAYLOAD_MAX);
	CLAIM(iwarp_term_build(buf, len, fault, &bad_segment) == len);
	CLAIM(iwarp_term_build(buf, len - 1, fault, &bad_segment) == -ENOSPC);
	CLAIM(iwarp_term_parse(buf, len, &term) == IWARP_OK);
	CLAIM(term.layer == wire.layer && term.etype == wire.etype && term.code == wire.code);
	if (term.ddp) {
		CLAIM(fpdu_len >= (size_t)term.ddp_len + MPA_LEN_LEN);
		CLAIM(!memcmp(term.ddp, fpdu + MPA_LEN_LEN, term.ddp_len));
	}
	if (term.read_req) {
		CLAIM(term.ddp && term.layer == IWARP_LAYER_RDMAP);
		CLAIM(!memcmp(term.read_req, req, RDMAP_READ_REQ_LEN));
	}
	free(req);
	free(fpdu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	enum iwarp_fault fault = take(&in, 1);
	size_t fpdu_len = take(&in, 1);

	parse(in);
	build(fault, fpdu_len, in);
	return 0;
}
