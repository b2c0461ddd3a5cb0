/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What can be wrong with an InfiniBand packet or a management datagram (MAD), and names for it. */
#ifndef IBWIRE_FAULT_H
#define IBWIRE_FAULT_H

#include "compat/port.h"

/**
 * enum ibwire_fault - results of the checks of packets and MADs
 * @IBWIRE_OK: no fault
 * @IBWIRE_TRUNCATED: fewer bytes than the headers have
 * @IBWIRE_LVER: LRH: another link version
 * @IBWIRE_LENGTH: LRH: PktLen disagrees with the number of bytes, or is too small
 * @IBWIRE_RAW: LRH: a raw packet, without a transport header
 * @IBWIRE_DLID: LRH: the destination is LID 0, which no port has, or a LID not for this lane
 * @IBWIRE_GRH: GRH: another IP version or next header
 * @IBWIRE_PAYLEN: GRH: PayLen disagrees with the number of bytes
 * @IBWIRE_TVER: BTH: another transport version
 * @IBWIRE_OPCODE: BTH: unknown opcode
 * @IBWIRE_PAD: BTH: pad bytes without a payload, or more of them than there are bytes
 * @IBWIRE_PAYLOAD: a payload where the opcode has none, or one that is too long or too short
 * @IBWIRE_ICRC: wrong invariant CRC
 * @IBWIRE_VCRC: wrong variant CRC
 * @IBWIRE_MAD_VERSION: MAD: another base version
 * @IBWIRE_MAD_CLASS: MAD: a class that is not for this QP
 * @IBWIRE_SLID: LRH: the source is not the LID of a port
 * @IBWIRE_VL: LRH: a virtual lane that the port does not use
 * @IBWIRE_QP: BTH, DETH: QP 0 with another lane than that of management, or another QP with this
 *	one; the QP of multicast groups with a LID of a port, or another QP with that of a group
 * @IBWIRE_PKEY: BTH: a P_Key that no table may have
 * @IBWIRE_MTU: the payload is longer than the port takes
 * @IBWIRE_FAULT_COUNT: the number of results
 */
enum ibwire_fault {
	IBWIRE_OK,
	IBWIRE_TRUNCATED,
	IBWIRE_LVER,
	IBWIRE_LENGTH,
	IBWIRE_RAW,
	IBWIRE_DLID,
	IBWIRE_GRH,
	IBWIRE_PAYLEN,
	IBWIRE_TVER,
	IBWIRE_OPCODE,
	IBWIRE_PAD,
	IBWIRE_PAYLOAD,
	IBWIRE_ICRC,
	IBWIRE_VCRC,
	IBWIRE_MAD_VERSION,
	IBWIRE_MAD_CLASS,
	IBWIRE_SLID,
	IBWIRE_VL,
	IBWIRE_QP,
	IBWIRE_PKEY,
	IBWIRE_MTU,
	IBWIRE_FAULT_COUNT,
};

/**
 * ibwire_fault_name() - get the name of a fault
 * @fault: any value
 *
 * Return: a name in lower case for logs and counters; "unknown" for a value that is none.
 */
const char *ibwire_fault_name(enum ibwire_fault fault);

#endif /* IBWIRE_FAULT_H */
