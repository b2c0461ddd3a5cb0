// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages of the daemon: answers to requests, and messages that the daemon sends unasked. A
 * message must have all attributes of its policy and no others. An answer with wrong contents ends
 * its request; every other invalid message changes nothing.
 */
#include <linux/export.h>
#include <linux/printk.h>
#include <net/net_namespace.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/rdma_netlink.h>

#include "iwpm/nl_callbacks.h"
#include "iwpm/addr.h"
#include "iwpm/daemon.h"
#include "iwpm/iwpm.h"
#include "iwpm/mapinfo.h"
#include "iwpm/message.h"
#include "iwpm/outbox.h"
#include "iwpm/peer.h"
#include "iwpm/pernet.h"
#include "iwpm/remote.h"
#include "iwpm/request.h"

#define ADDRESS	NLA_POLICY_EXACT_LEN(sizeof(struct sockaddr_storage))
#define NAME(size)	{ .type = NLA_NUL_STRING, .len = (size) - 1 }

static const struct nla_policy register_policy[] = {
	[IWPM_NLA_RREG_PID_SEQ]		= { .type = NLA_U32 },
	[IWPM_NLA_RREG_IBDEV_NAME]	= NAME(IWPM_DEVNAME_SIZE),
	[IWPM_NLA_RREG_ULIB_NAME]	= NAME(IWPM_ULIBNAME_SIZE),
	[IWPM_NLA_RREG_ULIB_VER]	= { .type = NLA_U16 },
	[IWPM_NLA_RREG_PID_ERR]		= { .type = NLA_U16 },
};

static const struct nla_policy add_policy[] = {
	[IWPM_NLA_RMANAGE_MAPPING_SEQ]		= { .type = NLA_U32 },
	[IWPM_NLA_RMANAGE_ADDR]			= ADDRESS,
	[IWPM_NLA_RMANAGE_MAPPED_LOC_ADDR]	= ADDRESS,
	[IWPM_NLA_RMANAGE_MAPPING_ERR]		= { .type = NLA_U16 },
};

static const struct nla_policy query_policy[] = {
	[IWPM_NLA_RQUERY_MAPPING_SEQ]		= { .type = NLA_U32 },
	[IWPM_NLA_RQUERY_LOCAL_ADDR]		= ADDRESS,
	[IWPM_NLA_RQUERY_REMOTE_ADDR]		= ADDRESS,
	[IWPM_NLA_RQUERY_MAPPED_LOC_ADDR]	= ADDRESS,
	[IWPM_NLA_RQUERY_MAPPED_REM_ADDR]	= ADDRESS,
	[IWPM_NLA_RQUERY_MAPPING_ERR]		= { .type = NLA_U16 },
};

static const struct nla_policy error_policy[] = {
	[IWPM_NLA_ERR_SEQ]	= { .type = NLA_U32 },
	[IWPM_NLA_ERR_CODE]	= { .type = NLA_U16 },
};

static const struct nla_policy mapinfo_policy[] = {
	[IWPM_NLA_MAPINFO_ULIB_NAME]	= NAME(IWPM_ULIBNAME_SIZE),
	[IWPM_NLA_MAPINFO_ULIB_VER]	= { .type = NLA_U16 },
};

static const struct nla_policy mapinfo_num_policy[] = {
	[IWPM_NLA_MAPINFO_SEQ]		= { .type = NLA_U32 },
	[IWPM_NLA_MAPINFO_SEND_NUM]	= { .type = NLA_U32 },
	[IWPM_NLA_MAPINFO_ACK_NUM]	= { .type = NLA_U32 },
};

static const struct nla_policy hello_policy[] = {
	[IWPM_NLA_HELLO_ABI_VERSION]	= { .type = NLA_U16 },
};

static u32 portid_of(const struct netlink_callback *cb)
{
	return NETLINK_CB(cb->skb).portid;
}

static struct iwpm_net *net_of(const struct netlink_callback *cb)
{
	return iwpm_net_of(sock_net(cb->skb->sk));
}

