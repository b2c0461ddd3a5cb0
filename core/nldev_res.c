// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * `rdma resource`: how many objects of each kind a device has.
 */
#include <rdma/restrack.h>
#include "core/nldev.h"

/* In the order of the answer. */
static const struct {
	enum rdma_restrack_type type;
	const char *name;
} summary[] = {
	{ RDMA_RESTRACK_PD, "pd" },
	{ RDMA_RESTRACK_CQ, "cq" },
	{ RDMA_RESTRACK_QP, "qp" },
	{ RDMA_RESTRACK_CM_ID, "cm_id" },
	{ RDMA_RESTRACK_MR, "mr" },
	{ RDMA_RESTRACK_CTX, "ctx" },
	{ RDMA_RESTRACK_SRQ, "srq" },
};

static int put_count(struct sk_buff *msg, const char *name, u64 count)
{
	struct nlattr *entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);

	if (!entry ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, name) ||
	    nldev_put_u64(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, count))
		return -EMSGSIZE;
	nla_nest_end(msg, entry);
	return 0;
}

static int fill_summary(struct sk_buff *msg, const struct net *net, struct ib_device *dev,
			u32 port)
{
	struct nlattr *table;
	size_t i;

	if (nldev_put_handle(msg, dev))
		return -EMSGSIZE;
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_SUMMARY);
	if (!table)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(summary); i++)
		if (put_count(msg, summary[i].name, rdma_restrack_count(dev, summary[i].type)))
			return -EMSGSIZE;
	nla_nest_end(msg, table);
	return 0;
}

int nldev_res_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	return nldev_reply_device(skb, nlh, fill_summary, extack);
}

int nldev_res_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return nldev_dump_devices(skb, cb, fill_summary);
}
