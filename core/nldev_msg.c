// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages of RDMA_NL_NLDEV: attributes of requests, replies of one message, and dumps.
 */
#include "core/nldev_msg.h"

#include <linux/sizes.h>
#include <rdma/ib_verbs.h>
#include "core/registry.h"

/* Largest buffer for a reply, in bytes. The first buffer that is tried has NLMSG_GOODSIZE bytes. */
#define REPLY_MAX	SZ_64K

static const struct nla_policy counter_policy[RDMA_NLDEV_ATTR_MAX] = {
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX]	= { .type = NLA_U32 },
};

/* Attributes that a request may have. Attributes that only replies have are refused. */
static const struct nla_policy nldev_policy[RDMA_NLDEV_ATTR_MAX] = {
	[RDMA_NLDEV_ATTR_DEV_INDEX]		= { .type = NLA_U32 },
	/* No .len: nldev_check_name() checks the length, and reports errors more precisely. */
	[RDMA_NLDEV_ATTR_DEV_NAME]		= { .type = NLA_NUL_STRING },
	[RDMA_NLDEV_ATTR_PORT_INDEX]		= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_NDEV_NAME]		= { .type = NLA_NUL_STRING },
	[RDMA_NLDEV_ATTR_LINK_TYPE]		= { .type = NLA_NUL_STRING,
						    .len = RDMA_NLDEV_ATTR_ENTRY_STRLEN - 1 },
	[RDMA_NLDEV_ATTR_CHARDEV_TYPE]		= { .type = NLA_NUL_STRING,
						    .len = RDMA_NLDEV_ATTR_CHARDEV_TYPE_SIZE - 1 },
	[RDMA_NLDEV_NET_NS_FD]			= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_DEV_DIM]		= NLA_POLICY_MAX(NLA_U8, 1),
	[RDMA_NLDEV_SYS_ATTR_NETNS_MODE]	= NLA_POLICY_MAX(NLA_U8, 1),
	[RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE] = NLA_POLICY_MAX(NLA_U8, 1),
	[RDMA_NLDEV_ATTR_RES_LQPN]		= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_PDN]		= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_CQN]		= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_MRN]		= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_CM_IDN]		= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_CTXN]		= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_SRQN]		= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_MODE]		= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_RES]		= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_COUNTER_ID]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS]	= NLA_POLICY_NESTED(counter_policy),
	/* Accepted, but has no effect: replies always have the driver's own attributes. */
	[RDMA_NLDEV_ATTR_DRIVER_DETAILS]	= { .type = NLA_U8 },
};

/*
 * Validation is strict, except that attributes above the highest known one are accepted, because a
 * newer `rdma` may send hints that did not exist when this code was written.
 */
#define NLDEV_VALIDATE	(NL_VALIDATE_TRAILING | NL_VALIDATE_UNSPEC |		\
			 NL_VALIDATE_STRICT_ATTRS | NL_VALIDATE_NESTED)

int nldev_parse(const struct nlmsghdr *nlh, struct nlattr *tb[RDMA_NLDEV_ATTR_MAX],
		struct netlink_ext_ack *extack)
{
	return __nlmsg_parse(nlh, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, nldev_policy, NLDEV_VALIDATE,
			     extack);
}

struct ib_device *nldev_find_device(const struct sk_buff *skb, struct nlattr **tb,
				    struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = tb[RDMA_NLDEV_ATTR_DEV_INDEX];
	struct ib_device *dev;

	if (!attr) {
		NL_SET_ERR_ATTR_MISS(extack, NULL, RDMA_NLDEV_ATTR_DEV_INDEX);
		NL_SET_ERR_MSG(extack, "The index of the RDMA device is missing");
		return ERR_PTR(-EINVAL);
	}
	dev = ib_core_device_get_by_index(sock_net(skb->sk), nla_get_u32(attr));
	if (dev)
		return dev;
	NL_SET_ERR_MSG_ATTR(extack, attr, "No such RDMA device");
	return ERR_PTR(-ENODEV);
}

struct ib_device *nldev_find_port(const struct sk_buff *skb, struct nlattr **tb, u32 *port,
				  struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = tb[RDMA_NLDEV_ATTR_PORT_INDEX];
	struct ib_device *dev = nldev_find_device(skb, tb, extack);

	if (IS_ERR(dev))
		return dev;
	if (!attr) {
		NL_SET_ERR_ATTR_MISS(extack, NULL, RDMA_NLDEV_ATTR_PORT_INDEX);
		NL_SET_ERR_MSG(extack, "The number of the port is missing");
		goto err_put;
	}
	*port = nla_get_u32(attr);
	if (rdma_is_port_valid(dev, *port))
		return dev;
	NL_SET_ERR_MSG_ATTR(extack, attr, "The RDMA device has no such port");
err_put:
	ib_device_put(dev);
	return ERR_PTR(-EINVAL);
}