/*
 * Parses a message that must have all attributes up to @max. Returns 0; -EPERM if the sender is not
 * privileged; -EINVAL if an attribute is missing; or the errno of nlmsg_parse().
 */
static int parse_all(const struct netlink_callback *cb, struct nlattr **attrs, int max,
		     const struct nla_policy *policy)
{
	int err, i;

	if (!netlink_net_capable(cb->skb, CAP_NET_ADMIN))
		return -EPERM;
	err = nlmsg_parse(cb->nlh, 0, attrs, max, policy, NULL);
	if (err)
		return err;
	for (i = 1; i <= max; i++)
		if (!attrs[i])
			return -EINVAL;
	return 0;
}

#define PARSE_ALL(cb, attrs, policy)	parse_all((cb), (attrs), ARRAY_SIZE(policy) - 1, (policy))

/*
 * Reads an address. An address that is neither IPv4 nor IPv6 becomes one of AF_UNSPEC, which
 * differs from every IP address.
 */
static void get_addr(struct sockaddr_storage *to, const struct nlattr *attr)
{
	struct sockaddr_storage addr;

	nla_memcpy(&addr, attr, sizeof(addr));
	if (krdma_addr_is_ip(&addr))
		iwpm_addr_copy(to, &addr);
	else
		memset(to, 0, sizeof(*to));
}

static int to_errno(u16 code)
{
	switch (code) {
	case 0:
		return 0;
	case IWPM_DUPLICATE_MAPPING_ERR:
		return -EADDRINUSE;
	default:
		return -EREMOTEIO;
	}
}

/* Registration: the answer of a daemon. */

int iwpm_register_pid_cb(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[ARRAY_SIZE(register_policy)];
	struct iwpm_net *ns = net_of(cb);
	struct iwpm_request *req;
	u16 version = 0;
	int err = PARSE_ALL(cb, attrs, register_policy);

	if (err)
		return err;
	spin_lock(&ns->lock);
	req = iwpm_request_find(ns, nla_get_u32(attrs[IWPM_NLA_RREG_PID_SEQ]));
	if (!req || req->op != RDMA_NL_IWPM_REG_PID) {
		err = -ENOENT;
		goto unlock;
	}
	/*
	 * If the request was sent to all sockets that listen (portid is 0), any of them may answer.
	 * Otherwise only the socket to which the request was sent may answer.
	 */
	if (req->portid && req->portid != portid_of(cb)) {
		err = -EPERM;
		goto unlock;
	}
	if (strcmp(nla_data(attrs[IWPM_NLA_RREG_IBDEV_NAME]), req->dev.dev_name))
		err = -EPROTO;
	else if (nla_get_u16(attrs[IWPM_NLA_RREG_PID_ERR]))
		err = -EREMOTEIO;
	else if (strcmp(nla_data(attrs[IWPM_NLA_RREG_ULIB_NAME]), IWPM_ULIB_NAME))
		err = -EPROTO;
	else
		err = iwpm_daemon_version(nla_get_u16(attrs[IWPM_NLA_RREG_ULIB_VER]), &version);
	iwpm_request_end(ns, req, err);
	if (!err)
		iwpm_daemon_set(ns, portid_of(cb), version, true);
unlock:
	spin_unlock(&ns->lock);
	return err;
}
EXPORT_SYMBOL(iwpm_register_pid_cb);

/* Mappings: the daemon's answers, its announcements of peers, and its errors. */

/* Ends the request that a message answers. The return value of @check is the request's result. */
static int complete_request(const struct netlink_callback *cb, u32 seq, u16 op,
			    struct nlattr **attrs,
			    int (*check)(struct nlattr **attrs, struct iwpm_sa_data *sa))
{
	struct iwpm_net *ns = net_of(cb);
	struct iwpm_request *req;
	int err = -EPERM;
	int result;

	spin_lock(&ns->lock);
	if (ns->daemon.portid != portid_of(cb))
		goto unlock;
	/*
	 * The daemon answers again, so requests may be sent to it again. This holds even if the
	 * answer comes too late for the request that it answers.
	 */
	ns->daemon.unresponsive = false;
	err = -ENOENT;
	req = iwpm_request_find(ns, seq);
	if (!req || req->op != op)
		goto unlock;
	result = check(attrs, &req->sa);
	iwpm_request_end(ns, req, result);
	/*
	 * Only -EPROTO means that the message is wrong; any other error is a refusal by the daemon.
	 */
	err = result == -EPROTO ? result : 0;
unlock:
	spin_unlock(&ns->lock);
	return err;
}

