/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Errors on the wire, and their Terminate codes. */
#ifndef IWARP_FAULT_H
#define IWARP_FAULT_H

#include "compat/port.h"

/**
 * enum iwarp_fault - result of checking what a peer sent
 * @IWARP_OK: nothing is wrong
 * @IWARP_RDMAP_LOCAL: local catastrophic error in RDMAP
 * @IWARP_RDMAP_STAG: no such STag
 * @IWARP_RDMAP_BOUNDS: access outside the memory of the STag
 * @IWARP_RDMAP_ACCESS: the STag does not allow this access
 * @IWARP_RDMAP_STREAM: the STag belongs to another stream
 * @IWARP_RDMAP_TO_WRAP: TO + length passes 2^64
 * @IWARP_RDMAP_CANNOT_INVALIDATE: the STag cannot be invalidated; reported as a protection error
 * @IWARP_RDMAP_PROTECTION: unspecified remote protection error
 * @IWARP_RDMAP_VERSION: RDMAP version other than 1
 * @IWARP_RDMAP_OPCODE: unknown opcode, or a known one on the wrong queue or in the wrong buffer
 *	model
 * @IWARP_RDMAP_STREAM_LOST: catastrophic error of this stream only
 * @IWARP_RDMAP_GLOBAL_LOST: catastrophic error of all streams
 * @IWARP_RDMAP_OP_INVALIDATE: the STag cannot be invalidated; reported as an operation error
 * @IWARP_RDMAP_OPERATION: unspecified remote operation error
 * @IWARP_DDP_LOCAL: local catastrophic error in DDP
 * @IWARP_DDP_STAG: tagged: no such STag
 * @IWARP_DDP_BOUNDS: tagged: access outside the buffer
 * @IWARP_DDP_STREAM: tagged: the STag belongs to another stream
 * @IWARP_DDP_TO_WRAP: tagged: TO + length passes 2^64
 * @IWARP_DDP_TAGGED_VERSION: tagged: DDP version other than 1
 * @IWARP_DDP_QN: untagged: no such queue
 * @IWARP_DDP_NO_BUFFER: untagged: no buffer for this MSN; also a Read Request beyond IRD
 * @IWARP_DDP_MSN: untagged: MSN out of range
 * @IWARP_DDP_MO: untagged: MO does not continue the message
 * @IWARP_DDP_TOO_LONG: untagged: message longer than its buffer
 * @IWARP_DDP_UNTAGGED_VERSION: untagged: DDP version other than 1
 * @IWARP_MPA_CLOSED: TCP connection closed or lost
 * @IWARP_MPA_CRC: CRC does not match
 * @IWARP_MPA_MARKER: marker and ULPDU_Length disagree
 * @IWARP_MPA_FRAME: invalid request or reply frame
 * @IWARP_MPA_LOCAL: local catastrophic error in MPA
 * @IWARP_MPA_IRD: the peer's ORD exceeds our IRD
 * @IWARP_MPA_RTR: the two sides have no kind of ready-to-receive message in common
 * @IWARP_MPA_KEY: not an MPA frame of the expected kind (as IWARP_MPA_FRAME)
 * @IWARP_MPA_REV: an MPA revision that we do not support (as IWARP_MPA_FRAME)
 * @IWARP_MPA_PD_LEN: private data too long or too short (as IWARP_MPA_FRAME)
 * @IWARP_ULPDU_SHORT: ULPDU_Length is less than the headers and the least payload of the opcode (as
 *	IWARP_RDMAP_OPERATION)
 * @IWARP_READ_SHORT: Read Response with fewer bytes than requested (as IWARP_RDMAP_STREAM_LOST)
 * @IWARP_READ_LONG: Read Response with more bytes than requested (as IWARP_DDP_BOUNDS)
 * @IWARP_READ_UNSOLICITED: Read or Atomic Response that does not answer the oldest outstanding
 *	request (as IWARP_RDMAP_OPCODE)
 * @IWARP_ATOMIC_OP: unknown atomic operation (as IWARP_RDMAP_OPCODE)
 * @IWARP_ATOMIC_ALIGN: the word of an atomic operation is not aligned (as
 *	IWARP_RDMAP_STREAM_LOST)
 * @IWARP_ATOMIC_ID: Atomic Response to another request (as IWARP_RDMAP_STREAM_LOST)
 * @IWARP_TRUNCATED: our caller passed fewer bytes than the header has, which is not an error of
 *	the peer (as IWARP_RDMAP_LOCAL)
 * @IWARP_UNKNOWN: a Terminate code that the registry does not have (as IWARP_RDMAP_OPERATION)
 * @IWARP_FAULT_COUNT: number of values above, for tables and counters
 *
 * IWARP_OK is zero, so that callers can write "if (fault)". Each code of the Terminate registry has
 * exactly one value of its own. The values from IWARP_MPA_KEY on have no code of their own; a
 * Terminate encodes them like the value in parentheses.
 */
