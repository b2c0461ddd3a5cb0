// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The table of faults: names and Terminate codes. */

#include "fault.h"
#include "wire.h"

struct fault_row {
	struct iwarp_fault_code wire;
	const char *name;
};

#define RDMAP(etype, code) { IWARP_LAYER_RDMAP, RDMAP_ETYPE_##etype, code }
#define DDP(etype, code) { IWARP_LAYER_DDP, DDP_ETYPE_##etype, code }
#define MPA(code) { IWARP_LAYER_LLP, LLP_ETYPE_MPA, code }

static const struct fault_row faults[IWARP_FAULT_COUNT] = {
	[IWARP_OK]			= { RDMAP(LOCAL, 0x00), "ok" },

	[IWARP_RDMAP_LOCAL]		= { RDMAP(LOCAL, 0x00), "rdmap_local" },
	[IWARP_RDMAP_STAG]		= { RDMAP(PROTECTION, 0x00), "rdmap_stag" },
	[IWARP_RDMAP_BOUNDS]		= { RDMAP(PROTECTION, 0x01), "rdmap_bounds" },
	[IWARP_RDMAP_ACCESS]		= { RDMAP(PROTECTION, 0x02), "rdmap_access" },
	[IWARP_RDMAP_STREAM]		= { RDMAP(PROTECTION, 0x03), "rdmap_stream" },
	[IWARP_RDMAP_TO_WRAP]		= { RDMAP(PROTECTION, 0x04), "rdmap_to_wrap" },
	[IWARP_RDMAP_CANNOT_INVALIDATE]	= { RDMAP(PROTECTION, 0x09), "rdmap_cannot_invalidate" },
	[IWARP_RDMAP_PROTECTION]	= { RDMAP(PROTECTION, 0xff), "rdmap_protection" },
	[IWARP_RDMAP_VERSION]		= { RDMAP(OPERATION, 0x05), "rdmap_version" },
	[IWARP_RDMAP_OPCODE]		= { RDMAP(OPERATION, 0x06), "rdmap_opcode" },
	[IWARP_RDMAP_STREAM_LOST]	= { RDMAP(OPERATION, 0x07), "rdmap_stream_lost" },
	[IWARP_RDMAP_GLOBAL_LOST]	= { RDMAP(OPERATION, 0x08), "rdmap_global_lost" },
	[IWARP_RDMAP_OP_INVALIDATE]	= { RDMAP(OPERATION, 0x09), "rdmap_op_invalidate" },
	[IWARP_RDMAP_OPERATION]		= { RDMAP(OPERATION, 0xff), "rdmap_operation" },

	[IWARP_DDP_LOCAL]		= { DDP(LOCAL, 0x00), "ddp_local" },
	[IWARP_DDP_STAG]		= { DDP(TAGGED, 0x00), "ddp_stag" },
	[IWARP_DDP_BOUNDS]		= { DDP(TAGGED, 0x01), "ddp_bounds" },
	[IWARP_DDP_STREAM]		= { DDP(TAGGED, 0x02), "ddp_stream" },
	[IWARP_DDP_TO_WRAP]		= { DDP(TAGGED, 0x03), "ddp_to_wrap" },
	[IWARP_DDP_TAGGED_VERSION]	= { DDP(TAGGED, 0x04), "ddp_tagged_version" },
	[IWARP_DDP_QN]			= { DDP(UNTAGGED, 0x01), "ddp_qn" },
	[IWARP_DDP_NO_BUFFER]		= { DDP(UNTAGGED, 0x02), "ddp_no_buffer" },
	[IWARP_DDP_MSN]			= { DDP(UNTAGGED, 0x03), "ddp_msn" },
	[IWARP_DDP_MO]			= { DDP(UNTAGGED, 0x04), "ddp_mo" },
	[IWARP_DDP_TOO_LONG]		= { DDP(UNTAGGED, 0x05), "ddp_too_long" },
	[IWARP_DDP_UNTAGGED_VERSION]	= { DDP(UNTAGGED, 0x06), "ddp_untagged_version" },

	[IWARP_MPA_CLOSED]		= { MPA(0x01), "mpa_closed" },
	[IWARP_MPA_CRC]			= { MPA(0x02), "mpa_crc" },
	[IWARP_MPA_MARKER]		= { MPA(0x03), "mpa_marker" },
	[IWARP_MPA_FRAME]		= { MPA(0x04), "mpa_frame" },
	[IWARP_MPA_LOCAL]		= { MPA(0x05), "mpa_local" },
	[IWARP_MPA_IRD]			= { MPA(0x06), "mpa_ird" },
	[IWARP_MPA_RTR]			= { MPA(0x07), "mpa_rtr" },

	[IWARP_MPA_KEY]			= { MPA(0x04), "mpa_key" },
	[IWARP_MPA_REV]			= { MPA(0x04), "mpa_rev" },
	[IWARP_MPA_PD_LEN]		= { MPA(0x04), "mpa_pd_len" },
	[IWARP_ULPDU_SHORT]		= { RDMAP(OPERATION, 0xff), "ulpdu_short" },
	[IWARP_READ_SHORT]		= { RDMAP(OPERATION, 0x07), "read_short" },
	[IWARP_READ_LONG]		= { DDP(TAGGED, 0x01), "read_long" },
	[IWARP_READ_UNSOLICITED]	= { RDMAP(OPERATION, 0x06), "read_unasked" },
	[IWARP_ATOMIC_OP]		= { RDMAP(OPERATION, 0x06), "atomic_op" },
	[IWARP_ATOMIC_ALIGN]		= { RDMAP(OPERATION, 0x07), "atomic_align" },
	[IWARP_ATOMIC_ID]		= { RDMAP(OPERATION, 0x07), "atomic_id" },
	[IWARP_TRUNCATED]		= { RDMAP(LOCAL, 0x00), "truncated" },
	[IWARP_UNKNOWN]			= { RDMAP(OPERATION, 0xff), "unknown" },
};

static const struct fault_row *fault_info(enum iwarp_fault fault)
{
	return (unsigned int)fault < IWARP_FAULT_COUNT ? &faults[fault] : &faults[IWARP_UNKNOWN];
}

struct iwarp_fault_code iwarp_fault_code(enum iwarp_fault fault)
{
	return fault_info(fault)->wire;
}

bool iwarp_fault_is_local(enum iwarp_fault fault)
{
	return fault == IWARP_RDMAP_LOCAL || fault == IWARP_DDP_LOCAL || fault == IWARP_MPA_LOCAL;
}

const char *iwarp_fault_name(enum iwarp_fault fault)
{
	return fault_info(fault)->name;
}

enum iwarp_fault iwarp_fault_from_code(u8 layer, u8 etype, u8 code)
{
	unsigned int i;

	/* The registry says "local catastrophic error" for every code of these two error types. */
	if (layer == IWARP_LAYER_RDMAP && etype == RDMAP_ETYPE_LOCAL)
		return IWARP_RDMAP_LOCAL;
	if (layer == IWARP_LAYER_DDP && etype == DDP_ETYPE_LOCAL)
		return IWARP_DDP_LOCAL;

	for (i = IWARP_OK + 1; i < IWARP_FAULT_COUNT; i++) {
		const struct iwarp_fault_code *wire = &faults[i].wire;

		if (wire->layer == layer && wire->etype == etype && wire->code == code)
			return i;
	}
	return IWARP_UNKNOWN;
}
