// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests management datagrams: their header, RMPP's header, and each step of directed routes. */

#include <string.h>

#include "ibwire/mad.h"
#include "ibwire/rmpp.h"
#include "ibwire/smp.h"
#include "unit.h"

/* A Get of NodeInfo by OpenSM: directed route, one hop. */
#define GET_NODE_INFO "01 81 01 01 0000 00 01 0000000000001234 0011 0000 00000000"

static void mad_header(void)
{
	struct bytes in = bytes_of_hex(GET_NODE_INFO);
	u8 buf[MAD_LEN] = { 0 };
	struct mad mad;

	memcpy(buf, in.at, in.len);
	CHECK_EQ(mad_parse(buf, MAD_LEN, &mad), IBWIRE_OK);
	CHECK_EQ(mad.mgmt_class, MAD_CLASS_SMP_DIRECTED);
	CHECK_EQ(mad.class_version, 1);
	CHECK_EQ(mad.method, MAD_METHOD_GET);
	CHECK_EQ(mad.status, 0);
	CHECK_EQ(mad.class_specific, 1);
	CHECK_EQ(mad.tid, 0x1234);
	CHECK_EQ(mad.attr_id, 0x11);
	CHECK_EQ(mad.attr_mod, 0);

	mad = (struct mad) {
		.mgmt_class = 0x03, .class_version = 2, .method = 0x92, .status = 0x1c00,
		.class_specific = 0x0708, .tid = 0x1122334455667788, .attr_id = 0x35,
		.attr_mod = 0xa1b2c3d4,
	};
	memset(buf, 0xee, sizeof(buf));
	mad_build(buf, &mad);
	CHECK_BYTES(buf, MAD_HDR_LEN, "01 03 02 92 1c00 0708 1122334455667788 0035 0000 a1b2c3d4");
	CHECK_EQ(buf[MAD_HDR_LEN], 0xee);
}

static void mad_faults(void)
{
	u8 buf[MAD_LEN] = { MAD_BASE_VERSION };
	struct mad mad;

	CHECK_EQ(mad_parse(buf, MAD_LEN, &mad), IBWIRE_OK);
	CHECK_EQ(mad_parse(buf, MAD_LEN - 1, &mad), IBWIRE_TRUNCATED);
	buf[0] = 0x80;
	CHECK_EQ(mad_parse(buf, MAD_LEN, &mad), IBWIRE_MAD_VERSION);
}

