// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * `rdma statistic`: the counters of ports, which of the optional ones count, and which QPs are
 * counted apart.
 */
#include <linux/bitmap.h>
#include <rdma/rdma_counter.h>
#include "core/nldev_res.h"

static bool is_optional(const struct rdma_hw_stats *stats, unsigned int index)
{
	return stats->descs[index].flags & IB_STAT_FLAG_OPTIONAL;
}

static bool is_enabled(const struct rdma_hw_stats *stats, unsigned int index)
{
	return !test_bit(index, stats->is_disabled);
}

int nldev_put_value(struct sk_buff *msg, const struct rdma_hw_stats *stats, unsigned int index)
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
	return fill_counters(msg, dev, port, nldev_put_value);
}

static int fill_status(struct sk_buff *msg, const struct net *net, struct ib_device *dev, u32 port)
{
	return fill_counters(msg, dev, port, put_status);
}

static int fill_mode(struct sk_buff *msg, const struct net *net, struct ib_device *dev, u32 port)
{
	struct rdma_counter_mode mode;

	ib_core_counter_mode(dev, port, &mode);
	if (nldev_put_handle(msg, dev) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_MODE, mode.mode))
		return -EMSGSIZE;
	if (mode.mode == RDMA_COUNTER_MODE_AUTO)
		return nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, mode.mask);
	return 0;
}

static bool is_about_qps(struct nlattr **tb)
{
	const struct nlattr *attr = tb[RDMA_NLDEV_ATTR_STAT_RES];

	return attr && nla_get_u32(attr) == RDMA_NLDEV_ATTR_RES_QP;
}

/* Of the other kinds, none has counters of its own. */
static int refuse_object(struct nlattr **tb, struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG_ATTR(extack, tb[RDMA_NLDEV_ATTR_STAT_RES], "Only QPs can be counted apart");
	return -EOPNOTSUPP;
}

static int get_of_object(struct sk_buff *skb, struct nlmsghdr *nlh, struct nlattr **tb,
			 struct netlink_ext_ack *extack)
{
	if (!is_about_qps(tb))
		return refuse_object(tb, extack);
	if (tb[RDMA_NLDEV_ATTR_STAT_MODE])
		return nldev_reply_port(skb, nlh, fill_mode, extack);
	return nldev_res_object_get(skb, nlh, extack);
}

int nldev_stat_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int err;

	err = nldev_parse(nlh, tb, extack);
	if (err)
		return err;
	if (tb[RDMA_NLDEV_ATTR_STAT_RES])
		return get_of_object(skb, nlh, tb, extack);
	return nldev_reply_port(skb, nlh, fill_values, extack);
}

/* Where no object has counters, the list is empty. */
int nldev_stat_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int err;

	err = nldev_parse(cb->nlh, tb, cb->extack);
	if (err)
		return err;
	if (is_about_qps(tb))
		return nldev_res_object_dump(skb, cb);
	return tb[RDMA_NLDEV_ATTR_STAT_RES] ? 0 : nldev_dump_ports(skb, cb, fill_values);
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

/* Which QP is bound to which counter: what was asked for, and its answer. */
struct binding {
	struct ib_device *dev;
	u32 port;
	u32 qpn;
	u32 counter;
};

static int put_binding(struct sk_buff *msg, void *arg)
{
	const struct binding *binding = arg;

	if (nldev_put_handle(msg, binding->dev) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, binding->port) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, binding->counter) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, binding->qpn))
		return -EMSGSIZE;
	return 0;
}

static int parse_binding(struct binding *binding, struct nlattr **tb,
			 struct netlink_ext_ack *extack)
{
	const struct nlattr *counter = tb[RDMA_NLDEV_ATTR_STAT_COUNTER_ID];

	if (!tb[RDMA_NLDEV_ATTR_RES_LQPN]) {
		NL_SET_ERR_MSG(extack, "The number of the QP is missing");
		return -EINVAL;
	}
	binding->qpn = nla_get_u32(tb[RDMA_NLDEV_ATTR_RES_LQPN]);
	binding->counter = counter ? nla_get_u32(counter) : 0;
	return 0;
}

