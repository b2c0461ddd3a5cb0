/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Flows: rules that steer received packets to a QP by their headers.
 */
#ifndef _RDMA_VERBS_FLOW_H_
#define _RDMA_VERBS_FLOW_H_

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/types.h>

struct ib_counters;
struct ib_device;
struct ib_qp;
struct ib_udata;
struct ib_uobject;

/**
 * enum ib_flow_attr_type - kinds of flow
 * @IB_FLOW_ATTR_NORMAL: packets that the specifications describe
 * @IB_FLOW_ATTR_ALL_DEFAULT: packets that no other flow takes
 * @IB_FLOW_ATTR_MC_DEFAULT: multicast packets that no other flow takes
 * @IB_FLOW_ATTR_SNIFFER: copies of all packets
 */
enum ib_flow_attr_type {
	IB_FLOW_ATTR_NORMAL		= 0,
	IB_FLOW_ATTR_ALL_DEFAULT	= 1,
	IB_FLOW_ATTR_MC_DEFAULT		= 2,
	IB_FLOW_ATTR_SNIFFER		= 3,
};

/**
 * enum ib_flow_spec_type - kinds of specification
 * @IB_FLOW_SPEC_ETH: struct ib_flow_spec_eth
 * @IB_FLOW_SPEC_IB: struct ib_flow_spec_ib; not for processes
 * @IB_FLOW_SPEC_IPV4: struct ib_flow_spec_ipv4
 * @IB_FLOW_SPEC_IPV6: struct ib_flow_spec_ipv6
 * @IB_FLOW_SPEC_ESP: struct ib_flow_spec_esp
 * @IB_FLOW_SPEC_TCP: struct ib_flow_spec_tcp_udp
 * @IB_FLOW_SPEC_UDP: struct ib_flow_spec_tcp_udp
 * @IB_FLOW_SPEC_VXLAN_TUNNEL: struct ib_flow_spec_tunnel
 * @IB_FLOW_SPEC_GRE: struct ib_flow_spec_gre
 * @IB_FLOW_SPEC_MPLS: struct ib_flow_spec_mpls
 * @IB_FLOW_SPEC_INNER: bit: the header is one of the packet in the tunnel
 * @IB_FLOW_SPEC_ACTION_TAG: struct ib_flow_spec_action_tag
 * @IB_FLOW_SPEC_ACTION_DROP: struct ib_flow_spec_action_drop
 * @IB_FLOW_SPEC_ACTION_HANDLE: struct ib_flow_spec_action_handle
 * @IB_FLOW_SPEC_ACTION_COUNT: struct ib_flow_spec_action_count
 */
enum ib_flow_spec_type {
	IB_FLOW_SPEC_ETH		= 0x20,
	IB_FLOW_SPEC_IB			= 0x22,
	IB_FLOW_SPEC_IPV4		= 0x30,
	IB_FLOW_SPEC_IPV6		= 0x31,
	IB_FLOW_SPEC_ESP		= 0x34,
	IB_FLOW_SPEC_TCP		= 0x40,
	IB_FLOW_SPEC_UDP		= 0x41,
	IB_FLOW_SPEC_VXLAN_TUNNEL	= 0x50,
	IB_FLOW_SPEC_GRE		= 0x51,
	IB_FLOW_SPEC_MPLS		= 0x60,
	IB_FLOW_SPEC_INNER		= 0x100,
	IB_FLOW_SPEC_ACTION_TAG		= 0x1000,
	IB_FLOW_SPEC_ACTION_DROP	= 0x1001,
	IB_FLOW_SPEC_ACTION_HANDLE	= 0x1002,
	IB_FLOW_SPEC_ACTION_COUNT	= 0x1003,
};

/* The bits of a type that say which layer of protocols the specification is about. */
#define IB_FLOW_SPEC_LAYER_MASK		0xF0
/* Greatest number of specifications of a flow of a process. */
#define IB_FLOW_SPEC_SUPPORT_LAYERS	10

/**
 * enum ib_flow_flags - properties of a flow
 * @IB_FLOW_ATTR_FLAGS_DONT_TRAP: other flows get the packets, too
 * @IB_FLOW_ATTR_FLAGS_EGRESS: packets that are sent
 * @IB_FLOW_ATTR_FLAGS_RESERVED: no flag is as large
 */
