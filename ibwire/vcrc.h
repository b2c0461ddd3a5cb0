/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The variant CRC: CRC-16 with the polynomial 0x100b over the whole packet, which is made anew for
 * each link (IBTA 7.8.2). Of its two bytes on the wire, the less significant one is the first.
 */
#ifndef IBWIRE_VCRC_H
#define IBWIRE_VCRC_H

#include "wire.h"

/**
 * vcrc() - calculate the VCRC of a packet
 * @packet: the packet, from the LRH to the ICRC
 * @len: length of @packet in bytes
 *
 * Return: the VCRC.
 */
u16 vcrc(const u8 *packet, size_t len);

#endif /* IBWIRE_VCRC_H */
