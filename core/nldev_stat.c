// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * `rdma statistic`: values of a port's counters, the set of enabled optional counters, and counters
 * that QPs are bound to.
 */
#include "core/nldev.h"

#include <linux/bitmap.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include "core/counters.h"
#include "core/nldev_msg.h"
#include "core/stats.h"

static bool is_optional(const struct rdma_hw_stats *stats, unsigned int index)
{
	return stats->descs[index].flags & IB_STAT_FLAG_OPTIONAL;
}

/*
 * Puts the name and the index of a counter. If the counter is optional, also puts the attribute
 * DYNAMIC, which says whether the counter is enabled. `rdma` shows a counter without DYNAMIC as
 * always enabled.
 */
static int put_status(struct sk_buff *msg, const struct rdma_hw_stats *stats, unsigned int index)
{
	bool enabled = !test_bit(index, stats->is_disabled);
	struct nlattr *entry;

	lockdep_assert_held(&stats->lock);
	entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
	if (!entry ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME,
			   stats->descs[index].name) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX, index))
		return -EMSGSIZE;
	if (is_optional(stats, index) &&
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC, enabled))
		return -EMSGSIZE;
	nla_nest_end(msg, entry);
	return 0;
}

typedef int put_counter_fn(struct sk_buff *msg, const struct rdma_hw_stats *stats,
			   unsigned int index);

static int fill_counters(struct sk_buff *msg, struct ib_device *dev, u32 port,
			 put_counter_fn *put_counter)
{
	struct rdma_hw_stats *stats;
	struct nlattr *table;
	int err, i;

	if (nldev_put_handle(msg, dev) || nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port))
		return -EMSGSIZE;
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	if (!table)
		return -EMSGSIZE;
	err = ib_core_stats_read_lock(dev, port, &stats);
	/* A port without counters has an empty table, so that `rdma` goes on to the other ports. */
	if (err == -EOPNOTSUPP)
		goto out_end;
	if (err)
		return err;
	for (i = 0; i < stats->num_counters && !err; i++)
		err = put_counter(msg, stats, i);
	mutex_unlock(&stats->lock);
	if (err)
		return err;
out_end:
	nla_nest_end(msg, table);
	return 0;
}

static int fill_values(struct sk_buff *msg, const struct net *net, struct ib_device *dev, u32 port)
{
	return fill_counters(msg, dev, port, nldev_put_hw_counter);
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

static int refuse_object(struct nlattr **tb, struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG_ATTR(extack, tb[RDMA_NLDEV_ATTR_STAT_RES],
			    "Only QPs can have counters of their own");
	return -EOPNOTSUPP;
}

int nldev_stat_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int err;

	err = nldev_parse(nlh, tb, extack);
	if (err)
		return err;
	if (!tb[RDMA_NLDEV_ATTR_STAT_RES])
		return nldev_reply_port(skb, nlh, fill_values, extack);
	if (!is_about_qps(tb))
		return refuse_object(tb, extack);
	if (tb[RDMA_NLDEV_ATTR_STAT_MODE])
		return nldev_reply_port(skb, nlh, fill_mode, extack);
	return nldev_res_object_get(skb, nlh, extack);
}

/* If the requested kind of objects cannot have counters, the reply is an empty list. */
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

/*
 * Sets, in @wanted, the bit of each counter that the request lists. Returns 0; or -EINVAL if an
 * entry of the list is not the index of an optional counter.
 */
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

/* Enables the optional counters in @list, and disables all other optional counters. */
static int set_optional(struct ib_device *dev, u32 port, const struct nlattr *list,
			struct netlink_ext_ack *extack)
{
	/* The set of counters and their flags are constant: no lock is needed to read them. */
	const struct rdma_hw_stats *stats = ib_core_stats_of(dev, port);
	unsigned long *wanted;
	int err, i;

	if (!stats) {
		NL_SET_ERR_MSG(extack, "The port has no counters");
		return -EOPNOTSUPP;
	}
	wanted = bitmap_zalloc(stats->num_counters, GFP_KERNEL);
	if (!wanted)
		return -ENOMEM;
	err = read_wanted(list, stats, wanted, extack);
	if (err)
		goto out_free;
	for (i = 0; i < stats->num_counters; i++) {
		if (!is_optional(stats, i))
			continue;
		err = ib_core_stats_enable(dev, port, i, test_bit(i, wanted));
		if (err) {
			NL_SET_ERR_MSG(extack,
				       "The device could not enable or disable all of these counters");
			break;
		}
	}
out_free:
	bitmap_free(wanted);
	return err;
}

/* The QP and the counter that a request binds or unbinds. The reply has the same content. */
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

/* Sets a message for an errno that says too little by itself. */
static void stat_explain(int err, struct netlink_ext_ack *extack)
{
	if (err == -EOPNOTSUPP)
		NL_SET_ERR_MSG(extack, "The RDMA device cannot count QPs separately");
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
	return nldev_reply(skb, nlh, put_binding, &binding);
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

int nldev_stat_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct ib_device *dev;
	u32 port;
	int err;

	dev = nldev_parse_port(skb, nlh, tb, &port, extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	if (tb[RDMA_NLDEV_ATTR_STAT_MODE]) {
		err = set_mode(skb, nlh, tb, dev, port, extack);
	} else if (tb[RDMA_NLDEV_ATTR_STAT_RES]) {
		err = refuse_object(tb, extack);
	} else if (tb[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS]) {
		err = set_optional(dev, port, tb[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS], extack);
	} else {
		NL_SET_ERR_MSG(extack, "Nothing to set");
		err = -EINVAL;
	}
	ib_device_put(dev);
	return err;
}

int nldev_stat_del(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct binding binding = {};
	int err;

	binding.dev = nldev_parse_port(skb, nlh, tb, &binding.port, extack);
	if (IS_ERR(binding.dev))
		return PTR_ERR(binding.dev);
	if (!is_about_qps(tb)) {
		err = refuse_object(tb, extack);
		goto out_put;
	}
	err = parse_binding(&binding, tb, extack);
	if (err)
		goto out_put;
	err = ib_core_counter_unbind(binding.dev, binding.port, binding.qpn, binding.counter);
	if (err)
		stat_explain(err, extack);
	else
		err = nldev_reply(skb, nlh, put_binding, &binding);
out_put:
	ib_device_put(binding.dev);
	return err;
}
