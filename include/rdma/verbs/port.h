/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Ports: attributes, what a port is capable of, link layer.
 */
#ifndef _RDMA_VERBS_PORT_H_
#define _RDMA_VERBS_PORT_H_

#include <rdma/verbs/types.h>

/**
 * enum ib_port_state - logical state of a port
 * @IB_PORT_NOP: used only to set a state: leave it as it is
 * @IB_PORT_DOWN: the port has no link
 * @IB_PORT_INIT: the port has a link, but is not configured: without address or subnet manager
 * @IB_PORT_ARMED: the port is configured, and becomes active with the first packet
 * @IB_PORT_ACTIVE: the port can be used
 * @IB_PORT_ACTIVE_DEFER: the port was active, its link has just failed and may come back
 */
enum ib_port_state {
	IB_PORT_NOP		= 0,
	IB_PORT_DOWN		= 1,
	IB_PORT_INIT		= 2,
	IB_PORT_ARMED		= 3,
	IB_PORT_ACTIVE		= 4,
	IB_PORT_ACTIVE_DEFER	= 5
};

/**
 * enum ib_port_phys_state - state of a port's link
 * @IB_PORT_PHYS_STATE_SLEEP: asleep
 * @IB_PORT_PHYS_STATE_POLLING: looks for the other end
 * @IB_PORT_PHYS_STATE_DISABLED: switched off, or without carrier
 * @IB_PORT_PHYS_STATE_PORT_CONFIGURATION_TRAINING: being set up
 * @IB_PORT_PHYS_STATE_LINK_UP: up
 * @IB_PORT_PHYS_STATE_LINK_ERROR_RECOVERY: recovers from errors
 * @IB_PORT_PHYS_STATE_PHY_TEST: being tested
 */
enum ib_port_phys_state {
	IB_PORT_PHYS_STATE_SLEEP = 1,
	IB_PORT_PHYS_STATE_POLLING = 2,
	IB_PORT_PHYS_STATE_DISABLED = 3,
	IB_PORT_PHYS_STATE_PORT_CONFIGURATION_TRAINING = 4,
	IB_PORT_PHYS_STATE_LINK_UP = 5,
	IB_PORT_PHYS_STATE_LINK_ERROR_RECOVERY = 6,
	IB_PORT_PHYS_STATE_PHY_TEST = 7,
};

/**
 * enum ib_port_width - number of lanes, as it is encoded
 * @IB_WIDTH_1X: one lane
 * @IB_WIDTH_2X: two
 * @IB_WIDTH_4X: four
 * @IB_WIDTH_8X: eight
 * @IB_WIDTH_12X: twelve
 */
enum ib_port_width {
	IB_WIDTH_1X	= 1,
	IB_WIDTH_2X	= 16,
	IB_WIDTH_4X	= 2,
	IB_WIDTH_8X	= 4,
	IB_WIDTH_12X	= 8
};

/**
 * enum ib_port_speed - data rate of a lane, as it is encoded
 * @IB_SPEED_SDR: 2.5 Gb/s
 * @IB_SPEED_DDR: 5 Gb/s
 * @IB_SPEED_QDR: 10 Gb/s
 * @IB_SPEED_FDR10: 10 Gb/s with the coding of FDR
 * @IB_SPEED_FDR: 14 Gb/s
 * @IB_SPEED_EDR: 25 Gb/s
 * @IB_SPEED_HDR: 50 Gb/s
 * @IB_SPEED_NDR: 100 Gb/s
 */
enum ib_port_speed {
	IB_SPEED_SDR	= 1,
	IB_SPEED_DDR	= 2,
	IB_SPEED_QDR	= 4,
	IB_SPEED_FDR10	= 8,
	IB_SPEED_FDR	= 16,
	IB_SPEED_EDR	= 32,
	IB_SPEED_HDR	= 64,
	IB_SPEED_NDR	= 128,
};

/**
 * ib_width_enum_to_int - number of lanes
 * @width: the code
 *
 * Any context.
 *
 * Return: the number of lanes; -1 if there is no such code.
 */
static inline int ib_width_enum_to_int(enum ib_port_width width)
{
	switch (width) {
	case IB_WIDTH_1X:
		return 1;
	case IB_WIDTH_2X:
		return 2;
	case IB_WIDTH_4X:
		return 4;
	case IB_WIDTH_8X:
		return 8;
	case IB_WIDTH_12X:
		return 12;
	}
	return -1;
}

