// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Ports: their fixed data, queries and changes, and the attributes that a port's network interface
 * determines.
 */
#include "core/port.h"

#include <linux/ethtool.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <rdma/ib_verbs.h>

/*
 * The speed, in Mb/s, that is assumed for an interface that reports none, such as a virtual one.
 * The kernel's own RDMA core assumes the same speed. The two must not differ, because programs
 * choose settings by the rate, and users compare the two cores.
 */
#define DEFAULT_SPEED	SPEED_1000

#define PORT_MODIFY_KNOWN	(IB_PORT_SHUTDOWN | IB_PORT_INIT_TYPE | IB_PORT_RESET_QKEY_CNTR | \
				 IB_PORT_OPA_MASK_CHG)

int ib_core_ports_alloc(struct ib_device *dev)
{
	u32 port;

	if (dev->port_data)
		return 0;
	/* A device needs a port, and rdma_for_each_port() would never end with a port U32_MAX. */
	if (!dev->is_switch && (!dev->phys_port_cnt || dev->phys_port_cnt == U32_MAX))
		return -EINVAL;
	dev->port_data = kcalloc((size_t)rdma_end_port(dev) + 1, sizeof(*dev->port_data),
				 GFP_KERNEL_ACCOUNT);
	if (!dev->port_data)
		return -ENOMEM;
	rdma_for_each_port(dev, port) {
		dev->port_data[port].ib_dev = dev;
		mutex_init(&dev->port_data[port].counter.lock);
	}
	return 0;
}

void ib_core_ports_free(struct ib_device *dev)
{
	kfree(dev->port_data);
	dev->port_data = NULL;
}

int ib_core_ports_setup(struct ib_device *dev)
{
	u32 port;
	int ret;

	ret = ib_core_ports_alloc(dev);
	if (ret)
		return ret;
	rdma_for_each_port(dev, port) {
		struct ib_port_immutable *immutable = &dev->port_data[port].immutable;

		memset(immutable, 0, sizeof(*immutable));
		ret = dev->ops.get_port_immutable(dev, port, immutable);
		if (ret)
			return ret;
		/* Refuse a port that has MADs but no MAD size, or a MAD size but no MADs. */
		if (rdma_cap_ib_mad(dev, port) != !!immutable->max_mad_size)
			return -EINVAL;
	}
	return 0;
}

const struct ib_port_immutable *ib_port_immutable_read(struct ib_device *dev, unsigned int port)
{
	WARN_ON(!rdma_is_port_valid(dev, port));
	return &dev->port_data[port].immutable;
}
EXPORT_SYMBOL(ib_port_immutable_read);

static bool has_address(struct net_device *ndev)
{
	struct in_device *in;
	bool has;

	rcu_read_lock();
	in = __in_dev_get_rcu(ndev);
	has = in && rcu_access_pointer(in->ifa_list);
#if IS_ENABLED(CONFIG_IPV6)
	if (!has) {
		struct inet6_dev *in6 = __in6_dev_get(ndev);

		has = in6 && !list_empty(&in6->addr_list);
	}
#endif
	rcu_read_unlock();
	return has;
}

/*
 * Fills in the attributes that the port's interface determines; the provider's query_port() may
 * change them afterwards. The port is active if the interface is up, has a carrier, and has an
 * address to listen on.
 */
static void preset_iwarp_attr(struct ib_device *dev, u32 port, struct ib_port_attr *attr)
{
	struct net_device *ndev = ib_device_get_netdev(dev, port);

	attr->state = IB_PORT_DOWN;
	attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	if (!ndev)
		return;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = ib_mtu_int_to_enum(ndev->mtu);
	attr->phys_mtu = ndev->mtu;
	if (netif_running(ndev) && netif_carrier_ok(ndev)) {
		if (has_address(ndev)) {
			attr->state = IB_PORT_ACTIVE;
			attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
		} else {
			attr->state = IB_PORT_INIT;
			attr->phys_state = IB_PORT_PHYS_STATE_PORT_CONFIGURATION_TRAINING;
		}
	}
	dev_put(ndev);
}

int ib_query_port(struct ib_device *device, u32 port_num, struct ib_port_attr *port_attr)
{
	union ib_gid gid = {};
	int ret;

	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;
	memset(port_attr, 0, sizeof(*port_attr));
	/*
	 * If a provider calls this function before ib_core_ports_setup(), the port's protocol is
	 * not known yet, and query_port() alone fills in the attributes.
	 */
	if (device->port_data && rdma_protocol_iwarp(device, port_num))
		preset_iwarp_attr(device, port_num, port_attr);
	ret = device->ops.query_port(device, port_num, port_attr);
	if (ret || port_attr->subnet_prefix || !device->ops.query_gid ||
	    rdma_port_get_link_layer(device, port_num) != IB_LINK_LAYER_INFINIBAND)
		return ret;
	ret = device->ops.query_gid(device, port_num, 0, &gid);
	if (!ret)
		port_attr->subnet_prefix = be64_to_cpu(gid.global.subnet_prefix);
	return ret;
}
EXPORT_SYMBOL(ib_query_port);

