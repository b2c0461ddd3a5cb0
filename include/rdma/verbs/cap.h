/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The range of a device's port numbers, and what a port can do: rdma_protocol_*(), rdma_cap_*().
 * The answers come from the port's fixed data.
 *
 * All functions may be called in any context, for a registered device. The provider may also call
 * them before the device is registered, for a port whose data its get_port_immutable() has filled
 * in. Port numbers lie between rdma_start_port() and rdma_end_port(); the functions do not check
 * them, because callers check a number once with rdma_is_port_valid().
 */
#ifndef _RDMA_VERBS_CAP_H_
#define _RDMA_VERBS_CAP_H_

#include <linux/netdevice.h>
#include <rdma/rdma_counter.h>
#include <rdma/verbs/ah.h>
#include <rdma/verbs/device.h>

struct ib_core_gids;
struct ib_core_netdev;

/**
 * struct ib_port_data - what the core knows of a port; owned by the core
 * @ib_dev: the device
 * @immutable: fixed data, from the provider's get_port_immutable()
 * @netdev: entry of the port's network interface in the table that ib_device_get_by_netdev()
 *	searches, or NULL; protected by the core's netdevs_lock
 * @gids: GID table
 * @pkeys: P_Keys, as last reported by the provider; immutable.pkey_tbl_len of them
 * @state: state, as last reported by the provider
 * @lmc: number of low bits of the LID that the port ignores, as last reported by the provider
 * @stale: core: 1 if an event of the port was lost since the cache was filled, otherwise 0
 * @hw_stats: counters of the port, or NULL
 * @counter: counters of QPs of the port
 */
struct ib_port_data {
	struct ib_device		*ib_dev;
	struct ib_port_immutable	immutable;
	struct ib_core_netdev		*netdev;
	struct ib_core_gids		*gids;
	u16				*pkeys;
	enum ib_port_state		state;
	u8				lmc;
	atomic_t			stale;
	struct rdma_hw_stats		*hw_stats;
	struct rdma_port_counter	counter;
};

/**
 * ib_port_immutable_read - get the data of a port that the provider has fixed at registration
 * @dev: the device
 * @port: a valid port number
 *
 * Any context.
 */
const struct ib_port_immutable *ib_port_immutable_read(struct ib_device *dev, unsigned int port);

/* Returns whether the port has one of these capabilities. */
static inline bool rdma_core_cap_any(const struct ib_device *device, u32 port_num, u32 caps)
{
	return device->port_data[port_num].immutable.core_cap_flags & caps;
}

/* Returns whether the port has all of these capabilities. */
static inline bool rdma_core_cap_all(const struct ib_device *device, u32 port_num, u32 caps)
{
	return (device->port_data[port_num].immutable.core_cap_flags & caps) == caps;
}

/**
 * rdma_cap_ib_switch - is the device an InfiniBand switch?
 * @device: the device
 *
 * Reads what the provider has set in ib_device.is_switch.
 */
static inline bool rdma_cap_ib_switch(const struct ib_device *device)
{
	return device->is_switch;
}

/**
 * rdma_start_port - lowest port number of a device
 * @device: the device
 *
 * Return: 0 for a switch, whose only port has this number; 1 otherwise.
 */
static inline u32 rdma_start_port(const struct ib_device *device)
{
	return rdma_cap_ib_switch(device) ? 0 : 1;
}

/**
 * rdma_end_port - highest port number of a device
 * @device: the device
 *
 * Return: 0 for a switch, the number of ports otherwise.
 */
static inline u32 rdma_end_port(const struct ib_device *device)
{
	return rdma_cap_ib_switch(device) ? 0 : device->phys_port_cnt;
}

/**
 * rdma_for_each_port - loop over the ports of a device
 * @device: the device
 * @iter: an unsigned int or u32 lvalue for the port number
 */
#define rdma_for_each_port(device, iter)					\
	for (iter = rdma_start_port(device) +					\
		    BUILD_BUG_ON_ZERO(!__same_type(u32, iter));			\
	     iter <= rdma_end_port(device); iter++)

/**
 * rdma_is_port_valid - has the device such a port?
 * @device: the device
 * @port: the number
 */
static inline int rdma_is_port_valid(const struct ib_device *device, unsigned int port)
{
	return port >= rdma_start_port(device) && port <= rdma_end_port(device);
}

/**
 * rdma_is_grh_required - must every address vector carry a global route?
 * @device: the device
 * @port_num: a valid port number
 */
