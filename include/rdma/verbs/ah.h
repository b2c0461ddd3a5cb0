/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Address vectors: the path to a peer, as the attributes of a QP hold it; and address handles,
 * which requests that send datagrams refer to.
 */
#ifndef _RDMA_VERBS_AH_H_
#define _RDMA_VERBS_AH_H_

#include <linux/bits.h>
#include <linux/if_ether.h>
#include <linux/string.h>
#include <rdma/verbs/types.h>

struct ib_gid_attr;
struct ib_grh;
struct net_device;

/*
 * LIDs in network order: the one that every port accepts, and the first one of a multicast group.
 */
#define IB_LID_PERMISSIVE	cpu_to_be16(0xFFFF)
#define IB_MULTICAST_LID_BASE	cpu_to_be16(0xC000)

/* Destination QP number of datagrams to a multicast group. */
enum {
	IB_MULTICAST_QPN = 0xffffff
};

/* UDP port that RoCE version 2 is sent to, and the ports that it may be sent from. */
#define ROCE_V2_UDP_DPORT			4791
#define IB_ROCE_UDP_ENCAP_VALID_PORT_MIN	0xC000
#define IB_ROCE_UDP_ENCAP_VALID_PORT_MAX	0xFFFF

/* The flow label in the host's form of ib_grh.version_tclass_flow. */
#define IB_GRH_FLOWLABEL_MASK	(0x000FFFFF)

/**
 * enum ib_ah_flags - flags of an address vector
 * @IB_AH_GRH: the address vector has a global route
 */
enum ib_ah_flags {
	IB_AH_GRH	= 1
};

/**
 * struct ib_global_route - how packets are routed beyond the local subnet
 * @sgid_attr: source GID; NULL if only @sgid_index is known. In an address vector that a function
 *	has filled in, the reference belongs to the address vector, see rdma_destroy_ah_attr()
 * @dgid: destination GID
 * @flow_label: flow label
 * @sgid_index: source GID as index of the port's table
 * @hop_limit: number of routers that a packet may cross
 * @traffic_class: traffic class
 */
struct ib_global_route {
	const struct ib_gid_attr *sgid_attr;
	union ib_gid	dgid;
	u32		flow_label;
	u8		sgid_index;
	u8		hop_limit;
	u8		traffic_class;
};

/**
 * enum rdma_ah_attr_type - which member of the union in struct rdma_ah_attr is valid
 * @RDMA_AH_ATTR_TYPE_UNDEFINED: none
 * @RDMA_AH_ATTR_TYPE_IB: ib
 * @RDMA_AH_ATTR_TYPE_ROCE: roce
 * @RDMA_AH_ATTR_TYPE_OPA: opa
 */
enum rdma_ah_attr_type {
	RDMA_AH_ATTR_TYPE_UNDEFINED,
	RDMA_AH_ATTR_TYPE_IB,
	RDMA_AH_ATTR_TYPE_ROCE,
	RDMA_AH_ATTR_TYPE_OPA,
};

/**
 * struct ib_ah_attr - address on an InfiniBand subnet
 * @dlid: destination LID
 * @src_path_bits: low bits of the source LID
 */
struct ib_ah_attr {
	u16			dlid;
	u8			src_path_bits;
};

/**
 * struct roce_ah_attr - address on an Ethernet
 * @dmac: MAC address of the destination or the next hop
 */
struct roce_ah_attr {
	u8			dmac[ETH_ALEN];
};

/**
 * struct opa_ah_attr - address on an Omni-Path subnet
 * @dlid: destination LID
 * @src_path_bits: low bits of the source LID
 * @make_grd: route by GID even on the local subnet
 */
struct opa_ah_attr {
	u32			dlid;
	u8			src_path_bits;
	bool			make_grd;
};

