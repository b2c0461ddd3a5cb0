/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Attributes of the opcodes of the transports RC, UC, UD and XRC (IBTA 9.2, table 38). */
#ifndef IBWIRE_OPCODE_H
#define IBWIRE_OPCODE_H

#include "wire.h"

/* The transport is the upper three bits of an opcode. */
#define OPCODE_SERVICE_MASK	0xe0

/**
 * enum opcode_service - the transports
 * @SERVICE_RC: reliable connection
 * @SERVICE_UC: unreliable connection
 * @SERVICE_UD: unreliable datagram
 * @SERVICE_CNP: congestion notification of RoCE
 * @SERVICE_XRC: extended reliable connection
 */
enum opcode_service {
	SERVICE_RC	= 0x00,
	SERVICE_UC	= 0x20,
	SERVICE_UD	= 0x60,
	SERVICE_CNP	= 0x80,
	SERVICE_XRC	= 0xa0,
};

/* Flags: the operation of a packet, one of these. */
#define OP_SEND			0x00001
#define OP_WRITE		0x00002
#define OP_READ_REQ		0x00004
#define OP_READ_RESP		0x00008
#define OP_ACK			0x00010
#define OP_ATOMIC_REQ		0x00020
#define OP_ATOMIC_ACK		0x00040
#define OP_NOTIFY		0x00080
/* The place of the packet in its message; in the middle of it, neither. */
#define OP_FIRST		0x00100	/* begins a message */
#define OP_LAST			0x00200	/* ends a message; OP_FIRST, too: it is the only packet */
/* The extended headers, in the order in which they follow the BTH. */
#define OP_DETH			0x01000
#define OP_XRCETH		0x02000
#define OP_RETH			0x04000
#define OP_ATOMICETH		0x08000
#define OP_AETH			0x10000
#define OP_ATOMICACKETH		0x20000
#define OP_IMMDT		0x40000
#define OP_IETH			0x80000

/* The packet is part of a response, not of a request. */
#define OP_RESPONSE		(OP_READ_RESP | OP_ACK | OP_ATOMIC_ACK)
/* The packet may have a payload. */
#define OP_PAYLOAD		(OP_SEND | OP_WRITE | OP_READ_RESP)

/**
 * struct opcode - attributes of an opcode
 * @name: its name in IBTA, in lower case
 * @flags: OP_*
 * @head_len: length of the BTH and the extended headers in bytes
 */
struct opcode {
	const char *name;
	u32 flags;
	u8 head_len;
};

/**
 * opcode_find() - look up an opcode
 * @value: any value
 *
 * Return: the attributes; NULL if the opcode is unknown, or one of reliable datagrams (RD), which
 * no adapter has.
 */
const struct opcode *opcode_find(u8 value);

#endif /* IBWIRE_OPCODE_H */