int ib_modify_port(struct ib_device *device, u32 port_num, int port_modify_mask,
		   struct ib_port_modify *port_modify)
{
	if (!rdma_is_port_valid(device, port_num) || port_modify_mask & ~PORT_MODIFY_KNOWN)
		return -EINVAL;
	if (!device->ops.modify_port)
		return -EOPNOTSUPP;
	return device->ops.modify_port(device, port_num, port_modify_mask, port_modify);
}
EXPORT_SYMBOL(ib_modify_port);

int ib_modify_device(struct ib_device *device, int device_modify_mask,
		     struct ib_device_modify *device_modify)
{
	if (device_modify_mask & ~(IB_DEVICE_MODIFY_SYS_IMAGE_GUID | IB_DEVICE_MODIFY_NODE_DESC))
		return -EINVAL;
	if (!device->ops.modify_device)
		return -EOPNOTSUPP;
	return device->ops.modify_device(device, device_modify_mask, device_modify);
}
EXPORT_SYMBOL(ib_modify_device);

void ib_get_device_fw_str(struct ib_device *device, char *str)
{
	str[0] = '\0';
	if (device->ops.get_dev_fw_str)
		device->ops.get_dev_fw_str(device, str);
}
EXPORT_SYMBOL(ib_get_device_fw_str);

enum rdma_transport_type rdma_node_get_transport(unsigned int node_type)
{
	switch (node_type) {
	case RDMA_NODE_RNIC:
		return RDMA_TRANSPORT_IWARP;
	case RDMA_NODE_USNIC:
		return RDMA_TRANSPORT_USNIC;
	case RDMA_NODE_USNIC_UDP:
		return RDMA_TRANSPORT_USNIC_UDP;
	case RDMA_NODE_UNSPECIFIED:
		return RDMA_TRANSPORT_UNSPECIFIED;
	default:
		return RDMA_TRANSPORT_IB;
	}
}
EXPORT_SYMBOL(rdma_node_get_transport);

enum rdma_link_layer rdma_port_get_link_layer(struct ib_device *device, u32 port_num)
{
	if (device->ops.get_link_layer)
		return device->ops.get_link_layer(device, port_num);
	if (rdma_node_get_transport(device->node_type) == RDMA_TRANSPORT_IB)
		return IB_LINK_LAYER_INFINIBAND;
	return IB_LINK_LAYER_ETHERNET;
}
EXPORT_SYMBOL(rdma_port_get_link_layer);

struct eth_rate {
	u32	mbps;
	u16	speed;
	u8	width;
};

/*
 * Entries in ascending order of mbps. An interface's speed is mapped to the first entry that is at
 * least as fast, or else to the last entry.
 */
static const struct eth_rate eth_rates[] = {
	{ SPEED_2500,	IB_SPEED_SDR,	IB_WIDTH_1X },
	{ SPEED_5000,	IB_SPEED_DDR,	IB_WIDTH_1X },
	{ SPEED_10000,	IB_SPEED_SDR,	IB_WIDTH_4X },
	{ SPEED_14000,	IB_SPEED_FDR,	IB_WIDTH_1X },
	{ SPEED_20000,	IB_SPEED_DDR,	IB_WIDTH_4X },
	{ SPEED_25000,	IB_SPEED_EDR,	IB_WIDTH_1X },
	{ SPEED_40000,	IB_SPEED_QDR,	IB_WIDTH_4X },
	{ SPEED_50000,	IB_SPEED_EDR,	IB_WIDTH_2X },
	{ SPEED_56000,	IB_SPEED_FDR,	IB_WIDTH_4X },
	{ SPEED_100000,	IB_SPEED_EDR,	IB_WIDTH_4X },
	{ SPEED_200000,	IB_SPEED_HDR,	IB_WIDTH_4X },
	{ SPEED_400000,	IB_SPEED_NDR,	IB_WIDTH_4X },
	{ 800000,		IB_SPEED_NDR,	IB_WIDTH_8X },
};

int ib_get_eth_speed(struct ib_device *dev, u32 port_num, u16 *speed, u8 *width)
{
	const struct eth_rate *rate = eth_rates;
	struct ethtool_link_ksettings settings;
	struct net_device *ndev;
	u32 mbps;
	int ret;

	if (!rdma_is_port_valid(dev, port_num) ||
	    rdma_port_get_link_layer(dev, port_num) != IB_LINK_LAYER_ETHERNET)
		return -EINVAL;
	ndev = ib_device_get_netdev(dev, port_num);
	if (!ndev)
		return -ENODEV;
	rtnl_lock();
	ret = __ethtool_get_link_ksettings(ndev, &settings);
	rtnl_unlock();
	dev_put(ndev);
	mbps = settings.base.speed;
	if (ret || mbps == (u32)SPEED_UNKNOWN)
		mbps = DEFAULT_SPEED;
	while (rate->mbps < mbps && rate < &eth_rates[ARRAY_SIZE(eth_rates) - 1])
		rate++;
	*speed = rate->speed;
	*width = rate->width;
	return 0;
}
EXPORT_SYMBOL(ib_get_eth_speed);
