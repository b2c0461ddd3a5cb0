/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The global route header, which takes a packet through several subnets (IBTA 8.3). */
#ifndef IBWIRE_GRH_H
#define IBWIRE_GRH_H

#include "fault.h"
#include "wire.h"

/**
 * struct grh - global route header, decoded
 * @tclass: traffic class
 * @hop_limit: number of routers that may forward the packet
 * @pay_len: bytes that follow the GRH, without the VCRC
 * @flow: flow label, 20 bits
 * @sgid: source
 * @dgid: destination
 */
struct grh {
	u8 tclass;
	u8 hop_limit;
	u16 pay_len;
	u32 flow;
	u8 sgid[GID_LEN];
	u8 dgid[GID_LEN];
};

/**
 * grh_parse() - decode and check a global route header
 * @at: the header
 * @len: number of bytes from the header on, without the VCRC
 * @grh: out: the header; set on IBWIRE_OK, undefined otherwise
 *
 * Return: IBWIRE_OK; IBWIRE_TRUNCATED if @len is less than the header; IBWIRE_GRH for another IP
 * version or next header; IBWIRE_PAYLEN if PayLen is not @len without the header.
 */
enum ibwire_fault grh_parse(const u8 *at, size_t len, struct grh *grh);

/**
 * grh_build() - write a global route header
 * @buf: room for GRH_LEN bytes
 * @grh: the header
 */
void grh_build(u8 *buf, const struct grh *grh);

#endif /* IBWIRE_GRH_H */
