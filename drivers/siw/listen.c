// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Listening.
 *
 * A gate is a listening socket of a network namespace. Listeners of several devices on one
 * wildcard address stand behind one gate, and a connection belongs to the device whose netdev has
 * the address that it came to; so it does not matter which way the packets came, and connections
 * from the same machine work, too. A gate on a specific address has one listener.
 */
#include <linux/inetdevice.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/route.h>
#include <net/sock.h>

#include "drivers/siw/siw.h"
#include "drivers/siw/siw_cep.h"
#include "drivers/siw/siw_listen.h"
#include "drivers/siw/siw_sock.h"

/*
 * The least number of half-open connections a listener admits: a short handshake of many is no
 * attack.
 */
#define HALF_OPEN_MIN	64
#define HALF_OPEN_MAX	4096

/*
 * How long a request lets those go first of connections that were accepted before it, from the same
 * host. They are on their way, and overtaken only because nothing keeps threads in step; programs
 * count on the order of requests to tell their connections apart.
 */
#define ORDER_PATIENCE	(HZ / 20)

/* Connections a gate takes in one go, so that its work item lets others run. */
#define ACCEPT_BATCH	64

/* When memory was short: TCP does not tell again of connections that it has told of. */
#define ACCEPT_RETRY	(HZ / 10)

/*
 * Guards all gates' lists and siw_listener.gate: listeners come and go rarely, and may outlive
 * their namespace.
 */
static DEFINE_MUTEX(gates_mutex);

/**
 * struct gate - a listening socket
 * @entry: in siw_net.gates
 * @net: our namespace; outlives us (sock.c)
 * @addr: where we listen
 * @afonly: no IPv4 on an IPv6 wildcard
 * @sock: the socket; NULL when the namespace goes. Changed with the work item stopped
 * @data_ready: the socket's own callback
 * @work: accepts
 * @lock: guards @listeners, and keeps them and their devices while a connection is handed to one;
 *	nests in gates_mutex, an endpoint's lock nests in it
 * @listeners: one for each device at most
 */
struct gate {
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

/**
 * struct siw_listener - iw_cm listens on a device
 * @ref: one of iw_cm until siw_destroy_listen(), one of each connection that is half open or
 *	claimed
 * @dev: our device
 * @cm_id: referenced until siw_destroy_listen()
 * @gate: where connections come from; NULL when the namespace has gone
 * @gate_entry: in its list
 * @limit: of @num_half_open
 * @lock: guards what follows; nests in the gate's lock and an endpoint's lock
 * @half_open: endpoints whose request iw_cm has not been told of, oldest first
 * @num_half_open: entries in @half_open
 * @untold: those, and others that iw_cm will not be told of or is being told of; in order, too
 * @dead: nobody listens any more
 * @claims: requests that iw_cm is being told of
 * @quiet: woken when @claims becomes 0
 */
struct siw_listener {
	struct kref ref;
	struct siw_device *dev;
	struct iw_cm_id *cm_id;
	struct gate *gate;
	struct list_head gate_entry;
	unsigned int limit;

	spinlock_t lock; /* guards what follows */
	struct list_head half_open;
	unsigned int num_half_open;
	struct list_head untold;
	bool dead;
	unsigned int claims;
	wait_queue_head_t quiet;
};

static void free_listener(struct kref *ref)
{
	kfree(container_of(ref, struct siw_listener, ref));
}

static void put_listener(struct siw_listener *l)
{
	kref_put(&l->ref, free_listener);
}

/* False: it is not half open any more, being too old. */
static bool leave_half_open(struct siw_listener *l, struct siw_cep *cep)
{
	lockdep_assert_held(&l->lock);
	if (list_empty(&cep->half_open_entry))
		return false;
	list_del_init(&cep->half_open_entry);
	l->num_half_open--;
	atomic_dec(&l->dev->num_half_open);
	return true;
}

static long patience(const struct siw_cep *elder)
{
	return max_t(long, elder->accepted + ORDER_PATIENCE - jiffies, 0);
}

/* The last one before this connection that is of the same host, and young enough; referenced. */
static struct siw_cep *find_elder(struct siw_listener *l, struct siw_cep *cep)
{
	struct siw_cep *found = NULL, *elder = cep;

