/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * RDMA netlink, kernel side: clients of NETLINK_RDMA, and the kinds of device that
 * `rdma link add` can make.
 */
#ifndef _RDMA_NETLINK_H
#define _RDMA_NETLINK_H

#include <linux/build_bug.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/stringify.h>
#include <uapi/rdma/rdma_netlink.h>

struct net;
struct net_device;

/* Lengths of strings in nldev attributes, the closing NUL not counted. */
enum {
	RDMA_NLDEV_ATTR_EMPTY_STRING = 1,
	RDMA_NLDEV_ATTR_ENTRY_STRLEN = 16,
	RDMA_NLDEV_ATTR_CHARDEV_TYPE_SIZE = 32,
};

/**
 * enum rdma_nl_flags - what an operation asks of its caller
 * @RDMA_NL_ADMIN_PERM: CAP_NET_ADMIN in the initial user namespace, both now and when the
 *	socket was opened; without it the request fails with -EPERM
 * @RDMA_NL_DEVICE_PERM: the same in the user namespace that owns the devices which the caller's
 *	network namespace sees: in exclusive mode the one that owns that network namespace, in
 *	shared mode the initial one
 */
enum rdma_nl_flags {
	RDMA_NL_ADMIN_PERM	= 1 << 0,
	RDMA_NL_DEVICE_PERM	= 1 << 1,
};

/**
 * struct rdma_nl_cbs - one operation of a netlink client
 * @doit: serves a request for one thing, or to do one. Process context. Returns 0, which is
 *	acknowledged if the sender asked for that, or a negative errno, which is reported.
 *	NULL: such requests fail with -EOPNOTSUPP.
 * @dump: serves a request that has NLM_F_DUMP: fills @skb with further messages of the answer and
 *	returns the number of bytes put, 0 at the end, or a negative errno. Called again and again
 *	as the user reads; its state between calls is in &netlink_callback.ctx. NULL: @doit is
 *	called, because the bits of NLM_F_DUMP have other meanings in requests that create.
 * @flags: of &enum rdma_nl_flags
 */