/**
 * struct rdma_ah_attr - an address vector
 * @grh: global route; valid with %IB_AH_GRH
 * @sl: service level
 * @static_rate: highest rate to send at, &enum ib_rate
 * @port_num: local port
 * @ah_flags: &enum ib_ah_flags
 * @type: which of @ib, @roce and @opa is valid
 * @ib: address on an InfiniBand subnet
 * @roce: address on an Ethernet
 * @opa: address on an Omni-Path subnet
 */
struct rdma_ah_attr {
	struct ib_global_route	grh;
	u8			sl;
	u8			static_rate;
	u32			port_num;
	u8			ah_flags;
	enum rdma_ah_attr_type type;
	union {
		struct ib_ah_attr ib;
		struct roce_ah_attr roce;
		struct opa_ah_attr opa;
	};
};

/**
 * rdma_ah_retrieve_dmac - get the MAC address in a RoCE address vector, to be read or written
 * @attr: the address vector
 *
 * Return: the address, ETH_ALEN bytes; NULL if the type is not RoCE.
 */
static inline u8 *rdma_ah_retrieve_dmac(struct rdma_ah_attr *attr)
{
	return attr->type == RDMA_AH_ATTR_TYPE_ROCE ? attr->roce.dmac : NULL;
}

/**
 * rdma_ah_set_dlid - set the destination LID; has no effect on RoCE
 * @attr: address vector whose type is set
 * @dlid: the LID; on InfiniBand, 16 bits
 */
static inline void rdma_ah_set_dlid(struct rdma_ah_attr *attr, u32 dlid)
{
	switch (attr->type) {
	case RDMA_AH_ATTR_TYPE_IB:
		attr->ib.dlid = dlid & 0xffff;
		break;
	case RDMA_AH_ATTR_TYPE_OPA:
		attr->opa.dlid = dlid;
		break;
	default:
		break;
	}
}

/**
 * rdma_ah_get_dlid - get the destination LID; 0 on RoCE
 * @attr: the address vector
 */
static inline u32 rdma_ah_get_dlid(const struct rdma_ah_attr *attr)
{
	switch (attr->type) {
	case RDMA_AH_ATTR_TYPE_IB:
		return attr->ib.dlid;
	case RDMA_AH_ATTR_TYPE_OPA:
		return attr->opa.dlid;
	default:
		return 0;
	}
}

/**
 * rdma_ah_set_path_bits - set the low bits of the source LID; has no effect on RoCE
 * @attr: address vector whose type is set
 * @src_path_bits: the bits
 */
static inline void rdma_ah_set_path_bits(struct rdma_ah_attr *attr, u8 src_path_bits)
{
	switch (attr->type) {
	case RDMA_AH_ATTR_TYPE_IB:
		attr->ib.src_path_bits = src_path_bits;
		break;
	case RDMA_AH_ATTR_TYPE_OPA:
		attr->opa.src_path_bits = src_path_bits;
		break;
	default:
		break;
	}
}

/**
 * rdma_ah_get_path_bits - get the low bits of the source LID; 0 on RoCE
 * @attr: the address vector
 */
static inline u8 rdma_ah_get_path_bits(const struct rdma_ah_attr *attr)
{
	switch (attr->type) {
	case RDMA_AH_ATTR_TYPE_IB:
		return attr->ib.src_path_bits;
	case RDMA_AH_ATTR_TYPE_OPA:
		return attr->opa.src_path_bits;
	default:
		return 0;
	}
}

/**
 * rdma_ah_set_make_grd - say whether Omni-Path routes by GID; has no effect on other types
 * @attr: address vector whose type is set
 * @make_grd: route by GID even on the local subnet
 */
static inline void rdma_ah_set_make_grd(struct rdma_ah_attr *attr, bool make_grd)
{
	if (attr->type == RDMA_AH_ATTR_TYPE_OPA)
		attr->opa.make_grd = make_grd;
}

/**
 * rdma_ah_get_make_grd - does Omni-Path route by GID? False for other types
 * @attr: the address vector
 */
static inline bool rdma_ah_get_make_grd(const struct rdma_ah_attr *attr)
{
	return attr->type == RDMA_AH_ATTR_TYPE_OPA && attr->opa.make_grd;
}

