/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Management datagrams (MADs) of InfiniBand: their layout (IBTA 13.4, 13.6, 14.2), and agents,
 * which send and receive them by the QPs 0 and 1 of a port.
 */
#ifndef _RDMA_IB_MAD_H_
#define _RDMA_IB_MAD_H_

#ifdef IB_MAD_H
#error "the kernel's <rdma/ib_mad.h> was included before krdma's"
#endif
#define IB_MAD_H

#include <linux/list.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/ib_user_mad.h>

/* Version of all MADs: &ib_mad_hdr.base_version. The second one is that of Omni-Path. */
#define IB_MGMT_BASE_VERSION			1
#define OPA_MGMT_BASE_VERSION			0x80
#define OPA_SM_CLASS_VERSION			0x80

/* Classes: &ib_mad_hdr.mgmt_class. */
#define IB_MGMT_CLASS_SUBN_LID_ROUTED		0x01
#define IB_MGMT_CLASS_SUBN_ADM			0x03
#define IB_MGMT_CLASS_PERF_MGMT			0x04
#define IB_MGMT_CLASS_BM			0x05
#define IB_MGMT_CLASS_DEVICE_MGMT		0x06
#define IB_MGMT_CLASS_CM			0x07
#define IB_MGMT_CLASS_SNMP			0x08
#define IB_MGMT_CLASS_DEVICE_ADM		0x10
#define IB_MGMT_CLASS_BOOT_MGMT			0x11
#define IB_MGMT_CLASS_BIS			0x12
#define IB_MGMT_CLASS_CONG_MGMT			0x21
#define IB_MGMT_CLASS_VENDOR_RANGE2_START	0x30
#define IB_MGMT_CLASS_VENDOR_RANGE2_END		0x4F
#define IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE	0x81

/* OUI of the vendor-specific classes of the OpenIB stack. */
#define IB_OPENIB_OUI				(0x001405)

/* Methods: &ib_mad_hdr.method. A response has the bit IB_MGMT_METHOD_RESP. */
#define IB_MGMT_METHOD_GET			0x01
#define IB_MGMT_METHOD_SET			0x02
#define IB_MGMT_METHOD_SEND			0x03
#define IB_MGMT_METHOD_TRAP			0x05
#define IB_MGMT_METHOD_REPORT			0x06
#define IB_MGMT_METHOD_TRAP_REPRESS		0x07
#define IB_MGMT_METHOD_RESP			0x80
#define IB_MGMT_METHOD_GET_RESP			0x81
#define IB_MGMT_METHOD_REPORT_RESP		0x86
#define IB_MGMT_METHOD_GET_TABLE		0x12

/* Baseboard management: the bit of the attribute modifier that responses have. */
#define IB_BM_ATTR_MOD_RESP			cpu_to_be32(1)

/* Number of methods, without those of responses. */
#define IB_MGMT_MAX_METHODS			128

/* Results: &ib_mad_hdr.status. */
#define IB_MGMT_MAD_STATUS_SUCCESS			0x0000
#define IB_MGMT_MAD_STATUS_BUSY				0x0001
#define IB_MGMT_MAD_STATUS_REDIRECT_REQD		0x0002
#define IB_MGMT_MAD_STATUS_BAD_VERSION			0x0004
#define IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD		0x0008
#define IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB	0x000c
#define IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE		0x001c

/* RMPP: version, types, flags, and the response time of who names none. */
#define IB_MGMT_RMPP_VERSION			1

#define IB_MGMT_RMPP_TYPE_DATA			1
#define IB_MGMT_RMPP_TYPE_ACK			2
#define IB_MGMT_RMPP_TYPE_STOP			3
#define IB_MGMT_RMPP_TYPE_ABORT			4

#define IB_MGMT_RMPP_FLAG_ACTIVE		1
#define IB_MGMT_RMPP_FLAG_FIRST			BIT(1)
#define IB_MGMT_RMPP_FLAG_LAST			BIT(2)

#define IB_MGMT_RMPP_NO_RESPTIME		0x1F

