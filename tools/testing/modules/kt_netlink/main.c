// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A client of RDMA netlink, for tests of the netlink family: the first request to the client loads
 * this module, one request is slow, and the module is unloaded while requests and dumps are
 * running. The client uses RDMA_NL_LS, the client number of the local services.
 *
 * The family must not call the client once rdma_nl_unregister() has returned, so the callbacks warn
 * if @served is false.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/krdma.h>
#include <rdma/rdma_netlink.h>

KRDMA_NEEDS_IB_CORE;

#define SLOW_MS		300
#define DUMP_MESSAGES	2000

static bool served;	/* the client is registered */

static bool slow_began, dump_began;
module_param(slow_began, bool, 0444);
MODULE_PARM_DESC(slow_began, "a slow request has begun");
module_param(dump_began, bool, 0444);
MODULE_PARM_DESC(dump_began, "a dump has begun");

/* Replies with the request's payload. */
static int echo(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct nlmsghdr *reply_hdr;
	struct sk_buff *reply;
	void *data;

	WARN_ON(!served);
	reply = nlmsg_new(nlmsg_len(nlh), GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	data = ibnl_put_msg(reply, &reply_hdr, nlh->nlmsg_seq, nlmsg_len(nlh), RDMA_NL_LS,
			    RDMA_NL_LS_OP_RESOLVE, 0);
	if (!data) {
		kfree_skb(reply);
		return -EMSGSIZE;
	}
	memcpy(data, nlmsg_data(nlh), nlmsg_len(nlh));
	nlmsg_end(reply, reply_hdr);
	return rdma_nl_unicast_wait(sock_net(skb->sk), reply, NETLINK_CB(skb).portid);
}

static int dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	u32 *next = (u32 *)cb->ctx;
	struct nlmsghdr *nlh;

	WARN_ON(!served);
	dump_began = true;
	for (; *next < DUMP_MESSAGES; ++*next) {
		nlh = nlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				cb->nlh->nlmsg_type, 0, NLM_F_MULTI);
		if (!nlh)
			break;
		if (nla_put_u32(skb, LS_NLA_TYPE_TIMEOUT, *next)) {
			nlmsg_cancel(skb, nlh);
			break;
		}
		nlmsg_end(skb, nlh);
	}
	return skb->len;
}

static int slow(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	WARN_ON(!served);
	slow_began = true;
	msleep(SLOW_MS);
	WARN_ON(!served);
	return 0;
}

static int privileged(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	return 0;
}

static const struct rdma_nl_cbs kt_ops[RDMA_NL_LS_NUM_OPS] = {
	[RDMA_NL_LS_OP_RESOLVE] = { .doit = echo, .dump = dump },
	[RDMA_NL_LS_OP_SET_TIMEOUT] = { .doit = slow },
	[RDMA_NL_LS_OP_IP_RESOLVE] = { .doit = privileged, .flags = RDMA_NL_ADMIN_PERM },
};

static int __init kt_netlink_init(void)
{
	served = true;
	rdma_nl_register(RDMA_NL_LS, kt_ops);
	return 0;
}

static void __exit kt_netlink_exit(void)
{
	rdma_nl_unregister(RDMA_NL_LS);
	served = false;
}

module_init(kt_netlink_init);
module_exit(kt_netlink_exit);

MODULE_DESCRIPTION("Client of RDMA netlink, for tests of the family");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_ALIAS_RDMA_NETLINK(RDMA_NL_LS, 4);