/*
 * The members that all types have. The global route is valid only with %IB_AH_GRH, which
 * rdma_ah_set_grh() sets.
 */
static inline void rdma_ah_set_sl(struct rdma_ah_attr *attr, u8 sl)
{
	attr->sl = sl;
}

static inline u8 rdma_ah_get_sl(const struct rdma_ah_attr *attr)
{
	return attr->sl;
}

static inline void rdma_ah_set_port_num(struct rdma_ah_attr *attr, u32 port_num)
{
	attr->port_num = port_num;
}

static inline u32 rdma_ah_get_port_num(const struct rdma_ah_attr *attr)
{
	return attr->port_num;
}

static inline void rdma_ah_set_static_rate(struct rdma_ah_attr *attr, u8 static_rate)
{
	attr->static_rate = static_rate;
}

static inline u8 rdma_ah_get_static_rate(const struct rdma_ah_attr *attr)
{
	return attr->static_rate;
}

static inline void rdma_ah_set_ah_flags(struct rdma_ah_attr *attr, enum ib_ah_flags flag)
{
	attr->ah_flags = flag;
}

static inline enum ib_ah_flags rdma_ah_get_ah_flags(const struct rdma_ah_attr *attr)
{
	return attr->ah_flags;
}

static inline const struct ib_global_route *rdma_ah_read_grh(const struct rdma_ah_attr *attr)
{
	return &attr->grh;
}

static inline struct ib_global_route *rdma_ah_retrieve_grh(struct rdma_ah_attr *attr)
{
	return &attr->grh;
}

/**
 * rdma_ah_set_dgid_raw - set the destination GID
 * @attr: the address vector
 * @dgid: the GID, 16 bytes
 */
static inline void rdma_ah_set_dgid_raw(struct rdma_ah_attr *attr, void *dgid)
{
	memcpy(attr->grh.dgid.raw, dgid, sizeof(attr->grh.dgid.raw));
}

static inline void rdma_ah_set_subnet_prefix(struct rdma_ah_attr *attr, __be64 prefix)
{
	attr->grh.dgid.global.subnet_prefix = prefix;
}

static inline void rdma_ah_set_interface_id(struct rdma_ah_attr *attr, __be64 interface_id)
{
	attr->grh.dgid.global.interface_id = interface_id;
}

/**
 * rdma_ah_set_grh - set the global route, and %IB_AH_GRH
 * @attr: address vector that has no reference to a source GID
 * @dgid: destination GID; NULL: @attr keeps its own
 * @flow_label: flow label
 * @sgid_index: source GID as index of the port's table
 * @hop_limit: number of routers that a packet may cross
 * @traffic_class: traffic class
 */
static inline void rdma_ah_set_grh(struct rdma_ah_attr *attr, union ib_gid *dgid, u32 flow_label,
				   u8 sgid_index, u8 hop_limit, u8 traffic_class)
{
	attr->ah_flags = IB_AH_GRH;
	attr->grh = (struct ib_global_route) {
		.dgid = dgid ? *dgid : attr->grh.dgid,
		.flow_label = flow_label,
		.sgid_index = sgid_index,
		.hop_limit = hop_limit,
		.traffic_class = traffic_class,
	};
}

/**
 * rdma_move_grh_sgid_attr - set the global route, with a source GID
 * @attr: address vector that has no reference to a source GID
 * @dgid: destination GID
 * @flow_label: flow label
 * @hop_limit: number of routers that a packet may cross
 * @traffic_class: traffic class
 * @sgid_attr: source GID; the caller's reference passes to @attr, see rdma_destroy_ah_attr()
 *
 * Any context.
 */
void rdma_move_grh_sgid_attr(struct rdma_ah_attr *attr, union ib_gid *dgid, u32 flow_label,
			     u8 hop_limit, u8 traffic_class, const struct ib_gid_attr *sgid_attr);

/**
 * rdma_copy_ah_attr - copy an address vector, with a reference of its own to the source GID
 * @dest: out: the copy; its former content is ignored
 * @src: the address vector
 *
 * Any context.
 */
