/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * InfiniBand's packets (IBTA): opcodes, and the headers of unreliable datagrams, which drivers
 * build for the special QPs.
 */
#ifndef _RDMA_IB_PACK_H_
#define _RDMA_IB_PACK_H_

#ifdef IB_PACK_H
#error "the kernel's <rdma/ib_pack.h> was included before krdma's"
#endif
#define IB_PACK_H

#include <linux/stddef.h>
#include <rdma/ib_verbs.h>
#include <uapi/linux/if_ether.h>

/* Lengths of headers and of the check sum at the end, in bytes. */
enum {
	IB_LRH_BYTES		= 8,
	IB_ETH_BYTES		= 14,
	IB_VLAN_BYTES		= 4,
	IB_GRH_BYTES		= 40,
	IB_IP4_BYTES		= 20,
	IB_UDP_BYTES		= 8,
	IB_BTH_BYTES		= 12,
	IB_DETH_BYTES		= 8,
	IB_EXT_ATOMICETH_BYTES	= 28,
	IB_EXT_XRC_BYTES	= 4,
	IB_ICRC_BYTES		= 4,
};

/* The transport: the upper three bits of an opcode. */
enum {
	IB_OPCODE_RC = 0x00,
	IB_OPCODE_UC = 0x20,
	IB_OPCODE_RD = 0x40,
	IB_OPCODE_UD = 0x60,
	IB_OPCODE_CNP = 0x80,
	IB_OPCODE_XRC = 0xa0,
};

/* The operation: the lower five bits of an opcode. */
enum {
	IB_OPCODE_SEND_FIRST = 0x00,
	IB_OPCODE_SEND_MIDDLE = 0x01,
	IB_OPCODE_SEND_LAST = 0x02,
	IB_OPCODE_SEND_LAST_WITH_IMMEDIATE = 0x03,
	IB_OPCODE_SEND_ONLY = 0x04,
	IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE = 0x05,
	IB_OPCODE_RDMA_WRITE_FIRST = 0x06,
	IB_OPCODE_RDMA_WRITE_MIDDLE = 0x07,
	IB_OPCODE_RDMA_WRITE_LAST = 0x08,
	IB_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x09,
	IB_OPCODE_RDMA_WRITE_ONLY = 0x0a,
	IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x0b,
	IB_OPCODE_RDMA_READ_REQUEST = 0x0c,
	IB_OPCODE_RDMA_READ_RESPONSE_FIRST = 0x0d,
	IB_OPCODE_RDMA_READ_RESPONSE_MIDDLE = 0x0e,
	IB_OPCODE_RDMA_READ_RESPONSE_LAST = 0x0f,
	IB_OPCODE_RDMA_READ_RESPONSE_ONLY = 0x10,
	IB_OPCODE_ACKNOWLEDGE = 0x11,
	IB_OPCODE_ATOMIC_ACKNOWLEDGE = 0x12,
	IB_OPCODE_COMPARE_SWAP = 0x13,
	IB_OPCODE_FETCH_ADD = 0x14,
	IB_OPCODE_RESYNC = 0x15,
	IB_OPCODE_SEND_LAST_WITH_INVALIDATE = 0x16,
	IB_OPCODE_SEND_ONLY_WITH_INVALIDATE = 0x17,
};

