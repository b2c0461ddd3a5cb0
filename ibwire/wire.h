/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Layouts and constants of InfiniBand's packets (IBTA volume 1, chapters 5 to 9). All numbers are
 * big-endian except the CRCs, see icrc.h and vcrc.h.
 *
 * The structures are copied from and to packets with memcpy(), because packets are not aligned.
 */
#ifndef IBWIRE_WIRE_H
#define IBWIRE_WIRE_H

#include "compat/port.h"

/* Lengths of headers and CRCs, in bytes. The headers follow each other in this order. */
#define LRH_LEN			8
#define GRH_LEN			40
#define BTH_LEN			12
#define DETH_LEN		8
#define XRCETH_LEN		4
#define RETH_LEN		16
#define ATOMICETH_LEN		28
#define AETH_LEN		4
#define ATOMICACKETH_LEN	8
#define IMMDT_LEN		4
#define IETH_LEN		4
#define ICRC_LEN		4
#define VCRC_LEN		2

/* Length of the longest headers: LRH, GRH, BTH and the extended headers of an atomic request. */
#define IBWIRE_HEAD_MAX		(LRH_LEN + GRH_LEN + BTH_LEN + XRCETH_LEN + ATOMICETH_LEN)

#define GID_LEN			16

/* Local route header */

#define LRH_VL_MASK		0xf0
#define LRH_LVER_MASK		0x0f
#define LRH_SL_MASK		0xf0
#define LRH_LNH_MASK		0x03
#define LRH_PKT_LEN_MASK	0x07ff

/**
 * struct lrh_wire - local route header
 * @vl_lver: LRH_VL_MASK, LRH_LVER_MASK
 * @sl_lnh: LRH_SL_MASK, LRH_LNH_MASK; the other bits are reserved
 * @dlid: destination
 * @pkt_len: LRH_PKT_LEN_MASK: words of 32 bits from the LRH on, without the VCRC
 * @slid: source
 */
struct lrh_wire {
	u8 vl_lver;
	u8 sl_lnh;
	__be16 dlid;
	__be16 pkt_len;
	__be16 slid;
};

/* Global route header */

#define GRH_IP_VERSION		6
#define GRH_NEXT_HEADER		0x1b	/* a BTH follows */
#define GRH_VERSION_MASK	0xf0000000
#define GRH_TCLASS_MASK		0x0ff00000
#define GRH_FLOW_MASK		0x000fffff

/**
 * struct grh_wire - global route header
 * @ver_tclass_flow: GRH_VERSION_MASK, GRH_TCLASS_MASK, GRH_FLOW_MASK
 * @pay_len: bytes that follow the GRH, without the VCRC
 * @next_header: GRH_NEXT_HEADER
 * @hop_limit: number of routers that may forward the packet
 * @sgid: source
 * @dgid: destination
 */
struct grh_wire {
	__be32 ver_tclass_flow;
	__be16 pay_len;
	u8 next_header;
	u8 hop_limit;
	u8 sgid[GID_LEN];
	u8 dgid[GID_LEN];
};

/* Base transport header */

#define BTH_SOLICITED		0x80
#define BTH_MIGRATED		0x40
#define BTH_PAD_MASK		0x30
#define BTH_TVER_MASK		0x0f
#define BTH_FECN		0x80000000
#define BTH_BECN		0x40000000
#define BTH_QPN_MASK		0x00ffffff
#define BTH_ACK_REQ		0x80000000
#define BTH_PSN_MASK		0x00ffffff

/**
 * struct bth_wire - base transport header
 * @opcode: see opcode.h
 * @flags: BTH_SOLICITED, BTH_MIGRATED, BTH_PAD_MASK, BTH_TVER_MASK
 * @pkey: partition
 * @dqpn: BTH_FECN, BTH_BECN, 6 reserved bits, BTH_QPN_MASK. The ICRC leaves out the upper byte
 * @psn: BTH_ACK_REQ, 7 reserved bits, BTH_PSN_MASK
 */
struct bth_wire {
	u8 opcode;
	u8 flags;
	__be16 pkey;
	__be32 dqpn;
	__be32 psn;
};

/* Extended transport headers */

/**
 * struct deth_wire - datagram extended transport header
 * @qkey: Q_Key
 * @sqpn: 8 reserved bits, the QP that has sent the datagram
 */
struct deth_wire {
	__be32 qkey;
	__be32 sqpn;
};

/**
 * struct reth_wire - RDMA extended transport header
 * @va: address in the memory of the responder
 * @rkey: R_Key of this memory
 * @len: length of the whole message in bytes
 */
struct reth_wire {
	__be64 va;
	__be32 rkey;
	__be32 len;
} __packed;

/**
 * struct atomiceth_wire - atomic extended transport header
 * @va: address of the word
 * @rkey: R_Key of its memory
 * @swap_add: value to swap in or to add
 * @compare: value that the word must have, for CmpSwap
 */
struct atomiceth_wire {
	__be64 va;
	__be32 rkey;
	__be64 swap_add;
	__be64 compare;
} __packed;

static_assert(sizeof(struct lrh_wire) == LRH_LEN);
static_assert(sizeof(struct grh_wire) == GRH_LEN);
static_assert(sizeof(struct bth_wire) == BTH_LEN);
static_assert(sizeof(struct deth_wire) == DETH_LEN);
static_assert(sizeof(struct reth_wire) == RETH_LEN);
static_assert(sizeof(struct atomiceth_wire) == ATOMICETH_LEN);

#endif /* IBWIRE_WIRE_H */
