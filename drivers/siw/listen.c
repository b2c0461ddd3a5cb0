// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Listening.
 *
 * An lsock is a listening socket of a network namespace. Listeners of several devices on one
 * wildcard address stand behind one lsock, and a connection belongs to the device whose netdev has
 * the address that it came to; so it does not matter which way the packets came, and connections
 * from the same machine work, too. An lsock on a specific address has one listener.
 */
#include <linux/inetdevice.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/route.h>
#include <net/sock.h>

#include "drivers/siw/listen.h"
#include "drivers/siw/backlog.h"
#include "drivers/siw/cep.h"
#include "drivers/siw/cm.h"
#include "drivers/siw/cm_event.h"
#include "drivers/siw/handshake.h"
#include "drivers/siw/siw.h"
#include "drivers/siw/sock.h"
#include "drivers/siw/stats.h"

/*
 * The least number of half-open connections a listener admits: a short handshake of many is no
 * attack.
 */
#define HALF_OPEN_MIN	64
#define HALF_OPEN_MAX	4096

/* Connections an lsock takes in one go, so that its work item lets others run. */
#define ACCEPT_BATCH	64

/* When memory was short: TCP does not tell again of connections that it has told of. */
#define ACCEPT_RETRY	(HZ / 10)

/*
 * Guards all lsocks' lists and siw_listener.lsock: listeners come and go rarely, and may outlive
 * their namespace.
 */
static DEFINE_MUTEX(lsocks_mutex);

/**
 * struct lsock - a listening socket
 * @entry: in siw_net.lsocks
 * @net: our namespace; outlives us (sock.c)
 * @addr: where we listen
 * @afonly: no IPv4 on an IPv6 wildcard
 * @sock: the socket; NULL when the namespace goes. Changed with the work item stopped
 * @data_ready: the socket's own callback
 * @work: accepts
 * @lock: guards @listeners, and keeps them and their devices while a connection is handed to one;
 *	nests in lsocks_mutex, an endpoint's lock nests in it
 * @listeners: one for each device at most
 */
struct lsock {
	struct list_head entry;
	struct net *net;
	struct sockaddr_storage addr;
	bool afonly;
	struct socket *sock;
	void (*data_ready)(struct sock *sk);
	struct delayed_work work;
	struct mutex lock; /* guards listeners */
	struct list_head listeners;
};

/* What is half open for the longest is the least likely to get further, and makes room. */
static bool enter_backlog(struct siw_listener *l, struct siw_cep *cep)
{
	struct siw_cep *oldest;
	int err;

	while ((err = siw_backlog_add(l, cep)) == -EAGAIN) {
		siw_count(l->dev, SIW_BACKLOG_DROPS);
		oldest = siw_backlog_del_oldest(l);
		if (!oldest)
			break;
		siw_cep_post_event(oldest, SIW_CEP_EV_KILL);
		siw_cep_put(oldest);
	}
	return !err;
}

static void begin_incoming(struct siw_cep *cep, struct siw_listener *l, struct socket *sock)
{
	struct siw_mpa_conn *hs = cep->hs;

	cep->sock = sock;
	siw_mpa_begin(cep, SIW_MAX_IRD, SIW_MAX_ORD);
	siw_sock_names(sock, &hs->local, &hs->remote);
	mpa_rx_init(&hs->rx, MPA_REQUEST);
	if (!enter_backlog(l, cep)) {
		siw_cep_close(cep, true);
		return;
	}
	cep->listener = l;
	cep->state = SIW_CEP_AWAIT_REQUEST;
	siw_cep_attach(cep);
	siw_cep_set_deadline(cep, hs->settings.handshake_ms);
	/* The request may have come before we listened for it. */
	siw_cep_post_event(cep, SIW_CEP_EV_SOCKET);
}

static void new_connection(struct siw_listener *l, struct socket *sock)
{
	struct siw_cep *cep = siw_cep_new(l->dev, siw_cep_work);

	if (IS_ERR(cep)) {
		siw_sock_release(sock, true);
		return;
	}
	siw_cep_get(cep);
	mutex_lock(&cep->lock);
	begin_incoming(cep, l, sock);
	mutex_unlock(&cep->lock);
	siw_cep_put(cep);
}