/* What `rdma` would otherwise have nothing to say about. */
static void stat_explain(int err, struct netlink_ext_ack *extack)
{
	if (err == -EOPNOTSUPP)
		NL_SET_ERR_MSG(extack, "The RDMA device cannot count QPs apart");
	else if (err == -ENOENT)
		NL_SET_ERR_MSG(extack, "No such QP or counter, or they are not bound");
	else if (err == -EBUSY)
		NL_SET_ERR_MSG(extack, "QPs are bound already, or are bound automatically");
}

static int stat_bind_qp(struct sk_buff *skb, struct nlmsghdr *nlh, struct nlattr **tb,
			struct ib_device *dev, u32 port, struct netlink_ext_ack *extack)
{
	struct binding binding = { .dev = dev, .port = port };
	int err;

	err = parse_binding(&binding, tb, extack);
	if (err)
		return err;
	err = ib_core_counter_bind(dev, port, binding.qpn, &binding.counter);
	if (err) {
		stat_explain(err, extack);
		return err;
	}
	return nldev_answer(skb, nlh, put_binding, &binding);
}

static int set_mode(struct sk_buff *skb, struct nlmsghdr *nlh, struct nlattr **tb,
		    struct ib_device *dev, u32 port, struct netlink_ext_ack *extack)
{
	const struct nlattr *mask = tb[RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK];
	u32 mode = nla_get_u32(tb[RDMA_NLDEV_ATTR_STAT_MODE]);
	int err = -EINVAL;

	if (!is_about_qps(tb))
		return refuse_object(tb, extack);
	if (mode == RDMA_COUNTER_MODE_MANUAL)
		return stat_bind_qp(skb, nlh, tb, dev, port, extack);
	if (mode == RDMA_COUNTER_MODE_AUTO)
		err = ib_core_counter_set_auto(dev, port, mask ? nla_get_u32(mask) : 0);
	if (err == -EINVAL)
		NL_SET_ERR_MSG(extack, "Unknown mode or criterion");
	stat_explain(err, extack);
	return err;
}

static int set_something(struct sk_buff *skb, struct nlmsghdr *nlh, struct nlattr **tb,
			 struct ib_device *dev, u32 port, struct netlink_ext_ack *extack)
{
	if (tb[RDMA_NLDEV_ATTR_STAT_MODE])
		return set_mode(skb, nlh, tb, dev, port, extack);
	if (tb[RDMA_NLDEV_ATTR_STAT_RES])
		return refuse_object(tb, extack);
	if (tb[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS])
		return set_optional(dev, port, tb[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS], extack);
	NL_SET_ERR_MSG(extack, "Nothing to set");
	return -EINVAL;
}

int nldev_stat_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct ib_device *dev;
	u32 port;
	int err;

	dev = nldev_parse_port(skb, nlh, tb, &port, extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = set_something(skb, nlh, tb, dev, port, extack);
	ib_device_put(dev);
	return err;
}

static int stat_unbind_qp(struct sk_buff *skb, struct nlmsghdr *nlh, struct nlattr **tb,
			  struct ib_device *dev, u32 port, struct netlink_ext_ack *extack)
{
	struct binding binding = { .dev = dev, .port = port };
	int err;

	if (!is_about_qps(tb))
		return refuse_object(tb, extack);
	err = parse_binding(&binding, tb, extack);
	if (err)
		return err;
	err = ib_core_counter_unbind(dev, port, binding.qpn, binding.counter);
	if (err) {
		stat_explain(err, extack);
		return err;
	}
	return nldev_answer(skb, nlh, put_binding, &binding);
}

int nldev_stat_del(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct ib_device *dev;
	u32 port;
	int err;

	dev = nldev_parse_port(skb, nlh, tb, &port, extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = stat_unbind_qp(skb, nlh, tb, dev, port, extack);
	ib_device_put(dev);
	return err;
}
