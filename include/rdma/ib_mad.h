/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The names of InfiniBand's management datagrams (MADs), for drivers whose process_mad() answers
 * MADs. krdma sends and receives no MADs.
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

/* Version of all MADs: &ib_mad_hdr.base_version. */
#define IB_MGMT_BASE_VERSION			1

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

/* Results: &ib_mad_hdr.status. */
#define IB_MGMT_MAD_STATUS_SUCCESS			0x0000
#define IB_MGMT_MAD_STATUS_BUSY				0x0001
#define IB_MGMT_MAD_STATUS_REDIRECT_REQD		0x0002
#define IB_MGMT_MAD_STATUS_BAD_VERSION			0x0004
#define IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD		0x0008
#define IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB	0x000c
#define IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE		0x001c

/* Length of a MAD, in bytes: of its header, of its data, of both. */
enum {
	IB_MGMT_MAD_HDR = 24,
	IB_MGMT_MAD_DATA = 232,
	IB_MGMT_MAD_SIZE = IB_MGMT_MAD_HDR + IB_MGMT_MAD_DATA,
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

/* A MAD. */
struct ib_mad {
	struct ib_mad_hdr	mad_hdr;
	u8			data[IB_MGMT_MAD_DATA];
};

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
	IB_PORT_LINK_SPEED_WIDTH_TABLE_SUP = IB_UVERBS_PCF_LINK_SPEED_WIDTH_TABLE_SUP,
	IB_PORT_VENDOR_SPECIFIC_MADS_TABLE_SUP =
		IB_UVERBS_PCF_VENDOR_SPECIFIC_MADS_TABLE_SUP,
	IB_PORT_MCAST_PKEY_TRAP_SUPPRESSION_SUP =
		IB_UVERBS_PCF_MCAST_PKEY_TRAP_SUPPRESSION_SUP,
	IB_PORT_MCAST_FDB_TOP_SUP = IB_UVERBS_PCF_MCAST_FDB_TOP_SUP,
	IB_PORT_HIERARCHY_INFO_SUP = IB_UVERBS_PCF_HIERARCHY_INFO_SUP,
};

#endif /* _RDMA_IB_MAD_H_ */