/* Opcodes of reliable connections. */
enum {
	IB_OPCODE_RC_SEND_FIRST = IB_OPCODE_RC | IB_OPCODE_SEND_FIRST,
	IB_OPCODE_RC_SEND_MIDDLE = IB_OPCODE_RC | IB_OPCODE_SEND_MIDDLE,
	IB_OPCODE_RC_SEND_LAST = IB_OPCODE_RC | IB_OPCODE_SEND_LAST,
	IB_OPCODE_RC_SEND_LAST_WITH_IMMEDIATE = IB_OPCODE_RC | IB_OPCODE_SEND_LAST_WITH_IMMEDIATE,
	IB_OPCODE_RC_SEND_ONLY = IB_OPCODE_RC | IB_OPCODE_SEND_ONLY,
	IB_OPCODE_RC_SEND_ONLY_WITH_IMMEDIATE = IB_OPCODE_RC | IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE,
	IB_OPCODE_RC_RDMA_WRITE_FIRST = IB_OPCODE_RC | IB_OPCODE_RDMA_WRITE_FIRST,
	IB_OPCODE_RC_RDMA_WRITE_MIDDLE = IB_OPCODE_RC | IB_OPCODE_RDMA_WRITE_MIDDLE,
	IB_OPCODE_RC_RDMA_WRITE_LAST = IB_OPCODE_RC | IB_OPCODE_RDMA_WRITE_LAST,
	IB_OPCODE_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE =
		IB_OPCODE_RC | IB_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE,
	IB_OPCODE_RC_RDMA_WRITE_ONLY = IB_OPCODE_RC | IB_OPCODE_RDMA_WRITE_ONLY,
	IB_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE =
		IB_OPCODE_RC | IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE,
	IB_OPCODE_RC_RDMA_READ_REQUEST = IB_OPCODE_RC | IB_OPCODE_RDMA_READ_REQUEST,
	IB_OPCODE_RC_RDMA_READ_RESPONSE_FIRST = IB_OPCODE_RC | IB_OPCODE_RDMA_READ_RESPONSE_FIRST,
	IB_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE = IB_OPCODE_RC | IB_OPCODE_RDMA_READ_RESPONSE_MIDDLE,
	IB_OPCODE_RC_RDMA_READ_RESPONSE_LAST = IB_OPCODE_RC | IB_OPCODE_RDMA_READ_RESPONSE_LAST,
	IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY = IB_OPCODE_RC | IB_OPCODE_RDMA_READ_RESPONSE_ONLY,
	IB_OPCODE_RC_ACKNOWLEDGE = IB_OPCODE_RC | IB_OPCODE_ACKNOWLEDGE,
	IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE = IB_OPCODE_RC | IB_OPCODE_ATOMIC_ACKNOWLEDGE,
	IB_OPCODE_RC_COMPARE_SWAP = IB_OPCODE_RC | IB_OPCODE_COMPARE_SWAP,
	IB_OPCODE_RC_FETCH_ADD = IB_OPCODE_RC | IB_OPCODE_FETCH_ADD,
	IB_OPCODE_RC_SEND_LAST_WITH_INVALIDATE = IB_OPCODE_RC | IB_OPCODE_SEND_LAST_WITH_INVALIDATE,
	IB_OPCODE_RC_SEND_ONLY_WITH_INVALIDATE = IB_OPCODE_RC | IB_OPCODE_SEND_ONLY_WITH_INVALIDATE,
};

/* Opcodes of unreliable connections. */
enum {
	IB_OPCODE_UC_SEND_FIRST = IB_OPCODE_UC | IB_OPCODE_SEND_FIRST,
	IB_OPCODE_UC_SEND_MIDDLE = IB_OPCODE_UC | IB_OPCODE_SEND_MIDDLE,
	IB_OPCODE_UC_SEND_LAST = IB_OPCODE_UC | IB_OPCODE_SEND_LAST,
	IB_OPCODE_UC_SEND_LAST_WITH_IMMEDIATE = IB_OPCODE_UC | IB_OPCODE_SEND_LAST_WITH_IMMEDIATE,
	IB_OPCODE_UC_SEND_ONLY = IB_OPCODE_UC | IB_OPCODE_SEND_ONLY,
	IB_OPCODE_UC_SEND_ONLY_WITH_IMMEDIATE = IB_OPCODE_UC | IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE,
	IB_OPCODE_UC_RDMA_WRITE_FIRST = IB_OPCODE_UC | IB_OPCODE_RDMA_WRITE_FIRST,
	IB_OPCODE_UC_RDMA_WRITE_MIDDLE = IB_OPCODE_UC | IB_OPCODE_RDMA_WRITE_MIDDLE,
	IB_OPCODE_UC_RDMA_WRITE_LAST = IB_OPCODE_UC | IB_OPCODE_RDMA_WRITE_LAST,
	IB_OPCODE_UC_RDMA_WRITE_LAST_WITH_IMMEDIATE =
		IB_OPCODE_UC | IB_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE,
	IB_OPCODE_UC_RDMA_WRITE_ONLY = IB_OPCODE_UC | IB_OPCODE_RDMA_WRITE_ONLY,
	IB_OPCODE_UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE =
		IB_OPCODE_UC | IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE,
};

