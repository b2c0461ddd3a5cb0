// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Listening sockets.
 *
 * An lsock is a listening socket of a network namespace. An lsock on a specific address has one
 * listener. An lsock on a wildcard address serves the listeners of several devices; owner.c finds
 * the device to which a connection belongs.
 *
 * Connections inherit the callbacks and sk_user_data of the listening socket. Because sk_user_data
 * is set from the beginning, a BPF program that puts the established sockets of a cgroup into a map
 * cannot take our connections. Until an endpoint takes over a connection, the connection's
 * sk_user_data only shows that the connection is ours.
 *
 * A wildcard socket accepts no connections of a VRF, unless the socket is bound to the VRF, or
 * net.ipv4.tcp_l3mdev_accept is set. Therefore the devices in each VRF have an lsock of their own.
 */
#include <linux/slab.h>
#include <net/inet_sock.h>
#include <net/sock.h>

#include "drivers/siw/conn/listen.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/base/sock.h"
#include "drivers/siw/base/stats.h"
#include "drivers/siw/conn/backlog.h"
#include "drivers/siw/conn/cep.h"
#include "drivers/siw/conn/cm_event.h"
#include "drivers/siw/conn/handshake.h"
#include "drivers/siw/conn/owner.h"

/*
 * Bounds for the number of half-open connections that a listener may have. The number is the
 * backlog that the consumer asks for, raised or lowered to a bound. The lower bound keeps a small
 * backlog from causing resets in a burst of legitimate connections.
 */
#define LISTENER_HALF_OPEN_MIN	64
#define LISTENER_HALF_OPEN_MAX	4096

/* Searches for an old connection to reset; if all fail, the new connection is reset instead. */
#define MAKE_ROOM_TRIES	16

/* Budget of one run of the work item, in connections. */
#define ACCEPT_BATCH	64

/*
 * Delay in jiffies before the next attempt to accept after -ENOMEM. The attempt has to be
 * scheduled, because TCP calls data_ready only once for a connection, and has already called
 * data_ready for the queued connections.
 */
#define ACCEPT_RETRY	(HZ / 10)

/* Delay in jiffies before the next attempt to replace a listening socket. */
#define RELISTEN_RETRY	HZ

/*
 * Protects siw_net.lsocks of all network namespaces and siw_listener.lsock. A mutex in struct
 * siw_net would be freed too early, because a listener may outlive its namespace. One mutex for all
 * namespaces is enough, because listeners change rarely. Nests in RTNL.
 */
static DEFINE_MUTEX(lsocks_mutex);

/**
 * struct lsock - a listening socket
 * @entry: entry in siw_net.lsocks
 * @net: network namespace of the socket; outlives the lsock (net.c)
 * @addr: address on which the socket listens
 * @vrf: index of the VRF's master to which the socket is bound, or 0
 * @afonly: the socket does not accept IPv4 if it is on the IPv6 wildcard address
 * @sock: the socket; set before @work is first queued; replaced or released only after @work was
 *	cancelled
 * @data_ready: the callback sk_data_ready that TCP has set, for which ours stands in
 * @state_change: the callback sk_state_change that TCP has set, for which ours stands in
 * @err: errno of the last attempt to replace the socket after somebody else had closed it; 0 if the
 *	attempt succeeded or there was none; protected by lsocks_mutex
 * @work: accepts connections
 * @lock: protects @listeners; while it is held, the listeners and their devices are not released,
 *	so a connection can be handed to a listener. Nests in lsocks_mutex; the locks of
 *	endpoints nest in it
 * @listeners: at most one for each device
 */
struct lsock {
	struct list_head entry;
	struct net *net;
	struct sockaddr_storage addr;
	int vrf;
	bool afonly;
	struct socket *sock;
	void (*data_ready)(struct sock *sk);
	void (*state_change)(struct sock *sk);
	int err;
	struct delayed_work work;
	struct mutex lock; /* protects @listeners */
	struct list_head listeners;
};

/*
 * Counts the connection as half-open. If there is no room, resets connections that are the least
 * likely to complete. Returns 0 or an errno.
 */