struct ib_device *nldev_parse_device(const struct sk_buff *skb, const struct nlmsghdr *nlh,
				     struct nlattr *tb[RDMA_NLDEV_ATTR_MAX],
				     struct netlink_ext_ack *extack)
{
	int err = nldev_parse(nlh, tb, extack);

	return err ? ERR_PTR(err) : nldev_find_device(skb, tb, extack);
}

struct ib_device *nldev_parse_port(const struct sk_buff *skb, const struct nlmsghdr *nlh,
				   struct nlattr *tb[RDMA_NLDEV_ATTR_MAX], u32 *port,
				   struct netlink_ext_ack *extack)
{
	int err = nldev_parse(nlh, tb, extack);

	return err ? ERR_PTR(err) : nldev_find_port(skb, tb, port, extack);
}

int nldev_check_name(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	const char *name = nla_data(attr);

	if (!*name)
		NL_SET_ERR_MSG_ATTR(extack, attr, "The name of an RDMA device cannot be empty");
	else if (strlen(name) >= IB_DEVICE_NAME_MAX)
		NL_SET_ERR_MSG_ATTR(extack, attr, "The name is too long for an RDMA device");
	else if (!ib_core_device_name_valid(name))
		NL_SET_ERR_MSG_ATTR(extack, attr, "The name has characters that it cannot have");
	else
		return 0;
	return -EINVAL;
}

int nldev_put_u64(struct sk_buff *msg, int attr, u64 value)
{
	return nla_put_u64_64bit(msg, attr, value, RDMA_NLDEV_ATTR_PAD);
}

int nldev_put_handle(struct sk_buff *msg, struct ib_device *dev)
{
	char name[IB_DEVICE_NAME_MAX];

	ib_device_name_get(dev, name);
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, dev->index) ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name))
		return -EMSGSIZE;
	return 0;
}

int nldev_put_hw_counter(struct sk_buff *msg, const struct rdma_hw_stats *stats,
			 unsigned int index)
{
	struct nlattr *entry;

	if (test_bit(index, stats->is_disabled))
		return 0;
	entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
	if (!entry ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME,
			   stats->descs[index].name) ||
	    nldev_put_u64(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, stats->value[index]))
		return -EMSGSIZE;
	nla_nest_end(msg, entry);
	return 0;
}

/*
 * Puts a whole message. The header gets the type, sequence number and port id of the request; @put
 * puts the attributes.
 */
static int put_message(struct sk_buff *msg, const struct sk_buff *request,
		       const struct nlmsghdr *to, int flags, nldev_put_fn *put, void *arg)
{
	struct nlmsghdr *nlh;
	int err;

	nlh = nlmsg_put(msg, NETLINK_CB(request).portid, to->nlmsg_seq, to->nlmsg_type, 0, flags);
	if (!nlh)
		return -EMSGSIZE;
	err = put(msg, arg);
	if (err) {
		nlmsg_cancel(msg, nlh);
		return err;
	}
	nlmsg_end(msg, nlh);
	return 0;
}

int nldev_reply(const struct sk_buff *request, const struct nlmsghdr *nlh, nldev_put_fn *put,
		void *arg)
{
	size_t size = NLMSG_GOODSIZE;
	struct sk_buff *msg;
	int err;

	do {
		msg = alloc_skb(size, GFP_KERNEL);
		if (!msg)
			return -ENOMEM;
		err = put_message(msg, request, nlh, 0, put, arg);
		if (!err)
			return rdma_nl_unicast(sock_net(request->sk), msg,
					       NETLINK_CB(request).portid);
		kfree_skb(msg);
		size *= 2;
	} while (err == -EMSGSIZE && size <= REPLY_MAX);
	return err;
}

/* An nldev_fill_fn with its arguments. */
struct fill_call {
	nldev_fill_fn *fill;
	const struct net *net;
	struct ib_device *dev;
	u32 port;
};

static int put_filled(struct sk_buff *msg, void *arg)
{
	const struct fill_call *call = arg;

	return call->fill(msg, call->net, call->dev, call->port);
}