/* Why an RMPP message was stopped or aborted: &ib_rmpp_hdr.rmpp_status. */
#define IB_MGMT_RMPP_STATUS_SUCCESS		0
#define IB_MGMT_RMPP_STATUS_RESX		1
#define IB_MGMT_RMPP_STATUS_ABORT_MIN		118
#define IB_MGMT_RMPP_STATUS_T2L			118
#define IB_MGMT_RMPP_STATUS_BAD_LEN		119
#define IB_MGMT_RMPP_STATUS_BAD_SEG		120
#define IB_MGMT_RMPP_STATUS_BADT		121
#define IB_MGMT_RMPP_STATUS_W2S			122
#define IB_MGMT_RMPP_STATUS_S2B			123
#define IB_MGMT_RMPP_STATUS_BAD_STATUS		124
#define IB_MGMT_RMPP_STATUS_UNV			125
#define IB_MGMT_RMPP_STATUS_TMR			126
#define IB_MGMT_RMPP_STATUS_UNSPEC		127
#define IB_MGMT_RMPP_STATUS_ABORT_MAX		127

/* Traps: type and producer in &ib_mad_notice_attr. */
#define IB_NOTICE_TYPE_FATAL			0x80
#define IB_NOTICE_TYPE_URGENT			0x81
#define IB_NOTICE_TYPE_SECURITY			0x82
#define IB_NOTICE_TYPE_SM			0x83
#define IB_NOTICE_TYPE_INFO			0x84

#define IB_NOTICE_PROD_CA			cpu_to_be16(1)
#define IB_NOTICE_PROD_SWITCH			cpu_to_be16(2)
#define IB_NOTICE_PROD_ROUTER			cpu_to_be16(3)
#define IB_NOTICE_PROD_CLASS_MGR		cpu_to_be16(4)

/*
 * Lengths in bytes. *_HDR: from the begin of the MAD to the data of such classes; *_DATA: the data;
 * *_SIZE: the MAD.
 */
enum {
	IB_MGMT_MAD_HDR = 24,
	IB_MGMT_MAD_DATA = 232,
	IB_MGMT_RMPP_HDR = 36,
	IB_MGMT_RMPP_DATA = 220,
	IB_MGMT_VENDOR_HDR = 40,
	IB_MGMT_VENDOR_DATA = 216,
	IB_MGMT_SA_HDR = 56,
	IB_MGMT_SA_DATA = 200,
	IB_MGMT_DEVICE_HDR = 64,
	IB_MGMT_DEVICE_DATA = 192,
	IB_MGMT_MAD_SIZE = IB_MGMT_MAD_HDR + IB_MGMT_MAD_DATA,
	OPA_MGMT_MAD_DATA = 2024,
	OPA_MGMT_RMPP_DATA = 2012,
	OPA_MGMT_MAD_SIZE = IB_MGMT_MAD_HDR + OPA_MGMT_MAD_DATA,
};

/**
 * struct ib_mad_hdr - the header of every MAD
 * @base_version: IB_MGMT_BASE_VERSION
 * @mgmt_class: class
 * @class_version: version of the class
 * @method: method
 * @status: result, in a response
 * @class_specific: meaning defined by the class
 * @tid: number of the transaction
 * @attr_id: attribute
 * @resv: 0
 * @attr_mod: modifier of the attribute
 */
struct ib_mad_hdr {
	u8	base_version;
	u8	mgmt_class;
	u8	class_version;
	u8	method;
	__be16	status;
	__be16	class_specific;
	__be64	tid;
	__be16	attr_id;
	__be16	resv;
	__be32	attr_mod;
};

/**
 * struct ib_rmpp_hdr - the header of RMPP, which follows that of the MAD
 * @rmpp_version: IB_MGMT_RMPP_VERSION
 * @rmpp_type: IB_MGMT_RMPP_TYPE_*
 * @rmpp_rtime_flags: response time in the upper 5 bits, IB_MGMT_RMPP_FLAG_* in the others
 * @rmpp_status: IB_MGMT_RMPP_STATUS_*
 * @seg_num: number of the segment, or of the last one that came
 * @paylen_newwin: length of the payload in bytes, or the last segment that may be sent
 */
