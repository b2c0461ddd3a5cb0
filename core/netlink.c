// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The NETLINK_RDMA family: a socket per network namespace, and the clients that serve requests.
 */
#include "core/netlink.h"

#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <net/net_namespace.h>
#include <net/netlink.h>
#include <net/netns/generic.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>

/* How long rdma_nl_unicast_wait() waits for room in the receiver's buffer. */
#define SEND_TIMEOUT	(10 * HZ)

/*
 * State of a network namespace. @sk is NULL before the socket is created, and after its release has
 * begun. The namespace's init and exit write @sk with WRITE_ONCE(), senders read @sk with
 * READ_ONCE().
 */
struct nl_net {
	struct sock *sk;
};

static unsigned int nl_net_id __read_mostly;

struct nl_client {
	const struct rdma_nl_cbs *cbs;	/* operations of a registered client, else NULL */
	unsigned int users;		/* requests that use @cbs; unregistration waits for 0 */
};

/*
 * Protects nl_clients[]. Taken in process context only; no other lock of ib_core is taken inside
 * it.
 */
static DEFINE_SPINLOCK(clients_lock);
static struct nl_client nl_clients[RDMA_NL_NUM_CLIENTS];
/* Woken when a client that has been unregistered loses its last user. */
static DECLARE_WAIT_QUEUE_HEAD(clients_idle);

/* Number of operations in the table of each client; 0 if there is no such client. */
static const u16 client_num_ops[RDMA_NL_NUM_CLIENTS] = {
	[RDMA_NL_IWCM]	= RDMA_NL_IWPM_NUM_OPS,
	[RDMA_NL_LS]	= RDMA_NL_LS_NUM_OPS,
	[RDMA_NL_NLDEV]	= RDMA_NLDEV_NUM_OPS,
};

/* Returns how many operations a client's table has; 0 if there is no such client. */
static unsigned int num_ops_of(unsigned int index)
{
	return index < ARRAY_SIZE(client_num_ops) ? client_num_ops[index] : 0;
}

/* Returns the client's table, valid until client_put(), or NULL if the client is not registered. */
static const struct rdma_nl_cbs *client_get(unsigned int index)
{
	struct nl_client *client = &nl_clients[index];
	const struct rdma_nl_cbs *cbs;

	spin_lock(&clients_lock);
	cbs = client->cbs;
	if (cbs)
		client->users++;
	spin_unlock(&clients_lock);
	return cbs;
}

static void client_put(unsigned int index)
{
	struct nl_client *client = &nl_clients[index];

	spin_lock(&clients_lock);
	/* Wake up under the lock, so that rdma_nl_unregister() returns after the wake-up. */
	if (!--client->users && !client->cbs)
		wake_up_all(&clients_idle);
	spin_unlock(&clients_lock);
}

static bool client_is_idle(unsigned int index)
{
	bool idle;

	spin_lock(&clients_lock);
	idle = !nl_clients[index].users;
	spin_unlock(&clients_lock);
	return idle;
}

void rdma_nl_register(unsigned int index, const struct rdma_nl_cbs cb_table[])
{
	bool taken;

	if (WARN_ON(!num_ops_of(index)))
		return;
	spin_lock(&clients_lock);
	taken = nl_clients[index].cbs;
	if (!taken)
		nl_clients[index].cbs = cb_table;
	spin_unlock(&clients_lock);
	WARN(taken, "RDMA netlink client %u is registered twice\n", index);
}
EXPORT_SYMBOL(rdma_nl_register);

void rdma_nl_unregister(unsigned int index)
{
	if (WARN_ON(!num_ops_of(index)))
		return;
	spin_lock(&clients_lock);
	nl_clients[index].cbs = NULL;
	spin_unlock(&clients_lock);
	wait_event(clients_idle, client_is_idle(index));
}
EXPORT_SYMBOL(rdma_nl_unregister);

void *ibnl_put_msg(struct sk_buff *skb, struct nlmsghdr **nlh, int seq, int len, int client,
		   int op, int flags)
{
	*nlh = nlmsg_put(skb, 0, seq, RDMA_NL_GET_TYPE(client, op), len, flags);
	return *nlh ? nlmsg_data(*nlh) : NULL;
}
EXPORT_SYMBOL(ibnl_put_msg);

int ibnl_put_attr(struct sk_buff *skb, struct nlmsghdr *nlh, int len, void *data, int type)
{
	int err = nla_put(skb, type, len, data);

	if (err)
		nlmsg_cancel(skb, nlh);
	return err;
}
EXPORT_SYMBOL(ibnl_put_attr);

/*
 * Sends the next part of a dump. Looks the client up each time, because the dump holds no reference
 * to the client between two calls. With such a reference, a process that stops reading half way
 * would keep the client's module from being unloaded.
 */
static int dump_client(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned int index = RDMA_NL_GET_CLIENT(cb->nlh->nlmsg_type);
	unsigned int op = RDMA_NL_GET_OP(cb->nlh->nlmsg_type);
	const struct rdma_nl_cbs *cbs = client_get(index);
	int ret = -EOPNOTSUPP;

	if (!cbs)
		return ret;
	if (cbs[op].dump)
		ret = cbs[op].dump(skb, cb);
	client_put(index);
	return ret;
}

static int call_op(struct sk_buff *skb, struct nlmsghdr *nlh, const struct rdma_nl_cbs *cbs,
		   struct netlink_ext_ack *extack)
{
	struct netlink_dump_control control = { .dump = dump_client };
	bool permitted;

