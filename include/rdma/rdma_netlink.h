/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * RDMA netlink, kernel side: clients of NETLINK_RDMA, and the kinds of device that
 * `rdma link add` can make.
 */
#ifndef _KRDMA_RDMA_NETLINK_H_
#define _KRDMA_RDMA_NETLINK_H_

#ifdef _RDMA_NETLINK_H
#error "the kernel's <rdma/rdma_netlink.h> was included before krdma's"
#endif
#define _RDMA_NETLINK_H

#include <linux/build_bug.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/stringify.h>
#include <uapi/rdma/rdma_netlink.h>

struct net;
struct net_device;

/* Lengths in bytes of strings in nldev attributes, without the terminating NUL. */
enum {
	RDMA_NLDEV_ATTR_EMPTY_STRING = 1,
	RDMA_NLDEV_ATTR_ENTRY_STRLEN = 16,
	RDMA_NLDEV_ATTR_CHARDEV_TYPE_SIZE = 32,
};

/**
 * enum rdma_nl_flags - rights without which a request for an operation fails with -EPERM
 * @RDMA_NL_ADMIN_PERM: the caller needs CAP_NET_ADMIN in the initial user namespace, and must also
 *	have had it when it opened the socket
 * @RDMA_NL_DEVICE_PERM: in exclusive mode the caller needs CAP_NET_ADMIN in the user namespace that
 *	owns its network namespace, and must also have had it when it opened the socket. In shared
 *	mode the caller needs what %RDMA_NL_ADMIN_PERM requires.
 */
enum rdma_nl_flags {
	RDMA_NL_ADMIN_PERM	= 1 << 0,
	RDMA_NL_DEVICE_PERM	= 1 << 1,
};

/**
 * struct rdma_nl_cbs - one operation of a netlink client
 * @doit: serves a request without NLM_F_DUMP. Process context. Returns 0, which is acknowledged if
 *	the sender asked for that, or a negative errno, which is reported to the sender. NULL: such
 *	requests fail with -EOPNOTSUPP.
 * @dump: serves a request with NLM_F_DUMP: fills @skb with the next messages of the answer, and
 *	returns the number of bytes put, 0 at the end, or a negative errno. Called until it returns
 *	0 or an error, as the user reads; the state between calls is in &netlink_callback.ctx. NULL:
 *	@doit is called, because in requests that create an object the bits of NLM_F_DUMP have other
 *	meanings.
 * @flags: bits of &enum rdma_nl_flags
 */
struct rdma_nl_cbs {
	int (*doit)(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack);
	int (*dump)(struct sk_buff *skb, struct netlink_callback *cb);
	u8 flags;
};

/*
 * Has the kernel load the module at the first request to its netlink client. @_index is the
 * constant RDMA_NL_* of the client. @_val is the value of this constant, written as a number, which
 * the string of an alias needs.
 */
#define MODULE_ALIAS_RDMA_NETLINK(_index, _val)					\
	static_assert((_index) == (_val));					\
	MODULE_ALIAS("rdma-netlink-subsys-" __stringify(_val))

/* Has the kernel load the module when `rdma link add` names its type of device. */
#define MODULE_ALIAS_RDMA_LINK(type)	MODULE_ALIAS("rdma-link-" type)

/* Has the kernel load the module when a process asks for the character device of this client. */
#define MODULE_ALIAS_RDMA_CLIENT(type)	MODULE_ALIAS("rdma-client-" type)

/**
 * rdma_nl_register() - serve a client of RDMA netlink
 * @index: RDMA_NL_IWCM, RDMA_NL_LS or RDMA_NL_NLDEV
 * @cb_table: operations by number; has as many elements as the uapi header has operations of this
 *	client; in use until rdma_nl_unregister() returns
 *
 * Process context. Warns, and does nothing, if @index is unknown or is being served.
 */
void rdma_nl_register(unsigned int index, const struct rdma_nl_cbs cb_table[]);

/**
 * rdma_nl_unregister() - stop serving a client
 * @index: as given to rdma_nl_register()
 *
 * Process context. On return no callback is running, and none will be called, not even for a dump
 * that has been read in part. Must not be called from a callback of the same client.
 */
void rdma_nl_unregister(unsigned int index);

