// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * `rdma system`: what holds for all devices.
 */
#include "core/nldev.h"

static int fill_sys(struct sk_buff *msg, const struct net *net, struct ib_device *dev, u32 port)
{
	/* Every device is seen in every network namespace. */
	if (nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1) ||
	    /* Only privileged users may use a controlled Q_Key. */
	    nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE, 0) ||
	    /* The kernel copies pinned pages at fork: user space need not care. */
	    nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1))
		return -EMSGSIZE;
	return 0;
}

int nldev_sys_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int err;

	err = nldev_parse(nlh, tb, extack);
	return err ? err : nldev_reply(skb, nlh, fill_sys, NULL, 0);
}

int nldev_sys_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	const struct nlattr *netns, *qkey;
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int err;

	err = nldev_parse(nlh, tb, extack);
	if (err)
		return err;
	netns = tb[RDMA_NLDEV_SYS_ATTR_NETNS_MODE];
	qkey = tb[RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE];
	if (!netns && !qkey) {
		NL_SET_ERR_MSG(extack, "Nothing to set");
		return -EINVAL;
	}
	if (netns && !nla_get_u8(netns)) {
		NL_SET_ERR_MSG_ATTR(extack, netns,
				    "RDMA devices can only be shared by all network namespaces");
		return -EOPNOTSUPP;
	}
	if (qkey && nla_get_u8(qkey)) {
		NL_SET_ERR_MSG_ATTR(extack, qkey,
				    "Only privileged users may use a controlled Q_Key");
		return -EOPNOTSUPP;
	}
	return 0;
}
