// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * `rdma dev`: describes devices, and sets their name, namespace and adaptive moderation.
 */
#include <rdma/ib_verbs.h>

#include "core/nldev.h"

#include "core/change.h"
#include "core/device.h"
#include "core/nldev_msg.h"
#include "core/registry.h"
#include "verbs/cq.h"

/* Returns the name that `rdma` shows for the port's protocol, or NULL if there is no such name. */
static const char *protocol_name(struct ib_device *dev, u32 port)
{
	if (rdma_cap_opa_mad(dev, port))
		return "opa";
	if (rdma_protocol_ib(dev, port))
		return "ib";
	if (rdma_protocol_iwarp(dev, port))
		return "iw";
	if (rdma_protocol_roce(dev, port))
		return "roce";
	if (rdma_protocol_usnic(dev, port))
		return "usnic";
	return NULL;
}

static int fill_dev(struct sk_buff *msg, const struct net *net, struct ib_device *dev, u32 port)
{
	const char *protocol = protocol_name(dev, rdma_start_port(dev));
	char fw[IB_FW_VERSION_NAME_MAX] = "";

	if (nldev_put_handle(msg, dev) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, rdma_end_port(dev)) ||
	    nldev_put_u64(msg, RDMA_NLDEV_ATTR_CAP_FLAGS, dev->attrs.device_cap_flags) ||
	    nldev_put_u64(msg, RDMA_NLDEV_ATTR_NODE_GUID, be64_to_cpu(dev->node_guid)) ||
	    nldev_put_u64(msg, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID,
			  be64_to_cpu(dev->attrs.sys_image_guid)) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, dev->node_type) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_DIM, dev->use_cq_dim))
		return -EMSGSIZE;
	ib_get_device_fw_str(dev, fw);
	if (*fw && nla_put_string(msg, RDMA_NLDEV_ATTR_FW_VERSION, fw))
		return -EMSGSIZE;
	if (protocol && nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_PROTOCOL, protocol))
		return -EMSGSIZE;
	return 0;
}

int nldev_dev_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	return nldev_reply_device(skb, nlh, fill_dev, extack);
}

int nldev_dev_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return nldev_dump_devices(skb, cb, fill_dev);
}

static int rename_dev(struct ib_device *dev, const struct nlattr *attr,
		      struct netlink_ext_ack *extack)
{
	int err;

	err = nldev_check_name(attr, extack);
	if (err)
		return err;
	err = ib_core_device_rename(dev, nla_data(attr));
	if (err == -EEXIST)
		NL_SET_ERR_MSG_ATTR(extack, attr, "An RDMA device of this name exists");
	else if (err == -ENODEV)
		NL_SET_ERR_MSG(extack, "The RDMA device is being unregistered");
	return err;
}

/*
 * Moves the device to the network namespace to which the file descriptor in @attr refers. Consumes
 * the reference to the device.
 */
static int move_dev(struct ib_device *dev, const struct sk_buff *skb, const struct nlattr *attr,
		    struct netlink_ext_ack *extack)
{
	struct net *net = get_net_ns_by_fd(nla_get_u32(attr));
	int err;

	if (IS_ERR(net)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "Not a file of a network namespace");
		ib_device_put(dev);
		return PTR_ERR(net);
	}
	if (!netlink_ns_capable(skb, net->user_ns, CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "CAP_NET_ADMIN is needed in that network namespace, too");
		put_net(net);
		ib_device_put(dev);
		return -EPERM;
	}
	err = ib_core_device_move(dev, sock_net(skb->sk), net);
	put_net(net);
	if (err == -ENODEV)
		NL_SET_ERR_MSG(extack,
			       "The RDMA device is being unregistered, or in another network namespace");
	else if (err)
		NL_SET_ERR_MSG(extack,
			       "The RDMA device could not be used there, and was unregistered");
	return err;
}

int nldev_dev_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct ib_device *dev;
	int err = 0;

	dev = nldev_parse_device(skb, nlh, tb, extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	if (tb[RDMA_NLDEV_NET_NS_FD] && !rdma_netns_is_shared())
		return move_dev(dev, skb, tb[RDMA_NLDEV_NET_NS_FD], extack);
	if (tb[RDMA_NLDEV_NET_NS_FD]) {
		NL_SET_ERR_MSG_ATTR(extack, tb[RDMA_NLDEV_NET_NS_FD],
				    "RDMA devices are shared by all network namespaces: none can be moved");
		err = -EOPNOTSUPP;
	} else if (tb[RDMA_NLDEV_ATTR_DEV_DIM] && !ib_core_can_moderate(dev)) {
		NL_SET_ERR_MSG_ATTR(extack, tb[RDMA_NLDEV_ATTR_DEV_DIM],
				    "The RDMA device has no adaptive moderation");
		err = -EOPNOTSUPP;
	} else if (tb[RDMA_NLDEV_ATTR_DEV_DIM]) {
		dev->use_cq_dim = nla_get_u8(tb[RDMA_NLDEV_ATTR_DEV_DIM]);
	} else if (tb[RDMA_NLDEV_ATTR_DEV_NAME]) {
		err = rename_dev(dev, tb[RDMA_NLDEV_ATTR_DEV_NAME], extack);
	} else {
		NL_SET_ERR_MSG(extack, "Nothing to set");
		err = -EINVAL;
	}
	ib_device_put(dev);
	return err;
}