/**
 * ibnl_put_msg() - begin a message
 * @skb: buffer that the message is added to
 * @nlh: out: address of the message's netlink header
 * @seq: sequence number
 * @len: number of bytes to reserve behind the header
 * @client: RDMA_NL_IWCM, ...
 * @op: operation of that client
 * @flags: NLM_F_*
 *
 * Any context. Returns the address of the reserved bytes, or NULL if @skb is too short.
 */
void *ibnl_put_msg(struct sk_buff *skb, struct nlmsghdr **nlh, int seq, int len, int client,
		   int op, int flags);

/**
 * ibnl_put_attr() - add an attribute to a message
 * @skb: buffer that has the message
 * @nlh: the message's header
 * @len: number of bytes at @data
 * @data: value of the attribute
 * @type: attribute number
 *
 * Any context. Returns 0, or -EMSGSIZE if @skb is too short, after removing the message from @skb.
 */
int ibnl_put_attr(struct sk_buff *skb, struct nlmsghdr *nlh, int len, void *data, int type);

/**
 * rdma_nl_unicast() - send to one socket, without waiting
 * @net: network namespace of that socket
 * @skb: the message; consumed in any case
 * @pid: port number of the socket
 *
 * Any context. Returns 0; -EAGAIN if the receiver's buffer is full; -ECONNREFUSED if there is no
 * such socket; -ENODEV if @net is going away.
 */
int rdma_nl_unicast(struct net *net, struct sk_buff *skb, u32 pid);

/**
 * rdma_nl_unicast_wait() - send to one socket, and wait for room
 * @net: network namespace of that socket
 * @skb: the message; consumed in any case
 * @pid: port number of the socket
 *
 * Process context. Waits 10 s at most for room in the receiver's buffer. Returns what
 * rdma_nl_unicast() returns; -EINTR or -ERESTARTSYS if a signal came.
 */
int rdma_nl_unicast_wait(struct net *net, struct sk_buff *skb, __u32 pid);

/**
 * rdma_nl_multicast() - send to all members of a group
 * @net: network namespace
 * @skb: the message; consumed in any case
 * @group: RDMA_NL_GROUP_*
 * @flags: GFP_* for the copies
 *
 * Any context that @flags allows. Returns 0 if at least one socket received the message; -ESRCH if
 * the group has no member; -ENOBUFS if a member has no room; -ENODEV if @net is going away.
 */
int rdma_nl_multicast(struct net *net, struct sk_buff *skb, unsigned int group, gfp_t flags);

/**
 * rdma_nl_chk_listeners() - has a group members in the initial network namespace?
 * @group: RDMA_NL_GROUP_*
 *
 * Any context.
 */
bool rdma_nl_chk_listeners(unsigned int group);

/**
 * rdma_nl_get_privileged_qkey() - may the calling process use a controlled Q_Key?
 *
 * Process context. Returns true if the process has CAP_NET_RAW in the initial user namespace, or if
 * `rdma system set privileged-qkey` is on, which it is not at first. Providers that take a Q_Key
 * with %IB_QP_SET_QKEY from a process by another way than modify_qp() ask this function, too.
 */
bool rdma_nl_get_privileged_qkey(void);

/**
 * struct rdma_link_ops - a type of RDMA device that is made on a network interface
 * @list: private to the core
 * @type: name of the type, as in `rdma link add NAME type TYPE netdev NETDEV`
 * @newlink: makes and registers a device of the name @ibdev_name on @ndev. Process context, called
 *	without the RTNL lock; the core holds a reference to @ndev during the call. Returns 0;
 *	-EEXIST if @ndev has a device of this type or the name is taken; -EINVAL or -EOPNOTSUPP if
 *	this type cannot be made on @ndev; -EUSERS if the fabric that @ndev stands for has no
 *	free port; or another negative errno
 */
struct rdma_link_ops {
	struct list_head list;
	const char *type;
	int (*newlink)(const char *ibdev_name, struct net_device *ndev);
};

/**
 * rdma_link_register() - register a type of device
 * @ops: the type; in use until rdma_link_unregister() returns
 *
 * Process context. Warns, and does nothing, if the type is taken.
 */
void rdma_link_register(struct rdma_link_ops *ops);

/**
 * rdma_link_unregister() - unregister a type of device
 * @ops: as given to rdma_link_register()
 *
 * Process context. On return no newlink() is running, and none will be called. Devices of the type
 * stay.
 */
void rdma_link_unregister(struct rdma_link_ops *ops);

#endif /* _KRDMA_RDMA_NETLINK_H_ */
