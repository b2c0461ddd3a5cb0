// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RDMA_NLDEV_CMD_GET_CHARDEV: which character device of /dev/infiniband is a client's, for a
 * device, for one of its ports, or for all devices. The client's module is loaded if need be.
 */
#include <linux/types.h>
#include <linux/kdev_t.h>
#include <linux/kmod.h>
#include "core/nldev.h"

/* Which client is asked, and what it is asked about. */
struct query {
	const char *client;
	struct ib_device *dev;	/* NULL: about all devices */
	bool has_port;
	struct ib_client_nl_info info;
};

static int chardev_find_device(struct query *query, const struct sk_buff *skb, struct nlattr **tb,
			       struct netlink_ext_ack *extack)
{
	struct nlattr *index = tb[RDMA_NLDEV_ATTR_DEV_INDEX];
	struct nlattr *port = tb[RDMA_NLDEV_ATTR_PORT_INDEX];

	query->has_port = port;
	if (port)
		query->info.port = nla_get_u32(port);
	if (!index && !port)
		return 0;
	if (index)
		query->dev = ib_core_device_get_by_index(sock_net(skb->sk), nla_get_u32(index));
	if (!query->dev) {
		NL_SET_ERR_MSG(extack, "No such RDMA device");
		return index ? -ENODEV : -EINVAL;
	}
	if (!port || rdma_is_port_valid(query->dev, query->info.port))
		return 0;
	ib_device_put(query->dev);
	NL_SET_ERR_MSG_ATTR(extack, port, "The RDMA device has no such port");
	return -EINVAL;
}

static int put_node(const struct ib_client_nl_info *info)
{
	struct sk_buff *msg = info->nl_msg;

	if (nldev_put_u64(msg, RDMA_NLDEV_ATTR_CHARDEV, huge_encode_dev(info->cdev->devt)) ||
	    nldev_put_u64(msg, RDMA_NLDEV_ATTR_CHARDEV_ABI, info->abi) ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_CHARDEV_NAME, dev_name(info->cdev)))
		return -EMSGSIZE;
	return 0;
}

/* What the client tells may add attributes of its own to the answer. */
static int ask(struct query *query, struct netlink_ext_ack *extack)
{
	int err;

	err = ib_core_client_nl_info(query->dev, query->client, &query->info, put_node);
	if (err == -ENOENT) {
		request_module("rdma-client-%s", query->client);
		err = ib_core_client_nl_info(query->dev, query->client, &query->info, put_node);
	}
	if (err == -ENOENT)
		NL_SET_ERR_MSG(extack, "Nobody makes character devices of this type");
	else if (err == -EOPNOTSUPP)
		NL_SET_ERR_MSG(extack, "There is no character device of this type for that");
	return err;
}

static int put_answer(struct sk_buff *msg, struct query *query, struct netlink_ext_ack *extack)
{
	if (query->dev && nldev_put_handle(msg, query->dev))
		return -EMSGSIZE;
	if (query->has_port && nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, query->info.port))
		return -EMSGSIZE;
	query->info.nl_msg = msg;
	return ask(query, extack);
}

static int answer(const struct sk_buff *skb, const struct nlmsghdr *to, struct query *query,
		  struct netlink_ext_ack *extack)
{
	struct sk_buff *msg = nlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	u32 portid = NETLINK_CB(skb).portid;
	struct nlmsghdr *nlh;
	int err = -EMSGSIZE;

	if (!msg)
		return -ENOMEM;
	nlh = nlmsg_put(msg, portid, to->nlmsg_seq, to->nlmsg_type, 0, 0);
	if (nlh)
		err = put_answer(msg, query, extack);
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	nlmsg_end(msg, nlh);
	return rdma_nl_unicast(sock_net(skb->sk), msg, portid);
}

int nldev_get_chardev(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct query query = {};
	int err;

	err = nldev_parse(nlh, tb, extack);
	if (err)
		return err;
	if (!tb[RDMA_NLDEV_ATTR_CHARDEV_TYPE]) {
		NL_SET_ERR_MSG(extack, "The type of the character device is missing");
		return -EINVAL;
	}
	query.client = nla_data(tb[RDMA_NLDEV_ATTR_CHARDEV_TYPE]);
	err = chardev_find_device(&query, skb, tb, extack);
	if (err)
		return err;
	err = answer(skb, nlh, &query, extack);
	if (query.dev)
		ib_device_put(query.dev);
	return err;
}
