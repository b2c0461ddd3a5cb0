/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Address vectors: the path to a peer, as the attributes of a QP hold it.
 */
#ifndef _RDMA_VERBS_AH_H_
#define _RDMA_VERBS_AH_H_

#include <linux/if_ether.h>
#include <rdma/verbs/types.h>

/**
 * enum ib_ah_flags - flags of an address vector
 * @IB_AH_GRH: the address vector has a global route
 */
enum ib_ah_flags {
	IB_AH_GRH	= 1
};

/**
 * struct ib_global_route - how packets are routed beyond the local subnet
 * @sgid_attr: source GID; NULL if only @sgid_index is known
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

#endif /* _RDMA_VERBS_AH_H_ */
