/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Protection information: what a device adds to data, checks, or removes while it moves the data.
 *
 * Data is protected in intervals, each with eight bytes of T10 DIF: a guard (two bytes, a checksum
 * of the interval), an application tag (two bytes) and a reference tag (four bytes). A transfer has
 * two domains: memory and wire. In each, the data may be with or without protection information.
 */
#ifndef _KRDMA_SIGNATURE_H_
#define _KRDMA_SIGNATURE_H_

#ifdef _RDMA_SIGNATURE_H_
#error "the kernel's <rdma/signature.h> was included before krdma's"
#endif
#define _RDMA_SIGNATURE_H_

#include <linux/types.h>

/* Bits of ib_device_attr.sig_prot_cap: the types of T10 DIF that the device knows. */
enum ib_signature_prot_cap {
	IB_PROT_T10DIF_TYPE_1 = 1,
	IB_PROT_T10DIF_TYPE_2 = 1 << 1,
	IB_PROT_T10DIF_TYPE_3 = 1 << 2,
};

/* Bits of ib_device_attr.sig_guard_cap: the guards that the device can compute. */
enum ib_signature_guard_cap {
	IB_GUARD_T10DIF_CRC = 1,
	IB_GUARD_T10DIF_CSUM = 1 << 1,
};

/**
 * enum ib_signature_type - protection information of a domain
 * @IB_SIG_TYPE_NONE: data only
 * @IB_SIG_TYPE_T10_DIF: T10 DIF behind each interval
 */
enum ib_signature_type {
	IB_SIG_TYPE_NONE,
	IB_SIG_TYPE_T10_DIF,
};

/**
 * enum ib_t10_dif_bg_type - guards of T10 DIF
 * @IB_T10DIF_CRC: the CRC with T10's polynomial
 * @IB_T10DIF_CSUM: the checksum of IP
 */
enum ib_t10_dif_bg_type {
	IB_T10DIF_CRC,
	IB_T10DIF_CSUM,
};

/**
 * struct ib_t10_dif_domain - T10 DIF of a domain
 * @bg_type: guard
 * @pi_interval: length of an interval in bytes, without its protection information
 * @bg: initial value of the guard's computation
 * @app_tag: application tag
 * @ref_tag: reference tag of the first interval
 * @ref_remap: the reference tag increases by one with each interval; otherwise all have the same
 * @app_escape: an interval whose application tag is 0xffff is not checked
 * @ref_escape: an interval whose reference tag is 0xffffffff is not checked. With @app_escape, both
 *	tags must have these values
 * @apptag_check_mask: bits of the application tag that are checked
 */
struct ib_t10_dif_domain {
	enum ib_t10_dif_bg_type bg_type;
	u16			pi_interval;
	u16			bg;
	u16			app_tag;
	u32			ref_tag;
	bool			ref_remap;
	bool			app_escape;
	bool			ref_escape;
	u16			apptag_check_mask;
};

/**
 * struct ib_sig_domain - protection information of one domain
 * @sig_type: kind
 * @sig: parameters of the kind
 * @sig.dif: parameters of %IB_SIG_TYPE_T10_DIF
 */
struct ib_sig_domain {
	enum ib_signature_type sig_type;
	union {
		struct ib_t10_dif_domain dif;
	} sig;
};

/**
 * struct ib_sig_attrs - what a transfer does with protection information
 * @check_mask: bytes of the protection information that are checked, a bit each: %IB_SIG_CHECK_*
 * @mem: the data in memory
 * @wire: the data on the wire
 * @meta_length: bytes of protection information in memory
 */
struct ib_sig_attrs {
	u8			check_mask;
	struct ib_sig_domain	mem;
	struct ib_sig_domain	wire;
	int			meta_length;
};

/* Bits of check_mask: the bytes of the guard, of the application tag, of the reference tag. */
enum {
	IB_SIG_CHECK_GUARD = 0xc0,
	IB_SIG_CHECK_APPTAG = 0x30,
	IB_SIG_CHECK_REFTAG = 0x0f,
};

/* The part of an interval's protection information that is wrong. */
enum ib_sig_err_type {
	IB_SIG_BAD_GUARD,
	IB_SIG_BAD_REFTAG,
	IB_SIG_BAD_APPTAG,
};

/**
 * struct ib_sig_err - the first error that a device has found
 * @err_type: the part of the protection information that is wrong
 * @expected: value that the part should have
 * @actual: value that the part has
 * @sig_err_offset: offset, in the transfer, of the interval with the error, in bytes; the
 *	protection information of the intervals before it counts, even if it is not in the transfer
 * @key: L_Key of the region
 */
struct ib_sig_err {
	enum ib_sig_err_type	err_type;
	u32			expected;
	u32			actual;
	u64			sig_err_offset;
	u32			key;
};

#endif /* _KRDMA_SIGNATURE_H_ */