struct ib_rmpp_hdr {
	u8	rmpp_version;
	u8	rmpp_type;
	u8	rmpp_rtime_flags;
	u8	rmpp_status;
	__be32	seg_num;
	__be32	paylen_newwin;
};

/* Which fields of a record a query is about: a bit for each, the first field has bit 0. */
typedef u64 __bitwise ib_sa_comp_mask;

#define IB_SA_COMP_MASK(n) ((__force ib_sa_comp_mask)cpu_to_be64(1ull << (n)))

/**
 * struct ib_sa_hdr - the header of subnet administration, which follows that of RMPP
 * @sm_key: key of the subnet manager, or 0
 * @attr_offset: distance of records in a table, in words of 8 bytes
 * @reserved: 0
 * @comp_mask: fields that count
 */
struct ib_sa_hdr {
	__be64			sm_key;
	__be16			attr_offset;
	__be16			reserved;
	ib_sa_comp_mask		comp_mask;
} __packed;

/* A MAD, by its class; the opa_ ones are those of Omni-Path. */
struct ib_mad {
	struct ib_mad_hdr	mad_hdr;
	u8			data[IB_MGMT_MAD_DATA];
};

struct opa_mad {
	struct ib_mad_hdr	mad_hdr;
	u8			data[OPA_MGMT_MAD_DATA];
};

struct ib_rmpp_mad {
	struct ib_mad_hdr	mad_hdr;
	struct ib_rmpp_hdr	rmpp_hdr;
	u8			data[IB_MGMT_RMPP_DATA];
};

struct opa_rmpp_mad {
	struct ib_mad_hdr	mad_hdr;
	struct ib_rmpp_hdr	rmpp_hdr;
	u8			data[OPA_MGMT_RMPP_DATA];
};

struct ib_sa_mad {
	struct ib_mad_hdr	mad_hdr;
	struct ib_rmpp_hdr	rmpp_hdr;
	struct ib_sa_hdr	sa_hdr;
	u8			data[IB_MGMT_SA_DATA];
} __packed;

struct ib_vendor_mad {
	struct ib_mad_hdr	mad_hdr;
	struct ib_rmpp_hdr	rmpp_hdr;
	u8			reserved;
	u8			oui[3];
	u8			data[IB_MGMT_VENDOR_DATA];
};

static_assert(sizeof(struct ib_mad) == IB_MGMT_MAD_SIZE);
static_assert(sizeof(struct ib_rmpp_mad) == IB_MGMT_MAD_SIZE);
static_assert(sizeof(struct ib_sa_mad) == IB_MGMT_MAD_SIZE);
static_assert(sizeof(struct ib_vendor_mad) == IB_MGMT_MAD_SIZE);
static_assert(sizeof(struct opa_mad) == OPA_MGMT_MAD_SIZE);

/* The attribute that all classes have, and the response time in it. */
#define IB_MGMT_CLASSPORTINFO_ATTR_ID		cpu_to_be16(0x0001)
#define IB_CLASS_PORT_INFO_RESP_TIME_MASK	0x1F
#define IB_CLASS_PORT_INFO_RESP_TIME_FIELD_SIZE	5

/**
 * struct ib_class_port_info - the attribute ClassPortInfo, which all classes have
 * @base_version: version of MADs
 * @class_version: version of the class
 * @capability_mask: capabilities; those of the lower 8 bits are the same in all classes
 * @cap_mask2_resp_time: 27 bits of capabilities, 5 bits of the response time
 * @redirect_gid: where requests are to go: GID
 * @redirect_tcslfl: traffic class, SL and flow label
 * @redirect_lid: LID
 * @redirect_pkey: P_Key
 * @redirect_qp: number of the QP
 * @redirect_qkey: Q_Key
 * @trap_gid: where traps are to go: GID
 * @trap_tcslfl: traffic class, SL and flow label
 * @trap_lid: LID
 * @trap_pkey: P_Key
 * @trap_hlqp: hop limit and number of the QP
 * @trap_qkey: Q_Key
 */
