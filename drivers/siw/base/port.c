// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The one port of a device: the state of the netdev in terms of verbs.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/base/port.h"
#include "drivers/siw/base/siw.h"
#include "soft/wqe.h"

bool siw_link_is_up(const struct siw_device *dev)
{
	const struct net_device *netdev = dev->netdev;

	return netif_running(netdev) && netif_carrier_ok(netdev) &&
	       net_eq(dev_net(netdev), rdma_dev_net(&dev->soft.base));
}

int siw_query_port(struct ib_device *base, u32 port, struct ib_port_attr *attr)
{
	struct siw_device *dev = to_siw_dev(base);
	bool up = siw_link_is_up(dev);
	u16 speed;
	u8 width;
	int err;

	err = ib_get_eth_speed(base, port, &speed, &width);
	if (err)
		return err;

	attr->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->active_speed = speed;
	attr->active_width = width;
	attr->phys_mtu = dev->netdev->mtu;
	attr->max_mtu = ib_mtu_int_to_enum(dev->netdev->max_mtu ?: dev->netdev->mtu);
	attr->active_mtu = ib_mtu_int_to_enum(dev->netdev->mtu);
	attr->port_cap_flags = IB_UVERBS_PCF_CM_SUP | IB_UVERBS_PCF_DEVICE_MGMT_SUP;
	attr->gid_tbl_len = 1;
	attr->max_msg_sz = SOFT_MAX_MSG;
	return 0;
}

int siw_get_port_immutable(struct ib_device *base, u32 port, struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IWARP;
	immutable->gid_tbl_len = 1;
	return 0;
}

/*
 * The GID is the MAC address followed by zeros, which is usual for iWARP. For a netdev without MAC
 * address, such as loopback, the GID is the node GUID followed by zeros.
 */
int siw_query_gid(struct ib_device *base, u32 port, int index, union ib_gid *gid)
{
	const struct net_device *netdev = to_siw_dev(base)->netdev;

	memset(gid, 0, sizeof(*gid));
	if (netdev->type == ARPHRD_ETHER && is_valid_ether_addr(netdev->dev_addr))
		ether_addr_copy(gid->raw, netdev->dev_addr);
	else
		gid->global.subnet_prefix = base->node_guid;
	return 0;
}

enum rdma_link_layer siw_get_link_layer(struct ib_device *base, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

void siw_port_event(struct siw_device *dev, enum ib_event_type event)
{
	struct ib_event ev = {
		.device = &dev->soft.base,
		.element.port_num = 1,
		.event = event,
	};

	ib_dispatch_event(&ev);
}