int nldev_reply_fill(const struct sk_buff *request, const struct nlmsghdr *nlh,
		     nldev_fill_fn *fill, struct ib_device *dev, u32 port)
{
	struct fill_call call = { fill, sock_net(request->sk), dev, port };

	return nldev_reply(request, nlh, put_filled, &call);
}

int nldev_reply_device(const struct sk_buff *skb, const struct nlmsghdr *nlh,
		       nldev_fill_fn *fill, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct ib_device *dev;
	int err;

	dev = nldev_parse_device(skb, nlh, tb, extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = nldev_reply_fill(skb, nlh, fill, dev, 0);
	ib_device_put(dev);
	return err;
}

int nldev_reply_port(const struct sk_buff *skb, const struct nlmsghdr *nlh, nldev_fill_fn *fill,
		     struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct ib_device *dev;
	u32 port;
	int err;

	dev = nldev_parse_port(skb, nlh, tb, &port, extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = nldev_reply_fill(skb, nlh, fill, dev, port);
	ib_device_put(dev);
	return err;
}

/* The place at which the next call continues a dump; kept in netlink_callback.ctx. */
struct dump_cursor {
	u32 index;	/* the lowest index that the next device may have */
	u32 port_index;	/* index of the device that next_port belongs to */
	u32 next_port;	/* the first port that has not been dumped; 0 when a dump begins */
	bool done;
};

struct dump {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	struct dump_cursor *at;
	nldev_fill_fn *fill;
};

static struct dump dump_init(struct sk_buff *skb, struct netlink_callback *cb,
			     nldev_fill_fn *fill)
{
	BUILD_BUG_ON(sizeof(struct dump_cursor) > sizeof(cb->ctx));
	return (struct dump) {
		.skb = skb, .cb = cb, .fill = fill, .at = (struct dump_cursor *)cb->ctx,
	};
}

/*
 * Adds one message to a dump. Returns an error only if the buffer is full. If the description fails
 * for another reason, for example because the device is being unregistered, skips the device.
 */
static int dump_message(const struct dump *dump, struct ib_device *dev, u32 port)
{
	struct fill_call call = { dump->fill, sock_net(dump->cb->skb->sk), dev, port };
	int err = put_message(dump->skb, dump->cb->skb, dump->cb->nlh, NLM_F_MULTI, put_filled,
			      &call);

	return err == -EMSGSIZE ? err : 0;
}

static int dump_device(struct ib_device *dev, void *arg)
{
	return dump_message(arg, dev, 0);
}

static int dump_device_ports(struct ib_device *dev, void *arg)
{
	const struct dump *dump = arg;
	struct dump_cursor *at = dump->at;
	int err;

	/* Start with the first port unless the last call stopped at a port of this device. */
	if (at->port_index != dev->index || !at->next_port) {
		at->port_index = dev->index;
		at->next_port = rdma_start_port(dev);
	}
	for (; at->next_port <= rdma_end_port(dev); at->next_port++) {
		err = dump_message(dump, dev, at->next_port);
		if (err)
			return err;
	}
	return 0;
}

/* Returns the number of bytes put, or @err if not even one message fitted. */
static int dump_result(const struct dump *dump, int err)
{
	return err && !dump->skb->len ? err : dump->skb->len;
}

static int dump_all(struct dump *dump, int (*fn)(struct ib_device *dev, void *arg))
{
	int err;

	if (dump->at->done)
		return 0;
	err = ib_core_for_each_device(sock_net(dump->cb->skb->sk), &dump->at->index, fn, dump);
	dump->at->done = !err;
	return dump_result(dump, err);
}

int nldev_dump_devices(struct sk_buff *skb, struct netlink_callback *cb, nldev_fill_fn *fill)
{
	struct dump dump = dump_init(skb, cb, fill);
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int err;

	err = nldev_parse(cb->nlh, tb, cb->extack);
	return err ? err : dump_all(&dump, dump_device);
}

int nldev_dump_ports(struct sk_buff *skb, struct netlink_callback *cb, nldev_fill_fn *fill)
{
	struct dump dump = dump_init(skb, cb, fill);
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct ib_device *dev;
	int err;

	err = nldev_parse(cb->nlh, tb, cb->extack);
	if (err)
		return err;
	if (!tb[RDMA_NLDEV_ATTR_DEV_INDEX])
		return dump_all(&dump, dump_device_ports);
	if (dump.at->done)
		return 0;
	dev = nldev_find_device(cb->skb, tb, cb->extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = dump_device_ports(dev, &dump);
	ib_device_put(dev);
	dump.at->done = !err;
	return dump_result(&dump, err);
}
