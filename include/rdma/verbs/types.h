/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Types that all verbs objects use: forward declarations, node and transport types, GIDs, MTUs.
 */
#ifndef _RDMA_VERBS_TYPES_H_
#define _RDMA_VERBS_TYPES_H_

#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/in6.h>
#include <linux/limits.h>
#include <linux/types.h>
#include <uapi/rdma/ib_user_verbs.h>
#include <uapi/rdma/ib_user_ioctl_verbs.h>
#include <uapi/rdma/rdma_netlink.h>
#include <uapi/rdma/rdma_user_ioctl_cmds.h>

struct ib_device;
struct ib_pd;
struct ib_cq;
struct ib_qp;
struct ib_srq;
struct ib_mr;
struct ib_ah;
struct ib_wc;
struct ib_udata;
struct ib_uobject;
struct ib_ucontext;
struct net_device;
struct scatterlist;
struct iw_cm_id;
struct iw_cm_conn_param;

/**
 * struct ib_udata - data that a process and a provider exchange in a command
 *
 * Kernel callers pass NULL; only query_device() gets an empty structure, at registration.
 *
 * A provider reads the command by ib_copy_from_udata(), and answers by ib_copy_to_udata(), which
 * access the copies in kernel memory. A provider may also access @inbuf and @outbuf by
 * copy_from_user() and copy_to_user(). As page faults are disabled, such an access may fail. The
 * provider then returns -EFAULT, and is called again when the pages are in memory.
 *
 * @inbuf: the provider's part of the command, in the process
 * @outbuf: room for the provider's part of the response, in the process
 * @inlen: number of bytes at @inbuf
 * @outlen: number of bytes at @outbuf
 * @in: copy of the command
 * @out: buffer for the response, zeroed; copied to @outbuf if @answered is set
 * @answered: ib_copy_to_udata() was called
 */
struct ib_udata {
	const void __user	*inbuf;
	void __user		*outbuf;
	size_t			inlen;
	size_t			outlen;
	const void		*in;
	void			*out;
	bool			answered;
};

/**
 * enum rdma_transport_type - transport of a device's messages, which its node type determines
 * @RDMA_TRANSPORT_IB: InfiniBand transport, also over Ethernet (RoCE)
 * @RDMA_TRANSPORT_IWARP: iWARP
 * @RDMA_TRANSPORT_USNIC: usNIC, its first protocol
 * @RDMA_TRANSPORT_USNIC_UDP: usNIC over UDP
 * @RDMA_TRANSPORT_UNSPECIFIED: something else
 */
enum rdma_transport_type {
	RDMA_TRANSPORT_IB,
	RDMA_TRANSPORT_IWARP,
	RDMA_TRANSPORT_USNIC,
	RDMA_TRANSPORT_USNIC_UDP,
	RDMA_TRANSPORT_UNSPECIFIED,
};

/**
 * enum rdma_protocol_type - protocols whose traffic is counted
 * @RDMA_PROTOCOL_IB: InfiniBand
 * @RDMA_PROTOCOL_IBOE: RoCE
 * @RDMA_PROTOCOL_IWARP: iWARP
 * @RDMA_PROTOCOL_USNIC_UDP: usNIC over UDP
 */
enum rdma_protocol_type {
	RDMA_PROTOCOL_IB,
	RDMA_PROTOCOL_IBOE,
	RDMA_PROTOCOL_IWARP,
	RDMA_PROTOCOL_USNIC_UDP
};

/**
 * rdma_node_get_transport - get the transport of a node type
 * @node_type: one of RDMA_NODE_*
 *
 * Any context.
 */
enum rdma_transport_type rdma_node_get_transport(unsigned int node_type) __attribute_const__;

/**
 * enum rdma_link_layer - link layer of a port
 * @IB_LINK_LAYER_UNSPECIFIED: not known
 * @IB_LINK_LAYER_INFINIBAND: InfiniBand
 * @IB_LINK_LAYER_ETHERNET: Ethernet, or any network interface that carries IP
 */
enum rdma_link_layer {
	IB_LINK_LAYER_UNSPECIFIED,
	IB_LINK_LAYER_INFINIBAND,
	IB_LINK_LAYER_ETHERNET,
};

/**
 * union ib_gid - global identifier of a port, in the format of an IPv6 address
 * @raw: its bytes, in network order
 * @global: its two halves
 * @global.subnet_prefix: identifies the subnet
 * @global.interface_id: identifies the port in the subnet
 */
