// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * `rdma link show`: describes ports.
 */
#include "core/nldev.h"

#include <linux/netdevice.h>
#include "core/nldev_msg.h"

static int fill_port(struct sk_buff *msg, const struct net *net, struct ib_device *dev, u32 port)
{
	struct ib_port_attr attr = {};
	struct net_device *ndev;
	u64 cap_flags;
	int err;

	err = ib_query_port(dev, port, &attr);
	if (err)
		return err;
	/* Bits 0 to 31 are CapabilityMask, bits 32 to 47 are CapabilityMask2. */
	cap_flags = attr.port_cap_flags | (u64)attr.port_cap_flags2 << 32;
	if (nldev_put_handle(msg, dev) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port) ||
	    nldev_put_u64(msg, RDMA_NLDEV_ATTR_CAP_FLAGS, cap_flags) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_STATE, attr.state) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, attr.phys_state))
		return -EMSGSIZE;
	if (rdma_protocol_ib(dev, port) &&
	    (nldev_put_u64(msg, RDMA_NLDEV_ATTR_SUBNET_PREFIX, attr.subnet_prefix) ||
	     nla_put_u32(msg, RDMA_NLDEV_ATTR_LID, attr.lid) ||
	     nla_put_u32(msg, RDMA_NLDEV_ATTR_SM_LID, attr.sm_lid) ||
	     nla_put_u8(msg, RDMA_NLDEV_ATTR_LMC, attr.lmc)))
		return -EMSGSIZE;
	ndev = ib_device_get_netdev(dev, port);
	if (!ndev)
		return 0;
	/* Put the netdev only in its own namespace, because its index has no meaning in others. */
	if (net_eq(dev_net(ndev), net) &&
	    (nla_put_u32(msg, RDMA_NLDEV_ATTR_NDEV_INDEX, ndev->ifindex) ||
	     nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, ndev->name)))
		err = -EMSGSIZE;
	dev_put(ndev);
	return err;
}

int nldev_port_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	return nldev_reply_port(skb, nlh, fill_port, extack);
}

int nldev_port_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return nldev_dump_ports(skb, cb, fill_port);
}