struct ib_class_port_info {
	u8	base_version;
	u8	class_version;
	__be16	capability_mask;
	__be32	cap_mask2_resp_time;
	u8	redirect_gid[16];
	__be32	redirect_tcslfl;
	__be16	redirect_lid;
	__be16	redirect_pkey;
	__be32	redirect_qp;
	__be32	redirect_qkey;
	u8	trap_gid[16];
	__be32	trap_tcslfl;
	__be16	trap_lid;
	__be16	trap_pkey;
	__be32	trap_hlqp;
	__be32	trap_qkey;
};

/**
 * ib_get_cpi_resp_time() - get the response time of a class
 * @cpi: its ClassPortInfo
 *
 * Return: n of the time 4.096 us * 2^n, 0 to 31.
 */
static inline u8 ib_get_cpi_resp_time(struct ib_class_port_info *cpi)
{
	return be32_to_cpu(cpi->cap_mask2_resp_time) & IB_CLASS_PORT_INFO_RESP_TIME_MASK;
}

/**
 * ib_set_cpi_resp_time() - set the response time of a class
 * @cpi: its ClassPortInfo
 * @rtime: n of the time 4.096 us * 2^n; the lower 5 bits count
 */
static inline void ib_set_cpi_resp_time(struct ib_class_port_info *cpi, u8 rtime)
{
	u32 word = be32_to_cpu(cpi->cap_mask2_resp_time) & ~IB_CLASS_PORT_INFO_RESP_TIME_MASK;

	cpi->cap_mask2_resp_time = cpu_to_be32(word | (rtime & IB_CLASS_PORT_INFO_RESP_TIME_MASK));
}

/**
 * ib_get_cpi_capmask2() - get the second capability mask of a class
 * @cpi: its ClassPortInfo
 *
 * Return: 27 bits.
 */
static inline u32 ib_get_cpi_capmask2(struct ib_class_port_info *cpi)
{
	return be32_to_cpu(cpi->cap_mask2_resp_time) >> IB_CLASS_PORT_INFO_RESP_TIME_FIELD_SIZE;
}

/**
 * ib_set_cpi_capmask2() - set the second capability mask of a class
 * @cpi: its ClassPortInfo
 * @capmask2: 27 bits
 */
static inline void ib_set_cpi_capmask2(struct ib_class_port_info *cpi, u32 capmask2)
{
	cpi->cap_mask2_resp_time =
		cpu_to_be32(capmask2 << IB_CLASS_PORT_INFO_RESP_TIME_FIELD_SIZE |
			    ib_get_cpi_resp_time(cpi));
}

/* Omni-Path: path records are supported. */
#define OPA_CLASS_PORT_INFO_PR_SUPPORT	BIT(26)

/* ClassPortInfo of Omni-Path: the members of struct ib_class_port_info, in other places. */
struct opa_class_port_info {
	u8	base_version;
	u8	class_version;
	__be16	cap_mask;
	__be32	cap_mask2_resp_time;
	u8	redirect_gid[16];
	__be32	redirect_tc_fl;
	__be32	redirect_lid;
	__be32	redirect_sl_qp;
	__be32	redirect_qkey;
	u8	trap_gid[16];
	__be32	trap_tc_fl;
	__be32	trap_lid;
	__be32	trap_hl_qp;
	__be32	trap_qkey;
	__be16	trap_pkey;
	__be16	redirect_pkey;
	u8	trap_sl_rsvd;
	u8	reserved[3];
} __packed;

/* Returns the second capability mask of a class of Omni-Path. */
static inline u32 opa_get_cpi_capmask2(struct opa_class_port_info *cpi)
{
	return be32_to_cpu(cpi->cap_mask2_resp_time) >> IB_CLASS_PORT_INFO_RESP_TIME_FIELD_SIZE;
}

/**
 * struct ib_mad_notice_attr - the attribute Notice, which traps carry
 * @generic_type: bit 7: the trap is one of IBTA's; IB_NOTICE_TYPE_*
 * @prod_type_msb: who raised it, upper 8 bits
 * @prod_type_lsb: IB_NOTICE_PROD_*
 * @trap_num: number of the trap
 * @issuer_lid: LID of the port that raised it
 * @toggle_count: 1 bit that toggles, and 15 bits with the number of notices that were queued
 * @details: what has happened, by the number of the trap
 */
