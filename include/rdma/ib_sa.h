/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Path records of InfiniBand's subnet administration, which <rdma/rdma_cm.h> refers to. krdma has
 * no functions that ask the subnet administration.
 */
#ifndef _RDMA_IB_SA_H_
#define _RDMA_IB_SA_H_

#ifdef IB_SA_H
#error "the kernel's <rdma/ib_sa.h> was included before krdma's"
#endif
#define IB_SA_H

#include <rdma/ib_verbs.h>

/**
 * enum sa_path_rec_type - which member of the union in struct sa_path_rec is valid
 * @SA_PATH_REC_TYPE_IB: ib
 * @SA_PATH_REC_TYPE_ROCE_V1: roce, RoCE version 1
 * @SA_PATH_REC_TYPE_ROCE_V2: roce, RoCE version 2
 * @SA_PATH_REC_TYPE_OPA: opa
 */
enum sa_path_rec_type {
	SA_PATH_REC_TYPE_IB,
	SA_PATH_REC_TYPE_ROCE_V1,
	SA_PATH_REC_TYPE_ROCE_V2,
	SA_PATH_REC_TYPE_OPA
};

/**
 * struct sa_path_rec_ib - path on an InfiniBand subnet
 * @dlid: destination LID
 * @slid: source LID
 * @raw_traffic: 1: the path is for raw packets
 */
struct sa_path_rec_ib {
	__be16			dlid;
	__be16			slid;
	u8			raw_traffic;
};

/**
 * struct sa_path_rec_roce - path on an Ethernet
 * @route_resolved: @dmac is known
 * @dmac: MAC address of the destination or the next hop
 */
struct sa_path_rec_roce {
	bool			route_resolved;
	u8			dmac[ETH_ALEN];
};

/**
 * struct sa_path_rec_opa - path on an Omni-Path subnet
 * @dlid: destination LID
 * @slid: source LID
 * @raw_traffic: 1: the path is for raw packets
 * @l2_8B: the path allows packets of format 8B
 * @l2_10B: the path allows packets of format 10B
 * @l2_9B: the path allows packets of format 9B
 * @l2_16B: the path allows packets of format 16B
 * @qos_type: kind of @qos_priority
 * @qos_priority: priority
 */
struct sa_path_rec_opa {
	__be32			dlid;
	__be32			slid;
	u8			raw_traffic;
	u8			l2_8B;
	u8			l2_10B;
	u8			l2_9B;
	u8			l2_16B;
	u8			qos_type;
	u8			qos_priority;
};

/**
 * struct sa_path_rec - a path between two ports, as IBTA's PathRecord has it
 * @dgid: destination GID
 * @sgid: source GID
 * @service_id: service that the path is for; 0: any
 * @flow_label: flow label
 * @hop_limit: number of routers that a packet may cross
 * @traffic_class: traffic class
 * @reversible: 1: the path can be used in both directions
 * @numb_path: number of paths asked for
 * @pkey: P_Key
 * @qos_class: class of the quality of service
 * @sl: service level
 * @mtu_selector: how @mtu is meant: 0: more than, 1: less than, 2: exactly, 3: the largest
 * @mtu: MTU, &enum ib_mtu
 * @rate_selector: how @rate is meant, as @mtu_selector
 * @rate: rate, &enum ib_rate
 * @packet_life_time_selector: how @packet_life_time is meant, as @mtu_selector
 * @packet_life_time: longest time that a packet takes, as 4.096 us * 2^n
 * @preference: order of several paths, the smallest first
 * @ib: path on an InfiniBand subnet
 * @roce: path on an Ethernet
 * @opa: path on an Omni-Path subnet
 * @rec_type: which of @ib, @roce and @opa is valid
 * @flags: flags of struct ib_path_rec_data
 */
struct sa_path_rec {
	union ib_gid		dgid;
	union ib_gid		sgid;
	__be64			service_id;
	__be32			flow_label;
	u8			hop_limit;
	u8			traffic_class;
	u8			reversible;
	u8			numb_path;
	__be16			pkey;
	__be16			qos_class;
	u8			sl;
	u8			mtu_selector;
	u8			mtu;
	u8			rate_selector;
	u8			rate;
	u8			packet_life_time_selector;
	u8			packet_life_time;
	u8			preference;
	union {
		struct sa_path_rec_ib ib;
		struct sa_path_rec_roce roce;
		struct sa_path_rec_opa opa;
	};
	enum sa_path_rec_type	rec_type;
	u32			flags;
};

#endif /* _RDMA_IB_SA_H_ */
