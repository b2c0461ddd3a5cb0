// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * `rdma statistic`: the counters of ports, and which of the optional ones count.
 */
#include <linux/bitmap.h>
#include "core/nldev.h"

static bool is_optional(const struct rdma_hw_stats *stats, unsigned int index)
{
	return stats->descs[index].flags & IB_STAT_FLAG_OPTIONAL;
}

static bool is_enabled(const struct rdma_hw_stats *stats, unsigned int index)
{
	return !test_bit(index, stats->is_disabled);
}

static int put_value(struct sk_buff *msg, const struct rdma_hw_stats *stats, unsigned int index)
{
	struct nlattr *entry;

	if (!is_enabled(stats, index))
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

/* Without DYNAMIC, `rdma` takes a counter for one that always counts. */
static int put_status(struct sk_buff *msg, const struct rdma_hw_stats *stats, unsigned int index)
{
	struct nlattr *entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);

	if (!entry ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME,
			   stats->descs[index].name) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX, index))
		return -EMSGSIZE;
	if (is_optional(stats, index) &&
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC, is_enabled(stats, index)))
		return -EMSGSIZE;
	nla_nest_end(msg, entry);
	return 0;
}

typedef int put_counter_fn(struct sk_buff *msg, const struct rdma_hw_stats *stats,
			   unsigned int index);

/* A port without counters has an empty table: `rdma statistic` goes on to the next. */
static int put_counters(struct sk_buff *msg, struct ib_device *dev, u32 port,
			put_counter_fn *put_counter)
{
	struct rdma_hw_stats *stats;
	int err, i;

	err = ib_core_stats_read(dev, port, &stats);
	if (err)
		return err == -EOPNOTSUPP ? 0 : err;
	for (i = 0; i < stats->num_counters && !err; i++)
		err = put_counter(msg, stats, i);
	mutex_unlock(&stats->lock);
	return err;
}

static int fill_counters(struct sk_buff *msg, struct ib_device *dev, u32 port,
			 put_counter_fn *put_counter)
{
	struct nlattr *table;
	int err;

	if (nldev_put_handle(msg, dev) || nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port))
		return -EMSGSIZE;
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	if (!table)
		return -EMSGSIZE;
	err = put_counters(msg, dev, port, put_counter);
	if (!err)
		nla_nest_end(msg, table);
	return err;
}

static int fill_values(struct sk_buff *msg, const struct net *net, struct ib_device *dev, u32 port)
{
	return fill_counters(msg, dev, port, put_value);
}

static int fill_status(struct sk_buff *msg, const struct net *net, struct ib_device *dev, u32 port)
{
	return fill_counters(msg, dev, port, put_status);
}

/* QPs are not counted one by one, nor in groups. */
static int fill_mode(struct sk_buff *msg, const struct net *net, struct ib_device *dev, u32 port)
{
	if (nldev_put_handle(msg, dev) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_MODE, RDMA_COUNTER_MODE_NONE))
		return -EMSGSIZE;
	return 0;
}

/* Which answer a STAT_GET asks for; NULL if there is none. */
static nldev_fill_fn *choose_fill(struct nlattr **tb, struct netlink_ext_ack *extack)
{
	if (!tb[RDMA_NLDEV_ATTR_STAT_RES])
		return fill_values;
	if (tb[RDMA_NLDEV_ATTR_STAT_MODE] && !tb[RDMA_NLDEV_ATTR_STAT_COUNTER_ID])
		return fill_mode;
	NL_SET_ERR_MSG_ATTR(extack, tb[RDMA_NLDEV_ATTR_STAT_RES], "No counters of single objects");
	return NULL;
}

int nldev_stat_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct ib_device *dev;
	nldev_fill_fn *fill;
	u32 port;
	int err;

	dev = nldev_parse_port(skb, nlh, tb, &port, extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	fill = choose_fill(tb, extack);
	err = fill ? nldev_reply(skb, nlh, fill, dev, port) : -EOPNOTSUPP;
	ib_device_put(dev);
	return err;
}

/* The counters of single objects are an empty list. */
int nldev_stat_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int err;

	err = nldev_parse(cb->nlh, tb, cb->extack);
	if (err || tb[RDMA_NLDEV_ATTR_STAT_RES])
		return err;
	return nldev_dump_ports(skb, cb, fill_values);
}

int nldev_stat_status(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	return nldev_reply_port(skb, nlh, fill_status, extack);
}

static int read_wanted(const struct nlattr *list, const struct rdma_hw_stats *stats,
		       unsigned long *wanted, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	int rest;
	u32 index;

	nla_for_each_nested(attr, list, rest) {
		if (nla_type(attr) != RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX) {
			NL_SET_ERR_MSG_ATTR(extack, attr, "Not the index of a counter");
			return -EINVAL;
		}
		index = nla_get_u32(attr);
		if (index >= stats->num_counters || !is_optional(stats, index)) {
			NL_SET_ERR_MSG_ATTR(extack, attr, "The port has no such optional counter");
			return -EINVAL;
		}
		__set_bit(index, wanted);
	}
	return 0;
}

static int switch_counters(struct ib_device *dev, u32 port, const struct rdma_hw_stats *stats,
			   const unsigned long *wanted, struct netlink_ext_ack *extack)
{
	int err, i;

	for (i = 0; i < stats->num_counters; i++) {
		if (!is_optional(stats, i))
			continue;
		err = ib_core_stats_enable(dev, port, i, test_bit(i, wanted));
		if (err) {
			NL_SET_ERR_MSG(extack, "The device could not switch all of these counters");
			return err;
		}
	}
	return 0;
}

/* What is in the list will count, all other optional counters will not. */
static int set_optional(struct ib_device *dev, u32 port, const struct nlattr *list,
			struct netlink_ext_ack *extack)
{
	/* Which counters there are never changes: no lock for that. */
	const struct rdma_hw_stats *stats = ib_core_stats_of(dev, port);
	unsigned long *wanted;
	int err;

	if (!stats) {
		NL_SET_ERR_MSG(extack, "The port has no counters");
		return -EOPNOTSUPP;
	}
	wanted = bitmap_zalloc(stats->num_counters, GFP_KERNEL);
	if (!wanted)
		return -ENOMEM;
	err = read_wanted(list, stats, wanted, extack);
	if (!err)
		err = switch_counters(dev, port, stats, wanted, extack);
	bitmap_free(wanted);
	return err;
}

int nldev_stat_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	const struct nlattr *list;
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct ib_device *dev;
	u32 port;
	int err;

	dev = nldev_parse_port(skb, nlh, tb, &port, extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	list = tb[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS];
	if (tb[RDMA_NLDEV_ATTR_STAT_RES] || tb[RDMA_NLDEV_ATTR_STAT_MODE]) {
		NL_SET_ERR_MSG(extack, "QPs cannot be bound to counters");
		err = -EOPNOTSUPP;
	} else if (!list) {
		NL_SET_ERR_MSG(extack, "Nothing to set");
		err = -EINVAL;
	} else {
		err = set_optional(dev, port, list, extack);
	}
	ib_device_put(dev);
	return err;
}

int nldev_stat_del(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct ib_device *dev;
	u32 port;

	dev = nldev_parse_port(skb, nlh, tb, &port, extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ib_device_put(dev);
	NL_SET_ERR_MSG(extack, "QPs cannot be bound to counters");
	return -EOPNOTSUPP;
}
