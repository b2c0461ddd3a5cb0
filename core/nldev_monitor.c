// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * `rdma monitor`: sends events of devices to the members of RDMA_NL_GROUP_NOTIFY in each network
 * namespace that sees the device. Events of a netdev are sent only in the netdev's own namespace.
 */
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <rdma/ib_verbs.h>
#include "core/nldev_monitor.h"
#include "core/netlink.h"
#include "core/nldev_msg.h"

/* Bytes of a message; enough for the longest event. */
#define EVENT_SIZE	256

/* An event of @dev or, if @ndev is set, of the network interface @ndev of port @port. */
struct monitor_event {
	struct ib_device *dev;
	struct net_device *ndev;
	u32 port;
	u8 type;
};

static void send_event(struct net *net, const struct monitor_event *event)
{
	struct sk_buff *msg = alloc_skb(EVENT_SIZE, GFP_ATOMIC);
	struct nlmsghdr *nlh;

	if (!msg) {
		ib_core_nl_report_loss(net, RDMA_NL_GROUP_NOTIFY);
		return;
	}
	nlh = nlmsg_put(msg, 0, 0, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_MONITOR), 0, 0);
	if (WARN_ON_ONCE(!nlh || nldev_put_handle(msg, event->dev) ||
			 nla_put_u8(msg, RDMA_NLDEV_ATTR_EVENT_TYPE, event->type)))
		goto out_free;
	if (event->ndev &&
	    WARN_ON_ONCE(nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, event->port) ||
			 nla_put_u32(msg, RDMA_NLDEV_ATTR_NDEV_INDEX, event->ndev->ifindex) ||
			 nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, event->ndev->name)))
		goto out_free;
	nlmsg_end(msg, nlh);
	/*
	 * Ignore the result: a member whose receive buffer is full gets -ENOBUFS from its own
	 * socket.
	 */
	rdma_nl_multicast(net, msg, RDMA_NL_GROUP_NOTIFY, GFP_ATOMIC);
	return;

out_free:
	kfree_skb(msg);
}

/*
 * Sends an event in each namespace that sees the device. The RCU read lock keeps the netlink
 * sockets alive: a socket is released only after its namespace has left the list and a grace period
 * has passed.
 */
static void send_to_all_nets(const struct monitor_event *event)
{
	struct net *net;

	rcu_read_lock();
	for_each_net_rcu(net) {
		if (!rdma_dev_access_netns(event->dev, net))
			continue;
		if (event->ndev && !net_eq(dev_net(event->ndev), net))
			continue;
		if (ib_core_nl_has_listeners(net, RDMA_NL_GROUP_NOTIFY))
			send_event(net, event);
	}
	rcu_read_unlock();
}

void ib_core_monitor_device(struct ib_device *dev, u8 type)
{
	struct monitor_event event = { .dev = dev, .type = type };

	send_to_all_nets(&event);
}

void ib_core_monitor_netdev(struct ib_device *dev, u32 port, struct net_device *ndev, u8 type)
{
	struct monitor_event event = { .dev = dev, .ndev = ndev, .port = port, .type = type };

	send_to_all_nets(&event);
}

void ib_core_monitor_registered(struct ib_device *dev)
{
	struct net_device *ndev;
	u32 port;

	ib_core_monitor_device(dev, RDMA_REGISTER_EVENT);
	rdma_for_each_port(dev, port) {
		ndev = ib_device_get_netdev(dev, port);
		if (!ndev)
			continue;
		ib_core_monitor_netdev(dev, port, ndev, RDMA_NETDEV_ATTACH_EVENT);
		dev_put(ndev);
	}
}