static int make_room(struct siw_listener *l, struct siw_cep *cep)
{
	struct siw_cep *evicted;
	int tries = 0;
	int err;

	while ((err = siw_backlog_add(l, cep)) == -EAGAIN) {
		evicted = siw_backlog_evict(l);
		/* Nothing was evicted, because connections have ended meanwhile: try again. */
		if (!evicted && ++tries < MAKE_ROOM_TRIES)
			continue;
		siw_count(l->dev, SIW_BACKLOG_DROPS);
		if (!evicted) {
			ibdev_warn_ratelimited(&l->dev->soft.base,
					       "connection from %pISpc reset: too many half-open connections\n",
					       &cep->mpa->remote);
			break;
		}
		siw_cep_post_event(evicted, SIW_CEP_EV_KILL);
		siw_cep_put(evicted);
	}
	return err;
}

/* Creates an endpoint for a socket, and takes ownership of the socket. */
static void new_connection(const struct lsock *lsock, struct siw_listener *l, struct socket *sock)
{
	struct siw_cep *cep = siw_cep_new(l->dev, siw_cep_work);
	struct siw_mpa_conn *mpa;
	int err;

	if (IS_ERR(cep)) {
		siw_sock_release(sock, true);
		return;
	}

	siw_cep_get(cep);
	mutex_lock(&cep->lock);
	mpa = cep->mpa;
	cep->sock = sock;
	siw_mpa_begin(cep, SIW_MAX_IRD, SIW_MAX_ORD);
	siw_sock_names(sock, &mpa->local, &mpa->remote);
	siw_sock_limit_rcvbuf(sock, SIW_HALF_OPEN_RCVBUF);
	mpa_rx_init(&mpa->rx, MPA_REQUEST);
	err = siw_cep_attach(cep, lsock);
	if (err) {
		siw_count(l->dev, SIW_FOREIGN_SOCKETS);
		ibdev_warn_ratelimited(&l->dev->soft.base,
				       "connection from %pISpc reset: its socket belongs to somebody else on this host\n",
				       &mpa->remote);
	} else {
		err = make_room(l, cep);
	}
	if (!err) {
		cep->listener = l;
		cep->state = SIW_CEP_AWAIT_REQUEST;
		siw_cep_set_deadline(cep, mpa->settings.handshake_ms);
		/* The request may have arrived before the callbacks were installed. */
		siw_cep_post_event(cep, SIW_CEP_EV_SOCKET);
	} else {
		siw_cep_close(cep, true);
	}
	mutex_unlock(&cep->lock);
	siw_cep_put(cep);
}

/* Logs a connection that belongs to none of the devices whose listeners @lsock serves. */
static void log_no_owner(struct lsock *lsock, struct socket *sock)
{
	struct sockaddr_storage local, remote;
	struct siw_listener *oldest;

	lockdep_assert_held(&lsock->lock);
	oldest = list_first_entry_or_null(&lsock->listeners, struct siw_listener, lsock_entry);
	if (!oldest)
		return;
	siw_sock_names(sock, &local, &remote);
	ibdev_info_ratelimited(&oldest->dev->soft.base,
			       "connection from %pISpc to %pISpc reset: no listening device has this address or the way to it\n",
			       &remote, &local);
}

/* Called as sk_data_ready of the listening socket, and of connections that are not accepted yet. */
static void lsock_data_ready(struct sock *sk)
{
	struct lsock *lsock;

	read_lock_bh(&sk->sk_callback_lock);
	lsock = __locked_read_sk_user_data_with_flags(sk, 0);
	if (lsock && sk->sk_state == TCP_LISTEN)
		mod_delayed_work(siw_cm_wq, &lsock->work, 0);
	read_unlock_bh(&sk->sk_callback_lock);
}

/*
 * Called as sk_state_change of the listening socket, and of connections that are not accepted yet.
 * Ignores the connections, which have no struct socket yet. siw_net() is valid here, because the
 * network namespace outlives its sockets.
 */
static void lsock_state_change(struct sock *sk)
{
	if (sk->sk_state == TCP_CLOSE && sk->sk_socket)
		mod_delayed_work(siw_cm_wq, &siw_net(sock_net(sk))->relisten, 0);
}

/*
 * Accepts a connection. Returns 0; -EAGAIN if no connection is queued; -ENOMEM if memory is short,
 * in which case connections may still be queued.
 */
