// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * `rdma system`: what holds for all devices.
 */
#include "core/nldev.h"

static int fill_sys(struct sk_buff *msg, const struct net *net, struct ib_device *dev, u32 port)
{
	if (nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, rdma_netns_is_shared()) ||
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

static int set_netns_mode(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	int err = ib_core_netns_set_shared(nla_get_u8(attr));

	if (err)
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "There are network namespaces beside the initial one");
	return err;
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
	if (qkey && nla_get_u8(qkey)) {
		NL_SET_ERR_MSG_ATTR(extack, qkey,
				    "Only privileged users may use a controlled Q_Key");
		return -EOPNOTSUPP;
	}
	return netns ? set_netns_mode(netns, extack) : 0;
}