void rdma_copy_ah_attr(struct rdma_ah_attr *dest, const struct rdma_ah_attr *src);

/**
 * rdma_replace_ah_attr - replace an address vector by a copy of another one
 * @old: the address vector, whose reference is dropped
 * @new: what is copied, as by rdma_copy_ah_attr(); may be @old
 *
 * Any context.
 */
void rdma_replace_ah_attr(struct rdma_ah_attr *old, const struct rdma_ah_attr *new);

/**
 * rdma_move_ah_attr - replace an address vector by another one, which loses its reference
 * @dest: the address vector, whose reference is dropped; not @src
 * @src: what is moved; on return it has no reference
 *
 * Any context.
 */
void rdma_move_ah_attr(struct rdma_ah_attr *dest, struct rdma_ah_attr *src);

/**
 * rdma_destroy_ah_attr - drop the reference of an address vector to its source GID, if it has one
 * @ah_attr: the address vector
 *
 * Any context.
 */
void rdma_destroy_ah_attr(struct rdma_ah_attr *ah_attr);

/**
 * rdma_calc_flow_label - make a flow label of two QP numbers
 * @lqpn: our QP
 * @rqpn: the peer's QP
 *
 * Any context. Both ends of a connection get the same flow label.
 */
static inline u32 rdma_calc_flow_label(u32 lqpn, u32 rqpn)
{
	u64 mix = (u64)lqpn * rqpn;

	return (mix ^ mix >> 20 ^ mix >> 40) & IB_GRH_FLOWLABEL_MASK;
}

/**
 * rdma_flow_label_to_udp_sport - get the UDP port that RoCE version 2 sends a flow from
 * @fl: flow label
 *
 * Any context. Routers spread flows over paths by this port.
 */
static inline u16 rdma_flow_label_to_udp_sport(u32 fl)
{
	fl &= IB_GRH_FLOWLABEL_MASK;
	return IB_ROCE_UDP_ENCAP_VALID_PORT_MIN | ((fl ^ fl >> 14) & 0x3fff);
}

/**
 * rdma_get_udp_sport - get the UDP port that RoCE version 2 sends the packets of a connection from
 * @fl: flow label; 0: that of the QPs
 * @lqpn: our QP
 * @rqpn: the peer's QP
 *
 * Any context.
 */
static inline u16 rdma_get_udp_sport(u32 fl, u32 lqpn, u32 rqpn)
{
	return rdma_flow_label_to_udp_sport(fl ?: rdma_calc_flow_label(lqpn, rqpn));
}

/**
 * struct ib_ah - an address handle: a destination of datagrams
 * @device: device of the handle
 * @pd: protection domain
 * @uobject: handle of a user process, NULL for a kernel AH
 * @sgid_attr: source GID, with a reference; NULL without a global route
 * @type: kind of the address
 */
struct ib_ah {
	struct ib_device	*device;
	struct ib_pd		*pd;
	struct ib_uobject	*uobject;
	const struct ib_gid_attr *sgid_attr;
	enum rdma_ah_attr_type	type;
};

/**
 * struct rdma_ah_init_attr - what a provider makes an address handle from
 * @ah_attr: the address vector, with its source GID and, on RoCE, its MAC address
 * @flags: &enum rdma_create_ah_flags
 * @xmit_slave: interface of a bond that packets are sent through; NULL: any
 */
struct rdma_ah_init_attr {
	struct rdma_ah_attr	*ah_attr;
	u32			flags;
	struct net_device	*xmit_slave;
};

/**
 * enum rdma_create_ah_flags - flags of rdma_create_ah()
 * @RDMA_CREATE_AH_SLEEPABLE: the caller may sleep
 */
enum rdma_create_ah_flags {
	RDMA_CREATE_AH_SLEEPABLE = BIT(0),
};

/**
 * enum rdma_destroy_ah_flags - flags of rdma_destroy_ah()
 * @RDMA_DESTROY_AH_SLEEPABLE: the caller may sleep
 */
