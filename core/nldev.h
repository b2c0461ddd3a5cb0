/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The handlers of RDMA_NL_NLDEV, which the table in nldev.c lists. Each subject has its own file;
 * what the handlers share is in nldev_msg.h.
 */
#ifndef _IB_CORE_NLDEV_H
#define _IB_CORE_NLDEV_H

struct netlink_callback;
struct netlink_ext_ack;
struct nlmsghdr;
struct sk_buff;

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

/* nldev_res.c. The object handlers serve several commands, one for each kind of object. */
int nldev_res_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_res_dump(struct sk_buff *skb, struct netlink_callback *cb);
int nldev_res_object_get(struct sk_buff *skb, struct nlmsghdr *nlh,
			 struct netlink_ext_ack *extack);
int nldev_res_object_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* nldev_stat.c */
int nldev_stat_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_stat_dump(struct sk_buff *skb, struct netlink_callback *cb);
int nldev_stat_status(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_stat_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_stat_del(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);

/* nldev_sys.c */
int nldev_sys_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
int nldev_sys_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);

/* Called when the module is loaded and unloaded. */
void ib_core_nldev_init(void);
void ib_core_nldev_exit(void);

#endif /* _IB_CORE_NLDEV_H */
