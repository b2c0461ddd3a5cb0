/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The header of management datagrams (MADs), and what their classes have in common (IBTA 13.4). */
#ifndef IBWIRE_MAD_H
#define IBWIRE_MAD_H

#include "fault.h"

#define MAD_LEN			256
#define MAD_HDR_LEN		24
#define MAD_RMPP_HDR_LEN	12
#define MAD_BASE_VERSION	1

/* Offsets of the data in a MAD, by class. */
#define MAD_DATA_PLAIN		MAD_HDR_LEN
/* SM_Key, attribute offset and component mask come before it. */
#define MAD_DATA_SA		(MAD_HDR_LEN + MAD_RMPP_HDR_LEN + 20)
#define MAD_DATA_DEVICE		64
/* The OUI comes before it. */
#define MAD_DATA_VENDOR		(MAD_HDR_LEN + MAD_RMPP_HDR_LEN + 4)

/* Classes */
#define MAD_CLASS_SMP		0x01
#define MAD_CLASS_SA		0x03
#define MAD_CLASS_PERF		0x04
#define MAD_CLASS_BASEBOARD	0x05
#define MAD_CLASS_DEVICE	0x06
#define MAD_CLASS_CM		0x07
#define MAD_CLASS_DEVICE_ADM	0x10
#define MAD_CLASS_BIS		0x12
#define MAD_CLASS_VENDOR_MIN	0x30	/* classes of vendors with an OUI, and with RMPP */
#define MAD_CLASS_VENDOR_MAX	0x4f
#define MAD_CLASS_SMP_DIRECTED	0x81

/* Methods */
#define MAD_METHOD_GET		0x01
#define MAD_METHOD_SET		0x02
#define MAD_METHOD_SEND		0x03
#define MAD_METHOD_TRAP		0x05
#define MAD_METHOD_REPORT	0x06
#define MAD_METHOD_TRAP_REPRESS	0x07
#define MAD_METHOD_RESPONSE	0x80	/* the bit of responses */

/* Bit of the attribute modifier by which baseboard management marks its responses. */
#define MAD_BASEBOARD_RESPONSE	1

/* Status: bits that all classes have, and in bits 2 to 4 one of the codes of an invalid field. */
#define MAD_STATUS_BUSY			0x0001
#define MAD_STATUS_REDIRECT		0x0002
#define MAD_STATUS_BAD_VERSION		0x0004
#define MAD_STATUS_BAD_METHOD		0x0008
#define MAD_STATUS_BAD_ATTR		0x000c
#define MAD_STATUS_BAD_VALUE		0x001c

/**
 * struct mad_wire - header of a MAD
 * @base_version: MAD_BASE_VERSION
 * @mgmt_class: MAD_CLASS_*
 * @class_version: version of the class
 * @method: MAD_METHOD_*
 * @status: MAD_STATUS_*; directed route: the direction bit and 15 bits of status
 * @class_specific: directed route: hop pointer and hop count
 * @tid: transaction
 * @attr_id: attribute
 * @reserved: 0
 * @attr_mod: modifier of the attribute
 */
struct mad_wire {
	u8 base_version;
	u8 mgmt_class;
	u8 class_version;
	u8 method;
	__be16 status;
	__be16 class_specific;
	__be64 tid;
	__be16 attr_id;
	__be16 reserved;
	__be32 attr_mod;
};

static_assert(sizeof(struct mad_wire) == MAD_HDR_LEN);

/**
 * struct mad - header of a MAD, decoded
 * @mgmt_class: class
 * @class_version: version of the class
 * @method: method
 * @status: status
 * @class_specific: meaning defined by the class
 * @tid: transaction
 * @attr_id: attribute
 * @attr_mod: modifier of the attribute
 */
struct mad {
	u8 mgmt_class;
	u8 class_version;
	u8 method;
	u16 status;
	u16 class_specific;
	u64 tid;
	u16 attr_id;
	u32 attr_mod;
};

/**
 * mad_parse() - decode and check the header of a MAD
 * @buf: the MAD
 * @len: length of @buf in bytes
 * @mad: out: the header; set on IBWIRE_OK, undefined otherwise
 *
 * Return: IBWIRE_OK; IBWIRE_TRUNCATED if @len is less than MAD_LEN; IBWIRE_MAD_VERSION for another
 * base version.
 */
enum ibwire_fault mad_parse(const u8 *buf, size_t len, struct mad *mad);

/**
 * mad_build() - write the header of a MAD
 * @buf: room for MAD_HDR_LEN bytes
 * @mad: the header
 */
void mad_build(u8 *buf, const struct mad *mad);

/**
 * mad_is_response() - does a MAD answer another one?
 * @mad: the header
 *
 * Return: true for the methods of responses, for TrapRepress, and for the mark that baseboard
 * management has for its own (IBTA 13.4.5, 16.2).
 */
bool mad_is_response(const struct mad *mad);

/**
 * mad_class_is_smp() - is a class one of those that QP 0 has?
 * @mgmt_class: class
 *
 * Return: true for subnet management by LID and by directed route (IBTA 14.2).
 */
bool mad_class_is_smp(u8 mgmt_class);

/**
 * mad_class_has_oui() - is a class one of those that vendors divide by their OUI?
 * @mgmt_class: class
 *
 * Return: true for the classes 0x30 to 0x4f.
 */
bool mad_class_has_oui(u8 mgmt_class);

/**
 * mad_class_has_rmpp() - may MADs of a class be segments of a longer message?
 * @mgmt_class: class
 *
 * Return: true if the header of RMPP follows that of the MAD (IBTA 13.6).
 */
bool mad_class_has_rmpp(u8 mgmt_class);

/**
 * mad_data_offset() - get the place of the data in MADs of a class
 * @mgmt_class: class
 *
 * Return: offset of the data in bytes: MAD_DATA_*.
 */
size_t mad_data_offset(u8 mgmt_class);

#endif /* IBWIRE_MAD_H */