/**
 * struct ib_port_attr - present attributes of a port
 * @subnet_prefix: prefix of its GIDs, in host order
 * @state: logical state
 * @max_mtu: largest MTU that the port supports
 * @active_mtu: MTU in use
 * @phys_mtu: MTU of the link, in bytes
 * @gid_tbl_len: size of the GID table, in entries
 * @ip_gids: GIDs are made from IP addresses
 * @port_cap_flags: capabilities, as InfiniBand's PortInfo has them
 * @max_msg_sz: longest message, in bytes
 * @bad_pkey_cntr: packets with a wrong P_Key
 * @qkey_viol_cntr: packets with a wrong Q_Key
 * @pkey_tbl_len: size of the P_Key table, in entries
 * @sm_lid: LID of the subnet manager
 * @lid: the port's LID
 * @lmc: number of low bits of the LID that the port ignores in packets
 * @max_vl_num: virtual lanes, as PortInfo encodes them
 * @sm_sl: service level to the subnet manager
 * @subnet_timeout: delay of the subnet, as 4.096 us * 2^n
 * @init_type_reply: how the subnet manager initialised the port
 * @active_width: lanes, enum ib_port_width
 * @active_speed: rate of a lane, enum ib_port_speed
 * @phys_state: state of the link, enum ib_port_phys_state
 * @port_cap_flags2: more capabilities
 */
struct ib_port_attr {
	u64			subnet_prefix;
	enum ib_port_state	state;
	enum ib_mtu		max_mtu;
	enum ib_mtu		active_mtu;
	u32                     phys_mtu;
	int			gid_tbl_len;
	unsigned int		ip_gids:1;
	u32			port_cap_flags;
	u32			max_msg_sz;
	u32			bad_pkey_cntr;
	u32			qkey_viol_cntr;
	u16			pkey_tbl_len;
	u32			sm_lid;
	u32			lid;
	u8			lmc;
	u8			max_vl_num;
	u8			sm_sl;
	u8			subnet_timeout;
	u8			init_type_reply;
	u8			active_width;
	u16			active_speed;
	u8                      phys_state;
	u16			port_cap_flags2;
};

/**
 * enum ib_port_modify_flags - what ib_modify_port() is to do
 * @IB_PORT_SHUTDOWN: shut the port down
 * @IB_PORT_INIT_TYPE: set the wanted kind of initialisation
 * @IB_PORT_RESET_QKEY_CNTR: reset the count of Q_Key violations
 * @IB_PORT_OPA_MASK_CHG: set and clear the capabilities of Omni-Path instead of InfiniBand's
 */
enum ib_port_modify_flags {
	IB_PORT_SHUTDOWN		= 1,
	IB_PORT_INIT_TYPE		= 1 << 2,
	IB_PORT_RESET_QKEY_CNTR		= 1 << 3,
	IB_PORT_OPA_MASK_CHG		= 1 << 4
};

/**
 * struct ib_port_modify - values for ib_modify_port()
 * @set_port_cap_mask: capabilities to set
 * @clr_port_cap_mask: capabilities to clear
 * @init_type: kind of initialisation, with IB_PORT_INIT_TYPE
 */
struct ib_port_modify {
	u32	set_port_cap_mask;
	u32	clr_port_cap_mask;
	u8	init_type;
};

/**
 * struct ib_port_immutable - fixed data of a port, unchanged while its device is registered
 * @pkey_tbl_len: size of the P_Key table, in entries
 * @gid_tbl_len: size of the GID table, in entries
 * @core_cap_flags: RDMA_CORE_CAP_*, usually one of RDMA_CORE_PORT_*
 * @max_mad_size: longest MAD in bytes; 0 if and only if the port has no MADs
 */
struct ib_port_immutable {
	int                           pkey_tbl_len;
	int                           gid_tbl_len;
	u32                           core_cap_flags;
	u32                           max_mad_size;
};

/* Capabilities of a port, which rdma_cap_*() and rdma_protocol_*() test. */
#define RDMA_CORE_CAP_IB_MAD			0x00000001
#define RDMA_CORE_CAP_IB_SMI			0x00000002
#define RDMA_CORE_CAP_IB_CM			0x00000004
#define RDMA_CORE_CAP_IW_CM			0x00000008
#define RDMA_CORE_CAP_IB_SA			0x00000010
#define RDMA_CORE_CAP_OPA_MAD			0x00000020

#define RDMA_CORE_CAP_AF_IB			0x00001000
#define RDMA_CORE_CAP_ETH_AH			0x00002000
#define RDMA_CORE_CAP_OPA_AH			0x00004000
#define RDMA_CORE_CAP_IB_GRH_REQUIRED		0x00008000

#define RDMA_CORE_CAP_PROT_IB			0x00100000
#define RDMA_CORE_CAP_PROT_ROCE			0x00200000
#define RDMA_CORE_CAP_PROT_IWARP		0x00400000
#define RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP	0x00800000
#define RDMA_CORE_CAP_PROT_RAW_PACKET		0x01000000
#define RDMA_CORE_CAP_PROT_USNIC		0x02000000