static int accept_one(struct lsock *lsock)
{
	struct siw_listener *owner;
	struct socket *sock;
	struct sock *sk;
	int err;

	err = kernel_accept(lsock->sock, &sock, O_NONBLOCK);
	if (err == -ECONNABORTED)
		return 0;
	if (err)
		return err == -ENOMEM ? err : -EAGAIN;

	/*
	 * Restore TCP's own callbacks, so that the endpoint saves them; leave callbacks that
	 * somebody else has installed.
	 */
	sk = sock->sk;
	write_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_data_ready == lsock_data_ready)
		sk->sk_data_ready = lsock->data_ready;
	if (sk->sk_state_change == lsock_state_change)
		sk->sk_state_change = lsock->state_change;
	write_unlock_bh(&sk->sk_callback_lock);

	mutex_lock(&lsock->lock);
	/* An lsock on a specific address has one listener, or none while it is being closed. */
	if (krdma_addr_is_any(&lsock->addr))
		owner = siw_owner_find(&lsock->listeners, sock);
	else
		owner = list_first_entry_or_null(&lsock->listeners, struct siw_listener,
						 lsock_entry);
	if (owner) {
		new_connection(lsock, owner, sock);
	} else {
		log_no_owner(lsock, sock);
		siw_sock_release(sock, true);
	}
	mutex_unlock(&lsock->lock);
	return 0;
}

static void accept_work(struct work_struct *work)
{
	struct lsock *lsock = container_of(to_delayed_work(work), struct lsock, work);
	int err = 0;
	int n;

	for (n = 0; n < ACCEPT_BATCH && !err; n++)
		err = accept_one(lsock);
	if (err != -EAGAIN)
		mod_delayed_work(siw_cm_wq, &lsock->work, err ? ACCEPT_RETRY : 0);
}

static void lsock_attach(struct lsock *lsock, struct socket *sock)
{
	struct sock *sk = sock->sk;

	lsock->sock = sock;
	write_lock_bh(&sk->sk_callback_lock);
	lsock->data_ready = sk->sk_data_ready;
	lsock->state_change = sk->sk_state_change;
	sk->sk_data_ready = lsock_data_ready;
	sk->sk_state_change = lsock_state_change;
	rcu_assign_sk_user_data(sk, lsock);
	write_unlock_bh(&sk->sk_callback_lock);
}

/* Restores TCP's callbacks of the listening socket. None of our callbacks runs after that. */
static void lsock_detach(const struct lsock *lsock)
{
	struct sock *sk = lsock->sock->sk;

	lock_sock(sk);
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = lsock->data_ready;
	sk->sk_state_change = lsock->state_change;
	rcu_assign_sk_user_data(sk, NULL);
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
}

/*
 * Replaces lsock->sock by a new listening socket. The caller then releases the old socket. Returns
 * 0 or an errno; after an error, lsock->sock is still the old socket.
 */
static int lsock_open_socket(struct lsock *lsock, const struct siw_listener *l, int backlog)
{
	struct socket *old = lsock->sock;
	struct socket *sock;
	struct sock *sk;
	int err;

	err = siw_sock_create(lsock->net, lsock->addr.ss_family, &sock);
	if (err)
		return err;
	sk = sock->sk;
	if (sk->sk_family == AF_INET6) {
		lock_sock(sk);
		sk->sk_ipv6only = lsock->afonly;
		release_sock(sk);
	}
	if (l->cm_id->tos_set)
		siw_sock_set_tos(sock, l->cm_id->tos);

	if (l->cm_id->mapped)
		siw_sock_set_force_reuse(sock);
	err = siw_sock_bind(l->dev, sock, &lsock->addr, lsock->vrf);
	if (err)
		goto release;
	kernel_getsockname(sock, (struct sockaddr *)&lsock->addr);
	lsock_attach(lsock, sock);
	err = kernel_listen(sock, backlog);
	if (err)
		goto detach;
	siw_sock_clear_force_reuse(sock);
	return 0;

detach:
	lsock_detach(lsock);
	lsock->sock = old;
release:
	siw_sock_release(sock, false);
	return err;
}