/* Opcodes of reliable datagrams. */
enum {
	IB_OPCODE_RD_SEND_FIRST = IB_OPCODE_RD | IB_OPCODE_SEND_FIRST,
	IB_OPCODE_RD_SEND_MIDDLE = IB_OPCODE_RD | IB_OPCODE_SEND_MIDDLE,
	IB_OPCODE_RD_SEND_LAST = IB_OPCODE_RD | IB_OPCODE_SEND_LAST,
	IB_OPCODE_RD_SEND_LAST_WITH_IMMEDIATE = IB_OPCODE_RD | IB_OPCODE_SEND_LAST_WITH_IMMEDIATE,
	IB_OPCODE_RD_SEND_ONLY = IB_OPCODE_RD | IB_OPCODE_SEND_ONLY,
	IB_OPCODE_RD_SEND_ONLY_WITH_IMMEDIATE = IB_OPCODE_RD | IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE,
	IB_OPCODE_RD_RDMA_WRITE_FIRST = IB_OPCODE_RD | IB_OPCODE_RDMA_WRITE_FIRST,
	IB_OPCODE_RD_RDMA_WRITE_MIDDLE = IB_OPCODE_RD | IB_OPCODE_RDMA_WRITE_MIDDLE,
	IB_OPCODE_RD_RDMA_WRITE_LAST = IB_OPCODE_RD | IB_OPCODE_RDMA_WRITE_LAST,
	IB_OPCODE_RD_RDMA_WRITE_LAST_WITH_IMMEDIATE =
		IB_OPCODE_RD | IB_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE,
	IB_OPCODE_RD_RDMA_WRITE_ONLY = IB_OPCODE_RD | IB_OPCODE_RDMA_WRITE_ONLY,
	IB_OPCODE_RD_RDMA_WRITE_ONLY_WITH_IMMEDIATE =
		IB_OPCODE_RD | IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE,
	IB_OPCODE_RD_RDMA_READ_REQUEST = IB_OPCODE_RD | IB_OPCODE_RDMA_READ_REQUEST,
	IB_OPCODE_RD_RDMA_READ_RESPONSE_FIRST = IB_OPCODE_RD | IB_OPCODE_RDMA_READ_RESPONSE_FIRST,
	IB_OPCODE_RD_RDMA_READ_RESPONSE_MIDDLE = IB_OPCODE_RD | IB_OPCODE_RDMA_READ_RESPONSE_MIDDLE,
	IB_OPCODE_RD_RDMA_READ_RESPONSE_LAST = IB_OPCODE_RD | IB_OPCODE_RDMA_READ_RESPONSE_LAST,
	IB_OPCODE_RD_RDMA_READ_RESPONSE_ONLY = IB_OPCODE_RD | IB_OPCODE_RDMA_READ_RESPONSE_ONLY,
	IB_OPCODE_RD_ACKNOWLEDGE = IB_OPCODE_RD | IB_OPCODE_ACKNOWLEDGE,
	IB_OPCODE_RD_ATOMIC_ACKNOWLEDGE = IB_OPCODE_RD | IB_OPCODE_ATOMIC_ACKNOWLEDGE,
	IB_OPCODE_RD_COMPARE_SWAP = IB_OPCODE_RD | IB_OPCODE_COMPARE_SWAP,
	IB_OPCODE_RD_FETCH_ADD = IB_OPCODE_RD | IB_OPCODE_FETCH_ADD,
	IB_OPCODE_RD_RESYNC = IB_OPCODE_RD | IB_OPCODE_RESYNC,
};

