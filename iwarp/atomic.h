/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* RDMAP's extensions (RFC 7306): atomic operations on 64-bit words, and Immediate Data. */
#ifndef IWARP_ATOMIC_H
#define IWARP_ATOMIC_H

#include "fault.h"
#include "wire.h"

/**
 * struct rdmap_atomic_req - an Atomic Request, decoded
 * @op: enum rdmap_atomic_op
 * @id: chosen by the requester, repeated in the response
 * @stag: STag of the memory
 * @to: offset of the word in that memory
 * @data: value to add or to swap in
 * @data_mask: FetchAdd: the bits that are the highest of a field; a carry out of such a bit is
 *	dropped. Swap and CmpSwap: the bits to replace
 * @compare: CmpSwap: value that the word must have
 * @compare_mask: CmpSwap: the bits to compare
 */
struct rdmap_atomic_req {
	u8 op;
	u32 id;
	u32 stag;
	u64 to;
	u64 data;
	u64 data_mask;
	u64 compare;
	u64 compare_mask;
};

/**
 * rdmap_atomic_req_build() - write the payload of an Atomic Request
 * @buf: room for RDMAP_ATOMIC_REQ_LEN bytes
 * @req: the request
 *
 * Return: bytes written, RDMAP_ATOMIC_REQ_LEN.
 */
size_t rdmap_atomic_req_build(u8 *buf, const struct rdmap_atomic_req *req);

/**
 * rdmap_atomic_req_parse() - decode and check the payload of an Atomic Request
 * @buf: payload
 * @len: length of the payload in bytes
 * @req: out: the request; not set on IWARP_ULPDU_SHORT
 *
 * Reserved bits are ignored.
 *
 * Return: IWARP_OK; IWARP_ULPDU_SHORT if @len is less than RDMAP_ATOMIC_REQ_LEN; IWARP_ATOMIC_OP
 * for an unknown operation; IWARP_ATOMIC_ALIGN if the offset is not a multiple of 8.
 */
enum iwarp_fault rdmap_atomic_req_parse(const u8 *buf, size_t len, struct rdmap_atomic_req *req);

/**
 * struct rdmap_atomic_resp - an Atomic Response, decoded
 * @id: id of the request
 * @old: value of the word before the operation
 */
struct rdmap_atomic_resp {
	u32 id;
	u64 old;
};

/**
 * rdmap_atomic_resp_build() - write the payload of an Atomic Response
 * @buf: room for RDMAP_ATOMIC_RESP_LEN bytes
 * @resp: the response
 *
 * Return: bytes written, RDMAP_ATOMIC_RESP_LEN.
 */
size_t rdmap_atomic_resp_build(u8 *buf, const struct rdmap_atomic_resp *resp);

/**
 * rdmap_atomic_resp_parse() - decode the payload of an Atomic Response
 * @buf: payload
 * @len: length of the payload in bytes
 * @resp: out: the response; set on IWARP_OK
 *
 * Return: IWARP_OK; IWARP_ULPDU_SHORT if @len is less than RDMAP_ATOMIC_RESP_LEN.
 */
enum iwarp_fault rdmap_atomic_resp_parse(const u8 *buf, size_t len,
					 struct rdmap_atomic_resp *resp);

/*
 * Immediate Data has eight bytes. The first four are sent as zero, and ignored when received. The
 * last four are the consumer's, and are copied from and to memory without a change of byte order.
 */

/**
 * rdmap_immediate_build() - write the payload of an Immediate Data message
 * @buf: room for RDMAP_IMMEDIATE_LEN bytes
 * @data: the consumer's four bytes
 *
 * Return: bytes written, RDMAP_IMMEDIATE_LEN.
 */
size_t rdmap_immediate_build(u8 *buf, __be32 data);

/**
 * rdmap_immediate_parse() - read the payload of an Immediate Data message
 * @buf: RDMAP_IMMEDIATE_LEN bytes
 *
 * Return: the consumer's four bytes.
 */
__be32 rdmap_immediate_parse(const u8 *buf);

#endif /* IWARP_ATOMIC_H */
