// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * `rdma link add` and `rdma link delete`: create a device on a netdev, and delete it.
 */
#include "core/nldev.h"

#include <linux/netdevice.h>
#include "core/link.h"
#include "core/netlink.h"
#include "core/nldev_msg.h"
#include "core/quota.h"

int nldev_link_new(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct user_namespace *owner = NULL;
	struct net_device *ndev;
	int err;

	/*
	 * In exclusive mode, the requester may administer this network namespace, but not the host.
	 * The new device then counts against the limit for the namespace's owner.
	 */
	if (!netlink_capable(skb, CAP_NET_ADMIN)) {
		owner = sock_net(skb->sk)->user_ns;
		if (!ib_core_quota_allows()) {
			NL_SET_ERR_MSG(extack, "An owner of a user namespace cannot add devices");
			return -EPERM;
		}
	}

	err = nldev_parse(nlh, tb, extack);
	if (err)
		return err;
	if (!tb[RDMA_NLDEV_ATTR_DEV_NAME]) {
		NL_SET_ERR_MSG(extack, "The name of the new RDMA device is missing");
		return -EINVAL;
	}
	if (!tb[RDMA_NLDEV_ATTR_LINK_TYPE]) {
		NL_SET_ERR_MSG(extack, "The type of the new RDMA device is missing");
		return -EINVAL;
	}
	if (!tb[RDMA_NLDEV_ATTR_NDEV_NAME]) {
		NL_SET_ERR_MSG(extack, "The netdev of the new RDMA device is missing");
		return -EINVAL;
	}
	err = nldev_check_name(tb[RDMA_NLDEV_ATTR_DEV_NAME], extack);
	if (err)
		return err;
	ndev = dev_get_by_name(sock_net(skb->sk), nla_data(tb[RDMA_NLDEV_ATTR_NDEV_NAME]));
	if (!ndev) {
		NL_SET_ERR_MSG_ATTR(extack, tb[RDMA_NLDEV_ATTR_NDEV_NAME], "No such netdev");
		return -ENODEV;
	}
	err = ib_core_link_new(nla_data(tb[RDMA_NLDEV_ATTR_LINK_TYPE]),
			       nla_data(tb[RDMA_NLDEV_ATTR_DEV_NAME]), ndev, owner, extack);
	dev_put(ndev);
	return err;
}

int nldev_link_del(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct ib_device *dev;

	dev = nldev_parse_device(skb, nlh, tb, extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	if (!(dev->attrs.kernel_cap_flags & IBK_ALLOW_USER_UNREG)) {
		ib_device_put(dev);
		NL_SET_ERR_MSG(extack, "Only devices that were added on a netdev can be deleted");
		return -EOPNOTSUPP;
	}
	ib_unregister_device_and_put(dev);
	return 0;
}
