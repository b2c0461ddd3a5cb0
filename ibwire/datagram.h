/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The checks of a datagram that has come to a port as bytes (IBTA 7.3, 9.6.1, 14.2.1). */
#ifndef IBWIRE_DATAGRAM_H
#define IBWIRE_DATAGRAM_H

#include "packet.h"

/* The QP that all members of a multicast group have. */
#define QPN_MULTICAST		0xffffff

/**
 * struct datagram_limits - settings of the port
 * @num_vls: number of virtual lanes for data
 * @mtu: length of the longest payload in bytes
 */
struct datagram_limits {
	u8 num_vls;
	u16 mtu;
};

/**
 * datagram_parse() - decode and check a packet, which is to be a datagram
 * @bytes: the packet
 * @len: length of the packet in bytes, with the VCRC
 * @limits: settings of the port that the packet has come to
 * @packet: out: the headers; set on IBWIRE_OK, undefined otherwise
 *
 * A packet on VL 15 is a subnet management packet (SMP), from QP 0 to QP 0, by a LID or to the
 * neighbour by the permissive one, without a GRH. Another packet goes from a QP to a QP, and to a
 * multicast group only with a GRH that names the group. The caller compares LIDs, P_Key and Q_Key
 * with its tables.
 *
 * Return: IBWIRE_OK, or the first fault: those of ibwire_packet_parse() and ibwire_packet_check(),
 * IBWIRE_OPCODE for another transport, IBWIRE_DLID, IBWIRE_SLID; of an SMP IBWIRE_QP, IBWIRE_GRH,
 * IBWIRE_OPCODE, IBWIRE_PAYLOAD, IBWIRE_MAD_VERSION, IBWIRE_MAD_CLASS; of other packets IBWIRE_VL,
 * IBWIRE_QP, IBWIRE_GRH, IBWIRE_PKEY, IBWIRE_MTU.
 */
enum ibwire_fault datagram_parse(const u8 *bytes, size_t len, const struct datagram_limits *limits,
				 struct ibwire_packet *packet);

#endif /* IBWIRE_DATAGRAM_H */