static inline bool rdma_is_grh_required(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_PORT_IB_GRH_REQUIRED);
}

/**
 * rdma_protocol_ib - does the port speak InfiniBand?
 * @device: the device
 * @port_num: a valid port number
 */
static inline bool rdma_protocol_ib(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_PROT_IB);
}

/**
 * rdma_protocol_roce - does the port speak RoCE, of either version?
 * @device: the device
 * @port_num: a valid port number
 */
static inline bool rdma_protocol_roce(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num,
				 RDMA_CORE_CAP_PROT_ROCE | RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP);
}

/**
 * rdma_protocol_roce_udp_encap - does the port speak RoCE version 2?
 * @device: the device
 * @port_num: a valid port number
 */
static inline bool rdma_protocol_roce_udp_encap(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP);
}

/**
 * rdma_protocol_roce_eth_encap - does the port speak RoCE version 1?
 * @device: the device
 * @port_num: a valid port number
 */
static inline bool rdma_protocol_roce_eth_encap(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_PROT_ROCE);
}

/**
 * rdma_protocol_iwarp - does the port speak iWARP?
 * @device: the device
 * @port_num: a valid port number
 */
static inline bool rdma_protocol_iwarp(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_PROT_IWARP);
}

/**
 * rdma_ib_or_roce - does the port use the InfiniBand transport?
 * @device: the device
 * @port_num: a valid port number
 */
static inline bool rdma_ib_or_roce(const struct ib_device *device, u32 port_num)
{
	return rdma_protocol_ib(device, port_num) || rdma_protocol_roce(device, port_num);
}

/**
 * rdma_protocol_raw_packet - does the port carry raw Ethernet packets only?
 * @device: the device
 * @port_num: a valid port number
 */
static inline bool rdma_protocol_raw_packet(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_PROT_RAW_PACKET);
}

/**
 * rdma_protocol_usnic - does the port speak usNIC?
 * @device: the device
 * @port_num: a valid port number
 */
static inline bool rdma_protocol_usnic(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_PROT_USNIC);
}

/**
 * rdma_cap_ib_mad - does the port send and receive management datagrams (MADs)?
 * @device: the device
 * @port_num: a valid port number
 *
 * True for every InfiniBand port, for RoCE, and for Omni-Path, whose MADs are of a wider format.
 */
static inline bool rdma_cap_ib_mad(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_IB_MAD);
}

/**
 * rdma_cap_opa_mad - does the port handle Omni-Path's MADs?
 * @device: the device
 * @port_num: a valid port number
 *
 * MADs of Omni-Path are up to 2 KiB long (256 bytes on InfiniBand). Omni-Path's subnet management
 * packets have another layout and need valid P_Keys.
 */
static inline bool rdma_cap_opa_mad(struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_all(device, port_num, RDMA_CORE_CAP_OPA_MAD);
}

/**
 * rdma_cap_ib_smi - has the port a subnet management interface?
 * @device: the device
 * @port_num: a valid port number
 *
 * Directed-route packets are sent and received through that interface. They reach the nodes of a
 * fabric that is not configured yet.
 */
static inline bool rdma_cap_ib_smi(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_IB_SMI);
}

/**
 * rdma_cap_ib_cm - can the InfiniBand connection manager use the port?
 * @device: the device
 * @port_num: a valid port number
 *
 * True even if no connection manager is running.
 */
static inline bool rdma_cap_ib_cm(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_IB_CM);
}

/**
 * rdma_cap_iw_cm - can the iWARP connection manager use the port?
 * @device: the device
 * @port_num: a valid port number
 *
 * True even if the connection manager is not running.
 */
static inline bool rdma_cap_iw_cm(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_IW_CM);
}

/**
 * rdma_cap_ib_sa - should the port ask the fabric's subnet administration for routes?
 * @device: the device
 * @port_num: a valid port number
 *
 * The subnet administration itself may run on any node of the fabric.
 */
static inline bool rdma_cap_ib_sa(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_IB_SA);
}

/**
 * rdma_cap_ib_mcast - must the port join multicast groups at the subnet manager?
 * @device: the device
 * @port_num: a valid port number
 *
 * A port joins a group once for all of its QPs, and leaves the group with the last of these QPs.
 * The subnet administration manages the groups, so the result is that of rdma_cap_ib_sa().
 */