enum iwarp_fault {
	IWARP_OK = 0,

	IWARP_RDMAP_LOCAL,
	IWARP_RDMAP_STAG,
	IWARP_RDMAP_BOUNDS,
	IWARP_RDMAP_ACCESS,
	IWARP_RDMAP_STREAM,
	IWARP_RDMAP_TO_WRAP,
	IWARP_RDMAP_CANNOT_INVALIDATE,
	IWARP_RDMAP_PROTECTION,
	IWARP_RDMAP_VERSION,
	IWARP_RDMAP_OPCODE,
	IWARP_RDMAP_STREAM_LOST,
	IWARP_RDMAP_GLOBAL_LOST,
	IWARP_RDMAP_OP_INVALIDATE,
	IWARP_RDMAP_OPERATION,

	IWARP_DDP_LOCAL,
	IWARP_DDP_STAG,
	IWARP_DDP_BOUNDS,
	IWARP_DDP_STREAM,
	IWARP_DDP_TO_WRAP,
	IWARP_DDP_TAGGED_VERSION,
	IWARP_DDP_QN,
	IWARP_DDP_NO_BUFFER,
	IWARP_DDP_MSN,
	IWARP_DDP_MO,
	IWARP_DDP_TOO_LONG,
	IWARP_DDP_UNTAGGED_VERSION,

	IWARP_MPA_CLOSED,
	IWARP_MPA_CRC,
	IWARP_MPA_MARKER,
	IWARP_MPA_FRAME,
	IWARP_MPA_LOCAL,
	IWARP_MPA_IRD,
	IWARP_MPA_RTR,

	IWARP_MPA_KEY,
	IWARP_MPA_REV,
	IWARP_MPA_PD_LEN,
	IWARP_ULPDU_SHORT,
	IWARP_READ_SHORT,
	IWARP_READ_LONG,
	IWARP_READ_UNSOLICITED,
	IWARP_ATOMIC_OP,
	IWARP_ATOMIC_ALIGN,
	IWARP_ATOMIC_ID,
	IWARP_TRUNCATED,
	IWARP_UNKNOWN,

	IWARP_FAULT_COUNT,
};

/**
 * struct iwarp_fault_code - a fault as a Terminate encodes it
 * @layer: enum iwarp_layer
 * @etype: error type within the layer
 * @code: error code within the type
 */
struct iwarp_fault_code {
	u8 layer;
	u8 etype;
	u8 code;
};

/**
 * iwarp_fault_code() - get the Terminate code of a fault
 * @fault: any value; IWARP_OK is encoded as a local catastrophic error, a value outside the enum as
 *	IWARP_UNKNOWN
 *
 * Any context.
 *
 * Return: layer, type and code.
 */
struct iwarp_fault_code iwarp_fault_code(enum iwarp_fault fault);

/**
 * iwarp_fault_from_code() - get the fault of a received Terminate code
 * @layer: layer as received, 4 bits
 * @etype: error type as received, 4 bits
 * @code: error code as received
 *
 * Return: the fault for which the registry has this code, always a value before IWARP_MPA_KEY;
 * IWARP_UNKNOWN if the registry has no such code. Never IWARP_OK.
 */
enum iwarp_fault iwarp_fault_from_code(u8 layer, u8 etype, u8 code);

/**
 * iwarp_fault_is_local() - is a fault a local catastrophic error, not an error of the peer?
 * @fault: any value
 *
 * Return: true for IWARP_RDMAP_LOCAL, IWARP_DDP_LOCAL and IWARP_MPA_LOCAL.
 */
bool iwarp_fault_is_local(enum iwarp_fault fault);

/**
 * iwarp_fault_name() - get the name of a fault, for messages, tracepoints and counters
 * @fault: any value
 *
 * Return: a constant string in lower case with underscores; "unknown" outside the enum.
 */
const char *iwarp_fault_name(enum iwarp_fault fault);

#endif /* IWARP_FAULT_H */
