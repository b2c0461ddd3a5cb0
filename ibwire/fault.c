// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The names of faults. */

#include "fault.h"

static const char *const names[IBWIRE_FAULT_COUNT] = {
	[IBWIRE_OK]		= "ok",
	[IBWIRE_TRUNCATED]	= "truncated",
	[IBWIRE_LVER]		= "lver",
	[IBWIRE_LENGTH]		= "length",
	[IBWIRE_RAW]		= "raw",
	[IBWIRE_DLID]		= "dlid",
	[IBWIRE_GRH]		= "grh",
	[IBWIRE_PAYLEN]		= "paylen",
	[IBWIRE_TVER]		= "tver",
	[IBWIRE_OPCODE]		= "opcode",
	[IBWIRE_PAD]		= "pad",
	[IBWIRE_PAYLOAD]	= "payload",
	[IBWIRE_ICRC]		= "icrc",
	[IBWIRE_VCRC]		= "vcrc",
	[IBWIRE_MAD_VERSION]	= "mad_version",
	[IBWIRE_MAD_CLASS]	= "mad_class",
	[IBWIRE_SLID]		= "slid",
	[IBWIRE_VL]		= "vl",
	[IBWIRE_QP]		= "qp",
	[IBWIRE_PKEY]		= "pkey",
	[IBWIRE_MTU]		= "mtu",
};

const char *ibwire_fault_name(enum ibwire_fault fault)
{
	return (unsigned int)fault < IBWIRE_FAULT_COUNT ? names[fault] : "unknown";
}