/* Opcodes of unreliable datagrams. */
enum {
	IB_OPCODE_UD_SEND_ONLY = IB_OPCODE_UD | IB_OPCODE_SEND_ONLY,
	IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE = IB_OPCODE_UD | IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE,
};

/* Kinds of what follows a local route header (IBTA, LNH): raw data, IPv6, transport header, GRH. */
enum {
	IB_LNH_RAW		= 0,
	IB_LNH_IP		= 1,
	IB_LNH_IBA_LOCAL	= 2,
	IB_LNH_IBA_GLOBAL	= 3,
};

/**
 * struct ib_field - a field of a header, and the member of a structure that has its value
 * @struct_offset_bytes: offset of the member in the structure
 * @struct_size_bytes: size of the member, which is big-endian: 1, 2, 4 or 8; that of the field if
 *	it has more than 64 bits; 0 for a reserved field, which is zero on the wire
 * @offset_words: offset of the field in the header, in words of 32 bits
 * @offset_bits: offset of its first bit in this word; 0 is the most significant bit
 * @size_bits: number of bits; if more than 64, the field consists of whole bytes
 * @field_name: name
 */
struct ib_field {
	size_t	struct_offset_bytes;
	size_t	struct_size_bytes;
	int	offset_words;
	int	offset_bits;
	int	size_bits;
	char	*field_name;
};

/* Describes a reserved field, in an initialiser of struct ib_field. */
#define RESERVED .field_name = "reserved"

/* The headers, as structures with a member for each field: LRH, Ethernet, VLAN, GRH, IPv4 ... */
struct ib_unpacked_lrh {
	u8		virtual_lane;
	u8		link_version;
	u8		service_level;
	u8		link_next_header;
	__be16		destination_lid;
	__be16		packet_length;
	__be16		source_lid;
};

struct ib_unpacked_eth {
	u8		dmac_h[4];
	u8		dmac_l[2];
	u8		smac_h[2];
	u8		smac_l[4];
	__be16		type;
};

struct ib_unpacked_vlan {
	__be16		tag;
	__be16		type;
};

struct ib_unpacked_grh {
	u8		ip_version;
	u8		traffic_class;
	__be32		flow_label;
	__be16		payload_length;
	u8		next_header;
	u8		hop_limit;
	union ib_gid	source_gid;
	union ib_gid	destination_gid;
};

struct ib_unpacked_ip4 {
	u8		ver;
	u8		hdr_len;
	u8		tos;
	__be16		tot_len;
	__be16		id;
	__be16		frag_off;
	u8		ttl;
	u8		protocol;
	__sum16		check;
	__be32		saddr;
	__be32		daddr;
};

struct ib_unpacked_udp {
	__be16		sport;
	__be16		dport;
	__be16		length;
	__be16		csum;
};

struct ib_unpacked_bth {
	u8		opcode;
	u8		solicited_event;
	u8		mig_req;
	u8		pad_count;
	u8		transport_header_version;
	__be16		pkey;
	__be32		destination_qpn;
	u8		ack_req;
	__be32		psn;
};

struct ib_unpacked_deth {
	__be32		qkey;
	__be32		source_qpn;
};

/**
 * struct ib_ud_header - all headers of an unreliable datagram
 * @lrh_present: the packet is one of InfiniBand, and begins with @lrh
 * @lrh: local route header
 * @eth_present: the packet is one of RoCE, and begins with @eth
 * @eth: Ethernet header
 * @vlan_present: @vlan follows @eth
 * @vlan: VLAN tag, and the type of what follows
 * @grh_present: the packet has @grh
 * @grh: global route header, or an IPv6 header
 * @ipv4_present: the packet has @ip4
 * @ip4: IPv4 header
 * @udp_present: the packet has @udp
 * @udp: UDP header of RoCE v2
 * @bth: base transport header
 * @deth: datagram extended transport header
 * @immediate_present: the packet has @immediate_data
 * @immediate_data: immediate data
 */