/*
 * Sets @mapped to the mapped address of @real, with the port of the daemon's @answer. Takes all
 * else from @real, because the daemon does not know the scope of an IPv6 address. Returns false if
 * the answer is not a mapped address of @real.
 */
static bool set_mapped(struct sockaddr_storage *mapped, const struct sockaddr_storage *real,
		       const struct sockaddr_storage *answer)
{
	if (!krdma_addr_same_host(answer, real) || !krdma_addr_port(answer))
		return false;
	*mapped = *real;
	krdma_addr_set_port(mapped, krdma_addr_port(answer));
	return true;
}

static int check_add_answer(struct nlattr **attrs, struct iwpm_sa_data *sa)
{
	u16 code = nla_get_u16(attrs[IWPM_NLA_RMANAGE_MAPPING_ERR]);
	struct sockaddr_storage local, mapped;

	if (code)
		return to_errno(code);
	get_addr(&local, attrs[IWPM_NLA_RMANAGE_ADDR]);
	get_addr(&mapped, attrs[IWPM_NLA_RMANAGE_MAPPED_LOC_ADDR]);
	if (!iwpm_addr_equal(&local, &sa->loc_addr) ||
	    !set_mapped(&sa->mapped_loc_addr, &sa->loc_addr, &mapped))
		return -EPROTO;
	return 0;
}

int iwpm_add_mapping_cb(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[ARRAY_SIZE(add_policy)];
	int err = PARSE_ALL(cb, attrs, add_policy);

	return err ?: complete_request(cb, nla_get_u32(attrs[IWPM_NLA_RMANAGE_MAPPING_SEQ]),
				       RDMA_NL_IWPM_ADD_MAPPING, attrs, check_add_answer);
}
EXPORT_SYMBOL(iwpm_add_mapping_cb);

static void get_query(struct nlattr **attrs, struct iwpm_sa_data *sa)
{
	get_addr(&sa->loc_addr, attrs[IWPM_NLA_RQUERY_LOCAL_ADDR]);
	get_addr(&sa->rem_addr, attrs[IWPM_NLA_RQUERY_REMOTE_ADDR]);
	get_addr(&sa->mapped_loc_addr, attrs[IWPM_NLA_RQUERY_MAPPED_LOC_ADDR]);
	get_addr(&sa->mapped_rem_addr, attrs[IWPM_NLA_RQUERY_MAPPED_REM_ADDR]);
}

static int check_query_answer(struct nlattr **attrs, struct iwpm_sa_data *sa)
{
	u16 code = nla_get_u16(attrs[IWPM_NLA_RQUERY_MAPPING_ERR]);
	struct iwpm_sa_data answer;
	struct sockaddr_storage *mapped = &answer.mapped_rem_addr;

	if (code && code != IWPM_REMOTE_QUERY_REJECT)
		return to_errno(code);
	get_query(attrs, &answer);
	if (!iwpm_addr_equal(&answer.loc_addr, &sa->loc_addr) ||
	    !iwpm_addr_equal(&answer.rem_addr, &sa->rem_addr) ||
	    !set_mapped(&sa->mapped_loc_addr, &sa->loc_addr, &answer.mapped_loc_addr))
		return -EPROTO;
	/*
	 * If the peer's daemon has no mapping of the address, connect to the real address. If the
	 * peer has mapped the wildcard address, all its addresses have the mapped port.
	 */
	if (!code)
		krdma_addr_set_port(&answer.rem_addr, krdma_addr_port(mapped));
	if (code || (mapped->ss_family == sa->rem_addr.ss_family && krdma_addr_is_any(mapped)))
		mapped = &answer.rem_addr;
	return set_mapped(&sa->mapped_rem_addr, &sa->rem_addr, mapped) ? 0 : -EPROTO;
}