#define RDMA_CORE_PORT_IB_GRH_REQUIRED						\
	(RDMA_CORE_CAP_IB_GRH_REQUIRED | RDMA_CORE_CAP_PROT_ROCE |		\
	 RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP)
#define RDMA_CORE_PORT_IBA_IB							\
	(RDMA_CORE_CAP_PROT_IB | RDMA_CORE_CAP_IB_MAD | RDMA_CORE_CAP_IB_SMI |	\
	 RDMA_CORE_CAP_IB_CM | RDMA_CORE_CAP_IB_SA | RDMA_CORE_CAP_AF_IB)
#define RDMA_CORE_PORT_IBA_ROCE							\
	(RDMA_CORE_CAP_PROT_ROCE | RDMA_CORE_CAP_IB_MAD | RDMA_CORE_CAP_IB_CM |	\
	 RDMA_CORE_CAP_AF_IB | RDMA_CORE_CAP_ETH_AH)
#define RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP					\
	(RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP | RDMA_CORE_CAP_IB_MAD |		\
	 RDMA_CORE_CAP_IB_CM | RDMA_CORE_CAP_AF_IB | RDMA_CORE_CAP_ETH_AH)
#define RDMA_CORE_PORT_IWARP		(RDMA_CORE_CAP_PROT_IWARP | RDMA_CORE_CAP_IW_CM)
#define RDMA_CORE_PORT_INTEL_OPA	(RDMA_CORE_PORT_IBA_IB | RDMA_CORE_CAP_OPA_MAD)
#define RDMA_CORE_PORT_RAW_PACKET	RDMA_CORE_CAP_PROT_RAW_PACKET
#define RDMA_CORE_PORT_USNIC		RDMA_CORE_CAP_PROT_USNIC

/**
 * ib_query_port - query the present attributes of a port
 * @device: the device
 * @port_num: port number
 * @port_attr: out: the attributes
 *
 * Process context. State, physical state and MTU of an iWARP port are those of its network
 * interface, unless the provider sets its own.
 *
 * Return: 0; -EINVAL if there is no such port; or the provider's error.
 */
int ib_query_port(struct ib_device *device, u32 port_num, struct ib_port_attr *port_attr);

/**
 * ib_modify_port - change a port
 * @device: the device
 * @port_num: port number
 * @port_modify_mask: what to do, bits of enum ib_port_modify_flags
 * @port_modify: the values
 *
 * Process context.
 *
 * Return: 0; -EINVAL if there is no such port or the mask has unknown bits; -EOPNOTSUPP if the
 * provider cannot change ports; or the provider's error.
 */
int ib_modify_port(struct ib_device *device, u32 port_num, int port_modify_mask,
		   struct ib_port_modify *port_modify);

/**
 * rdma_port_get_link_layer - get the link layer of a port
 * @device: the device
 * @port_num: a valid port number
 *
 * Any context. If the provider has no get_link_layer(), the device's node type determines the
 * result.
 */
enum rdma_link_layer rdma_port_get_link_layer(struct ib_device *device, u32 port_num);

/**
 * ib_get_eth_speed - get the speed of a port's network interface as InfiniBand's speed and width
 * @dev: the device
 * @port_num: port number
 * @speed: out: rate of a lane, enum ib_port_speed
 * @width: out: number of lanes, enum ib_port_width
 *
 * Process context, takes the RTNL lock. The result is the slowest pair that is not slower than the
 * interface. An interface that reports no speed counts as 1 Gb/s, so the result is 2.5 Gb/s.
 *
 * Return: 0; -EINVAL if there is no such port or its link layer is not Ethernet; -ENODEV if the
 * port has no network interface.
 */
int ib_get_eth_speed(struct ib_device *dev, u32 port_num, u16 *speed, u8 *width);

/**
 * ib_device_set_netdev - set the network interface of a port
 * @ib_dev: the device, which is registered or will be
 * @ndev: the interface; NULL: the port has none any more
 * @port: port number
 *
 * Process context. The core takes a reference to the interface, and drops it at the next call for
 * the port, or when the device is unregistered. If an interface is set before registration, its
 * network namespace becomes that of the device.
 *
 * Return: 0; -EINVAL if there is no such port; -ENOMEM; -ENODEV if @ndev is not NULL and the device
 * is being or has been unregistered.
 */
int ib_device_set_netdev(struct ib_device *ib_dev, struct net_device *ndev, u32 port);

/**
 * ib_device_get_netdev - get the network interface of a port
 * @dev: the device
 * @port: port number
 *
 * Process context. Calls the provider's get_netdev() if there is one.
 *
 * Return: the interface with a reference, to be dropped with dev_put(); NULL if the port has no
 * interface, the interface is being unregistered, or there is no such port.
 */
struct net_device *ib_device_get_netdev(struct ib_device *dev, u32 port);

#endif /* _RDMA_VERBS_PORT_H_ */