struct ib_ud_header {
	int			lrh_present;
	struct ib_unpacked_lrh	lrh;
	int			eth_present;
	struct ib_unpacked_eth	eth;
	int			vlan_present;
	struct ib_unpacked_vlan	vlan;
	int			grh_present;
	struct ib_unpacked_grh	grh;
	int			ipv4_present;
	struct ib_unpacked_ip4	ip4;
	int			udp_present;
	struct ib_unpacked_udp	udp;
	struct ib_unpacked_bth	bth;
	struct ib_unpacked_deth	deth;
	int			immediate_present;
	__be32			immediate_data;
};

/**
 * ib_pack - write the fields of a header
 * @desc: the fields
 * @desc_len: number of fields
 * @structure: structure with the values; more bits than a field has are cut off
 * @buf: the header; bits that no field covers are not changed
 *
 * Any context.
 */
void ib_pack(const struct ib_field *desc, int desc_len, void *structure, void *buf);

/**
 * ib_unpack - read the fields of a header
 * @desc: the fields
 * @desc_len: number of fields
 * @buf: the header
 * @structure: out: structure with the values; members that no field refers to are not changed
 *
 * Any context.
 */
void ib_unpack(const struct ib_field *desc, int desc_len, void *buf, void *structure);

/**
 * ib_ud_ip4_csum - compute the check sum of the IPv4 header of a datagram
 * @header: the headers; the check sum in them is ignored
 *
 * Any context.
 *
 * Return: the check sum, for &ib_unpacked_ip4.check.
 */
__sum16 ib_ud_ip4_csum(struct ib_ud_header *header);

/**
 * ib_ud_header_init - begin the headers of an unreliable datagram
 * @payload_bytes: length of the payload, in bytes
 * @lrh_present: the packet has a local route header
 * @eth_present: the packet has an Ethernet header
 * @vlan_present: the packet has a VLAN tag
 * @grh_present: the packet has a global route header; ignored if @ip_version is 4 or 6
 * @ip_version: 4 or 6: version of the IP header; otherwise the packet has none
 * @udp_present: the packet has a UDP header
 * @immediate_present: the packet has immediate data
 * @header: out: the headers: lengths, versions, opcode, the number of pad bytes and the types of
 *	next headers; zero otherwise
 *
 * Any context.
 *
 * Return: 0; -EINVAL if the packet has a UDP header, but no IP header.
 */
int ib_ud_header_init(int payload_bytes, int lrh_present, int eth_present, int vlan_present,
		      int grh_present, int ip_version, int udp_present, int immediate_present,
		      struct ib_ud_header *header);

/**
 * ib_ud_header_pack - write the headers of an unreliable datagram
 * @header: the headers
 * @buf: out: their bytes, without the payload
 *
 * Any context.
 *
 * Return: the number of bytes, at most %IB_UD_HEADER_BYTES.
 */
int ib_ud_header_pack(struct ib_ud_header *header, void *buf);

/**
 * ib_ud_header_unpack - read the headers of an unreliable datagram of InfiniBand
 * @buf: the packet, which begins with a local route header, and has at least the length of the
 *	headers
 * @header: out: the headers
 *
 * Any context.
 *
 * Return: 0; -EINVAL if a version is unknown, or the packet is no unreliable datagram.
 */
int ib_ud_header_unpack(void *buf, struct ib_ud_header *header);

/* Greatest number of bytes that ib_ud_header_pack() writes. */
#define IB_UD_HEADER_BYTES							\
	(IB_LRH_BYTES + IB_ETH_BYTES + IB_VLAN_BYTES + IB_GRH_BYTES + IB_IP4_BYTES +	\
	 IB_UDP_BYTES + IB_BTH_BYTES + IB_DETH_BYTES + sizeof(__be32))

#endif /* _RDMA_IB_PACK_H_ */
