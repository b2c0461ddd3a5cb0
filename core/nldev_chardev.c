// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RDMA_NLDEV_CMD_GET_CHARDEV: reports which character device in /dev/infiniband a client has for a
 * device, for one of its ports, or for all devices. The client's module is loaded if needed.
 */
#include "core/nldev.h"

#include <linux/types.h>
#include <linux/kdev_t.h>
#include <linux/kmod.h>
#include <rdma/ib_verbs.h>
#include "core/client.h"
#include "core/nldev_msg.h"
#include "core/registry.h"

struct chardev_query {
	const char *client;	/* name of the client that is queried */
	struct ib_device *dev;	/* the device, with a reference; NULL: all devices are meant */
	bool has_port;
	struct ib_client_nl_info info;
};

static int chardev_find_device(struct chardev_query *query, const struct sk_buff *skb,
			       struct nlattr **tb, struct netlink_ext_ack *extack)
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

static int chardev_put_info(const struct ib_client_nl_info *info)
{
	struct sk_buff *msg = info->nl_msg;

	if (nldev_put_u64(msg, RDMA_NLDEV_ATTR_CHARDEV, huge_encode_dev(info->cdev->devt)) ||
	    nldev_put_u64(msg, RDMA_NLDEV_ATTR_CHARDEV_ABI, info->abi) ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_CHARDEV_NAME, dev_name(info->cdev)))
		return -EMSGSIZE;
	return 0;
}

/* Fills in the reply. The client may put attributes of its own into the message. */
static int chardev_fill(struct sk_buff *msg, struct chardev_query *query,
			struct netlink_ext_ack *extack)
{
	struct ib_client_nl_info *info = &query->info;
	int err;

	if (query->dev && nldev_put_handle(msg, query->dev))
		return -EMSGSIZE;
	if (query->has_port && nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, info->port))
		return -EMSGSIZE;
	info->nl_msg = msg;
	err = ib_core_client_nl_info(query->dev, query->client, info, chardev_put_info);
	if (err == -ENOENT) {
		request_module("rdma-client-%s", query->client);
		err = ib_core_client_nl_info(query->dev, query->client, info, chardev_put_info);
	}
	if (err == -ENOENT)
		NL_SET_ERR_MSG(extack, "No client has character devices of this type");
	else if (err == -EOPNOTSUPP)
		NL_SET_ERR_MSG(extack,
			       "The client has no such character device for this device or port");
	return err;
}

static int chardev_reply(const struct sk_buff *skb, const struct nlmsghdr *to,
			 struct chardev_query *query, struct netlink_ext_ack *extack)
{
	struct sk_buff *msg = nlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	u32 portid = NETLINK_CB(skb).portid;
	struct nlmsghdr *nlh;
	int err = -EMSGSIZE;

	if (!msg)
		return -ENOMEM;
	nlh = nlmsg_put(msg, portid, to->nlmsg_seq, to->nlmsg_type, 0, 0);
	if (nlh)
		err = chardev_fill(msg, query, extack);
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
	struct chardev_query query = {};
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
	err = chardev_reply(skb, nlh, &query, extack);
	if (query.dev)
		ib_device_put(query.dev);
	return err;
}