enum ib_flow_flags {
	IB_FLOW_ATTR_FLAGS_DONT_TRAP	= 1UL << 1,
	IB_FLOW_ATTR_FLAGS_EGRESS	= 1UL << 2,
	IB_FLOW_ATTR_FLAGS_RESERVED	= 1UL << 3,
};

/* Flags of IPv4, as &ib_flow_ipv4_filter.flags has them. */
enum ib_ipv4_flags {
	IB_IPV4_DONT_FRAG	= 0x2,
	IB_IPV4_MORE_FRAG	= 0x4,
};

/*
 * Filters: fields of a header, in network order. A specification has two of them: @val has the
 * values, and @mask the bits that are compared. The members end at @real_sz.
 */
struct ib_flow_eth_filter {
	u8	dst_mac[6];
	u8	src_mac[6];
	__be16	ether_type;
	__be16	vlan_tag;
	u8	real_sz[];
};

struct ib_flow_ib_filter {
	__be16	dlid;
	__u8	sl;
	u8	real_sz[];
};

struct ib_flow_ipv4_filter {
	__be32	src_ip;
	__be32	dst_ip;
	u8	proto;
	u8	tos;
	u8	ttl;
	u8	flags;
	u8	real_sz[];
};

struct ib_flow_ipv6_filter {
	u8	src_ip[16];
	u8	dst_ip[16];
	__be32	flow_label;
	u8	next_hdr;
	u8	traffic_class;
	u8	hop_limit;
	u8	real_sz[];
};

struct ib_flow_tcp_udp_filter {
	__be16	dst_port;
	__be16	src_port;
	u8	real_sz[];
};

struct ib_flow_tunnel_filter {
	__be32	tunnel_id;
	u8	real_sz[];
};

struct ib_flow_esp_filter {
	__be32	spi;
	__be32	seq;
	u8	real_sz[];
};

struct ib_flow_gre_filter {
	__be16	c_ks_res0_ver;
	__be16	protocol;
	__be32	key;
	u8	real_sz[];
};

struct ib_flow_mpls_filter {
	__be32	tag;
	u8	real_sz[];
};

/*
 * Specifications. @type: &enum ib_flow_spec_type; @size: bytes from the beginning of the
 * specification to that of the next one.
 */
struct ib_flow_spec_eth {
	u32				type;
	u16				size;
	struct ib_flow_eth_filter	val;
	struct ib_flow_eth_filter	mask;
};

struct ib_flow_spec_ib {
	u32				type;
	u16				size;
	struct ib_flow_ib_filter	val;
	struct ib_flow_ib_filter	mask;
};

struct ib_flow_spec_ipv4 {
	u32				type;
	u16				size;
	struct ib_flow_ipv4_filter	val;
	struct ib_flow_ipv4_filter	mask;
};

struct ib_flow_spec_ipv6 {
	u32				type;
	u16				size;
	struct ib_flow_ipv6_filter	val;
	struct ib_flow_ipv6_filter	mask;
};

struct ib_flow_spec_tcp_udp {
	u32				type;
	u16				size;
	struct ib_flow_tcp_udp_filter	val;
	struct ib_flow_tcp_udp_filter	mask;
};

struct ib_flow_spec_tunnel {
	u32				type;
	u16				size;
	struct ib_flow_tunnel_filter	val;
	struct ib_flow_tunnel_filter	mask;
};

struct ib_flow_spec_esp {
	u32				type;
	u16				size;
	struct ib_flow_esp_filter	val;
	struct ib_flow_esp_filter	mask;
};

struct ib_flow_spec_gre {
	u32				type;
	u16				size;
	struct ib_flow_gre_filter	val;
	struct ib_flow_gre_filter	mask;
};

struct ib_flow_spec_mpls {
	u32				type;
	u16				size;
	struct ib_flow_mpls_filter	val;
	struct ib_flow_mpls_filter	mask;
};

/* Completions of the packets carry @tag_id. */
struct ib_flow_spec_action_tag {
	enum ib_flow_spec_type		type;
	u16				size;
	u32				tag_id;
};

/* The packets are dropped. */
struct ib_flow_spec_action_drop {
	enum ib_flow_spec_type		type;
	u16				size;
};