int iwpm_add_and_query_mapping_cb(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[ARRAY_SIZE(query_policy)];
	int err = PARSE_ALL(cb, attrs, query_policy);

	return err ?: complete_request(cb, nla_get_u32(attrs[IWPM_NLA_RQUERY_MAPPING_SEQ]),
				       RDMA_NL_IWPM_QUERY_MAPPING, attrs, check_query_answer);
}
EXPORT_SYMBOL(iwpm_add_and_query_mapping_cb);

static bool is_daemon(struct iwpm_net *ns, u32 portid)
{
	bool is;

	spin_lock(&ns->lock);
	is = ns->daemon.portid == portid;
	spin_unlock(&ns->lock);
	return is;
}

int iwpm_remote_info_cb(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[ARRAY_SIZE(query_policy)];
	struct iwpm_net *ns = net_of(cb);
	struct iwpm_sa_data sa;
	int err = PARSE_ALL(cb, attrs, query_policy);

	if (err)
		return err;
	if (!is_daemon(ns, portid_of(cb)))
		return -EPERM;
	get_query(attrs, &sa);
	if (nla_get_u16(attrs[IWPM_NLA_RQUERY_MAPPING_ERR]) || !krdma_addr_is_ip(&sa.rem_addr) ||
	    sa.mapped_loc_addr.ss_family != sa.mapped_rem_addr.ss_family ||
	    sa.rem_addr.ss_family != sa.mapped_rem_addr.ss_family)
		return -EINVAL;
	spin_lock(&ns->lock);
	iwpm_peer_clear_silent(ns, &sa.rem_addr);
	spin_unlock(&ns->lock);
	return iwpm_remote_add(ns, &sa);
}
EXPORT_SYMBOL(iwpm_remote_info_cb);

int iwpm_mapping_error_cb(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[ARRAY_SIZE(error_policy)];
	struct iwpm_net *ns = net_of(cb);
	struct iwpm_request *req;
	int err = PARSE_ALL(cb, attrs, error_policy);

	if (err)
		return err;
	if (!is_daemon(ns, portid_of(cb)))
		return -EPERM;
	spin_lock(&ns->lock);
	req = iwpm_request_find(ns, nla_get_u32(attrs[IWPM_NLA_ERR_SEQ]));
	if (req)
		iwpm_request_end(ns, req,
				 to_errno(nla_get_u16(attrs[IWPM_NLA_ERR_CODE])) ?: -EPROTO);
	spin_unlock(&ns->lock);
	return 0;
}
EXPORT_SYMBOL(iwpm_mapping_error_cb);

/* Start of a daemon: its request for the mappings, and its hello. */

int iwpm_mapping_info_cb(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[ARRAY_SIZE(mapinfo_policy)];
	int err = PARSE_ALL(cb, attrs, mapinfo_policy);
	struct iwpm_net *ns = net_of(cb);
	struct sk_buff_head messages;
	u16 version;

	if (err)
		return err;
	if (strcmp(nla_data(attrs[IWPM_NLA_MAPINFO_ULIB_NAME]), IWPM_ULIB_NAME))
		return -EPROTO;
	err = iwpm_daemon_version(nla_get_u16(attrs[IWPM_NLA_MAPINFO_ULIB_VER]), &version);
	if (err)
		return err;
	__skb_queue_head_init(&messages);
	err = iwpm_mapinfo_prepare(ns, &messages);
	if (err)
		return err;
	spin_lock(&ns->lock);
	iwpm_daemon_set(ns, portid_of(cb), version, false);
	iwpm_mapinfo_replay(ns, &messages);
	spin_unlock(&ns->lock);
	__skb_queue_purge(&messages);
	return 0;
}
EXPORT_SYMBOL(iwpm_mapping_info_cb);

