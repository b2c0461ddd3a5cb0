// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * `rdma resource`: the number of objects of each kind that a device has, and the lists of objects.
 *
 * A list is in the order of the objects' numbers, and each call of the dump continues after the
 * last number listed. An object that exists throughout the dump is therefore listed exactly once,
 * even if other objects are created and destroyed during the dump.
 */
#include <rdma/ib_verbs.h>

#include "core/nldev_res.h"

#include "core/nldev.h"
#include "core/nldev_msg.h"
#include "core/registry.h"

/* The kinds of objects, in the order in which the reply lists them. */
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

static int fill_summary(struct sk_buff *msg, const struct net *net, struct ib_device *dev,
			u32 port)
{
	struct nlattr *table, *entry;
	size_t i;

	if (nldev_put_handle(msg, dev))
		return -EMSGSIZE;
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_SUMMARY);
	if (!table)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(summary); i++) {
		entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);
		if (!entry ||
		    nla_put_string(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME,
				   summary[i].name) ||
		    nldev_put_u64(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR,
				  rdma_restrack_count(dev, summary[i].type)))
			return -EMSGSIZE;
		nla_nest_end(msg, entry);
	}
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

static const struct nldev_res_kind *kind_of(const struct nlmsghdr *nlh)
{
	return &nldev_res_kinds[RDMA_NL_GET_OP(nlh->nlmsg_type)];
}

/*
 * Returns whether the provider has the method that is needed to describe objects of @kind; true if
 * no method is needed.
 */
static bool has_fill_op(const struct ib_device *dev, const struct nldev_res_kind *kind)
{
	const void *ops = &dev->ops;

	return !kind->needs || *(const unsigned long *)(ops + kind->needs);
}

static struct nldev_res_reader reader_of(const struct sk_buff *skb)
{
	return (struct nldev_res_reader) { .admin = netlink_capable(skb, CAP_NET_ADMIN) };
}

/* Returns the requested device with a reference; sets reader->port if a port is requested. */
static struct ib_device *res_find_device(const struct sk_buff *skb, struct nlattr **tb,
					 struct nldev_res_reader *reader,
					 struct netlink_ext_ack *extack)
{
	if (tb[RDMA_NLDEV_ATTR_PORT_INDEX])
		return nldev_find_port(skb, tb, &reader->port, extack);
	return nldev_find_device(skb, tb, extack);
}

/* The one object that a reply describes, and the reader of the reply. */
struct single_object {
	const struct nldev_res_kind *kind;
	struct nldev_res_reader reader;
	struct ib_device *dev;
	struct rdma_restrack_entry *res;
};

static int put_single(struct sk_buff *msg, void *arg)
{
	const struct single_object *one = arg;

	if (nldev_put_handle(msg, one->dev))
		return -EMSGSIZE;
	return one->kind->put(msg, one->res, &one->reader);
}

int nldev_res_object_get(struct sk_buff *skb, struct nlmsghdr *nlh,
			 struct netlink_ext_ack *extack)
{
	struct single_object one = { .kind = kind_of(nlh), .reader = reader_of(skb) };
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	const struct nlattr *number;
	int err;

	err = nldev_parse(nlh, tb, extack);
	if (err)
		return err;
	one.dev = res_find_device(skb, tb, &one.reader, extack);
	if (IS_ERR(one.dev))
		return PTR_ERR(one.dev);
	number = tb[one.kind->number];
	if (!number) {
		NL_SET_ERR_ATTR_MISS(extack, NULL, one.kind->number);
		NL_SET_ERR_MSG(extack, "The number of the object is missing");
		err = -EINVAL;
		goto out_put_dev;
	}
	if (!has_fill_op(one.dev, one.kind)) {
		NL_SET_ERR_MSG(extack, "The device's driver does not report this");
		err = -EOPNOTSUPP;
		goto out_put_dev;
	}
	/*
	 * Set no message if the device has no such object: `rdma` asks one device after the other
	 * for the number, and would print the message of each device that does not have the object.
	 */
	one.res = rdma_restrack_get_byid(one.dev, one.kind->type, nla_get_u32(number));
	if (IS_ERR(one.res)) {
		err = PTR_ERR(one.res);
		goto out_put_dev;
	}
	err = nldev_reply(skb, nlh, put_single, &one);
	rdma_restrack_put(one.res);
out_put_dev:
	ib_device_put(one.dev);
	return err;
}