static bool has_addr(const struct siw_device *dev, const struct sockaddr_storage *addr,
		     int bound_dev_if)
{
	struct net *net = rdma_dev_net(&dev->base);

	if (addr->ss_family == AF_INET)
		return inet_addr_type_dev_table(net, dev->netdev,
						krdma_addr4(addr)->sin_addr.s_addr) == RTN_LOCAL;
	/* A connection to a link-local address is bound to the interface it came to. */
	if (bound_dev_if && bound_dev_if != dev->netdev->ifindex)
		return false;
	return ipv6_chk_addr(net, &krdma_addr6(addr)->sin6_addr, dev->netdev, 0);
}

/* The listener that a connection is for, or NULL. */
static struct siw_listener *pick_listener(struct lsock *lsock, struct socket *sock)
{
	struct sockaddr_storage local, remote;
	struct siw_listener *l;

	lockdep_assert_held(&lsock->lock);
	siw_sock_names(sock, &local, &remote);
	list_for_each_entry(l, &lsock->listeners, lsock_entry)
		if (!krdma_addr_is_any(&lsock->addr) ||
		    has_addr(l->dev, &local, sock->sk->sk_bound_dev_if))
			return l;
	return NULL;
}

/* What an lsock hands out has inherited its callback. */
static void restore_callback(const struct lsock *lsock, struct sock *sk)
{
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = lsock->data_ready;
	write_unlock_bh(&sk->sk_callback_lock);
}

static void dispatch_connection(struct lsock *lsock, struct socket *sock)
{
	struct siw_listener *l;

	mutex_lock(&lsock->lock);
	l = pick_listener(lsock, sock);
	if (l)
		new_connection(l, sock);
	else
		siw_sock_release(sock, true);
	mutex_unlock(&lsock->lock);
}

/* 0, -EAGAIN there is none, -ENOMEM there may be one. */
static int accept_one(struct lsock *lsock)
{
	struct socket *sock;
	int err;

	err = kernel_accept(lsock->sock, &sock, O_NONBLOCK);
	if (err == -ECONNABORTED)
		return 0;
	if (err)
		return err == -ENOMEM ? err : -EAGAIN;
	restore_callback(lsock, sock->sk);
	dispatch_connection(lsock, sock);
	return 0;
}

static void schedule_accept(struct lsock *lsock, unsigned long delay)
{
	mod_delayed_work(siw_cm_wq, &lsock->work, delay);
}

static void accept_some(struct work_struct *work)
{
	struct lsock *lsock = container_of(to_delayed_work(work), struct lsock, work);
	int err = 0;
	int n;

	for (n = 0; n < ACCEPT_BATCH && !err; n++)
		err = accept_one(lsock);
	if (err != -EAGAIN)
		schedule_accept(lsock, err ? ACCEPT_RETRY : 0);
}

/*
 * The callback of an lsock, and of the connections it has not handed out yet, which have no user
 * data.
 */
