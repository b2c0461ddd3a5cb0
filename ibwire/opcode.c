// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The table of opcodes. */

#include "opcode.h"

#define LEN_IF(flags, bit, len) ((flags) & (bit) ? (len) : 0)
#define HEAD_LEN(flags)								\
	(BTH_LEN + LEN_IF(flags, OP_DETH, DETH_LEN) + LEN_IF(flags, OP_XRCETH, XRCETH_LEN) +	\
	 LEN_IF(flags, OP_RETH, RETH_LEN) + LEN_IF(flags, OP_ATOMICETH, ATOMICETH_LEN) +	\
	 LEN_IF(flags, OP_AETH, AETH_LEN) + LEN_IF(flags, OP_ATOMICACKETH, ATOMICACKETH_LEN) +	\
	 LEN_IF(flags, OP_IMMDT, IMMDT_LEN) + LEN_IF(flags, OP_IETH, IETH_LEN))

#define ROW(service, number, row_name, row_flags)				\
	[(service) | (number)] = { .name = (row_name), .flags = (row_flags),	\
				   .head_len = HEAD_LEN(row_flags) }

#define ONLY (OP_FIRST | OP_LAST)

/* Sends and Writes, which RC, UC and XRC have. @more: an extended header that all of them have. */
#define SENDS_AND_WRITES(service, prefix, more)						\
	ROW(service, 0x00, prefix "send_first", OP_SEND | OP_FIRST | (more)),		\
	ROW(service, 0x01, prefix "send_middle", OP_SEND | (more)),			\
	ROW(service, 0x02, prefix "send_last", OP_SEND | OP_LAST | (more)),		\
	ROW(service, 0x03, prefix "send_last_immediate",				\
	    OP_SEND | OP_LAST | OP_IMMDT | (more)),					\
	ROW(service, 0x04, prefix "send_only", OP_SEND | ONLY | (more)),		\
	ROW(service, 0x05, prefix "send_only_immediate", OP_SEND | ONLY | OP_IMMDT | (more)),	\
	ROW(service, 0x06, prefix "write_first", OP_WRITE | OP_FIRST | OP_RETH | (more)),	\
	ROW(service, 0x07, prefix "write_middle", OP_WRITE | (more)),			\
	ROW(service, 0x08, prefix "write_last", OP_WRITE | OP_LAST | (more)),		\
	ROW(service, 0x09, prefix "write_last_immediate",				\
	    OP_WRITE | OP_LAST | OP_IMMDT | (more)),					\
	ROW(service, 0x0a, prefix "write_only", OP_WRITE | ONLY | OP_RETH | (more)),	\
	ROW(service, 0x0b, prefix "write_only_immediate",				\
	    OP_WRITE | ONLY | OP_RETH | OP_IMMDT | (more))

/* All operations, which the reliable transports have. @more: an extended header of requests. */
#define RELIABLE(service, prefix, more)							\
	SENDS_AND_WRITES(service, prefix, more),					\
	ROW(service, 0x0c, prefix "read_request", OP_READ_REQ | ONLY | OP_RETH | (more)),	\
	ROW(service, 0x0d, prefix "read_response_first",				\
	    OP_READ_RESP | OP_FIRST | OP_AETH),						\
	ROW(service, 0x0e, prefix "read_response_middle", OP_READ_RESP),		\
	ROW(service, 0x0f, prefix "read_response_last", OP_READ_RESP | OP_LAST | OP_AETH),	\
	ROW(service, 0x10, prefix "read_response_only", OP_READ_RESP | ONLY | OP_AETH),	\
	ROW(service, 0x11, prefix "acknowledge", OP_ACK | ONLY | OP_AETH),		\
	ROW(service, 0x12, prefix "atomic_acknowledge",					\
	    OP_ATOMIC_ACK | ONLY | OP_AETH | OP_ATOMICACKETH),				\
	ROW(service, 0x13, prefix "compare_swap",					\
	    OP_ATOMIC_REQ | ONLY | OP_ATOMICETH | (more)),				\
	ROW(service, 0x14, prefix "fetch_add", OP_ATOMIC_REQ | ONLY | OP_ATOMICETH | (more)),	\
	ROW(service, 0x16, prefix "send_last_invalidate",				\
	    OP_SEND | OP_LAST | OP_IETH | (more)),					\
	ROW(service, 0x17, prefix "send_only_invalidate", OP_SEND | ONLY | OP_IETH | (more))

static const struct opcode opcodes[256] = {
	RELIABLE(SERVICE_RC, "rc_", 0),
	SENDS_AND_WRITES(SERVICE_UC, "uc_", 0),
	ROW(SERVICE_UD, 0x04, "ud_send_only", OP_SEND | ONLY | OP_DETH),
	ROW(SERVICE_UD, 0x05, "ud_send_only_immediate", OP_SEND | ONLY | OP_DETH | OP_IMMDT),
	ROW(SERVICE_CNP, 0x01, "cnp", OP_NOTIFY | ONLY),
	RELIABLE(SERVICE_XRC, "xrc_", OP_XRCETH),
};

const struct opcode *opcode_find(u8 value)
{
	return opcodes[value].name ? &opcodes[value] : NULL;
}