union ib_gid {
	u8	raw[16];
	struct {
		__be64	subnet_prefix;
		__be64	interface_id;
	} global;
};

/**
 * enum ib_gid_type - protocol that a GID is used with
 * @IB_GID_TYPE_IB: InfiniBand and iWARP
 * @IB_GID_TYPE_ROCE: RoCE version 1
 * @IB_GID_TYPE_ROCE_UDP_ENCAP: RoCE version 2
 * @IB_GID_TYPE_SIZE: number of types
 */
enum ib_gid_type {
	IB_GID_TYPE_IB = IB_UVERBS_GID_TYPE_IB,
	IB_GID_TYPE_ROCE = IB_UVERBS_GID_TYPE_ROCE_V1,
	IB_GID_TYPE_ROCE_UDP_ENCAP = IB_UVERBS_GID_TYPE_ROCE_V2,
	IB_GID_TYPE_SIZE
};

struct ib_gid_attr;

/**
 * enum ib_mtu - code for the largest payload of a packet on InfiniBand
 * @IB_MTU_256: 256 bytes
 * @IB_MTU_512: 512 bytes
 * @IB_MTU_1024: 1024 bytes
 * @IB_MTU_2048: 2048 bytes
 * @IB_MTU_4096: 4096 bytes
 */
enum ib_mtu {
	IB_MTU_256  = 1,
	IB_MTU_512  = 2,
	IB_MTU_1024 = 3,
	IB_MTU_2048 = 4,
	IB_MTU_4096 = 5
};

/**
 * enum opa_mtu - the sizes that Omni-Path adds to enum ib_mtu
 * @OPA_MTU_8192: 8192 bytes
 * @OPA_MTU_10240: 10240 bytes
 */
enum opa_mtu {
	OPA_MTU_8192 = 6,
	OPA_MTU_10240 = 7
};

/**
 * ib_mtu_enum_to_int - decode an MTU
 * @mtu: the code
 *
 * Any context.
 *
 * Return: the number of bytes; -1 if there is no such code.
 */
static inline int ib_mtu_enum_to_int(enum ib_mtu mtu)
{
	return mtu >= IB_MTU_256 && mtu <= IB_MTU_4096 ? 128 << mtu : -1;
}

/**
 * ib_mtu_int_to_enum - find the largest MTU that fits into a number of bytes
 * @mtu: the number of bytes
 *
 * Any context.
 *
 * Return: the code of the MTU; IB_MTU_256 also if @mtu is less than 256.
 */
static inline enum ib_mtu ib_mtu_int_to_enum(int mtu)
{
	enum ib_mtu fit = IB_MTU_4096;

	while (fit > IB_MTU_256 && ib_mtu_enum_to_int(fit) > mtu)
		fit--;
	return fit;
}

/**
 * opa_mtu_enum_to_int - decode an MTU of Omni-Path
 * @mtu: the code
 *
 * Any context.
 *
 * Return: the number of bytes; -1 if there is no such code.
 */
static inline int opa_mtu_enum_to_int(enum opa_mtu mtu)
{
	if (mtu == OPA_MTU_10240)
		return 10240;
	if (mtu == OPA_MTU_8192)
		return 8192;
	return ib_mtu_enum_to_int((enum ib_mtu)mtu);
}

/**
 * opa_mtu_int_to_enum - find the largest MTU of Omni-Path that fits into a number of bytes
 * @mtu: the number of bytes
 *
 * Any context.
 *
 * Return: the code of the MTU; that of 256 bytes also if @mtu is less than 256.
 */
static inline enum opa_mtu opa_mtu_int_to_enum(int mtu)
{
	if (mtu >= 10240)
		return OPA_MTU_10240;
	if (mtu >= 8192)
		return OPA_MTU_8192;
	return (enum opa_mtu)ib_mtu_int_to_enum(mtu);
}

/**
 * ib_lid_cpu16 - get a LID of InfiniBand as 16 bits, in host order
 * @lid: the LID, which has more bits on Omni-Path only
 *
 * Any context.
 */
static inline u16 ib_lid_cpu16(u32 lid)
{
	WARN_ON_ONCE(lid > U16_MAX);
	return lid;
}

/**
 * ib_lid_be16 - get a LID of InfiniBand as 16 bits, in network order
 * @lid: the LID, which has more bits on Omni-Path only
 *
 * Any context.
 */
static inline __be16 ib_lid_be16(u32 lid)
{
	return cpu_to_be16(ib_lid_cpu16(lid));
}

#endif /* _RDMA_VERBS_TYPES_H_ */