/* The packets undergo @act. */
struct ib_flow_spec_action_handle {
	enum ib_flow_spec_type		type;
	u16				size;
	struct ib_flow_action		*act;
};

/* @counters: what counts the packets and bytes: &enum ib_counters_description. */
struct ib_flow_spec_action_count {
	enum ib_flow_spec_type		type;
	u16				size;
	struct ib_counters		*counters;
};

/* Kinds of things that a counter of a process counts. */
enum ib_counters_description {
	IB_COUNTER_PACKETS,
	IB_COUNTER_BYTES,
};

union ib_flow_spec {
	struct {
		u32			type;
		u16			size;
	};
	struct ib_flow_spec_eth		eth;
	struct ib_flow_spec_ib		ib;
	struct ib_flow_spec_ipv4	ipv4;
	struct ib_flow_spec_tcp_udp	tcp_udp;
	struct ib_flow_spec_ipv6	ipv6;
	struct ib_flow_spec_tunnel	tunnel;
	struct ib_flow_spec_esp		esp;
	struct ib_flow_spec_gre		gre;
	struct ib_flow_spec_mpls	mpls;
	struct ib_flow_spec_action_tag	flow_tag;
	struct ib_flow_spec_action_drop	drop;
	struct ib_flow_spec_action_handle action;
	struct ib_flow_spec_action_count flow_count;
};

/**
 * struct ib_flow_attr - attributes of a flow
 * @type: kind
 * @size: length of this structure and of all specifications, in bytes
 * @priority: order of flows that take the same packet; the lowest wins
 * @flags: &enum ib_flow_flags
 * @num_of_specs: number of specifications
 * @port: port number
 * @flows: the specifications, one behind the other: each begins ib_flow_spec.size bytes after the
 *	one before
 */
struct ib_flow_attr {
	enum ib_flow_attr_type	type;
	u16			size;
	u16			priority;
	u32			flags;
	u8			num_of_specs;
	u32			port;
	union ib_flow_spec	flows[];
};

/**
 * struct ib_flow - a flow; the provider allocates and frees it
 * @qp: QP that gets the packets
 * @device: device of the flow
 * @uobject: handle of a process
 */
struct ib_flow {
	struct ib_qp		*qp;
	struct ib_device	*device;
	struct ib_uobject	*uobject;
};

/**
 * enum ib_flow_action_type - kinds of action
 * @IB_FLOW_ACTION_UNSPECIFIED: known to the provider only
 * @IB_FLOW_ACTION_ESP: encryption or decryption
 */
enum ib_flow_action_type {
	IB_FLOW_ACTION_UNSPECIFIED,
	IB_FLOW_ACTION_ESP = 1,
};

/**
 * struct ib_flow_action - something that packets of flows undergo; the provider allocates it
 * @device: device of the action
 * @uobject: handle of a process
 * @type: kind
 * @usecnt: number of flows that use the action
 */
struct ib_flow_action {
	struct ib_device	*device;
	struct ib_uobject	*uobject;
	enum ib_flow_action_type type;
	atomic_t		usecnt;
};

/**
 * ib_create_flow_user - steer packets to a QP
 * @qp: the QP, of type %IB_QPT_UD or %IB_QPT_RAW_PACKET; it cannot be destroyed before the flow
 * @attr: attributes; objects that the specifications name stay until the flow is destroyed
 * @uobject: handle of the process; NULL for the kernel
 * @udata: the process's data for the provider; NULL for the kernel
 *
 * Process context, may sleep.
 *
 * Return: the flow, to be destroyed with ib_destroy_flow(); or an ERR_PTR: -EOPNOTSUPP if the
 * device has no flows; -EINVAL if the QP is of another type, there is no such port, or a default
 * flow is not to trap packets; -ENODEV if the device is being unregistered; or the provider's
 * error.
 */
struct ib_flow *ib_create_flow_user(struct ib_qp *qp, struct ib_flow_attr *attr,
				    struct ib_uobject *uobject, struct ib_udata *udata);

/**
 * ib_destroy_flow - destroy a flow
 * @flow: the flow
 *
 * Process context, may sleep.
 *
 * Return: 0; or the provider's error, after which @flow is as before.
 */
int ib_destroy_flow(struct ib_flow *flow);

#endif /* _RDMA_VERBS_FLOW_H_ */