static int lsock_open(struct net *net, struct siw_listener *l, int vrf, int backlog)
{
	struct lsock *lsock;
	int err;

	lockdep_assert_held(&lsocks_mutex);
	lsock = kzalloc(sizeof(*lsock), GFP_KERNEL);
	if (!lsock)
		return -ENOMEM;
	lsock->net = net;
	lsock->addr = l->cm_id->m_local_addr;
	lsock->vrf = vrf;
	lsock->afonly = l->cm_id->afonly;
	INIT_DELAYED_WORK(&lsock->work, accept_work);
	mutex_init(&lsock->lock);
	INIT_LIST_HEAD(&lsock->listeners);
	/* Add the listener before the socket listens, so that the first connection finds it. */
	list_add(&l->lsock_entry, &lsock->listeners);
	l->lsock = lsock;

	err = lsock_open_socket(lsock, l, backlog);
	if (err)
		goto free;
	list_add_tail(&lsock->entry, &siw_net(net)->lsocks);
	return 0;

free:
	list_del(&l->lsock_entry);
	l->lsock = NULL;
	kfree(lsock);
	return err;
}

static void lsock_close(struct lsock *lsock)
{
	lockdep_assert_held(&lsocks_mutex);
	list_del(&lsock->entry);
	lsock_detach(lsock);
	cancel_delayed_work_sync(&lsock->work);
	siw_sock_release(lsock->sock, false);
	kfree(lsock);
}

/*
 * Replaces a socket that somebody else has closed. The ULP would not listen again, because iw_cm
 * has no event that reports the end of a listener. Returns 0 or an errno.
 */
static int lsock_reopen(struct lsock *lsock)
{
	struct socket *closed = lsock->sock;
	struct siw_listener *l;
	int err;

	lockdep_assert_held(&lsocks_mutex);
	/*
	 * The list has a listener: listeners leave only under lsocks_mutex, and the last one to
	 * leave closes the lsock.
	 */
	l = list_first_entry(&lsock->listeners, struct siw_listener, lsock_entry);
	lsock_detach(lsock);
	cancel_delayed_work_sync(&lsock->work);
	err = lsock_open_socket(lsock, l, l->limit);
	if (!err) {
		siw_sock_release(closed, false);
		ibdev_warn_ratelimited(&l->dev->soft.base,
				       "listens on %pISpc again, after somebody on this host has closed the socket\n",
				       &lsock->addr);
	} else if (!lsock->err) {
		ibdev_err_ratelimited(&l->dev->soft.base,
				      "does not listen on %pISpc any more, because somebody on this host has closed the socket, and another one fails: error %d; tries again each second\n",
				      &lsock->addr, err);
	}
	lsock->err = err;
	return err;
}

static void relisten_work(struct work_struct *work)
{
	struct siw_net *sn = container_of(to_delayed_work(work), struct siw_net, relisten);
	struct lsock *lsock;
	bool again = false;

	mutex_lock(&lsocks_mutex);
	list_for_each_entry(lsock, &sn->lsocks, entry)
		if (inet_sk_state_load(lsock->sock->sk) != TCP_LISTEN && lsock_reopen(lsock))
			again = true;
	mutex_unlock(&lsocks_mutex);
	if (again)
		mod_delayed_work(siw_cm_wq, &sn->relisten, RELISTEN_RETRY);
}

/* Returns the index of the VRF's master to which the socket of a listener is bound, or 0. */
static int vrf_of(const struct siw_listener *l, struct net *net)
{
	int vrf = siw_sock_vrf(l->dev);

	/*
	 * With net.ipv4.tcp_l3mdev_accept, which inet_sk_bound_dev_eq() checks, a wildcard socket
	 * that is in no VRF accepts connections of all VRFs.
	 */
	if (krdma_addr_is_any(&l->cm_id->m_local_addr) &&
	    inet_sk_bound_dev_eq(net, 0, vrf, vrf ? l->dev->netdev->ifindex : 0))
		return 0;
	return vrf;
}

/*
 * Looks for a wildcard lsock in @vrf that the listener of @cm_id can share, and stores the lsock or
 * NULL in *@shared. Returns 0, or -EADDRINUSE if @cm_id has a mapped port on which another lsock
 * listens. bind() does not detect this conflict: our sockets are bound to mapped ports with
 * SK_FORCE_REUSE, because iwpmd has bound these ports, too.
 */
static int lsock_find(struct siw_net *sn, const struct iw_cm_id *cm_id, int vrf,
		      struct lsock **shared)
{
	const struct sockaddr_storage *addr = &cm_id->m_local_addr;
	bool any = krdma_addr_is_any(addr);
	bool in_use = false;
	struct lsock *lsock;