struct ib_mad_notice_attr {
	u8	generic_type;
	u8	prod_type_msb;
	__be16	prod_type_lsb;
	__be16	trap_num;
	__be16	issuer_lid;
	__be16	toggle_count;

	union {
		struct {
			u8		details[54];
		} raw_data;

		/* The port at which a threshold was exceeded, or an M_Key, P_Key ... was wrong. */
		struct {
			__be16		reserved;
			__be16		lid;
			u8		port_num;
		} __packed ntc_129_131;

		/* Where capabilities or other local settings have changed, and which. */
		struct {
			__be16		reserved;
			__be16		lid;
			u8		reserved2;
			u8		local_changes;
			__be32		new_cap_mask;
			u8		reserved3;
			u8		change_flags;
		} __packed ntc_144;

		/* Where the GUID of the system image has changed. */
		struct {
			__be16		reserved;
			__be16		lid;
			__be16		reserved2;
			__be64		new_sys_guid;
		} __packed ntc_145;

		/* An SMP with a wrong M_Key. */
		struct {
			__be16		reserved;
			__be16		lid;
			__be16		dr_slid;
			u8		method;
			u8		reserved2;
			__be16		attr_id;
			__be32		attr_mod;
			__be64		mkey;
			u8		reserved3;
			u8		dr_trunc_hop;
			u8		dr_rtn_path[30];
		} __packed ntc_256;

		/* A packet with a wrong P_Key or Q_Key. The upper bits of @sl_qp1 are the SL. */
		struct {
			__be16		reserved;
			__be16		lid1;
			__be16		lid2;
			__be32		key;
			__be32		sl_qp1;
			__be32		qp2;
			union ib_gid	gid1;
			union ib_gid	gid2;
		} __packed ntc_257_258;
	} details;
};

/* Numbers of the two QPs that exchange MADs, and the Q_Key of the second. */
#define IB_QP0		0
#define IB_QP1		cpu_to_be32(1)
#define IB_QP1_QKEY	0x80010000
#define IB_QP_SET_QKEY	0x80000000

/* P_Key of the partition that every port belongs to: of a limited member, and of a full one. */
#define IB_DEFAULT_PKEY_PARTIAL	0x7FFF
#define IB_DEFAULT_PKEY_FULL	0xFFFF