static void responses(void)
{
	static const struct {
		struct mad mad;
		bool response;
	} rows[] = {
		{ { .method = MAD_METHOD_GET }, false },
		{ { .method = MAD_METHOD_GET | MAD_METHOD_RESPONSE }, true },
		{ { .method = MAD_METHOD_TRAP }, false },
		{ { .method = MAD_METHOD_TRAP_REPRESS }, true },
		{ { .method = MAD_METHOD_REPORT | MAD_METHOD_RESPONSE }, true },
		{ { .mgmt_class = MAD_CLASS_BASEBOARD, .method = MAD_METHOD_SEND }, false },
		{ { .mgmt_class = MAD_CLASS_BASEBOARD, .method = MAD_METHOD_SEND, .attr_mod = 1 },
		  true },
		{ { .mgmt_class = MAD_CLASS_BASEBOARD, .method = MAD_METHOD_SEND, .attr_mod = 2 },
		  false },
		{ { .mgmt_class = MAD_CLASS_PERF, .method = MAD_METHOD_GET, .attr_mod = 1 },
		  false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unit_input("row %zu", i);
		CHECK_EQ(mad_is_response(&rows[i].mad), rows[i].response);
	}
}

static void data_of_classes(void)
{
	static const struct {
		u8 first, last;
		size_t offset, class_header;
	} rows[] = {
		{ 0x00, 0x02, 24, 0 }, { 0x03, 0x03, 56, 20 }, { 0x04, 0x05, 24, 0 },
		{ 0x06, 0x06, 64, 28 }, { 0x07, 0x0f, 24, 0 }, { 0x10, 0x10, 64, 28 },
		{ 0x11, 0x11, 24, 0 }, { 0x12, 0x12, 64, 28 }, { 0x13, 0x2f, 24, 0 },
		{ 0x30, 0x4f, 40, 4 }, { 0x50, 0xff, 24, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (unsigned int class = rows[i].first; class <= rows[i].last; class++) {
			unit_input("class %#x", class);
			CHECK_EQ(mad_data_offset(class), rows[i].offset);
			CHECK_EQ(mad_class_has_rmpp(class), rows[i].offset != 24);
			if (mad_class_has_rmpp(class))
				CHECK_EQ(rmpp_class_header(class), rows[i].class_header);
		}
	}
}

/* Returns a MAD of subnet administration with this header of RMPP. */
static struct bytes with_rmpp(const char *hex)
{
	struct bytes rmpp = bytes_of_hex(hex);
	u8 buf[MAD_LEN] = { MAD_BASE_VERSION, MAD_CLASS_SA };

	memcpy(buf + MAD_HDR_LEN, rmpp.at, rmpp.len);
	return bytes_copy(buf, sizeof(buf));
}

static void rmpp_header(void)
{
	struct bytes in = with_rmpp("01 01 ff 00 00000001 000000dc");
	u8 buf[MAD_LEN];
	struct rmpp rmpp;

	CHECK(rmpp_is_active(in.at));
	CHECK_EQ(rmpp_parse(in.at, &rmpp), RMPP_STATUS_NORMAL);
	CHECK_EQ(rmpp.type, RMPP_DATA);
	CHECK_EQ(rmpp.flags, RMPP_ACTIVE | RMPP_FIRST | RMPP_LAST);
	CHECK_EQ(rmpp.resp_time, RMPP_RESP_TIME_NONE);
	CHECK_EQ(rmpp.segment, 1);
	CHECK_EQ(rmpp.length, 220);
	memset(buf, 0xee, sizeof(buf));
	rmpp_build(buf, &rmpp);
	CHECK_BYTES(buf + MAD_HDR_LEN, MAD_RMPP_HDR_LEN, "01 01 ff 00 00000001 000000dc");

	rmpp = (struct rmpp) { RMPP_ABORT, RMPP_ACTIVE, 5, RMPP_STATUS_TMR, 0x11223344,
			       0x55667788 };
	rmpp_build(buf, &rmpp);
	CHECK_BYTES(buf + MAD_HDR_LEN, MAD_RMPP_HDR_LEN, "01 04 29 7e 11223344 55667788");
	CHECK_EQ(buf[MAD_HDR_LEN - 1], 0xee);
	CHECK_EQ(buf[MAD_HDR_LEN + MAD_RMPP_HDR_LEN], 0xee);
	in = with_rmpp("01 01 fe 00 00000001 00000000");
	CHECK(!rmpp_is_active(in.at));
}

static void rmpp_checks(void)
{
	static const struct {
		const char *hex;
		u8 status;
	} rows[] = {
		{ "02 01 01 00 00000002 00000000", RMPP_STATUS_UNV },
		{ "00 09 01 05 00000002 00000000", RMPP_STATUS_UNV },
		{ "01 00 01 00 00000002 00000000", RMPP_STATUS_BADT },
		{ "01 05 01 00 00000002 00000000", RMPP_STATUS_BADT },
		{ "01 01 01 01 00000002 00000000", RMPP_STATUS_BAD_STATUS },	/* Data */
		{ "01 02 01 01 00000002 00000000", RMPP_STATUS_BAD_STATUS },	/* Ack */
		{ "01 02 01 00 00000000 00000040", RMPP_STATUS_NORMAL },
		{ "01 03 01 00 00000000 00000000", RMPP_STATUS_BAD_STATUS },	/* Stop */
		{ "01 03 01 01 00000000 00000000", RMPP_STATUS_NORMAL },
		{ "01 03 01 02 00000000 00000000", RMPP_STATUS_BAD_STATUS },
		{ "01 04 01 75 00000000 00000000", RMPP_STATUS_BAD_STATUS },	/* Abort */
		{ "01 04 01 76 00000000 00000000", RMPP_STATUS_NORMAL },
		{ "01 04 01 bf 00000000 00000000", RMPP_STATUS_NORMAL },
		{ "01 04 01 c0 00000000 00000000", RMPP_STATUS_BAD_STATUS },
		{ "01 01 03 00 00000001 ffffffff", RMPP_STATUS_NORMAL },	/* First */
		{ "01 01 03 00 00000002 00000000", RMPP_STATUS_BAD_SEG },
		{ "01 01 03 00 00000000 00000000", RMPP_STATUS_BAD_SEG },
		{ "01 01 01 00 00000000 00000000", RMPP_STATUS_BAD_SEG },
		{ "01 01 01 00 00000001 00000000", RMPP_STATUS_BAD_SEG },
		{ "01 01 01 00 00000002 ffffffff", RMPP_STATUS_NORMAL },	/* in the middle */
		{ "01 01 05 00 00000002 00000013", RMPP_STATUS_BAD_LEN },	/* Last */
		{ "01 01 05 00 00000002 00000014", RMPP_STATUS_NORMAL },
		{ "01 01 05 00 00000002 000000dc", RMPP_STATUS_NORMAL },
		{ "01 01 05 00 00000002 000000dd", RMPP_STATUS_BAD_LEN },
		{ "01 01 07 00 00000001 000000dd", RMPP_STATUS_BAD_LEN },	/* First and Last */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bytes in = with_rmpp(rows[i].hex);
		struct rmpp rmpp;

		unit_input("%s", rows[i].hex);
		CHECK_EQ(rmpp_parse(in.at, &rmpp), rows[i].status);
	}
}

/* --- directed routes --- */

/* The members of an SMP that a step reads or writes. */
struct route {
	bool back;
	u8 pointer, hops;
	u16 slid, dlid;
	u8 initial[4], returns[4];	/* the first entries of the paths */
};

static void put_route(u8 *smp, const struct route *r)
{
	memset(smp, 0, MAD_LEN);
	smp[4] = r->back ? 0x80 : 0;
	smp[6] = r->pointer;
	smp[7] = r->hops;
	smp[32] = r->slid >> 8;
	smp[33] = r->slid;
	smp[34] = r->dlid >> 8;
	smp[35] = r->dlid;
	memcpy(smp + 128, r->initial, sizeof(r->initial));
	memcpy(smp + 192, r->returns, sizeof(r->returns));
}

#define CA(port)	{ false, 2, port }
#define SWITCH(port)	{ true, 8, port }
#define DROP		.next = SMP_DROP
#define HERE(at)	.next = SMP_HERE, .pointer = (at)
#define TO_PORT(n, at)	.next = SMP_PORT, .port = (n), .pointer = (at)
#define TO_LID(at)	.next = SMP_LID, .pointer = (at)
#define PURE		.slid = 0xffff, .dlid = 0xffff	/* by ports from end to end */

static const struct {
	const char *what;
	bool start;
	struct smp_node node;
	struct route route;
	enum smp_next next;
	u8 port;	/* SMP_PORT: which */
	u8 pointer;	/* afterwards, unless SMP_DROP */
	u8 returns;	/* entry of the return path that is written, or 0 */
} steps[] = {
	{ "to itself", true, CA(0), { PURE }, HERE(1) },
	{ "first of three hops", true, CA(0), { PURE, .hops = 3, .initial = { 0, 2, 5, 7 } },
	  TO_PORT(2, 1) },
	{ "by a port that is not there", true, CA(0), { PURE, .hops = 1, .initial = { 0, 3 } },
	  DROP },
	{ "by port 0", true, CA(0), { PURE, .hops = 1 }, DROP },
	{ "begun before", true, CA(0), { PURE, .pointer = 1, .hops = 1, .initial = { 0, 1 } },
	  DROP },
	{ "too many hops", true, CA(0), { PURE, .hops = 64, .initial = { 0, 1 } }, DROP },
	{ "as many hops as there may be", true, CA(0), { PURE, .hops = 63, .initial = { 0, 1 } },
	  TO_PORT(1, 1) },
	{ "without ports, to a LID", true, CA(0), { .slid = 0xffff, .dlid = 9 }, TO_LID(1) },

	{ "to a LID, where the path begins", true, CA(0),
	  { .slid = 8, .dlid = 0xffff, .hops = 2, .initial = { 0, 5, 7 } }, TO_LID(0) },

	{ "switch where the path begins", false, SWITCH(4),
	  { .slid = 8, .dlid = 0xffff, .hops = 2, .initial = { 0, 5, 7 } }, TO_PORT(5, 1) },
	{ "no path begins at a CA", false, CA(1),
	  { .slid = 8, .dlid = 0xffff, .hops = 2, .initial = { 0, 1, 7 } }, DROP },
	{ "a path begins by a port that is not there", false, SWITCH(4),
	  { .slid = 8, .dlid = 0xffff, .hops = 2, .initial = { 0, 9, 7 } }, DROP },
	{ "switch on the path", false, SWITCH(4),
	  { PURE, .pointer = 1, .hops = 3, .initial = { 0, 2, 5, 7 } },
	  TO_PORT(5, 2), .returns = 1 },
	{ "next switch", false, SWITCH(6),
	  { PURE, .pointer = 2, .hops = 3, .initial = { 0, 2, 5, 7 } },
	  TO_PORT(7, 3), .returns = 2 },
	{ "switch, last port", false, SWITCH(6),
	  { PURE, .pointer = 1, .hops = 2, .initial = { 0, 2, 8 } }, TO_PORT(8, 2), .returns = 1 },
	{ "switch, one port more", false, SWITCH(6),
	  { PURE, .pointer = 1, .hops = 2, .initial = { 0, 2, 9 } }, DROP },
	{ "switch, its own port 0", false, SWITCH(6),
	  { PURE, .pointer = 1, .hops = 2, .initial = { 0, 2, 0 } }, DROP },
	{ "CA on the path", false, CA(1),
	  { PURE, .pointer = 1, .hops = 2, .initial = { 0, 2, 1 } }, DROP },
	{ "end of the path, CA", false, CA(2),
	  { PURE, .pointer = 3, .hops = 3, .initial = { 0, 2, 5, 7 } }, HERE(4), .returns = 3 },
	{ "end of the path, switch", false, SWITCH(3),
	  { PURE, .pointer = 1, .hops = 1, .initial = { 0, 2 } }, HERE(2), .returns = 1 },
	{ "end of the path, then a LID", false, SWITCH(3),
	  { .slid = 0xffff, .dlid = 9, .pointer = 1, .hops = 1, .initial = { 0, 2 } },
	  TO_LID(2), .returns = 1 },
	{ "a CA sends nothing to a LID", false, CA(1),
	  { .slid = 0xffff, .dlid = 9, .pointer = 1, .hops = 1, .initial = { 0, 2 } }, DROP },
	{ "after the LID", false, CA(1),
	  { .slid = 0xffff, .dlid = 9, .pointer = 2, .hops = 1, .initial = { 0, 2 } }, HERE(2) },
	{ "behind the end", false, CA(1), { PURE, .pointer = 3, .hops = 1 }, DROP },
	{ "on the way, not begun", false, SWITCH(1),
	  { PURE, .pointer = 0, .hops = 2, .initial = { 0, 5, 7 } }, DROP },
	{ "no hops, from a LID", false, CA(1), { .slid = 5, .dlid = 0xffff }, HERE(1) },
	{ "on the longest way", false, SWITCH(4),
	  { PURE, .pointer = 1, .hops = 63, .initial = { 0, 2, 5 } }, TO_PORT(5, 2), .returns = 1 },
	{ "too many hops on the way", false, SWITCH(1),
	  { PURE, .pointer = 1, .hops = 64, .initial = { 0, 2, 5 } }, DROP },

	{ "answer to itself", true, CA(0), { PURE, .back = true, .pointer = 1 }, HERE(0) },
	{ "answer, first hop back", true, CA(0),
	  { PURE, .back = true, .pointer = 4, .hops = 3, .returns = { 0, 4, 6, 2 } },
	  TO_PORT(2, 3) },
	{ "answer of another place", true, CA(0),
	  { PURE, .back = true, .pointer = 3, .hops = 3, .returns = { 0, 4, 6, 2 } }, DROP },
	{ "answer by a port that is not there", true, CA(0),
	  { PURE, .back = true, .pointer = 2, .hops = 1, .returns = { 0, 3 } }, DROP },
	{ "answer to where a LID led from", true, CA(0),
	  { .slid = 0xffff, .dlid = 9, .back = true, .pointer = 2, .hops = 1, .returns = { 0, 1 } },
	  TO_LID(2) },
	{ "answer at the switch where the LID began", false, SWITCH(3),
	  { .slid = 0xffff, .dlid = 9, .back = true, .pointer = 2, .hops = 1, .returns = { 0, 5 } },
	  TO_PORT(5, 1) },
	{ "answer, switch on the way", false, SWITCH(7),
	  { PURE, .back = true, .pointer = 3, .hops = 3, .returns = { 0, 4, 6, 2 } },
	  TO_PORT(6, 2) },
	{ "answer, next switch", false, SWITCH(5),
	  { PURE, .back = true, .pointer = 2, .hops = 3, .returns = { 0, 4, 6, 2 } },
	  TO_PORT(4, 1) },
	{ "answer, CA on the way", false, CA(1),
	  { PURE, .back = true, .pointer = 2, .hops = 3, .returns = { 0, 1, 1, 1 } }, DROP },
	{ "answer at its end", false, CA(2),
	  { PURE, .back = true, .pointer = 1, .hops = 3, .returns = { 0, 4, 6, 2 } }, HERE(0) },
	{ "answer at its end, then a LID", false, SWITCH(2),
	  { .slid = 8, .dlid = 0xffff, .back = true, .pointer = 1, .hops = 3 }, TO_LID(0) },
	{ "a CA sends no answer to a LID", false, CA(2),
	  { .slid = 8, .dlid = 0xffff, .back = true, .pointer = 1, .hops = 3 }, DROP },
	{ "answer after the LID", false, CA(2),
	  { .slid = 8, .dlid = 0xffff, .back = true, .pointer = 0, .hops = 3 }, HERE(0) },
	{ "answer behind the end", false, SWITCH(2),
	  { PURE, .back = true, .pointer = 5, .hops = 3 }, DROP },
};

static void route_steps(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		u8 smp[MAD_LEN], want[MAD_LEN], port = 0;
		enum smp_next next;

		unit_input("%s", steps[i].what);
		put_route(smp, &steps[i].route);
		memcpy(want, smp, sizeof(want));
		next = (steps[i].start ? smp_start : smp_step)(smp, &steps[i].node, &port);
		CHECK_EQ(next, steps[i].next);
		if (next == SMP_DROP)
			continue;
		CHECK_EQ(port, steps[i].port);
		want[6] = steps[i].pointer;
		if (steps[i].returns)
			want[192 + steps[i].returns] = steps[i].node.in_port;
		CHECK(!memcmp(smp, want, sizeof(want)));
	}
}

static void route_answers(void)
{
	u8 smp[MAD_LEN] = { 1, MAD_CLASS_SMP_DIRECTED, 1, MAD_METHOD_SET, 0x00, 0x1c };

	smp_make_response(smp);
	CHECK_BYTES(smp, 6, "01 81 01 81 801c");
}

void test_mad(void)
{
	unit_run("mad: header", mad_header);
	unit_run("mad: faults", mad_faults);
	unit_run("mad: responses", responses);
	unit_run("mad: data of all classes", data_of_classes);
	unit_run("rmpp: header", rmpp_header);
	unit_run("rmpp: checks", rmpp_checks);
	unit_run("smp: steps of directed routes", route_steps);
	unit_run("smp: the way back", route_answers);
}
