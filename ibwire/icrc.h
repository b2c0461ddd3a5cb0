/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The invariant CRC: CRC-32 over what no switch and no router changes (IBTA 7.8.1; for RoCEv2 IBTA
 * annex A17.3.3). The bytes of the result are on the wire with the least significant one first.
 */
#ifndef IBWIRE_ICRC_H
#define IBWIRE_ICRC_H

#include "wire.h"

/**
 * icrc_begin() - begin the ICRC of a packet of a subnet
 * @head: LRH, GRH if there is one, BTH and extended headers
 * @len: length of @head in bytes, at most IBWIRE_HEAD_MAX
 * @global: a GRH is there
 *
 * Return: a value for icrc_add() and icrc_end().
 */
u32 icrc_begin(const u8 *head, size_t len, bool global);

/**
 * icrc_begin_roce() - begin the ICRC of a RoCEv2 packet
 * @head: IPv4 header without options or IPv6 header, UDP header, BTH and extended headers
 * @len: length of @head in bytes, at most ICRC_ROCE_HEAD_MAX
 *
 * Return: a value for icrc_add() and icrc_end().
 */
u32 icrc_begin_roce(const u8 *head, size_t len);

#define IPV4_LEN		20
#define IPV6_LEN		40
#define UDP_LEN			8
#define ICRC_ROCE_HEAD_MAX	(IPV6_LEN + UDP_LEN + BTH_LEN + XRCETH_LEN + ATOMICETH_LEN)

/**
 * icrc_add() - add bytes
 * @crc: value of icrc_begin(), icrc_begin_roce() or icrc_add()
 * @data: payload or pad bytes
 * @len: length of @data in bytes
 *
 * Return: the new value.
 */
u32 icrc_add(u32 crc, const void *data, size_t len);

/* Writes the ICRC to the ICRC_LEN bytes at @buf. @crc: value after the last byte */
static inline void icrc_end(u8 *buf, u32 crc)
{
	put_unaligned_le32(~crc, buf);
}

#endif /* IBWIRE_ICRC_H */