/* Bits of &ib_port_attr.port_cap_flags (IBTA, PortInfo: CapabilityMask), in host order. */
enum ib_port_capability_mask_bits {
	IB_PORT_SM = IB_UVERBS_PCF_SM,
	IB_PORT_NOTICE_SUP = IB_UVERBS_PCF_NOTICE_SUP,
	IB_PORT_TRAP_SUP = IB_UVERBS_PCF_TRAP_SUP,
	IB_PORT_OPT_IPD_SUP = IB_UVERBS_PCF_OPT_IPD_SUP,
	IB_PORT_AUTO_MIGR_SUP = IB_UVERBS_PCF_AUTO_MIGR_SUP,
	IB_PORT_SL_MAP_SUP = IB_UVERBS_PCF_SL_MAP_SUP,
	IB_PORT_MKEY_NVRAM = IB_UVERBS_PCF_MKEY_NVRAM,
	IB_PORT_PKEY_NVRAM = IB_UVERBS_PCF_PKEY_NVRAM,
	IB_PORT_LED_INFO_SUP = IB_UVERBS_PCF_LED_INFO_SUP,
	IB_PORT_SM_DISABLED = IB_UVERBS_PCF_SM_DISABLED,
	IB_PORT_SYS_IMAGE_GUID_SUP = IB_UVERBS_PCF_SYS_IMAGE_GUID_SUP,
	IB_PORT_PKEY_SW_EXT_PORT_TRAP_SUP = IB_UVERBS_PCF_PKEY_SW_EXT_PORT_TRAP_SUP,
	IB_PORT_EXTENDED_SPEEDS_SUP = IB_UVERBS_PCF_EXTENDED_SPEEDS_SUP,
	IB_PORT_CAP_MASK2_SUP = 1 << 15,
	IB_PORT_CM_SUP = IB_UVERBS_PCF_CM_SUP,
	IB_PORT_SNMP_TUNNEL_SUP = IB_UVERBS_PCF_SNMP_TUNNEL_SUP,
	IB_PORT_REINIT_SUP = IB_UVERBS_PCF_REINIT_SUP,
	IB_PORT_DEVICE_MGMT_SUP = IB_UVERBS_PCF_DEVICE_MGMT_SUP,
	IB_PORT_VENDOR_CLASS_SUP = IB_UVERBS_PCF_VENDOR_CLASS_SUP,
	IB_PORT_DR_NOTICE_SUP = IB_UVERBS_PCF_DR_NOTICE_SUP,
	IB_PORT_CAP_MASK_NOTICE_SUP = IB_UVERBS_PCF_CAP_MASK_NOTICE_SUP,
	IB_PORT_BOOT_MGMT_SUP = IB_UVERBS_PCF_BOOT_MGMT_SUP,
	IB_PORT_LINK_LATENCY_SUP = IB_UVERBS_PCF_LINK_LATENCY_SUP,
	IB_PORT_CLIENT_REG_SUP = IB_UVERBS_PCF_CLIENT_REG_SUP,
	IB_PORT_OTHER_LOCAL_CHANGES_SUP = 1 << 26,
	IB_PORT_LINK_SPEED_WIDTH_TABLE_SUP = IB_UVERBS_PCF_LINK_SPEED_WIDTH_TABLE_SUP,
	IB_PORT_VENDOR_SPECIFIC_MADS_TABLE_SUP =
		IB_UVERBS_PCF_VENDOR_SPECIFIC_MADS_TABLE_SUP,
	IB_PORT_MCAST_PKEY_TRAP_SUPPRESSION_SUP =
		IB_UVERBS_PCF_MCAST_PKEY_TRAP_SUPPRESSION_SUP,
	IB_PORT_MCAST_FDB_TOP_SUP = IB_UVERBS_PCF_MCAST_FDB_TOP_SUP,
	IB_PORT_HIERARCHY_INFO_SUP = IB_UVERBS_PCF_HIERARCHY_INFO_SUP,
};

/* Bits of PortInfo's CapabilityMask2, in host order. */
enum ib_port_capability_mask2_bits {
	IB_PORT_SET_NODE_DESC_SUP		= 1 << 0,
	IB_PORT_EX_PORT_INFO_EX_SUP		= 1 << 1,
	IB_PORT_VIRT_SUP			= 1 << 2,
	IB_PORT_SWITCH_PORT_STATE_TABLE_SUP	= 1 << 3,
	IB_PORT_LINK_WIDTH_2X_SUP		= 1 << 4,
	IB_PORT_LINK_SPEED_HDR_SUP		= 1 << 5,
	IB_PORT_LINK_SPEED_NDR_SUP		= 1 << 10,
	IB_PORT_EXTENDED_SPEEDS2_SUP		= 1 << 11,
	IB_PORT_LINK_SPEED_XDR_SUP		= 1 << 12,
};

/**
 * ib_get_rmpp_resptime() - get the response time in a header of RMPP
 * @rmpp_hdr: the header
 *
 * Return: n of the time 4.096 us * 2^n, 0 to 31.
 */
static inline u8 ib_get_rmpp_resptime(struct ib_rmpp_hdr *rmpp_hdr)
{
	return rmpp_hdr->rmpp_rtime_flags >> 3;
}

/**
 * ib_get_rmpp_flags() - get the flags in a header of RMPP
 * @rmpp_hdr: the header
 *
 * Return: IB_MGMT_RMPP_FLAG_*.
 */
static inline u8 ib_get_rmpp_flags(struct ib_rmpp_hdr *rmpp_hdr)
{
	return rmpp_hdr->rmpp_rtime_flags & 0x7;
}

/**
 * ib_set_rmpp_resptime() - set the response time in a header of RMPP
 * @rmpp_hdr: the header
 * @rtime: n of the time 4.096 us * 2^n, 0 to 31
 */
static inline void ib_set_rmpp_resptime(struct ib_rmpp_hdr *rmpp_hdr, u8 rtime)
{
	rmpp_hdr->rmpp_rtime_flags = rtime << 3 | ib_get_rmpp_flags(rmpp_hdr);
}