/* The place at which the next call continues a list; kept in netlink_callback.ctx. */
struct list_cursor {
	u32 index;	/* the lowest index that the next device may have */
	u32 objects_of;	/* index of the device that next_id belongs to */
	u64 next_id;	/* the lowest number that the next object may have; > U32_MAX at the end */
	bool done;
};

struct object_list {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	struct list_cursor *at;
	const struct nldev_res_kind *kind;
	struct nldev_res_reader reader;
};

/*
 * Puts objects, starting at the cursor. Skips an object whose description fails, unless it fails
 * because the message is full. Returns 0 after the last object, or -EMSGSIZE if the message is
 * full.
 */
static int put_objects(struct ib_device *dev, struct object_list *list)
{
	const struct nldev_res_kind *kind = list->kind;
	struct rdma_restrack_entry *res;
	struct nlattr *entry;
	int err;
	u32 id;

	for (; list->at->next_id <= U32_MAX; list->at->next_id++) {
		id = list->at->next_id;
		res = rdma_restrack_get_next(dev, kind->type, &id);
		if (!res) {
			list->at->next_id = (u64)U32_MAX + 1;
			break;
		}
		list->at->next_id = id;
		entry = nla_nest_start(list->skb, kind->entry);
		err = entry ? kind->put(list->skb, res, &list->reader) : -EMSGSIZE;
		rdma_restrack_put(res);
		if (!err)
			nla_nest_end(list->skb, entry);
		else if (entry)
			nla_nest_cancel(list->skb, entry);
		if (err == -EMSGSIZE)
			return err;
	}
	return 0;
}

/*
 * Puts one message with objects of the device, or no message if not even one object was put.
 * Returns 0, or -EMSGSIZE if objects are left for the next message.
 */
static int put_list(struct ib_device *dev, struct object_list *list)
{
	struct sk_buff *skb = list->skb;
	struct nlattr *table = NULL;
	struct nlmsghdr *nlh;
	unsigned int start;
	int err = -EMSGSIZE;

	nlh = nlmsg_put(skb, NETLINK_CB(list->cb->skb).portid, list->cb->nlh->nlmsg_seq,
			list->cb->nlh->nlmsg_type, 0, NLM_F_MULTI);
	if (!nlh)
		return err;
	if (!nldev_put_handle(skb, dev))
		table = nla_nest_start(skb, list->kind->table);
	start = skb->len;
	if (table)
		err = put_objects(dev, list);
	if (!table || skb->len == start) {
		nlmsg_cancel(skb, nlh);
		return err;
	}
	nla_nest_end(skb, table);
	nlmsg_end(skb, nlh);
	return err;
}

static int list_device(struct ib_device *dev, void *arg)
{
	struct object_list *list = arg;
	int err;

	if (!has_fill_op(dev, list->kind))
		return 0;
	/* Start with the first object unless the last call stopped at an object of this device. */
	if (list->at->objects_of != dev->index) {
		list->at->objects_of = dev->index;
		list->at->next_id = 0;
	}
	err = put_list(dev, list);
	if (err != -EMSGSIZE || list->skb->len)
		return err;
	/* The object at the cursor does not fit into an empty message: shorten its description. */
	list->reader.brief = true;
	err = put_list(dev, list);
	list->reader.brief = false;
	return err;
}

static int list_one(struct object_list *list, struct nlattr **tb)
{
	struct ib_device *dev;
	int err = -EOPNOTSUPP;

	dev = res_find_device(list->cb->skb, tb, &list->reader, list->cb->extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	if (has_fill_op(dev, list->kind))
		err = list_device(dev, list);
	else
		NL_SET_ERR_MSG(list->cb->extack, "The device's driver does not report this");
	ib_device_put(dev);
	return err;
}

int nldev_res_object_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct object_list list = {
		.skb = skb, .cb = cb, .kind = kind_of(cb->nlh), .reader = reader_of(cb->skb),
		.at = (struct list_cursor *)cb->ctx,
	};
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int err;

	BUILD_BUG_ON(sizeof(struct list_cursor) > sizeof(cb->ctx));
	if (list.at->done)
		return 0;
	err = nldev_parse(cb->nlh, tb, cb->extack);
	if (err)
		return err;
	if (tb[RDMA_NLDEV_ATTR_DEV_INDEX] || tb[RDMA_NLDEV_ATTR_PORT_INDEX])
		err = list_one(&list, tb);
	else
		err = ib_core_for_each_device(sock_net(cb->skb->sk), &list.at->index, list_device,
					      &list);
	if (err && (err != -EMSGSIZE || !skb->len))
		return err;
	list.at->done = !err;
	return skb->len;
}
