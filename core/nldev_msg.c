// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages of RDMA_NL_NLDEV: attributes of requests, and answers in one message or many. What the
 * handlers have in common.
 */
#include <linux/ctype.h>
#include <linux/sizes.h>
#include "core/nldev.h"

/* Answers of one message begin with the usual room, and get more up to this if they need it. */
#define REPLY_MAX	SZ_64K

static const struct nla_policy counter_policy[RDMA_NLDEV_ATTR_MAX] = {
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX]	= { .type = NLA_U32 },
};

/* Attributes that a request may have. Those that only answers have are refused. */
static const struct nla_policy nldev_policy[RDMA_NLDEV_ATTR_MAX] = {
	[RDMA_NLDEV_ATTR_DEV_INDEX]		= { .type = NLA_U32 },
	/* Its length is for nldev_check_name() to judge, which can say what is wrong. */
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
	/* Asks for what drivers have to add: nobody has. */
	[RDMA_NLDEV_ATTR_DRIVER_DETAILS]	= { .type = NLA_U8 },
};

/*
 * Strict, but for attributes above the highest that we know: a newer `rdma` may send hints that
 * did not exist when this was written.
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

static int find_port_of(struct ib_device *dev, struct nlattr **tb, u32 *port,
			struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = tb[RDMA_NLDEV_ATTR_PORT_INDEX];

	if (!attr) {
		NL_SET_ERR_ATTR_MISS(extack, NULL, RDMA_NLDEV_ATTR_PORT_INDEX);
		NL_SET_ERR_MSG(extack, "The number of the port is missing");
		return -EINVAL;
	}
	*port = nla_get_u32(attr);
	if (rdma_is_port_valid(dev, *port))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr, "The RDMA device has no such port");
	return -EINVAL;
}

struct ib_device *nldev_find_port(const struct sk_buff *skb, struct nlattr **tb, u32 *port,
				  struct netlink_ext_ack *extack)
{
	struct ib_device *dev = nldev_find_device(skb, tb, extack);
	int err;

	if (IS_ERR(dev))
		return dev;
	err = find_port_of(dev, tb, port, extack);
	if (!err)
		return dev;
	ib_device_put(dev);
	return ERR_PTR(err);
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

/* As the registry of devices has it: a name is a file's name in sysfs. */
static bool name_is_clean(const char *name)
{
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (; *name; name++)
		if (!isascii(*name) || !isgraph(*name) || *name == '/' || *name == '%')
			return false;
	return true;
}

int nldev_check_name(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	const char *name = nla_data(attr);

	if (!*name)
		NL_SET_ERR_MSG_ATTR(extack, attr, "The name of an RDMA device cannot be empty");
	else if (strlen(name) >= IB_DEVICE_NAME_MAX)
		NL_SET_ERR_MSG_ATTR(extack, attr, "The name is too long for an RDMA device");
	else if (!name_is_clean(name))
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

	/* A copy: the device may be renamed meanwhile. */
	strscpy(name, dev->name, sizeof(name));
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, dev->index) ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name))
		return -EMSGSIZE;
	return 0;
}

/* The answer to a request has its type, its sequence number and its sender's port. */
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

int nldev_answer(const struct sk_buff *request, const struct nlmsghdr *nlh, nldev_put_fn *put,
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

/* What a nldev_fill_fn is called with. */
struct filling {
	nldev_fill_fn *fill;
	const struct net *net;
	struct ib_device *dev;
	u32 port;
};

static int put_filling(struct sk_buff *msg, void *arg)
{
	const struct filling *filling = arg;

	return filling->fill(msg, filling->net, filling->dev, filling->port);
}

int nldev_reply(const struct sk_buff *request, const struct nlmsghdr *nlh, nldev_fill_fn *fill,
		struct ib_device *dev, u32 port)
{
	struct filling filling = { fill, sock_net(request->sk), dev, port };

	return nldev_answer(request, nlh, put_filling, &filling);
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
	err = nldev_reply(skb, nlh, fill, dev, 0);
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
	err = nldev_reply(skb, nlh, fill, dev, port);
	ib_device_put(dev);
	return err;
}

/* Where a dump goes on: kept in netlink_callback.ctx between calls. */
struct dump_cursor {
	u32 index;	/* of the next device to look at */
	u32 port_index;	/* device of next_port */
	u32 next_port;	/* of that device, the next to tell of */
	bool done;
};

struct dump {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	struct dump_cursor *at;
	nldev_fill_fn *fill;
};

static struct dump make_dump(struct sk_buff *skb, struct netlink_callback *cb,
			     nldev_fill_fn *fill)
{
	BUILD_BUG_ON(sizeof(struct dump_cursor) > sizeof(cb->ctx));
	return (struct dump) {
		.skb = skb, .cb = cb, .fill = fill, .at = (struct dump_cursor *)cb->ctx,
	};
}

/* Only a full buffer stops a dump: a device that cannot answer, or is going, is left out. */
static int dump_message(const struct dump *dump, struct ib_device *dev, u32 port)
{
	struct filling filling = { dump->fill, sock_net(dump->cb->skb->sk), dev, port };
	int err = put_message(dump->skb, dump->cb->skb, dump->cb->nlh, NLM_F_MULTI, put_filling,
			      &filling);

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

	/* Another device may have come to the place of the one that was not finished. */
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

/* What a dump returns: the bytes put, unless not even one message found room. */
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

static int dump_one(struct dump *dump, struct nlattr **tb)
{
	struct ib_device *dev;
	int err;

	if (dump->at->done)
		return 0;
	dev = nldev_find_device(dump->cb->skb, tb, dump->cb->extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = dump_device_ports(dev, dump);
	ib_device_put(dev);
	dump->at->done = !err;
	return dump_result(dump, err);
}

int nldev_dump_devices(struct sk_buff *skb, struct netlink_callback *cb, nldev_fill_fn *fill)
{
	struct dump dump = make_dump(skb, cb, fill);
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int err;

	err = nldev_parse(cb->nlh, tb, cb->extack);
	return err ? err : dump_all(&dump, dump_device);
}

int nldev_dump_ports(struct sk_buff *skb, struct netlink_callback *cb, nldev_fill_fn *fill)
{
	struct dump dump = make_dump(skb, cb, fill);
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int err;

	err = nldev_parse(cb->nlh, tb, cb->extack);
	if (err)
		return err;
	if (tb[RDMA_NLDEV_ATTR_DEV_INDEX])
		return dump_one(&dump, tb);
	return dump_all(&dump, dump_device_ports);
}