int iwpm_ack_mapping_info_cb(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[ARRAY_SIZE(mapinfo_num_policy)];
	struct iwpm_net *ns = net_of(cb);
	int err = PARSE_ALL(cb, attrs, mapinfo_num_policy);
	u32 sent, taken;

	if (err)
		return err;
	if (!is_daemon(ns, portid_of(cb)))
		return -EPERM;
	sent = nla_get_u32(attrs[IWPM_NLA_MAPINFO_SEND_NUM]);
	taken = nla_get_u32(attrs[IWPM_NLA_MAPINFO_ACK_NUM]);
	if (taken != sent && !test_and_set_bit(IWPM_NOTICED_NOT_TAKEN, &ns->noticed))
		pr_warn_ratelimited("iw_portmap: the port mapper has taken %u of %u mappings\n",
				    taken, sent);
	return 0;
}
EXPORT_SYMBOL(iwpm_ack_mapping_info_cb);

int iwpm_hello_cb(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[ARRAY_SIZE(hello_policy)];
	int err = PARSE_ALL(cb, attrs, hello_policy);
	struct iwpm_net *ns = net_of(cb);
	struct sk_buff *reply;
	u16 version;

	if (err)
		return err;
	err = iwpm_daemon_version(nla_get_u16(attrs[IWPM_NLA_HELLO_ABI_VERSION]), &version);
	if (err)
		return err;
	reply = iwpm_msg_hello(version);
	if (!reply)
		return -ENOMEM;
	spin_lock(&ns->lock);
	iwpm_daemon_set(ns, portid_of(cb), version, false);
	iwpm_outbox_add(ns, reply);
	spin_unlock(&ns->lock);
	return 0;
}
EXPORT_SYMBOL(iwpm_hello_cb);

static int (*const handlers[])(struct sk_buff *skb, struct netlink_callback *cb) = {
	[RDMA_NL_IWPM_REG_PID]		= iwpm_register_pid_cb,
	[RDMA_NL_IWPM_ADD_MAPPING]	= iwpm_add_mapping_cb,
	[RDMA_NL_IWPM_QUERY_MAPPING]	= iwpm_add_and_query_mapping_cb,
	[RDMA_NL_IWPM_REMOTE_INFO]	= iwpm_remote_info_cb,
	[RDMA_NL_IWPM_HANDLE_ERR]	= iwpm_mapping_error_cb,
	[RDMA_NL_IWPM_MAPINFO]		= iwpm_mapping_info_cb,
	[RDMA_NL_IWPM_MAPINFO_NUM]	= iwpm_ack_mapping_info_cb,
	[RDMA_NL_IWPM_HELLO]		= iwpm_hello_cb,
};

static int nl_doit(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct netlink_callback cb = { .skb = skb, .nlh = nlh };
	int err = handlers[RDMA_NL_GET_OP(nlh->nlmsg_type)](skb, &cb);

	if (err == -EPERM)
		NL_SET_ERR_MSG(extack, "The sender is not the port mapper, or lacks CAP_NET_ADMIN");
	else if (err == -ENOENT)
		NL_SET_ERR_MSG(extack, "No request of this number is open");
	return err;
}

/* .dump is not set, so ib_core calls .doit even for a message with NLM_F_DUMP. */
const struct rdma_nl_cbs iwpm_nl_cbs[RDMA_NL_IWPM_NUM_OPS] = {
	[RDMA_NL_IWPM_REG_PID]		= { .doit = nl_doit },
	[RDMA_NL_IWPM_ADD_MAPPING]	= { .doit = nl_doit },
	[RDMA_NL_IWPM_QUERY_MAPPING]	= { .doit = nl_doit },
	[RDMA_NL_IWPM_REMOTE_INFO]	= { .doit = nl_doit },
	[RDMA_NL_IWPM_HANDLE_ERR]	= { .doit = nl_doit },
	[RDMA_NL_IWPM_MAPINFO]		= { .doit = nl_doit },
	[RDMA_NL_IWPM_MAPINFO_NUM]	= { .doit = nl_doit },
	[RDMA_NL_IWPM_HELLO]		= { .doit = nl_doit },
};