	spin_lock(&l->lock);
	list_for_each_entry_continue_reverse(elder, &l->untold, untold_entry) {
		if (!patience(elder))
			break;
		if (krdma_addr_same_host(&elder->hs->remote, &cep->hs->remote)) {
			found = elder;
			siw_cep_get(found);
			break;
		}
	}
	spin_unlock(&l->lock);
	return found;
}

/* Who is waited for may leave without having been told, and have waited for another itself. */
static void let_elders_go_first(struct siw_listener *l, struct siw_cep *cep)
{
	struct siw_cep *elder;

	while ((elder = find_elder(l, cep))) {
		wait_for_completion_timeout(&elder->told, patience(elder));
		siw_cep_put(elder);
	}
}

static void leave_untold(struct siw_listener *l, struct siw_cep *cep)
{
	lockdep_assert_held(&l->lock);
	list_del(&cep->untold_entry);
	complete_all(&cep->told);
}

struct iw_cm_id *siw_listener_claim(struct siw_listener *l, struct siw_cep *cep)
{
	bool claimed;

	let_elders_go_first(l, cep);
	spin_lock(&l->lock);
	claimed = leave_half_open(l, cep) && !l->dead;
	if (claimed)
		l->claims++;
	spin_unlock(&l->lock);
	return claimed ? l->cm_id : NULL;
}

void siw_listener_unclaim(struct siw_listener *l, struct siw_cep *cep)
{
	spin_lock(&l->lock);
	leave_untold(l, cep);
	if (!--l->claims)
		wake_up_all(&l->quiet);
	spin_unlock(&l->lock);
	put_listener(l);
}

void siw_listener_drop(struct siw_listener *l, struct siw_cep *cep)
{
	spin_lock(&l->lock);
	leave_half_open(l, cep);
	leave_untold(l, cep);
	spin_unlock(&l->lock);
	put_listener(l);
}

/* Too many are half open: the oldest is the least likely to get further. */
static void evict_oldest(struct siw_listener *l)
{
	struct siw_cep *cep = list_first_entry(&l->half_open, struct siw_cep, half_open_entry);

	lockdep_assert_held(&l->lock);
	leave_half_open(l, cep);
	siw_cep_raise(cep, SIW_CEP_KILL);
	siw_count(l->dev, SIW_BACKLOG_DROPS);
}

/* The bound that all listeners of a device share. */
static bool listen_enter_device(struct siw_device *dev)
{
	if (atomic_inc_return(&dev->num_half_open) <= READ_ONCE(dev->settings.half_open))
		return true;
	atomic_dec(&dev->num_half_open);
	return false;
}

/* A listener that finds the device full makes room among its own. */
static bool backlog_make_room(struct siw_listener *l)
{
	lockdep_assert_held(&l->lock);
	if (l->num_half_open >= l->limit)
		evict_oldest(l);
	while (!listen_enter_device(l->dev)) {
		if (!l->num_half_open) {
			siw_count(l->dev, SIW_BACKLOG_DROPS);
			return false;
		}
		evict_oldest(l);
	}
	return true;
}

static bool enter_half_open(struct siw_listener *l, struct siw_cep *cep)
{
	bool entered;

	spin_lock(&l->lock);
	entered = !l->dead && backlog_make_room(l);
	if (entered) {
		list_add_tail(&cep->half_open_entry, &l->half_open);
		l->num_half_open++;
		cep->accepted = jiffies;
		init_completion(&cep->told);
		list_add_tail(&cep->untold_entry, &l->untold);
		kref_get(&l->ref);
	}
	spin_unlock(&l->lock);
	return entered;
}

static void begin_incoming(struct siw_cep *cep, struct siw_listener *l, struct socket *sock)
{
	struct siw_handshake *hs = cep->hs;

	cep->sock = sock;
	siw_hs_begin(cep, SIW_MAX_IRD, SIW_MAX_ORD);
	siw_sock_names(sock, &hs->local, &hs->remote);
	mpa_rx_init(&hs->rx, MPA_REQUEST);
	if (!enter_half_open(l, cep)) {
		siw_cep_close(cep, true);
		return;
	}
	cep->listener = l;
	cep->state = SIW_CEP_AWAIT_REQUEST;
	siw_cep_attach(cep);
	siw_cep_set_deadline(cep, hs->settings.handshake_ms);
	/* The request may have come before we listened for it. */
	siw_cep_raise(cep, SIW_CEP_SOCKET);
}

static void incoming(struct siw_listener *l, struct socket *sock)
{
	struct siw_cep *cep = siw_cep_new(l->dev);

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
static struct siw_listener *pick_listener(struct gate *gate, struct socket *sock)
{
	struct sockaddr_storage local, remote;
	struct siw_listener *l;

	lockdep_assert_held(&gate->lock);
	siw_sock_names(sock, &local, &remote);
	list_for_each_entry(l, &gate->listeners, gate_entry)
		if (!krdma_addr_is_any(&gate->addr) ||
		    has_addr(l->dev, &local, sock->sk->sk_bound_dev_if))
			return l;
	return NULL;
}

/* What a gate hands out has inherited the gate's callback. */
static void restore_callback(const struct gate *gate, struct sock *sk)
{
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = gate->data_ready;
	write_unlock_bh(&sk->sk_callback_lock);
}

static void hand_out(struct gate *gate, struct socket *sock)
{
	struct siw_listener *l;

	mutex_lock(&gate->lock);
	l = pick_listener(gate, sock);
	if (l)
		incoming(l, sock);
	else
		siw_sock_release(sock, true);
	mutex_unlock(&gate->lock);
}

/* 0, -EAGAIN there is none, -ENOMEM there may be one. */
static int accept_one(struct gate *gate)
{
	struct socket *sock;
	int err;

	err = kernel_accept(gate->sock, &sock, O_NONBLOCK);
	if (err == -ECONNABORTED)
		return 0;
	if (err)
		return err == -ENOMEM ? err : -EAGAIN;
	restore_callback(gate, sock->sk);
	hand_out(gate, sock);
	return 0;
}

static void accept_in(struct gate *gate, unsigned long delay)
{
	mod_delayed_work(siw_cm_wq, &gate->work, delay);
}

static void accept_some(struct work_struct *work)
{
	struct gate *gate = container_of(to_delayed_work(work), struct gate, work);
	int err = 0;
	int n;

	for (n = 0; n < ACCEPT_BATCH && !err; n++)
		err = accept_one(gate);
	if (err != -EAGAIN)
		accept_in(gate, err ? ACCEPT_RETRY : 0);
}

/*
 * The callback of a gate, and of the connections it has not handed out yet, which have no user
 * data.
 */
static void connection_ready(struct sock *sk)
{
	struct gate *gate;

	read_lock_bh(&sk->sk_callback_lock);
	gate = __locked_read_sk_user_data_with_flags(sk, 0);
	if (gate)
		accept_in(gate, 0);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void attach_gate(struct gate *gate)
{
	struct sock *sk = gate->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	gate->data_ready = sk->sk_data_ready;
	sk->sk_data_ready = connection_ready;
	__rcu_assign_sk_user_data_with_flags(sk, gate, SK_USER_DATA_NOCOPY);
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

static int bind_and_listen(struct gate *gate, const struct siw_listener *l, int backlog)
{
	int err;

	err = siw_sock_bind(l->dev, gate->sock, &gate->addr);
	return err ?: kernel_listen(gate->sock, backlog);
}

static int open_socket(struct gate *gate, const struct siw_listener *l, int backlog)
{
	struct socket *sock;
	int err;

	err = siw_sock_create(gate->net, gate->addr.ss_family, &sock);
	if (err)
		return err;
	gate->sock = sock;
	set_afonly(sock->sk, gate->afonly);
	if (l->cm_id->tos_set)
		siw_sock_set_tos(sock, l->cm_id->tos);
	if (l->cm_id->mapped)
		siw_sock_share_port(sock);
	err = bind_and_listen(gate, l, backlog);
	if (err)
		goto release;
	siw_sock_keep_port(sock);
	kernel_getsockname(sock, (struct sockaddr *)&gate->addr);
	attach_gate(gate);
	return 0;

release:
	siw_sock_release(sock, false);
	return err;
}

/* The listener is there before the socket: what comes at once finds whom it is for. */
static struct gate *new_gate(struct net *net, struct siw_listener *l)
{
	struct gate *gate = kzalloc(sizeof(*gate), GFP_KERNEL);

	if (!gate)
		return NULL;
	gate->net = net;
	gate->addr = l->cm_id->m_local_addr;
	gate->afonly = l->cm_id->afonly;
	INIT_DELAYED_WORK(&gate->work, accept_some);
	mutex_init(&gate->lock);
	INIT_LIST_HEAD(&gate->listeners);
	list_add(&l->gate_entry, &gate->listeners);
	l->gate = gate;
	return gate;
}

static int open_gate(struct net *net, struct siw_listener *l, int backlog)
{
	struct gate *gate;
	int err;

	lockdep_assert_held(&gates_mutex);
	gate = new_gate(net, l);
	if (!gate)
		return -ENOMEM;
	err = open_socket(gate, l, backlog);
	if (err) {
		list_del(&l->gate_entry);
		l->gate = NULL;
		kfree(gate);
		return err;
	}
	list_add_tail(&gate->entry, &siw_net(net)->gates);
	/* A connection may have come before the callback was ours. */
	accept_in(gate, 0);
	return 0;
}

static void close_gate(struct gate *gate)
{
	struct sock *sk = gate->sock->sk;

	lockdep_assert_held(&gates_mutex);
	list_del(&gate->entry);
	lock_sock(sk);
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = gate->data_ready;
	rcu_assign_sk_user_data(sk, NULL);
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
	cancel_delayed_work_sync(&gate->work);
	siw_sock_release(gate->sock, false);
	kfree(gate);
}

static bool same_wildcard(const struct gate *gate, const struct iw_cm_id *cm_id)
{
	const struct sockaddr_storage *addr = &cm_id->m_local_addr;

	return gate->addr.ss_family == addr->ss_family && gate->afonly == cm_id->afonly &&
	       krdma_addr_is_any(&gate->addr) && krdma_addr_is_any(addr) &&
	       krdma_addr_port(&gate->addr) == krdma_addr_port(addr);
}

static struct gate *find_gate(struct siw_net *sn, const struct siw_listener *l)
{
	struct gate *gate;

	lockdep_assert_held(&gates_mutex);
	list_for_each_entry(gate, &sn->gates, entry)
		if (same_wildcard(gate, l->cm_id))
			return gate;
	return NULL;
}

/* TCP does not say so of a port that is shared with the port mapper's daemon. */
static bool is_taken(struct siw_net *sn, const struct iw_cm_id *cm_id)
{
	const struct sockaddr_storage *addr = &cm_id->m_local_addr;
	struct gate *gate;

	lockdep_assert_held(&gates_mutex);
	if (!cm_id->mapped)
		return false;
	list_for_each_entry(gate, &sn->gates, entry)
		if (krdma_addr_port(&gate->addr) == krdma_addr_port(addr) &&
		    (krdma_addr_is_any(&gate->addr) || krdma_addr_is_any(addr) ||
		     krdma_addr_same_host(&gate->addr, addr)))
			return true;
	return false;
}

static bool gate_has_device(struct gate *gate, const struct siw_device *dev)
{
	struct siw_listener *l;

	lockdep_assert_held(&gate->lock);
	list_for_each_entry(l, &gate->listeners, gate_entry)
		if (l->dev == dev)
			return true;
	return false;
}

static int enter_gate(struct gate *gate, struct siw_listener *l)
{
	int err = -EADDRINUSE;

	mutex_lock(&gate->lock);
	if (!gate_has_device(gate, l->dev)) {
		list_add_tail(&l->gate_entry, &gate->listeners);
		l->gate = gate;
		err = 0;
	}
	mutex_unlock(&gate->lock);
	return err;
}

static int find_or_open_gate(struct siw_listener *l, int backlog)
{
	struct net *net = rdma_dev_net(&l->dev->base);
	struct gate *gate = find_gate(siw_net(net), l);

	if (gate)
		return enter_gate(gate, l);
	if (is_taken(siw_net(net), l->cm_id))
		return -EADDRINUSE;
	return open_gate(net, l, backlog);
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
static void note_port(struct iw_cm_id *cm_id, const struct gate *gate)
{
	if (krdma_addr_port(&cm_id->m_local_addr))
		return;
	cm_id->m_local_addr = gate->addr;
	if (!cm_id->mapped)
		cm_id->local_addr = gate->addr;
}

static int begin_listen(struct siw_listener *l, int backlog)
{
	int err = -ENODEV;

	mutex_lock(&gates_mutex);
	/* When the device is down, its namespace may have gone. */
	if (!is_down(l->dev))
		err = find_or_open_gate(l, backlog);
	if (!err)
		note_port(l->cm_id, l->gate);
	mutex_unlock(&gates_mutex);
	return err;
}

static void end_listen(struct siw_listener *l)
{
	struct gate *gate;
	bool last = false;

	mutex_lock(&gates_mutex);
	gate = l->gate;
	if (gate) {
		mutex_lock(&gate->lock);
		list_del(&l->gate_entry);
		last = list_empty(&gate->listeners);
		mutex_unlock(&gate->lock);
	}
	if (last)
		close_gate(gate);
	mutex_unlock(&gates_mutex);
}

static void desert_gate(struct gate *gate)
{
	struct siw_listener *l, *next;

	mutex_lock(&gate->lock);
	list_for_each_entry_safe(l, next, &gate->listeners, gate_entry) {
		list_del(&l->gate_entry);
		l->gate = NULL;
	}
	mutex_unlock(&gate->lock);
}

void siw_gates_shut(struct siw_net *sn)
{
	struct gate *gate, *next;

	mutex_lock(&gates_mutex);
	list_for_each_entry_safe(gate, next, &sn->gates, entry) {
		desert_gate(gate);
		close_gate(gate);
	}
	mutex_unlock(&gates_mutex);
}

static struct siw_listener *new_listener(struct iw_cm_id *cm_id, int backlog)
{
	struct siw_listener *l;

	l = kzalloc(sizeof(*l), GFP_KERNEL_ACCOUNT);
	if (!l)
		return NULL;
	kref_init(&l->ref);
	l->dev = to_siw_dev(cm_id->device);
	l->cm_id = cm_id;
	l->limit = clamp(backlog, HALF_OPEN_MIN, HALF_OPEN_MAX);
	spin_lock_init(&l->lock);
	INIT_LIST_HEAD(&l->half_open);
	INIT_LIST_HEAD(&l->untold);
	init_waitqueue_head(&l->quiet);
	return l;
}

int siw_create_listen(struct iw_cm_id *cm_id, int backlog)
{
	struct siw_listener *l;
	int err;

	if (!krdma_addr_is_ip(&cm_id->m_local_addr))
		return -EAFNOSUPPORT;
	l = new_listener(cm_id, backlog);
	if (!l)
		return -ENOMEM;
	/* Requests may come from here on. */
	cm_id->add_ref(cm_id);
	cm_id->provider_data = l;
	err = begin_listen(l, clamp(backlog, HALF_OPEN_MIN, HALF_OPEN_MAX));
	if (err) {
		cm_id->provider_data = NULL;
		cm_id->rem_ref(cm_id);
		put_listener(l);
		return err;
	}
	return 0;
}

static bool is_quiet(struct siw_listener *l)
{
	bool quiet;

	spin_lock(&l->lock);
	quiet = !l->claims;
	spin_unlock(&l->lock);
	return quiet;
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
		siw_cep_raise(cep, SIW_CEP_KILL);
	spin_unlock(&l->lock);
	wait_event(l->quiet, is_quiet(l));

	cm_id->provider_data = NULL;
	cm_id->rem_ref(cm_id);
	put_listener(l);
	return 0;
}
