/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Messages of RDMA_NL_NLDEV: parsing of requests, replies of one message, and dumps. The functions
 * are called by handlers, in process context.
 */
#ifndef _IB_CORE_NLDEV_MSG_H
#define _IB_CORE_NLDEV_MSG_H

#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

/*
 * Fills a message with a description of the port @port, or of the device if @port is 0. Returns 0;
 * -EMSGSIZE if the message is too short; or the error that prevented the description.
 */
typedef int nldev_fill_fn(struct sk_buff *msg, const struct net *net, struct ib_device *dev,
			  u32 port);

/*
 * Fills a message with whatever @arg describes. Returns 0; -EMSGSIZE if the message is too short;
 * or the error that prevented the description.
 */
typedef int nldev_put_fn(struct sk_buff *msg, void *arg);

/**
 * nldev_parse - validate the attributes of a request
 * @nlh: the request
 * @tb: result, indexed by attribute; NULL for an attribute that is absent
 * @extack: for the reason of a failure
 *
 * Attributes whose number is above the highest that this version knows are ignored.
 *
 * Return: 0; -EINVAL or -ERANGE: an attribute is malformed, or is not allowed in a request.
 */
int nldev_parse(const struct nlmsghdr *nlh, struct nlattr *tb[RDMA_NLDEV_ATTR_MAX],
		struct netlink_ext_ack *extack);

/**
 * nldev_find_device - look up the device that a request names by DEV_INDEX
 * @skb: the request; the device must be visible in the request's namespace
 * @tb: the request's attributes
 * @extack: for the reason of a failure
 *
 * Return: the device with a reference, to be released with ib_device_put(); ERR_PTR(-EINVAL):
 * DEV_INDEX is missing; ERR_PTR(-ENODEV): no such device.
 */
struct ib_device *nldev_find_device(const struct sk_buff *skb, struct nlattr **tb,
				    struct netlink_ext_ack *extack);

/**
 * nldev_find_port - look up the device and the port that a request names
 * @skb: the request, with DEV_INDEX and PORT_INDEX
 * @tb: the request's attributes
 * @port: result: number of the port
 * @extack: for the reason of a failure
 *
 * Return: the device with a reference, to be released with ib_device_put(); ERR_PTR(-EINVAL):
 * DEV_INDEX or PORT_INDEX is missing, or the device has no such port; ERR_PTR(-ENODEV): no such
 * device.
 */
struct ib_device *nldev_find_port(const struct sk_buff *skb, struct nlattr **tb, u32 *port,
				  struct netlink_ext_ack *extack);

/* Calls nldev_parse() and then nldev_find_device(). */
struct ib_device *nldev_parse_device(const struct sk_buff *skb, const struct nlmsghdr *nlh,
				     struct nlattr *tb[RDMA_NLDEV_ATTR_MAX],
				     struct netlink_ext_ack *extack);

/* Calls nldev_parse() and then nldev_find_port(). */
struct ib_device *nldev_parse_port(const struct sk_buff *skb, const struct nlmsghdr *nlh,
				   struct nlattr *tb[RDMA_NLDEV_ATTR_MAX], u32 *port,
				   struct netlink_ext_ack *extack);

/* Checks the name in @attr for a device. Returns 0; or -EINVAL with the reason in @extack. */
int nldev_check_name(const struct nlattr *attr, struct netlink_ext_ack *extack);

/*
 * The next three functions put attributes into a message. They return 0, or -EMSGSIZE if the
 * message is too short.
 */

int nldev_put_u64(struct sk_buff *msg, int attr, u64 value);

/* Puts the index and the name of the device. */
int nldev_put_handle(struct sk_buff *msg, struct ib_device *dev);

/*
 * Puts the name and the value of a counter, or nothing if the counter is disabled. The caller holds
 * the lock that protects the values.
 */
int nldev_put_hw_counter(struct sk_buff *msg, const struct rdma_hw_stats *stats,
			 unsigned int index);

/**
 * nldev_reply - reply to a request with one message
 * @request: the request
 * @nlh: the request's header
 * @put: fills the message; if @put returns -EMSGSIZE, it is called again with a longer message, up
 *	to 64 KiB
 * @arg: for @put
 *
 * Return: 0; -ENOMEM; the error of @put; or an error of rdma_nl_unicast().
 */
int nldev_reply(const struct sk_buff *request, const struct nlmsghdr *nlh, nldev_put_fn *put,
		void *arg);

/* Replies with one message that @fill fills; @dev may be NULL if @fill does not use @dev. */
int nldev_reply_fill(const struct sk_buff *request, const struct nlmsghdr *nlh,
		     nldev_fill_fn *fill, struct ib_device *dev, u32 port);

/* Replies with a message that @fill fills for the device that the request names by DEV_INDEX. */
int nldev_reply_device(const struct sk_buff *skb, const struct nlmsghdr *nlh,
		       nldev_fill_fn *fill, struct netlink_ext_ack *extack);

/*
 * Replies with a message that @fill fills for the port that the request names by DEV_INDEX and
 * PORT_INDEX.
 */
int nldev_reply_port(const struct sk_buff *skb, const struct nlmsghdr *nlh, nldev_fill_fn *fill,
		     struct netlink_ext_ack *extack);

/*
 * Serves a dump: puts a message for each device into @skb, as many as fit; the next call continues
 * with the first device that did not fit. Skips a device that @fill cannot describe. Returns the
 * length of @skb; 0 when all devices were dumped; or an errno, such as -EMSGSIZE if not even one
 * message fits.
 */
int nldev_dump_devices(struct sk_buff *skb, struct netlink_callback *cb, nldev_fill_fn *fill);

/*
 * Serves a dump like nldev_dump_devices(), with a message for each port of the device that
 * DEV_INDEX names or, without DEV_INDEX, for each port of all devices.
 */
int nldev_dump_ports(struct sk_buff *skb, struct netlink_callback *cb, nldev_fill_fn *fill);

#endif /* _IB_CORE_NLDEV_MSG_H */
