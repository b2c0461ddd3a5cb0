// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_foreign.ko: while it is loaded, takes each connection that comes to a port over IPv4, in any
 * network namespace, before siw can accept it: it sets sk_user_data, or an upper layer protocol of
 * TCP with ulp=1.
 *
 * A BPF program cannot do this to connections of siw, because these have an owner from the
 * beginning.
 */
#include <linux/module.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/spinlock.h>
#include <net/inet_connection_sock.h>
#include <net/inet_sock.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <net/tcp.h>

static unsigned short port;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "TCP port of the listening socket");

static bool ulp;
module_param(ulp, bool, 0444);
MODULE_PARM_DESC(ulp, "set an upper layer protocol instead of sk_user_data");

/* Protects the two variables that follow; taken with BHs off. */
static DEFINE_SPINLOCK(lock);
/* The listening socket, referenced, or NULL; and its callback. */
static struct sock *listener;
static void (*data_ready)(struct sock *sk);

static int owner;	/* its address is the foreign sk_user_data */

static struct tcp_ulp_ops ulp_ops = { .name = "kt_foreign", .owner = THIS_MODULE };

static void take(struct sock *sk)
{
	write_lock_bh(&sk->sk_callback_lock);
	if (!ulp) {
		rcu_assign_sk_user_data(sk, &owner);
	} else if (!inet_csk(sk)->icsk_ulp_ops) {
		/* TCP drops the reference when the socket is destroyed. */
		__module_get(THIS_MODULE);
		inet_csk(sk)->icsk_ulp_ops = &ulp_ops;
	}
	write_unlock_bh(&sk->sk_callback_lock);
}

static void take_queued(struct request_sock_queue *queue)
{
	struct request_sock *req;

	spin_lock_bh(&queue->rskq_lock);
	for (req = queue->rskq_accept_head; req; req = req->dl_next)
		take(req->sk);
	spin_unlock_bh(&queue->rskq_lock);
}

/*
 * Called as sk_data_ready of the listening socket, when a connection is in the queue; and of
 * connections, which inherit the callback.
 */
static void listener_data_ready(struct sock *sk)
{
	if (sk->sk_state == TCP_LISTEN)
		take_queued(&inet_csk(sk)->icsk_accept_queue);
	data_ready(sk);
}

/* A SYN-ACK belongs to a request, which knows its listening socket. */
static unsigned int sent(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct request_sock *req;
	struct sock *sk = skb->sk;

	if (!sk || sk->sk_state != TCP_NEW_SYN_RECV || sk->sk_num != port)
		return NF_ACCEPT;
	req = inet_reqsk(sk);
	spin_lock_bh(&lock);
	if (!listener) {
		listener = req->rsk_listener;
		sock_hold(listener);
		write_lock_bh(&listener->sk_callback_lock);
		data_ready = listener->sk_data_ready;
		WRITE_ONCE(listener->sk_data_ready, listener_data_ready);
		write_unlock_bh(&listener->sk_callback_lock);
	}
	spin_unlock_bh(&lock);
	return NF_ACCEPT;
}

static const struct nf_hook_ops hook = {
	.hook = sent, .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_OUT, .priority = 0,
};

static int __net_init foreign_net_init(struct net *net)
{
	return nf_register_net_hook(net, &hook);
}

static void __net_exit foreign_net_exit(struct net *net)
{
	nf_unregister_net_hook(net, &hook);
}

static struct pernet_operations net_ops = {
	.init = foreign_net_init, .exit = foreign_net_exit,
};

static int __init foreign_init(void)
{
	return register_pernet_subsys(&net_ops);
}

static void __exit foreign_exit(void)
{
	unregister_pernet_subsys(&net_ops);
	if (!listener)
		return;
	write_lock_bh(&listener->sk_callback_lock);
	if (listener->sk_data_ready == listener_data_ready)
		WRITE_ONCE(listener->sk_data_ready, data_ready);
	write_unlock_bh(&listener->sk_callback_lock);
	/* Waits for softirqs in listener_data_ready(). */
	synchronize_net();
	sock_put(listener);
}

module_init(foreign_init);
module_exit(foreign_exit);

MODULE_DESCRIPTION("Takes connections of siw, for tests");
MODULE_LICENSE("Dual BSD/GPL");
