// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * `rdma system`: settings that apply to all devices.
 */
#include <linux/capability.h>
#include <rdma/ib_verbs.h>

#include "core/nldev.h"

#include "core/net.h"
#include "core/nldev_msg.h"

/*
 * True if processes without CAP_NET_RAW may use controlled Q_Keys. Accessed with READ_ONCE() and
 * WRITE_ONCE(), because no lock protects the variable.
 */
static bool unprivileged_qkey;

bool rdma_nl_get_privileged_qkey(void)
{
	return READ_ONCE(unprivileged_qkey) || capable(CAP_NET_RAW);
}
EXPORT_SYMBOL(rdma_nl_get_privileged_qkey);

static int fill_sys(struct sk_buff *msg, const struct net *net, struct ib_device *dev, u32 port)
{
	if (nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, rdma_netns_is_shared()) ||
	    nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE,
		       READ_ONCE(unprivileged_qkey)) ||
	    nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_MONITOR_MODE, 1) ||
	    /*
	     * Always 1: fork() copies pinned pages, so user space need not exclude the pages from
	     * fork().
	     */
	    nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1))
		return -EMSGSIZE;
	return 0;
}

int nldev_sys_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int err;

	err = nldev_parse(nlh, tb, extack);
	return err ? err : nldev_reply_fill(skb, nlh, fill_sys, NULL, 0);
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
	if (netns) {
		err = ib_core_netns_set_shared(nla_get_u8(netns));
		if (err) {
			NL_SET_ERR_MSG_ATTR(extack, netns,
					    "There are network namespaces beside the initial one");
			return err;
		}
	}
	if (qkey)
		WRITE_ONCE(unprivileged_qkey, nla_get_u8(qkey));
	return 0;
}