	lockdep_assert_held(&lsocks_mutex);
	*shared = NULL;
	list_for_each_entry(lsock, &sn->lsocks, entry) {
		bool lsock_any = krdma_addr_is_any(&lsock->addr);

		if (lsock->vrf != vrf || krdma_addr_port(&lsock->addr) != krdma_addr_port(addr))
			continue;
		if (any && lsock_any && lsock->addr.ss_family == addr->ss_family &&
		    lsock->afonly == cm_id->afonly) {
			*shared = lsock;
			return 0;
		}
		in_use |= any || lsock_any || krdma_addr_same_host(&lsock->addr, addr);
	}
	return cm_id->mapped && in_use ? -EADDRINUSE : 0;
}

/* Tells the administrator that a port is taken, unless one of our own sockets listens on it. */
static void warn_held(const struct siw_net *sn, const struct siw_listener *l)
{
	__be16 port = krdma_addr_port(&l->cm_id->m_local_addr);
	const struct lsock *lsock;

	lockdep_assert_held(&lsocks_mutex);
	list_for_each_entry(lsock, &sn->lsocks, entry)
		if (krdma_addr_port(&lsock->addr) == port)
			return;
	ibdev_warn_ratelimited(&l->dev->soft.base,
			       "port %u is held by a TCP socket: use port_map or iwpmd on both hosts, see siw(4)\n",
			       be16_to_cpu(port));
}

/* Adds @new to @lsock. Returns 0, or -EADDRINUSE if the device has a listener on @lsock already. */
static int lsock_add_listener(struct lsock *lsock, struct siw_listener *new)
{
	struct siw_listener *l;
	int err = 0;

	mutex_lock(&lsock->lock);
	list_for_each_entry(l, &lsock->listeners, lsock_entry)
		if (l->dev == new->dev)
			err = -EADDRINUSE;
	if (!err) {
		list_add_tail(&new->lsock_entry, &lsock->listeners);
		new->lsock = lsock;
	}
	mutex_unlock(&lsock->lock);
	return err;
}

/*
 * Returns a wildcard listener of the device whose lsock is in another VRF than the netdev, or NULL.
 */
static struct siw_listener *find_misplaced(const struct siw_net *sn, const struct siw_device *dev,
					   struct net *net)
{
	const struct lsock *lsock;
	struct siw_listener *l;

	lockdep_assert_held(&lsocks_mutex);
	list_for_each_entry(lsock, &sn->lsocks, entry) {
		if (!krdma_addr_is_any(&lsock->addr))
			continue;
		list_for_each_entry(l, &lsock->listeners, lsock_entry)
			if (l->dev == dev && vrf_of(l, net) != lsock->vrf)
				return l;
	}
	return NULL;
}

/* Takes a listener off its lsock. Closes the lsock if no listener is left on it. */
static void leave_lsock(struct siw_listener *l)
{
	struct lsock *lsock = l->lsock;
	bool last;

	lockdep_assert_held(&lsocks_mutex);
	mutex_lock(&lsock->lock);
	list_del(&l->lsock_entry);
	last = list_empty(&lsock->listeners);
	mutex_unlock(&lsock->lock);
	l->lsock = NULL;
	if (last)
		lsock_close(lsock);
}

/*
 * Finds an lsock in @vrf for a listener that has none. Shares an lsock of other listeners if
 * possible, and creates one otherwise. Returns 0 or an errno.
 */
static int join_lsock(struct siw_listener *l, struct net *net, int vrf, int backlog)
{
	struct lsock *shared;
	int err;

	lockdep_assert_held(&lsocks_mutex);
	err = lsock_find(siw_net(net), l->cm_id, vrf, &shared);
	if (err)
		return err;
	if (!shared)
		return lsock_open(net, l, vrf, backlog);
	return shared->err ?: lsock_add_listener(shared, l);
}

/*
 * Returns the network namespace of a device, or NULL if the device's connections are being ended:
 * then the namespace may be gone.
 */
static struct net *net_in_use(struct siw_device *dev)
{
	bool down;

	lockdep_assert_held(&lsocks_mutex);
	spin_lock(&dev->cm_lock);
	down = dev->cm_down;
	spin_unlock(&dev->cm_lock);
	return down ? NULL : rdma_dev_net(&dev->soft.base);
}