/**
 * ib_set_rmpp_flags() - set the flags in a header of RMPP
 * @rmpp_hdr: the header
 * @flags: IB_MGMT_RMPP_FLAG_*
 */
static inline void ib_set_rmpp_flags(struct ib_rmpp_hdr *rmpp_hdr, u8 flags)
{
	rmpp_hdr->rmpp_rtime_flags = ib_get_rmpp_resptime(rmpp_hdr) << 3 | (flags & 0x7);
}

struct ib_mad_agent;
struct ib_mad_recv_wc;
struct ib_mad_send_wc;

/**
 * struct ib_mad_send_buf - a MAD to be sent, from ib_create_send_mad()
 * @next: next MAD of a list for ib_post_send_mad()
 * @mad: its headers, and its data if it is a single MAD; of an RMPP message, the headers that each
 *	segment repeats, and the data of the first one. The others are got by ib_get_rmpp_segment()
 * @mad_agent: agent that sends it
 * @ah: where to send it; set by the consumer before ib_post_send_mad(), and his until the send has
 *	completed
 * @context: the consumer's
 * @hdr_len: length of the headers in bytes
 * @data_len: length of the data in bytes
 * @seg_count: RMPP: number of segments
 * @seg_size: RMPP: length of the data of each segment in bytes
 * @seg_rmpp_size: RMPP: length of a segment without the headers of MAD and RMPP, in bytes
 * @timeout_ms: time to wait for a response, for each try; 0: no response is awaited. Set by the
 *	consumer
 * @retries: number of times to send again if no response comes. Set by the consumer
 */
struct ib_mad_send_buf {
	struct ib_mad_send_buf	*next;
	void			*mad;
	struct ib_mad_agent	*mad_agent;
	struct ib_ah		*ah;
	void			*context[2];
	int			hdr_len;
	int			data_len;
	int			seg_count;
	int			seg_size;
	int			seg_rmpp_size;
	int			timeout_ms;
	int			retries;
};

/*
 * A send of @mad_agent has completed: it was sent and no response is awaited, the response has
 * come, no response has come in time, or it was cancelled. Called once for each MAD that
 * ib_post_send_mad() took, in process context, without locks. The MAD is the consumer's again.
 */
typedef void (*ib_mad_send_handler)(struct ib_mad_agent *mad_agent,
				    struct ib_mad_send_wc *mad_send_wc);

/*
 * A MAD has come for @mad_agent. @send_buf: request whose response it is, or NULL. The handler of
 * a response is called before that of the completion of its request. Process context, without
 * locks. The consumer gives @mad_recv_wc back by ib_free_recv_mad().
 */
typedef void (*ib_mad_recv_handler)(struct ib_mad_agent *mad_agent,
				    struct ib_mad_send_buf *send_buf,
				    struct ib_mad_recv_wc *mad_recv_wc);

/* Flag of ib_register_mad_agent(): the consumer sends and receives the segments of RMPP himself. */
enum {
	IB_MAD_USER_RMPP = IB_USER_MAD_USER_RMPP,
};

/**
 * struct ib_mad_agent - who sends and receives MADs by a port
 * @device: device of the port
 * @qp: QP 0 or QP 1 of the port
 * @recv_handler: called for each MAD that is received
 * @send_handler: called for each completion
 * @context: the consumer's
 * @hi_tid: upper half of the transaction ids of the requests that the agent sends, in host order:
 *	responses find the agent by it
 * @flags: IB_MAD_USER_RMPP
 * @security: state of security modules
 * @mad_agent_sec_list: agents that security modules are asked about
 * @port_num: number of the port
 * @rmpp_version: IB_MGMT_RMPP_VERSION, or 0 without RMPP
 * @smp_allowed: security modules allow the agent to send SMPs
 */
struct ib_mad_agent {
	struct ib_device	*device;
	struct ib_qp		*qp;
	ib_mad_recv_handler	recv_handler;
	ib_mad_send_handler	send_handler;
	void			*context;
	u32			hi_tid;
	u32			flags;
	void			*security;
	struct list_head	mad_agent_sec_list;
	u8			port_num;
	u8			rmpp_version;
	bool			smp_allowed;
};

