// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The header of MADs. */

#include "mad.h"

enum ibwire_fault mad_parse(const u8 *buf, size_t len, struct mad *mad)
{
	struct mad_wire wire;

	if (len < MAD_LEN)
		return IBWIRE_TRUNCATED;
	memcpy(&wire, buf, sizeof(wire));
	if (wire.base_version != MAD_BASE_VERSION)
		return IBWIRE_MAD_VERSION;
	*mad = (struct mad) {
		.mgmt_class = wire.mgmt_class,
		.class_version = wire.class_version,
		.method = wire.method,
		.status = be16_to_cpu(wire.status),
		.class_specific = be16_to_cpu(wire.class_specific),
		.tid = be64_to_cpu(wire.tid),
		.attr_id = be16_to_cpu(wire.attr_id),
		.attr_mod = be32_to_cpu(wire.attr_mod),
	};
	return IBWIRE_OK;
}

void mad_build(u8 *buf, const struct mad *mad)
{
	const struct mad_wire wire = {
		.base_version = MAD_BASE_VERSION,
		.mgmt_class = mad->mgmt_class,
		.class_version = mad->class_version,
		.method = mad->method,
		.status = cpu_to_be16(mad->status),
		.class_specific = cpu_to_be16(mad->class_specific),
		.tid = cpu_to_be64(mad->tid),
		.attr_id = cpu_to_be16(mad->attr_id),
		.attr_mod = cpu_to_be32(mad->attr_mod),
	};

	memcpy(buf, &wire, sizeof(wire));
}

bool mad_is_response(const struct mad *mad)
{
	return mad->method & MAD_METHOD_RESPONSE || mad->method == MAD_METHOD_TRAP_REPRESS ||
	       (mad->mgmt_class == MAD_CLASS_BASEBOARD && mad->attr_mod & MAD_BASEBOARD_RESPONSE);
}

bool mad_class_is_smp(u8 mgmt_class)
{
	return mgmt_class == MAD_CLASS_SMP || mgmt_class == MAD_CLASS_SMP_DIRECTED;
}

bool mad_class_has_oui(u8 mgmt_class)
{
	return mgmt_class >= MAD_CLASS_VENDOR_MIN && mgmt_class <= MAD_CLASS_VENDOR_MAX;
}

bool mad_class_has_rmpp(u8 mgmt_class)
{
	return mad_data_offset(mgmt_class) != MAD_DATA_PLAIN;
}

size_t mad_data_offset(u8 mgmt_class)
{
	switch (mgmt_class) {
	case MAD_CLASS_SA:
		return MAD_DATA_SA;
	case MAD_CLASS_DEVICE:
	case MAD_CLASS_DEVICE_ADM:
	case MAD_CLASS_BIS:
		return MAD_DATA_DEVICE;
	default:
		return mad_class_has_oui(mgmt_class) ? MAD_DATA_VENDOR : MAD_DATA_PLAIN;
	}
}