static void connection_ready(struct sock *sk)
{
	struct lsock *lsock;

	read_lock_bh(&sk->sk_callback_lock);
	lsock = __locked_read_sk_user_data_with_flags(sk, 0);
	if (lsock)
		schedule_accept(lsock, 0);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void lsock_attach(struct lsock *lsock)
{
	struct sock *sk = lsock->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	lsock->data_ready = sk->sk_data_ready;
	sk->sk_data_ready = connection_ready;
	__rcu_assign_sk_user_data_with_flags(sk, lsock, SK_USER_DATA_NOCOPY);
	write_unlock_bh(&sk->sk_callback_lock);
}

static void set_afonly(struct sock *sk, bool afonly)
{
	if (sk->sk_family != AF_INET6)
		return;
	lock_sock(sk);
	sk->sk_ipv6only = afonly;
	release_sock(sk);
}

static int bind_and_listen(struct lsock *lsock, const struct siw_listener *l, int backlog)
{
	int err;

	err = siw_sock_bind(l->dev, lsock->sock, &lsock->addr);
	return err ?: kernel_listen(lsock->sock, backlog);
}

static int open_socket(struct lsock *lsock, const struct siw_listener *l, int backlog)
{
	struct socket *sock;
	int err;

	err = siw_sock_create(lsock->net, lsock->addr.ss_family, &sock);
	if (err)
		return err;
	lsock->sock = sock;
	set_afonly(sock->sk, lsock->afonly);
	if (l->cm_id->tos_set)
		siw_sock_set_tos(sock, l->cm_id->tos);
	if (l->cm_id->mapped)
		siw_sock_share_port(sock);
	err = bind_and_listen(lsock, l, backlog);
	if (err)
		goto release;
	siw_sock_keep_port(sock);
	kernel_getsockname(sock, (struct sockaddr *)&lsock->addr);
	lsock_attach(lsock);
	return 0;

release:
	siw_sock_release(sock, false);
	return err;
}

/* The listener is there before the socket: what comes at once finds whom it is for. */
static struct lsock *lsock_new(struct net *net, struct siw_listener *l)
{
	struct lsock *lsock = kzalloc(sizeof(*lsock), GFP_KERNEL);

	if (!lsock)
		return NULL;
	lsock->net = net;
	lsock->addr = l->cm_id->m_local_addr;
	lsock->afonly = l->cm_id->afonly;
	INIT_DELAYED_WORK(&lsock->work, accept_some);
	mutex_init(&lsock->lock);
	INIT_LIST_HEAD(&lsock->listeners);
	list_add(&l->lsock_entry, &lsock->listeners);
	l->lsock = lsock;
	return lsock;
}

static int lsock_open(struct net *net, struct siw_listener *l, int backlog)
{
	struct lsock *lsock;
	int err;

	lockdep_assert_held(&lsocks_mutex);
	lsock = lsock_new(net, l);
	if (!lsock)
		return -ENOMEM;
	err = open_socket(lsock, l, backlog);
	if (err) {
		list_del(&l->lsock_entry);
		l->lsock = NULL;
		kfree(lsock);
		return err;
	}
	list_add_tail(&lsock->entry, &siw_net(net)->lsocks);
	/* A connection may have come before the callback was ours. */
	schedule_accept(lsock, 0);
	return 0;
}

static void lsock_close(struct lsock *lsock)
{
	struct sock *sk = lsock->sock->sk;

	lockdep_assert_held(&lsocks_mutex);
	list_del(&lsock->entry);
	lock_sock(sk);
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = lsock->data_ready;
	rcu_assign_sk_user_data(sk, NULL);
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
	cancel_delayed_work_sync(&lsock->work);
	siw_sock_release(lsock->sock, false);
	kfree(lsock);
}

static bool same_wildcard(const struct lsock *lsock, const struct iw_cm_id *cm_id)
{
	const struct sockaddr_storage *addr = &cm_id->m_local_addr;

	return lsock->addr.ss_family == addr->ss_family && lsock->afonly == cm_id->afonly &&
	       krdma_addr_is_any(&lsock->addr) && krdma_addr_is_any(addr) &&
	       krdma_addr_port(&lsock->addr) == krdma_addr_port(addr);
}

static struct lsock *lsock_find(struct siw_net *sn, const struct siw_listener *l)
{
	struct lsock *lsock;

	lockdep_assert_held(&lsocks_mutex);
	list_for_each_entry(lsock, &sn->lsocks, entry)
		if (same_wildcard(lsock, l->cm_id))
			return lsock;
	return NULL;
}

/* TCP does not say so of a port that is shared with the port mapper's daemon. */
static bool is_taken(struct siw_net *sn, const struct iw_cm_id *cm_id)
{
	const struct sockaddr_storage *addr = &cm_id->m_local_addr;
	struct lsock *lsock;

	lockdep_assert_held(&lsocks_mutex);
	if (!cm_id->mapped)
		return false;
	list_for_each_entry(lsock, &sn->lsocks, entry)
		if (krdma_addr_port(&lsock->addr) == krdma_addr_port(addr) &&
		    (krdma_addr_is_any(&lsock->addr) || krdma_addr_is_any(addr) ||
		     krdma_addr_same_host(&lsock->addr, addr)))
			return true;
	return false;
}

static bool lsock_has_device(struct lsock *lsock, const struct siw_device *dev)
{
	struct siw_listener *l;

	lockdep_assert_held(&lsock->lock);
	list_for_each_entry(l, &lsock->listeners, lsock_entry)
		if (l->dev == dev)
			return true;
	return false;
}

static int lsock_add_listener(struct lsock *lsock, struct siw_listener *l)
{
	int err = -EADDRINUSE;

	mutex_lock(&lsock->lock);
	if (!lsock_has_device(lsock, l->dev)) {
		list_add_tail(&l->lsock_entry, &lsock->listeners);
		l->lsock = lsock;
		err = 0;
	}
	mutex_unlock(&lsock->lock);
	return err;
}

static int lsock_find_or_open(struct siw_listener *l, int backlog)
{
	struct net *net = rdma_dev_net(&l->dev->base);
	struct lsock *lsock = lsock_find(siw_net(net), l);

	if (lsock)
		return lsock_add_listener(lsock, l);
	if (is_taken(siw_net(net), l->cm_id))
		return -EADDRINUSE;
	return lsock_open(net, l, backlog);
}

static bool is_down(struct siw_device *dev)
{
	bool down;

	spin_lock(&dev->cm_lock);
	down = dev->cm_down;
	spin_unlock(&dev->cm_lock);
	return down;
}

/* Who asked for any port learns which it is. */
static void note_port(struct iw_cm_id *cm_id, const struct lsock *lsock)
{
	if (krdma_addr_port(&cm_id->m_local_addr))
		return;
	cm_id->m_local_addr = lsock->addr;
	if (!cm_id->mapped)
		cm_id->local_addr = lsock->addr;
}

static int begin_listen(struct siw_listener *l, int backlog)
{
	int err = -ENODEV;

	mutex_lock(&lsocks_mutex);
	/* When the device is down, its namespace may have gone. */
	if (!is_down(l->dev))
		err = lsock_find_or_open(l, backlog);
	if (!err)
		note_port(l->cm_id, l->lsock);
	mutex_unlock(&lsocks_mutex);
	return err;
}

static void end_listen(struct siw_listener *l)
{
	struct lsock *lsock;
	bool last = false;

	mutex_lock(&lsocks_mutex);
	lsock = l->lsock;
	if (lsock) {
		mutex_lock(&lsock->lock);
		list_del(&l->lsock_entry);
		last = list_empty(&lsock->listeners);
		mutex_unlock(&lsock->lock);
	}
	if (last)
		lsock_close(lsock);
	mutex_unlock(&lsocks_mutex);
}

static void lsock_detach_listeners(struct lsock *lsock)
{
	struct siw_listener *l, *next;

	mutex_lock(&lsock->lock);
	list_for_each_entry_safe(l, next, &lsock->listeners, lsock_entry) {
		list_del(&l->lsock_entry);
		l->lsock = NULL;
	}
	mutex_unlock(&lsock->lock);
}

void siw_lsocks_exit_net(struct siw_net *sn)
{
	struct lsock *lsock, *next;

	mutex_lock(&lsocks_mutex);
	list_for_each_entry_safe(lsock, next, &sn->lsocks, entry) {
		lsock_detach_listeners(lsock);
		lsock_close(lsock);
	}
	mutex_unlock(&lsocks_mutex);
}

int siw_create_listen(struct iw_cm_id *cm_id, int backlog)
{
	struct siw_listener *l;
	int err;

	if (!krdma_addr_is_ip(&cm_id->m_local_addr))
		return -EAFNOSUPPORT;
	backlog = clamp(backlog, HALF_OPEN_MIN, HALF_OPEN_MAX);
	l = siw_listener_new(cm_id, backlog);
	if (!l)
		return -ENOMEM;
	/* Requests may come from here on. */
	cm_id->add_ref(cm_id);
	cm_id->provider_data = l;
	err = begin_listen(l, backlog);
	if (err) {
		cm_id->provider_data = NULL;
		cm_id->rem_ref(cm_id);
		siw_listener_put(l);
		return err;
	}
	return 0;
}

int siw_destroy_listen(struct iw_cm_id *cm_id)
{
	struct siw_listener *l = cm_id->provider_data;
	struct siw_cep *cep;

	/*
	 * No new connections; no new requests from those that are half open; no request under way
	 * to iw_cm.
	 */
	end_listen(l);
	spin_lock(&l->lock);
	l->dead = true;
	list_for_each_entry(cep, &l->half_open, half_open_entry)
		siw_cep_post_event(cep, SIW_CEP_EV_KILL);
	spin_unlock(&l->lock);
	wait_event(l->idle_wait, siw_listener_idle(l));

	cm_id->provider_data = NULL;
	cm_id->rem_ref(cm_id);
	siw_listener_put(l);
	return 0;
}
