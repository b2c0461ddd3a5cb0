/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the handlers of RDMA_NL_NLDEV share, and the handlers themselves, a file a subject.
 */
#ifndef _IB_CORE_NLDEV_H
#define _IB_CORE_NLDEV_H

#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include "core/core.h"

/*
 * Fills a message with what is known of a device, or of one of its ports (0: of the device).
 * Returns 0, -EMSGSIZE if the message is too short, or why there is nothing to tell.
 */
typedef int nldev_fill_fn(struct sk_buff *msg, const struct net *net, struct ib_device *dev,
			  u32 port);

/* The same of whatever @arg says. */
typedef int nldev_put_fn(struct sk_buff *msg, void *arg);

/* nldev_msg.c: requests. */
int nldev_parse(const struct nlmsghdr *nlh, struct nlattr *tb[RDMA_NLDEV_ATTR_MAX],
		struct netlink_ext_ack *extack);
/* The device of DEV_INDEX, with a reference; or -EINVAL if it is missing, -ENODEV. */
struct ib_device *nldev_find_device(const struct sk_buff *skb, struct nlattr **tb,
				    struct netlink_ext_ack *extack);
/* Also finds the port of PORT_INDEX; or -EINVAL if it is missing, or there is no such port. */
struct ib_device *nldev_find_port(const struct sk_buff *skb, struct nlattr **tb, u32 *port,
				  struct netlink_ext_ack *extack);
/* Both steps in one. */
struct ib_device *nldev_parse_device(const struct sk_buff *skb, const struct nlmsghdr *nlh,
				     struct nlattr *tb[RDMA_NLDEV_ATTR_MAX],
				     struct netlink_ext_ack *extack);
struct ib_device *nldev_parse_port(const struct sk_buff *skb, const struct nlmsghdr *nlh,
				   struct nlattr *tb[RDMA_NLDEV_ATTR_MAX], u32 *port,
				   struct netlink_ext_ack *extack);
/* Whether the attribute holds what can be the name of a device. */
int nldev_check_name(const struct nlattr *attr, struct netlink_ext_ack *extack);

/* nldev_msg.c: answers. */
int nldev_put_u64(struct sk_buff *msg, int attr, u64 value);
int nldev_put_handle(struct sk_buff *msg, struct ib_device *dev);
/*
 * Sends a message that @put fills with @arg, called anew with a longer one on -EMSGSIZE, up to
 * 64 KiB.
 */
int nldev_answer(const struct sk_buff *request, const struct nlmsghdr *nlh, nldev_put_fn *put,
		 void *arg);
int nldev_reply(const struct sk_buff *request, const struct nlmsghdr *nlh, nldev_fill_fn *fill,
		struct ib_device *dev, u32 port);
/* The answer to a request about a device, or about a port, that asks for nothing more. */
int nldev_reply_device(const struct sk_buff *skb, const struct nlmsghdr *nlh,
		       nldev_fill_fn *fill, struct netlink_ext_ack *extack);
int nldev_reply_port(const struct sk_buff *skb, const struct nlmsghdr *nlh, nldev_fill_fn *fill,
		     struct netlink_ext_ack *extack);
/* A message for each device. */
int nldev_dump_devices(struct sk_buff *skb, struct netlink_callback *cb, nldev_fill_fn *fill);
/* A message for each port, of the device of DEV_INDEX or without that attribute of all. */
int nldev_dump_ports(struct sk_buff *skb, struct netlink_callback *cb, nldev_fill_fn *fill);

/* nldev_chardev.c */
int nldev_get_chardev(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);

/* nldev_dev.c */
int nldev_dev_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_dev_dump(struct sk_buff *skb, struct netlink_callback *cb);
int nldev_dev_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);

/* nldev_link.c */
int nldev_link_new(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_link_del(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);

/* nldev_port.c */
int nldev_port_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_port_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* nldev_res.c */
int nldev_res_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_res_dump(struct sk_buff *skb, struct netlink_callback *cb);
/* One object by its number; all objects. Of the kind that the command asks for. */
int nldev_res_object_get(struct sk_buff *skb, struct nlmsghdr *nlh,
			 struct netlink_ext_ack *extack);
int nldev_res_object_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* nldev_stat.c */
/* A counter, unless it is switched off. */
int nldev_put_value(struct sk_buff *msg, const struct rdma_hw_stats *stats, unsigned int index);
int nldev_stat_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_stat_dump(struct sk_buff *skb, struct netlink_callback *cb);
int nldev_stat_status(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_stat_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_stat_del(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);

/* nldev_sys.c */
int nldev_sys_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_sys_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);

#endif /* _IB_CORE_NLDEV_H */
