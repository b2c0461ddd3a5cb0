// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Compares the fault table with the registry of Terminate codes in RFC 6580. */

#include <string.h>

#include "iwarp/fault.h"
#include "unit.h"

static const struct {
	u8 layer, etype, code;
	enum iwarp_fault fault;
} registry[] = {
	{ 0, 0, 0x00, IWARP_RDMAP_LOCAL },
	{ 0, 1, 0x00, IWARP_RDMAP_STAG },
	{ 0, 1, 0x01, IWARP_RDMAP_BOUNDS },
	{ 0, 1, 0x02, IWARP_RDMAP_ACCESS },
	{ 0, 1, 0x03, IWARP_RDMAP_STREAM },
	{ 0, 1, 0x04, IWARP_RDMAP_TO_WRAP },
	{ 0, 1, 0x09, IWARP_RDMAP_CANNOT_INVALIDATE },
	{ 0, 1, 0xff, IWARP_RDMAP_PROTECTION },
	{ 0, 2, 0x05, IWARP_RDMAP_VERSION },
	{ 0, 2, 0x06, IWARP_RDMAP_OPCODE },
	{ 0, 2, 0x07, IWARP_RDMAP_STREAM_LOST },
	{ 0, 2, 0x08, IWARP_RDMAP_GLOBAL_LOST },
	{ 0, 2, 0x09, IWARP_RDMAP_OP_INVALIDATE },
	{ 0, 2, 0xff, IWARP_RDMAP_OPERATION },
	{ 1, 0, 0x00, IWARP_DDP_LOCAL },
	{ 1, 1, 0x00, IWARP_DDP_STAG },
	{ 1, 1, 0x01, IWARP_DDP_BOUNDS },
	{ 1, 1, 0x02, IWARP_DDP_STREAM },
	{ 1, 1, 0x03, IWARP_DDP_TO_WRAP },
	{ 1, 1, 0x04, IWARP_DDP_TAGGED_VERSION },
	{ 1, 2, 0x01, IWARP_DDP_QN },
	{ 1, 2, 0x02, IWARP_DDP_NO_BUFFER },
	{ 1, 2, 0x03, IWARP_DDP_MSN },
	{ 1, 2, 0x04, IWARP_DDP_MO },
	{ 1, 2, 0x05, IWARP_DDP_TOO_LONG },
	{ 1, 2, 0x06, IWARP_DDP_UNTAGGED_VERSION },
	{ 2, 0, 0x01, IWARP_MPA_CLOSED },
	{ 2, 0, 0x02, IWARP_MPA_CRC },
	{ 2, 0, 0x03, IWARP_MPA_MARKER },
	{ 2, 0, 0x04, IWARP_MPA_FRAME },
	{ 2, 0, 0x05, IWARP_MPA_LOCAL },
	{ 2, 0, 0x06, IWARP_MPA_IRD },
	{ 2, 0, 0x07, IWARP_MPA_RTR },
};

static enum iwarp_fault expected(unsigned int layer, unsigned int etype, unsigned int code)
{
	if (layer < 2 && etype == 0)
		return layer ? IWARP_DDP_LOCAL : IWARP_RDMAP_LOCAL;
	for (size_t i = 0; i < ARRAY_SIZE(registry); i++)
		if (registry[i].layer == layer && registry[i].etype == etype &&
		    registry[i].code == code)
			return registry[i].fault;
	return IWARP_UNKNOWN;
}

static void to_code(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(registry); i++) {
		struct iwarp_fault_code wire = iwarp_fault_code(registry[i].fault);

		unit_input("%s", iwarp_fault_name(registry[i].fault));
		CHECK_EQ(wire.layer, registry[i].layer);
		CHECK_EQ(wire.etype, registry[i].etype);
		CHECK_EQ(wire.code, registry[i].code);
	}
}

static void from_every_code(void)
{
	for (unsigned int layer = 0; layer < 256; layer++)
		for (unsigned int etype = 0; etype < 16; etype++)
			for (unsigned int code = 0; code < 256; code++) {
				unit_input("layer %u, type %u, code %u", layer, etype, code);
				CHECK_FAULT(iwarp_fault_from_code(layer, etype, code),
					    expected(layer, etype, code));
			}
}

static void shared_codes(void)
{
	static const struct {
		enum iwarp_fault finer, named;
	} cases[] = {
		{ IWARP_MPA_KEY, IWARP_MPA_FRAME },
		{ IWARP_MPA_REV, IWARP_MPA_FRAME },
		{ IWARP_MPA_PD_LEN, IWARP_MPA_FRAME },
		{ IWARP_ULPDU_SHORT, IWARP_RDMAP_OPERATION },
		{ IWARP_READ_SHORT, IWARP_RDMAP_STREAM_LOST },
		{ IWARP_READ_LONG, IWARP_DDP_BOUNDS },
		{ IWARP_READ_UNSOLICITED, IWARP_RDMAP_OPCODE },
		{ IWARP_ATOMIC_OP, IWARP_RDMAP_OPCODE },
		{ IWARP_ATOMIC_ALIGN, IWARP_RDMAP_STREAM_LOST },
		{ IWARP_ATOMIC_ID, IWARP_RDMAP_STREAM_LOST },
		{ IWARP_TRUNCATED, IWARP_RDMAP_LOCAL },
		{ IWARP_UNKNOWN, IWARP_RDMAP_OPERATION },
		/* These two are no faults, and are not counted below. */
		{ IWARP_OK, IWARP_RDMAP_LOCAL },
		{ (enum iwarp_fault)-1, IWARP_UNKNOWN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct iwarp_fault_code a = iwarp_fault_code(cases[i].finer);
		struct iwarp_fault_code b = iwarp_fault_code(cases[i].named);

		unit_input("%d, %s", cases[i].finer, iwarp_fault_name(cases[i].finer));
		CHECK(!memcmp(&a, &b, sizeof(a)));
	}
	unit_input("the number of faults");
	CHECK_EQ(IWARP_FAULT_COUNT, 1 + ARRAY_SIZE(registry) + ARRAY_SIZE(cases) - 2);
}

static void names(void)
{
	for (unsigned int a = 0; a < IWARP_FAULT_COUNT; a++) {
		unit_input("%u, %s", a, iwarp_fault_name(a));
		CHECK_EQ(iwarp_fault_is_local(a), a == IWARP_RDMAP_LOCAL || a == IWARP_DDP_LOCAL ||
			 a == IWARP_MPA_LOCAL);
		CHECK(iwarp_fault_name(a) && *iwarp_fault_name(a));
		for (unsigned int b = 0; b < a; b++)
			CHECK(strcmp(iwarp_fault_name(a), iwarp_fault_name(b)));
	}
	unit_input("beyond the last fault");
	CHECK(!strcmp(iwarp_fault_name(IWARP_FAULT_COUNT), "unknown"));
	CHECK(!strcmp(iwarp_fault_name((enum iwarp_fault)-1), "unknown"));
	CHECK_EQ(IWARP_OK, 0);
}

void test_fault(void)
{
	unit_run("fault: every registered code is written", to_code);
	unit_run("fault: every layer, type and code is read", from_every_code);
	unit_run("fault: finer values share a registered code", shared_codes);
	unit_run("fault: names are distinct, and three faults are local", names);
}