struct rdma_nl_cbs {
	int (*doit)(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
	int (*dump)(struct sk_buff *skb, struct netlink_callback *cb);
	u8 flags;
};

/*
 * Has the module loaded at the first request to its client. The index is given twice, by its name
 * and as the number that an alias needs; the two are compared.
 */
#define MODULE_ALIAS_RDMA_NETLINK(_index, _val)					\
	static_assert((_index) == (_val));					\
	MODULE_ALIAS("rdma-netlink-subsys-" __stringify(_val))

/* Has the module loaded when `rdma link add` names its type. */
#define MODULE_ALIAS_RDMA_LINK(type)	MODULE_ALIAS("rdma-link-" type)

/* Has the module loaded when user space asks for its character device by the client's name. */
#define MODULE_ALIAS_RDMA_CLIENT(type)	MODULE_ALIAS("rdma-client-" type)

/**
 * rdma_nl_register() - serve a client of RDMA netlink
 * @index: RDMA_NL_IWCM, RDMA_NL_LS or RDMA_NL_NLDEV
 * @cb_table: operations by number, as many as the uapi header counts for this client; in use until
 *	rdma_nl_unregister() has returned
 *
 * Process context. Warns, and does nothing, if @index is unknown or is being served.
 */
void rdma_nl_register(unsigned int index, const struct rdma_nl_cbs cb_table[]);

/**
 * rdma_nl_unregister() - stop serving a client
 * @index: as given to rdma_nl_register()
 *
 * Waits for callbacks that are running. On return none runs or will run, not even for a dump that
 * has been read in part. Must not be called from a callback of the same client.
 */
void rdma_nl_unregister(unsigned int index);

/**
 * ibnl_put_msg() - begin a message
 * @skb: where to put it
 * @nlh: gets the address of its netlink header
 * @seq: sequence number
 * @len: bytes to reserve behind the header
 * @client: RDMA_NL_IWCM, ...
 * @op: operation of that client
 * @flags: NLM_F_*
 *
 * Any context. Returns the address of the reserved bytes, or NULL when @skb is too short.
 */
void *ibnl_put_msg(struct sk_buff *skb, struct nlmsghdr **nlh, int seq, int len, int client,
		   int op, int flags);

/**
 * ibnl_put_attr() - add an attribute to a message
 * @skb: where the message is
 * @nlh: the message's header
 * @len: bytes of @data
 * @data: what to copy
 * @type: attribute number
 *
 * Any context. Returns 0, or -EMSGSIZE when @skb is too short: the message has then been
 * removed from @skb.
 */
int ibnl_put_attr(struct sk_buff *skb, struct nlmsghdr *nlh, int len, void *data, int type);

/**
 * rdma_nl_unicast() - send to one socket, without waiting
 * @net: network namespace of that socket
 * @skb: the message; consumed in any case
 * @pid: port number of the socket
 *
 * Any context. Returns 0, -EAGAIN when the receiver's buffer is full, -ECONNREFUSED when there
 * is no such socket, -ENODEV when @net is going away.
 */
int rdma_nl_unicast(struct net *net, struct sk_buff *skb, u32 pid);

/**
 * rdma_nl_unicast_wait() - send to one socket, and wait for room
 * @net: network namespace of that socket
 * @skb: the message; consumed in any case
 * @pid: port number of the socket
 *
 * Process context. Waits some seconds at most. Returns as rdma_nl_unicast(), or -EINTR or
 * -ERESTARTSYS when a signal came.
 */
int rdma_nl_unicast_wait(struct net *net, struct sk_buff *skb, __u32 pid);

/**
 * rdma_nl_multicast() - send to all members of a group
 * @net: network namespace
 * @skb: the message; consumed in any case
 * @group: RDMA_NL_GROUP_*
 * @flags: how to allocate the copies
 *
 * Context: what @flags allows. Returns 0 if at least one socket got it, -ESRCH if there is no
 * member, -ENOBUFS if a member has no room, -ENODEV when @net is going away.
 */
int rdma_nl_multicast(struct net *net, struct sk_buff *skb, unsigned int group, gfp_t flags);

/**
 * rdma_nl_chk_listeners() - ask whether anyone in the initial network namespace is listening
 * @group: RDMA_NL_GROUP_*
 *
 * Any context. Returns true if the group has members.
 */
bool rdma_nl_chk_listeners(unsigned int group);

/**
 * rdma_nl_get_privileged_qkey() - may users without CAP_NET_RAW use a controlled Q_Key?
 *
 * Any context. As set with `rdma system set privileged-qkey`; at first they may not.
 */
bool rdma_nl_get_privileged_qkey(void);

/**
 * struct rdma_link_ops - a kind of device that stands on a netdev
 * @list: for the core
 * @type: its name, as in `rdma link add NAME type TYPE netdev NETDEV`
 * @newlink: makes and registers a device of the name @ibdev_name on @ndev. Process context, without
 *	rtnl. The caller's reference on @ndev lasts for the call. -EEXIST says that the netdev has a
 *	device of this kind, or that the name is taken; -EINVAL or -EOPNOTSUPP that the netdev is
 *	none that this kind can stand on; other errors are passed on.
 */
struct rdma_link_ops {
	struct list_head list;
	const char *type;
	int (*newlink)(const char *ibdev_name, struct net_device *ndev);
};

/**
 * rdma_link_register() - offer a kind of device
 * @ops: in use until rdma_link_unregister() has returned
 *
 * Process context. Warns, and does nothing, if the type is taken.
 */
void rdma_link_register(struct rdma_link_ops *ops);

/**
 * rdma_link_unregister() - withdraw a kind of device
 * @ops: as given to rdma_link_register()
 *
 * Process context. Waits for a newlink() that is running; none runs when it returns. Devices
 * that were made stay.
 */
void rdma_link_unregister(struct rdma_link_ops *ops);

#endif /* _RDMA_NETLINK_H */
