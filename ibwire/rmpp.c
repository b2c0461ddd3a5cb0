// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The header of RMPP. */

#include "rmpp.h"

#define FLAGS_MASK	0x07
#define TIME_MASK	0xf8

/**
 * struct rmpp_wire - header of RMPP, which follows that of the MAD
 * @version: RMPP_VERSION
 * @type: RMPP_DATA and so on
 * @time_flags: TIME_MASK, FLAGS_MASK
 * @status: RMPP_STATUS_*
 * @data1: segment
 * @data2: length, or the end of the window
 */
struct rmpp_wire {
	u8 version;
	u8 type;
	u8 time_flags;
	u8 status;
	__be32 data1;
	__be32 data2;
};

static_assert(sizeof(struct rmpp_wire) == MAD_RMPP_HDR_LEN);

size_t rmpp_class_header(u8 mgmt_class)
{
	return mad_data_offset(mgmt_class) - MAD_HDR_LEN - MAD_RMPP_HDR_LEN;
}

bool rmpp_is_active(const u8 *mad)
{
	return mad[MAD_HDR_LEN + offsetof(struct rmpp_wire, time_flags)] & RMPP_ACTIVE;
}

/* Returns whether a header of @type may have @status. */
static bool allows_status(u8 type, u8 status)
{
	switch (type) {
	case RMPP_STOP:
		return status == RMPP_STATUS_RESX;
	case RMPP_ABORT:
		return status >= RMPP_STATUS_ABORT_MIN && status <= RMPP_STATUS_VENDOR_MAX;
	default:
		return status == RMPP_STATUS_NORMAL;
	}
}

static u8 check_data(u8 mgmt_class, const struct rmpp *rmpp)
{
	bool first = rmpp->segment == 1;

	if (!rmpp->segment || first != !!(rmpp->flags & RMPP_FIRST))
		return RMPP_STATUS_BAD_SEG;
	/* The length of a first segment that is not the last one is that of the whole message. */
	if (rmpp->flags & RMPP_LAST &&
	    (rmpp->length < rmpp_class_header(mgmt_class) ||
	     rmpp->length > MAD_LEN - MAD_HDR_LEN - MAD_RMPP_HDR_LEN))
		return RMPP_STATUS_BAD_LEN;
	return RMPP_STATUS_NORMAL;
}

u8 rmpp_parse(const u8 *mad, struct rmpp *rmpp)
{
	struct rmpp_wire wire;

	memcpy(&wire, mad + MAD_HDR_LEN, sizeof(wire));
	*rmpp = (struct rmpp) {
		.type = wire.type,
		.flags = FIELD_GET(FLAGS_MASK, wire.time_flags),
		.resp_time = FIELD_GET(TIME_MASK, wire.time_flags),
		.status = wire.status,
		.segment = be32_to_cpu(wire.data1),
		.length = be32_to_cpu(wire.data2),
	};
	if (wire.version != RMPP_VERSION)
		return RMPP_STATUS_UNV;
	if (rmpp->type < RMPP_DATA || rmpp->type > RMPP_ABORT)
		return RMPP_STATUS_BADT;
	if (!allows_status(rmpp->type, rmpp->status))
		return RMPP_STATUS_BAD_STATUS;
	if (rmpp->type == RMPP_DATA)
		return check_data(mad[offsetof(struct mad_wire, mgmt_class)], rmpp);
	return RMPP_STATUS_NORMAL;
}

void rmpp_build(u8 *mad, const struct rmpp *rmpp)
{
	const struct rmpp_wire wire = {
		.version = RMPP_VERSION,
		.type = rmpp->type,
		.time_flags = FIELD_PREP(TIME_MASK, rmpp->resp_time) |
			      FIELD_PREP(FLAGS_MASK, rmpp->flags),
		.status = rmpp->status,
		.data1 = cpu_to_be32(rmpp->segment),
		.data2 = cpu_to_be32(rmpp->length),
	};

	memcpy(mad + MAD_HDR_LEN, &wire, sizeof(wire));
}
