// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages to the daemon. When the daemon answers a message, it repeats the sequence number in the
 * message's netlink header.
 */
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>

#include "iwpm/message.h"
#include "iwpm/iwpm.h"
#include "iwpm/request.h"

/* The longest message has two addresses and some numbers. */
#define MESSAGE_MAX	512

struct sk_buff *iwpm_msg_new(gfp_t gfp)
{
	BUILD_BUG_ON(MESSAGE_MAX < 2 * nla_total_size(sizeof(struct sockaddr_storage)) +
				   4 * nla_total_size(sizeof(u32)));
	return nlmsg_new(MESSAGE_MAX, gfp);
}

static struct nlmsghdr *put_header(struct sk_buff *skb, u16 op, u32 seq)
{
	struct nlmsghdr *nlh;

	ibnl_put_msg(skb, &nlh, seq, 0, RDMA_NL_IWCM, op, NLM_F_REQUEST);
	return nlh;
}

/* Completes a message. An error is a bug, because MESSAGE_MAX is large enough for every message. */
static void put_end(struct sk_buff *skb, struct nlmsghdr *nlh, int err)
{
	WARN_ON_ONCE(err);
	nlmsg_end(skb, nlh);
}

static int put_addr(struct sk_buff *skb, int type, const struct sockaddr_storage *addr)
{
	return nla_put(skb, type, sizeof(*addr), addr);
}

/* Puts the flags, which version 3 of the protocol does not have. */
static int put_flags(struct sk_buff *skb, int type, u32 flags, u16 version)
{
	if (version == IWPM_UABI_VERSION_MIN)
		return 0;
	return nla_put_u32(skb, type, flags & IWPM_FLAGS_NO_PORT_MAP);
}

struct sk_buff *iwpm_msg_request(const struct iwpm_request *req, u16 version)
{
	struct sk_buff *skb = iwpm_msg_new(GFP_KERNEL);
	struct nlmsghdr *nlh;
	int err;

	if (!skb)
		return NULL;
	nlh = put_header(skb, req->op, req->seq);
	switch (req->op) {
	case RDMA_NL_IWPM_REG_PID:
		err = nla_put_u32(skb, IWPM_NLA_REG_PID_SEQ, req->seq) ?:
		      nla_put_string(skb, IWPM_NLA_REG_IF_NAME, req->dev.if_name) ?:
		      nla_put_string(skb, IWPM_NLA_REG_IBDEV_NAME, req->dev.dev_name) ?:
		      nla_put_string(skb, IWPM_NLA_REG_ULIB_NAME, IWPM_ULIB_NAME);
		break;
	case RDMA_NL_IWPM_ADD_MAPPING:
		err = nla_put_u32(skb, IWPM_NLA_MANAGE_MAPPING_SEQ, req->seq) ?:
		      put_addr(skb, IWPM_NLA_MANAGE_ADDR, &req->sa.loc_addr) ?:
		      put_flags(skb, IWPM_NLA_MANAGE_FLAGS, req->sa.flags, version);
		break;
	default: /* RDMA_NL_IWPM_QUERY_MAPPING */
		err = nla_put_u32(skb, IWPM_NLA_QUERY_MAPPING_SEQ, req->seq) ?:
		      put_addr(skb, IWPM_NLA_QUERY_LOCAL_ADDR, &req->sa.loc_addr) ?:
		      put_addr(skb, IWPM_NLA_QUERY_REMOTE_ADDR, &req->sa.rem_addr) ?:
		      put_flags(skb, IWPM_NLA_QUERY_FLAGS, req->sa.flags, version);
	}
	put_end(skb, nlh, err);
	return skb;
}

struct sk_buff *iwpm_msg_remove(const struct sockaddr_storage *local)
{
	struct sk_buff *skb = iwpm_msg_new(GFP_KERNEL | __GFP_NOFAIL);
	struct nlmsghdr *nlh = put_header(skb, RDMA_NL_IWPM_REMOVE_MAPPING, 0);

	put_end(skb, nlh, nla_put_u32(skb, IWPM_NLA_MANAGE_MAPPING_SEQ, 0) ?:
			  put_addr(skb, IWPM_NLA_MANAGE_ADDR, local));
	return skb;
}

struct sk_buff *iwpm_msg_hello(u16 version)
{
	struct sk_buff *skb = iwpm_msg_new(GFP_KERNEL);
	struct nlmsghdr *nlh;

	if (!skb)
		return NULL;
	nlh = put_header(skb, RDMA_NL_IWPM_HELLO, 0);
	put_end(skb, nlh, nla_put_u16(skb, IWPM_NLA_HELLO_ABI_VERSION, version));
	return skb;
}

void iwpm_msg_put_mapinfo(struct sk_buff *skb, const struct iwpm_sa_data *sa, u16 version)
{
	struct nlmsghdr *nlh = put_header(skb, RDMA_NL_IWPM_MAPINFO, 0);

	put_end(skb, nlh,
		put_addr(skb, IWPM_NLA_MAPINFO_LOCAL_ADDR, &sa->loc_addr) ?:
		put_addr(skb, IWPM_NLA_MAPINFO_MAPPED_ADDR, &sa->mapped_loc_addr) ?:
		put_flags(skb, IWPM_NLA_MAPINFO_FLAGS, sa->flags, version));
}

void iwpm_msg_put_mapinfo_num(struct sk_buff *skb, u32 num)
{
	struct nlmsghdr *nlh = put_header(skb, RDMA_NL_IWPM_MAPINFO_NUM, 0);

	put_end(skb, nlh, nla_put_u32(skb, IWPM_NLA_MAPINFO_SEQ, 0) ?:
			  nla_put_u32(skb, IWPM_NLA_MAPINFO_SEND_NUM, num));
}