enum rdma_destroy_ah_flags {
	RDMA_DESTROY_AH_SLEEPABLE = BIT(0),
};

/**
 * __rdma_create_ah - make an address handle
 * @pd: protection domain
 * @ah_attr: the address; not changed
 * @flags: &enum rdma_create_ah_flags
 *
 * Callers use rdma_create_ah(). With %RDMA_CREATE_AH_SLEEPABLE: process context, may sleep.
 * Without: any context; on RoCE, if @ah_attr has no MAC address, with interrupts on. The handle
 * holds a reference to its source GID, which is that of @ah_attr or, if there is none, that of the
 * index.
 *
 * A RoCE address that has no MAC address (all zero) gets that of the next hop. If the neighbour
 * table does not have it, a caller that may sleep waits up to a second, until it is known or the
 * process is killed; for any other caller, the call fails, and a later one may succeed.
 *
 * Return: the handle, to be destroyed with rdma_destroy_ah(); or an ERR_PTR: -EOPNOTSUPP if the
 * device has no address handles; -EINVAL if a flag, the port, the type for this port or the source
 * GID is wrong, or the port requires a global route and there is none; -ENODATA if there is no GID
 * at the index; -ENODEV if the device is being unregistered, or the network interface of the source
 * GID is down or gone; -ENOMEM; or the provider's error. RoCE without a MAC address, in addition:
 * -EINVAL if the destination is no address, or of another family than the source; -EAGAIN if the
 * MAC address is not known yet, and the caller may not sleep; -ETIMEDOUT; -EHOSTUNREACH if the next
 * hop does not answer; -ERESTARTSYS if the process was killed; -ENETUNREACH if packets would leave
 * through another interface, or RoCE version 1 would need a router; or an error of the route
 * look-up.
 */
struct ib_ah *__rdma_create_ah(struct ib_pd *pd, struct rdma_ah_attr *ah_attr, u32 flags);

#define __RDMA_AH_FLAGS(unused, flags, ...)	flags

/**
 * rdma_create_ah - make an address handle
 * @pd: protection domain
 * @ah_attr: the address
 * @...: &enum rdma_create_ah_flags; without this argument, which older callers do not pass, 0
 *
 * See __rdma_create_ah().
 */