static inline bool rdma_cap_ib_mcast(const struct ib_device *device, u32 port_num)
{
	return rdma_cap_ib_sa(device, port_num);
}

/**
 * rdma_cap_af_ib - is the port addressed by GIDs?
 * @device: the device
 * @port_num: a valid port number
 *
 * True for InfiniBand and RoCE.
 */
static inline bool rdma_cap_af_ib(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_AF_IB);
}

/**
 * rdma_cap_eth_ah - must datagrams carry a global route made from an Ethernet address?
 * @device: the device
 * @port_num: a valid port number
 *
 * True for RoCE.
 */
static inline bool rdma_cap_eth_ah(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_any(device, port_num, RDMA_CORE_CAP_ETH_AH);
}

/**
 * rdma_cap_opa_ah - does the port take Omni-Path extended addresses?
 * @device: the device
 * @port_num: a valid port number
 */
static inline bool rdma_cap_opa_ah(struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_all(device, port_num, RDMA_CORE_CAP_OPA_AH);
}

/**
 * rdma_max_mad_size - length of the longest MAD of a port
 * @device: the device
 * @port_num: a valid port number
 *
 * Return: the number of bytes, including the MAD's headers; 0 if the port has no MADs.
 */
static inline size_t rdma_max_mad_size(const struct ib_device *device, u32 port_num)
{
	return device->port_data[port_num].immutable.max_mad_size;
}

/**
 * rdma_cap_roce_gid_table - does the device have a GID table of its own, which the core fills?
 * @device: the device
 * @port_num: a valid port number
 *
 * True for a RoCE port whose provider has add_gid() and del_gid(), even if the GID table could not
 * be allocated. The core makes the GIDs of any RoCE port from the addresses of its network
 * interface; a provider in software, such as rxe, needs no copy of them.
 */
static inline bool rdma_cap_roce_gid_table(const struct ib_device *device, u32 port_num)
{
	return rdma_protocol_roce(device, port_num) && device->ops.add_gid && device->ops.del_gid;
}

/**
 * rdma_cap_read_inv - may an RDMA READ work request also invalidate the STag of its sink?
 * @dev: the device
 * @port_num: a valid port number
 *
 * True for iWARP, where the sink of a READ is named by an STag.
 */
static inline bool rdma_cap_read_inv(struct ib_device *dev, u32 port_num)
{
	return rdma_protocol_iwarp(dev, port_num);
}

/**
 * rdma_core_cap_opa_port - is the port an Omni-Path port?
 * @device: the device
 * @port_num: a valid port number
 */
static inline bool rdma_core_cap_opa_port(struct ib_device *device, u32 port_num)
{
	return rdma_core_cap_all(device, port_num, RDMA_CORE_PORT_INTEL_OPA);
}

/**
 * rdma_ah_find_type - get the type that address vectors of a port have
 * @dev: the device
 * @port_num: a valid port number
 */
static inline enum rdma_ah_attr_type rdma_ah_find_type(struct ib_device *dev, u32 port_num)
{
	if (rdma_protocol_roce(dev, port_num))
		return RDMA_AH_ATTR_TYPE_ROCE;
	return rdma_cap_opa_ah(dev, port_num) ? RDMA_AH_ATTR_TYPE_OPA : RDMA_AH_ATTR_TYPE_IB;
}

/**
 * rdma_mtu_enum_to_int - decode an MTU of a port
 * @device: the device
 * @port: a valid port number
 * @mtu: the code: enum ib_mtu or, on Omni-Path, enum opa_mtu
 *
 * Return: the number of bytes; -1 if there is no such code.
 */
static inline int rdma_mtu_enum_to_int(struct ib_device *device, u32 port, int mtu)
{
	if (rdma_core_cap_opa_port(device, port))
		return opa_mtu_enum_to_int((enum opa_mtu)mtu);
	return ib_mtu_enum_to_int((enum ib_mtu)mtu);
}

/**
 * rdma_mtu_from_attr - the largest MTU of a port
 * @device: the device
 * @port: a valid port number
 * @attr: the port's attributes
 *
 * Return: the number of bytes; -1 if the attributes have no valid MTU.
 */
static inline int rdma_mtu_from_attr(struct ib_device *device, u32 port, struct ib_port_attr *attr)
{
	if (rdma_core_cap_opa_port(device, port))
		return attr->phys_mtu;
	return ib_mtu_enum_to_int(attr->max_mtu);
}

#endif /* _RDMA_VERBS_CAP_H_ */