static int begin_listen(struct siw_listener *l, int backlog)
{
	struct iw_cm_id *cm_id = l->cm_id;
	struct net *net;
	int err = -ENODEV;

	mutex_lock(&lsocks_mutex);
	net = net_in_use(l->dev);
	if (!net)
		goto unlock;
	err = join_lsock(l, net, vrf_of(l, net), backlog);
	if (err == -EADDRINUSE)
		warn_held(siw_net(net), l);
	/* Port 0 asks for any port. Return the port that was bound. */
	if (!err && !krdma_addr_port(&cm_id->m_local_addr)) {
		cm_id->m_local_addr = l->lsock->addr;
		if (!cm_id->mapped)
			cm_id->local_addr = l->lsock->addr;
	}
unlock:
	mutex_unlock(&lsocks_mutex);
	return err;
}

void siw_listeners_follow_vrf(struct siw_device *dev)
{
	struct siw_listener *l;
	struct net *net;
	int err;

	mutex_lock(&lsocks_mutex);
	net = net_in_use(dev);
	while (net && (l = find_misplaced(siw_net(net), dev, net))) {
		leave_lsock(l);
		err = join_lsock(l, net, vrf_of(l, net), l->limit);
		if (err)
			ibdev_err(&dev->soft.base,
				  "the listener on port %u has ended, because it cannot follow the netdev into another VRF: error %d\n",
				  be16_to_cpu(krdma_addr_port(&l->cm_id->m_local_addr)), err);
	}
	mutex_unlock(&lsocks_mutex);
}

void siw_lsocks_init_net(struct siw_net *sn)
{
	INIT_LIST_HEAD(&sn->lsocks);
	INIT_DELAYED_WORK(&sn->relisten, relisten_work);
}

void siw_lsocks_exit_net(struct siw_net *sn)
{
	struct lsock *lsock, *next_lsock;
	struct siw_listener *l, *next;

	mutex_lock(&lsocks_mutex);
	list_for_each_entry_safe(lsock, next_lsock, &sn->lsocks, entry) {
		mutex_lock(&lsock->lock);
		list_for_each_entry_safe(l, next, &lsock->listeners, lsock_entry) {
			list_del(&l->lsock_entry);
			l->lsock = NULL;
		}
		mutex_unlock(&lsock->lock);
		lsock_close(lsock);
	}
	mutex_unlock(&lsocks_mutex);
	cancel_delayed_work_sync(&sn->relisten);
}

static void order_timeout(struct timer_list *timer)
{
	struct siw_listener *l = timer_container_of(l, timer, timer);
	struct siw_cep *next;

	while ((next = siw_backlog_expire(l)))
		siw_cep_post_deliver(next);
	siw_listener_put(l);
}

int siw_create_listen(struct iw_cm_id *cm_id, int backlog)
{
	struct siw_listener *l;
	int err;

	if (!krdma_addr_is_ip(&cm_id->m_local_addr))
		return -EAFNOSUPPORT;
	if (!cm_id->mapped)
		siw_port_replace(&to_siw_dev(cm_id->device)->port_replace, &cm_id->m_local_addr);
	backlog = clamp(backlog, LISTENER_HALF_OPEN_MIN, LISTENER_HALF_OPEN_MAX);
	l = siw_listener_new(cm_id, backlog);
	if (!l)
		return -ENOMEM;
	timer_setup(&l->timer, order_timeout, 0);
	/* Take the reference now: requests may be delivered before begin_listen() returns. */
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
	int i;

	might_sleep();
	/* First stop new connections. */
	mutex_lock(&lsocks_mutex);
	if (l->lsock)
		leave_lsock(l);
	mutex_unlock(&lsocks_mutex);

	/* Then end the half-open ones, and wait for requests that are being delivered to iw_cm. */
	spin_lock_bh(&l->lock);
	l->dead = true;
	for (i = 0; i < SIW_HOST_BUCKETS; i++)
		list_for_each_entry(cep, &l->half_open[i], half_open_entry)
			siw_cep_post_event(cep, SIW_CEP_EV_KILL);
	wait_event_cmd(l->idle_wait, !l->num_delivering, spin_unlock_bh(&l->lock),
		       spin_lock_bh(&l->lock));
	spin_unlock_bh(&l->lock);
	if (timer_delete_sync(&l->timer))
		siw_listener_put(l);

	cm_id->provider_data = NULL;
	cm_id->rem_ref(cm_id);
	siw_listener_put(l);
	return 0;
}