#define rdma_create_ah(pd, ah_attr, ...)					\
	__rdma_create_ah((pd), (ah_attr), __RDMA_AH_FLAGS(, ##__VA_ARGS__, 0))

/**
 * rdma_create_user_ah - make an address handle for a process
 * @pd: protection domain
 * @ah_attr: the address; not changed
 * @udata: the process's data for the provider
 *
 * Process context, may sleep. On RoCE, the MAC address in @ah_attr is ignored, and that of the next
 * hop is looked up as in __rdma_create_ah(). The caller sets &ib_ah.uobject, and destroys the
 * handle with rdma_destroy_ah_user().
 *
 * Return: as __rdma_create_ah(); -EOPNOTSUPP if processes cannot make address handles on the
 * device.
 */
struct ib_ah *rdma_create_user_ah(struct ib_pd *pd, struct rdma_ah_attr *ah_attr,
				  struct ib_udata *udata);

/**
 * rdma_modify_ah - replace the address of an address handle
 * @ah: the handle; the caller serialises the changes of one handle
 * @ah_attr: the address; not changed
 *
 * Process context. The MAC address of a RoCE address without one is looked up, but not waited for.
 *
 * Return: 0; -EOPNOTSUPP if the provider cannot change address handles; otherwise the errors of
 * __rdma_create_ah() for the address, or the provider's error. After an error the handle is as
 * before.
 */
int rdma_modify_ah(struct ib_ah *ah, struct rdma_ah_attr *ah_attr);

/**
 * rdma_query_ah - read the address of an address handle
 * @ah: the handle
 * @ah_attr: out: the address, without a reference to the source GID
 *
 * Process context, may sleep.
 *
 * Return: 0; -EOPNOTSUPP if the provider cannot read addresses; or the provider's error.
 */
int rdma_query_ah(struct ib_ah *ah, struct rdma_ah_attr *ah_attr);

/**
 * rdma_destroy_ah_user - destroy an address handle
 * @ah: the handle
 * @flags: &enum rdma_destroy_ah_flags
 * @udata: the process's data for the provider; NULL for a kernel AH
 *
 * With %RDMA_DESTROY_AH_SLEEPABLE: process context, may sleep. Without: any context.
 *
 * Return: 0; -EINVAL if a flag is unknown; or the provider's error. After an error the handle is as
 * before.
 */
int rdma_destroy_ah_user(struct ib_ah *ah, u32 flags, struct ib_udata *udata);

/**
 * rdma_destroy_ah - destroy a kernel address handle
 * @ah: the handle
 * @...: &enum rdma_destroy_ah_flags; without this argument, which older callers do not pass, 0
 *
 * See rdma_destroy_ah_user().
 */
#define rdma_destroy_ah(ah, ...)						\
	rdma_destroy_ah_user((ah), __RDMA_AH_FLAGS(, ##__VA_ARGS__, 0), NULL)

/**
 * ib_init_ah_attr_from_wc - make the address of the sender of a datagram
 * @device: device that received the datagram
 * @port_num: port that received it
 * @wc: completion of the receive request
 * @grh: first 40 bytes of the receive buffer; used only with %IB_WC_GRH
 * @ah_attr: out, on success: the address, with a reference to its source GID if it has a global
 *	route; the caller drops the reference with rdma_destroy_ah_attr()
 *
 * Process context, may sleep. The source GID is that to which the datagram was sent. On RoCE the
 * MAC address is looked up as in __rdma_create_ah().
 *
 * Return: 0; -EINVAL if there is no such port, or @grh is needed and NULL; -EOPNOTSUPP if the port
 * receives no datagrams that could be answered, as on iWARP; -EPROTOTYPE if a RoCE datagram has no
 * network header, or one that is neither IPv4 nor a GRH; -ENOENT or -ENODATA if the port does not
 * have the GID to which the datagram was sent; or, on RoCE, the errors of __rdma_create_ah() for
 * the MAC address. After an error @ah_attr is all zero.
 */
int ib_init_ah_attr_from_wc(struct ib_device *device, u32 port_num, const struct ib_wc *wc,
			    const struct ib_grh *grh, struct rdma_ah_attr *ah_attr);

/**
 * ib_init_ah_from_wc - make the address of the sender of a datagram, for older callers
 * @device: device that received the datagram
 * @port_num: port that received it
 * @wc: completion of the receive request
 * @grh: first 40 bytes of the receive buffer; used only with %IB_WC_GRH
 * @ah_attr: out, on success: the address; it has the index of its source GID, and no reference that
 *	the caller would have to drop
 *
 * Process context, may sleep. See ib_init_ah_attr_from_wc().
 *
 * Return: as ib_init_ah_attr_from_wc().
 */
int ib_init_ah_from_wc(struct ib_device *device, u8 port_num, const struct ib_wc *wc,
		       const struct ib_grh *grh, struct rdma_ah_attr *ah_attr);

/**
 * ib_create_ah_from_wc - make an address handle of the sender of a datagram
 * @pd: protection domain, on the device that received the datagram
 * @wc: completion of the receive request
 * @grh: first 40 bytes of the receive buffer; used only with %IB_WC_GRH
 * @port_num: port that received it
 *
 * Process context, may sleep.
 *
 * Return: the handle, to be destroyed with rdma_destroy_ah(); or an ERR_PTR: the errors of
 * ib_init_ah_attr_from_wc() and __rdma_create_ah().
 */
struct ib_ah *ib_create_ah_from_wc(struct ib_pd *pd, const struct ib_wc *wc,
				   const struct ib_grh *grh, u32 port_num);

#endif /* _RDMA_VERBS_AH_H_ */