	/* In exclusive mode, devices are managed by the administrator of their namespace. */
	if ((cbs->flags & RDMA_NL_DEVICE_PERM) && !rdma_netns_is_shared())
		permitted = netlink_net_capable(skb, CAP_NET_ADMIN);
	else
		permitted = !cbs->flags || netlink_capable(skb, CAP_NET_ADMIN);
	if (!permitted) {
		NL_SET_ERR_MSG(extack, "CAP_NET_ADMIN is needed");
		return -EPERM;
	}
	/*
	 * The bits of NLM_F_DUMP have another meaning in a request that creates an object. If the
	 * operation has no dump(), ignore them, and call doit().
	 */
	if ((nlh->nlmsg_flags & NLM_F_DUMP) && cbs->dump)
		return netlink_dump_start(skb->sk, skb, nlh, &control);
	if (cbs->doit)
		return cbs->doit(skb, nlh, extack);
	NL_SET_ERR_MSG(extack, "Unsupported RDMA netlink operation");
	return -EOPNOTSUPP;
}

static int nl_receive_message(struct sk_buff *skb, struct nlmsghdr *nlh,
			      struct netlink_ext_ack *extack)
{
	unsigned int index = RDMA_NL_GET_CLIENT(nlh->nlmsg_type);
	unsigned int op = RDMA_NL_GET_OP(nlh->nlmsg_type);
	const struct rdma_nl_cbs *cbs;
	int err;

	if (op >= num_ops_of(index)) {
		NL_SET_ERR_MSG(extack, "Unknown RDMA netlink client or operation");
		return -EINVAL;
	}
	cbs = client_get(index);
	if (!cbs) {
		request_module("rdma-netlink-subsys-%u", index);
		cbs = client_get(index);
	}
	if (!cbs) {
		NL_SET_ERR_MSG(extack, "No module serves this RDMA netlink client");
		return -EOPNOTSUPP;
	}
	err = call_op(skb, nlh, &cbs[op], extack);
	client_put(index);
	return err;
}

static void nl_receive(struct sk_buff *skb)
{
	netlink_rcv_skb(skb, nl_receive_message);
}

static struct sock *nl_socket(const struct net *net)
{
	struct nl_net *nl = net_generic(net, nl_net_id);

	return READ_ONCE(nl->sk);
}

static int nl_unicast(struct net *net, struct sk_buff *skb, u32 portid, int flags)
{
	struct sock *sk = nl_socket(net);
	int ret;

	if (!sk) {
		kfree_skb(skb);
		return -ENODEV;
	}
	ret = netlink_unicast(sk, skb, portid, flags);
	return ret < 0 ? ret : 0;
}

int rdma_nl_unicast(struct net *net, struct sk_buff *skb, u32 pid)
{
	return nl_unicast(net, skb, pid, MSG_DONTWAIT);
}
EXPORT_SYMBOL(rdma_nl_unicast);

int rdma_nl_unicast_wait(struct net *net, struct sk_buff *skb, __u32 pid)
{
	return nl_unicast(net, skb, pid, 0);
}
EXPORT_SYMBOL(rdma_nl_unicast_wait);

int rdma_nl_multicast(struct net *net, struct sk_buff *skb, unsigned int group, gfp_t flags)
{
	struct sock *sk = nl_socket(net);

	if (!sk) {
		kfree_skb(skb);
		return -ENODEV;
	}
	return nlmsg_multicast(sk, skb, 0, group, flags);
}
EXPORT_SYMBOL(rdma_nl_multicast);

bool ib_core_nl_has_listeners(const struct net *net, unsigned int group)
{
	struct sock *sk = nl_socket(net);

	return sk && netlink_has_listeners(sk, group);
}

bool rdma_nl_chk_listeners(unsigned int group)
{
	return ib_core_nl_has_listeners(&init_net, group);
}
EXPORT_SYMBOL(rdma_nl_chk_listeners);

void ib_core_nl_report_loss(const struct net *net, unsigned int group)
{
	struct sock *sk = nl_socket(net);

	if (sk)
		netlink_set_err(sk, 0, group, -ENOBUFS);
}

/*
 * Refuses groups above RDMA_NL_GROUP_NOTIFY. Netlink would accept some of them, because netlink
 * rounds the number of groups up.
 */
static int nl_join_group(struct net *net, int group)
{
	return group <= RDMA_NL_GROUP_NOTIFY ? 0 : -EINVAL;
}

static int __net_init netlink_net_init(struct net *net)
{
	struct netlink_kernel_cfg cfg = {
		.groups = RDMA_NL_GROUP_NOTIFY,
		.input = nl_receive,
		.bind = nl_join_group,
	};
	struct nl_net *nl = net_generic(net, nl_net_id);
	struct sock *sk;

	sk = netlink_kernel_create(net, NETLINK_RDMA, &cfg);
	if (!sk)
		return -ENOMEM;
	sk->sk_sndtimeo = SEND_TIMEOUT;
	WRITE_ONCE(nl->sk, sk);
	return 0;
}

static void __net_exit netlink_net_exit(struct net *net)
{
	struct nl_net *nl = net_generic(net, nl_net_id);
	struct sock *sk = nl->sk;

	WRITE_ONCE(nl->sk, NULL);
	netlink_kernel_release(sk);
}

static struct pernet_operations netlink_net_ops = {
	.init = netlink_net_init,
	.exit = netlink_net_exit,
	.id = &nl_net_id,
	.size = sizeof(struct nl_net),
};

int ib_core_netlink_init(void)
{
	return register_pernet_subsys(&netlink_net_ops);
}

void ib_core_netlink_exit(void)
{
	unregister_pernet_subsys(&netlink_net_ops);
}

MODULE_ALIAS_NET_PF_PROTO(PF_NETLINK, NETLINK_RDMA);
