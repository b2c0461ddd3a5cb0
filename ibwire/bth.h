/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The base transport header and the extended headers that follow it (IBTA 9.2 and 9.3). */
#ifndef IBWIRE_BTH_H
#define IBWIRE_BTH_H

#include "fault.h"
#include "opcode.h"
#include "wire.h"

/**
 * struct bth - base transport header, decoded
 * @opcode: any value
 * @pad: number of bytes behind the payload that are not part of it, 0 to 3
 * @solicited: the receiver asks for an event of this message
 * @migrated: the sender's path is the primary one, or the alternate one after migration
 * @fecn: the packet has met congestion
 * @becn: a packet of the other direction has met congestion
 * @ack_req: the receiver is to acknowledge
 * @pkey: partition
 * @dqpn: QP that receives, 24 bits
 * @psn: packet sequence number, 24 bits
 */
struct bth {
	u8 opcode;
	u8 pad;
	bool solicited;
	bool migrated;
	bool fecn;
	bool becn;
	bool ack_req;
	u16 pkey;
	u32 dqpn;
	u32 psn;
};

/**
 * struct bth_ext - the extended headers, decoded
 * @qkey: DETH: Q_Key
 * @sqpn: DETH: QP that has sent the datagram, 24 bits
 * @srqn: XRCETH: shared receive queue, 24 bits
 * @rkey: RETH, AtomicETH: R_Key
 * @va: RETH, AtomicETH: address
 * @len: RETH: length of the message in bytes
 * @swap_add: AtomicETH: value to swap in or to add
 * @compare: AtomicETH: value that the word must have
 * @syndrome: AETH: kind of acknowledgment, with its credits, timer or error
 * @msn: AETH: message sequence number, 24 bits
 * @old: AtomicAckETH: value of the word before the operation
 * @imm: ImmDt: immediate data, as it is on the wire
 * @inv_rkey: IETH: R_Key to invalidate
 *
 * The members of headers that the opcode has not are zero.
 */
struct bth_ext {
	u32 qkey;
	u32 sqpn;
	u32 srqn;
	u32 rkey;
	u64 va;
	u32 len;
	u64 swap_add;
	u64 compare;
	u8 syndrome;
	u32 msn;
	u64 old;
	__be32 imm;
	u32 inv_rkey;
};

/**
 * bth_parse() - decode and check a base transport header
 * @at: the header
 * @len: number of bytes from the header on
 * @bth: out: the header; set on IBWIRE_OK, undefined otherwise
 *
 * Return: IBWIRE_OK; IBWIRE_TRUNCATED if @len is less than the header; IBWIRE_TVER for another
 * transport version.
 */
enum ibwire_fault bth_parse(const u8 *at, size_t len, struct bth *bth);

/**
 * bth_build() - write a base transport header
 * @buf: room for BTH_LEN bytes
 * @bth: the header
 */
void bth_build(u8 *buf, const struct bth *bth);

/**
 * bth_ext_parse() - decode the extended headers
 * @at: what follows the BTH: as many bytes as the opcode's headers have
 * @flags: OP_* of the opcode
 * @ext: out: the headers
 */
void bth_ext_parse(const u8 *at, u32 flags, struct bth_ext *ext);

/**
 * bth_ext_build() - write the extended headers
 * @buf: room for as many bytes as the opcode's headers have
 * @flags: OP_* of the opcode
 * @ext: the headers
 *
 * Return: bytes written.
 */
size_t bth_ext_build(u8 *buf, u32 flags, const struct bth_ext *ext);

#endif /* IBWIRE_BTH_H */