/**
 * struct ib_mad_send_wc - completion of a send
 * @send_buf: the MAD
 * @status: IB_WC_SUCCESS; IB_WC_RESP_TIMEOUT_ERR if no response came; IB_WC_WR_FLUSH_ERR if the
 *	send was cancelled; another status of the QP's completion
 * @vendor_err: the adapter's own code for an error
 */
struct ib_mad_send_wc {
	struct ib_mad_send_buf	*send_buf;
	enum ib_wc_status	status;
	u32			vendor_err;
};

/**
 * struct ib_mad_recv_buf - a MAD that was received, or one segment of it
 * @list: entry in the list of segments, &ib_mad_recv_wc.rmpp_list
 * @grh: global route header; valid if &ib_mad_recv_wc.wc has IB_WC_GRH
 * @mad: the MAD
 * @opa_mad: the MAD, on Omni-Path
 */
struct ib_mad_recv_buf {
	struct list_head	list;
	struct ib_grh		*grh;
	union {
		struct ib_mad	*mad;
		struct opa_mad	*opa_mad;
	};
};

/**
 * struct ib_mad_recv_wc - a MAD that was received
 * @wc: completion of the receive: who has sent it, and to which P_Key and LID
 * @recv_buf: the first or only segment
 * @rmpp_list: all segments in their order
 * @mad_len: length of the message in bytes: the headers of the first segment, and the data of all
 * @mad_seg_size: length of each segment in bytes
 */
struct ib_mad_recv_wc {
	struct ib_wc		*wc;
	struct ib_mad_recv_buf	recv_buf;
	struct list_head	rmpp_list;
	int			mad_len;
	size_t			mad_seg_size;
};

/**
 * struct ib_mad_reg_req - requests that an agent wants to receive
 * @mgmt_class: class
 * @mgmt_class_version: version of the class
 * @oui: OUI, for the vendor-specific classes 0x30 to 0x4f
 * @method_mask: a bit for each method
 */
struct ib_mad_reg_req {
	u8	mgmt_class;
	u8	mgmt_class_version;
	u8	oui[3];
	DECLARE_BITMAP(method_mask, IB_MGMT_MAX_METHODS);
};

struct ib_mad_agent *ib_register_mad_agent(struct ib_device *device, u32 port_num,
					   enum ib_qp_type qp_type,
					   struct ib_mad_reg_req *mad_reg_req, u8 rmpp_version,
					   ib_mad_send_handler send_handler,
					   ib_mad_recv_handler recv_handler, void *context,
					   u32 registration_flags);
void ib_unregister_mad_agent(struct ib_mad_agent *mad_agent);

struct ib_mad_send_buf *ib_create_send_mad(struct ib_mad_agent *mad_agent, u32 remote_qpn,
					   u16 pkey_index, int rmpp_active, int hdr_len,
					   int data_len, gfp_t gfp_mask, u8 base_version);
void *ib_get_rmpp_segment(struct ib_mad_send_buf *send_buf, int seg_num);
void ib_free_send_mad(struct ib_mad_send_buf *send_buf);

int ib_post_send_mad(struct ib_mad_send_buf *send_buf, struct ib_mad_send_buf **bad_send_buf);
int ib_modify_mad(struct ib_mad_send_buf *send_buf, u32 timeout_ms);
void ib_free_recv_mad(struct ib_mad_recv_wc *mad_recv_wc);

int ib_response_mad(const struct ib_mad_hdr *hdr);
int ib_is_mad_class_rmpp(u8 mgmt_class);
int ib_get_mad_data_offset(u8 mgmt_class);
int ib_mad_kernel_rmpp_agent(const struct ib_mad_agent *agent);

/**
 * ib_cancel_mad() - end a send that waits for its response
 * @send_buf: the MAD
 *
 * The handler of completions is called with IB_WC_WR_FLUSH_ERR, unless the send has completed
 * before.
 */
static inline void ib_cancel_mad(struct ib_mad_send_buf *send_buf)
{
	ib_modify_mad(send_buf, 0);
}

#endif /* _RDMA_IB_MAD_H_ */
