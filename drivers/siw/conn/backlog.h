/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Listeners of iw_cm, each with its backlog of half-open connections. Process context.
 */
#ifndef SIW_BACKLOG_H
#define SIW_BACKLOG_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>

struct iw_cm_id;
struct lsock;
struct siw_cep;
struct siw_device;

/* Number of hash buckets for remote hosts. */
#define SIW_HOST_BUCKETS	64

/**
 * struct siw_listener - an iw_cm identifier that listens on a device
 * @ref: references: iw_cm holds one until siw_destroy_listen(); each endpoint that points to the
 *	listener holds one; @timer holds one while it is armed
 * @dev: our device
 * @cm_id: the identifier, referenced until siw_destroy_listen()
 * @lsock: accepts our connections; NULL after its network namespace was destroyed; protected by
 *	lsocks_mutex (listen.c)
 * @lsock_entry: entry in lsock.listeners
 * @limit: largest value of @num_half_open
 * @dev_entry: entry in siw_device.backlogs while @num_half_open is not 0; protected by
 *	siw_device.backlog_lock
 * @hash_seed: random, so that no peer knows which hosts share a bucket
 * @timer: runs while requests wait for their turn; fires when the setting order_ms has passed since
 *	the oldest entry of @order was accepted
 * @lock: protects the members that follow; taken with BHs off; nests in lsock.lock and siw_cep.lock
 * @half_open: endpoints whose request is not yet delivered to iw_cm, by the hash of the remote
 *	host, oldest first
 * @num_from: number of entries in each list of @half_open
 * @num_half_open: number of entries in all lists of @half_open; also read without the lock
 * @order: endpoints that are in the queue of their host, oldest first
 * @hosts: queues of endpoints, by the hash of the remote host. A bucket has the first endpoint of
 *	each queue; siw_cep.host_entry links the others to it
 * @num_waiting: number of complete requests that wait for their turn
 * @dead: siw_destroy_listen() was called; no request is delivered any more
 * @num_delivering: number of requests that are being delivered
 * @idle_wait: woken when @num_delivering becomes 0
 */
struct siw_listener {
	struct kref ref;
	struct siw_device *dev;
	struct iw_cm_id *cm_id;
	struct lsock *lsock;
	struct list_head lsock_entry;
	struct list_head dev_entry;
	unsigned int limit;
	u32 hash_seed;
	struct timer_list timer;

	spinlock_t lock; /* protects what follows */
	struct list_head half_open[SIW_HOST_BUCKETS];
	u16 num_from[SIW_HOST_BUCKETS];
	unsigned int num_half_open;
	struct list_head order;
	struct hlist_head hosts[SIW_HOST_BUCKETS];
	unsigned int num_waiting;
	bool dead;
	unsigned int num_delivering;
	wait_queue_head_t idle_wait;
};

/*
 * Allocates a listener with at most @limit half-open connections. The caller sets up the timer.
 * Returns NULL if there is no memory.
 */
struct siw_listener *siw_listener_new(struct iw_cm_id *cm_id, unsigned int limit);
void siw_listener_put(struct siw_listener *listener);

/*
 * Adds a half-open connection, which gets a reference to the listener. Returns 0; -EAGAIN if the
 * limit of the listener or of the device is reached; -ESHUTDOWN if the listener is dead.
 */
int siw_backlog_add(struct siw_listener *listener, struct siw_cep *cep);
/*
 * Removes a half-open connection to make room for a new one: from @listener if its limit is
 * reached, else from the device's listener with the most half-open connections. Chooses the oldest
 * connection in that listener's fullest bucket of hosts. Peers that open many connections therefore
 * push out their own connections, not those of other hosts or those to other listeners. Returns the
 * connection with a reference; NULL if connections have ended meanwhile, so that there may be room.
 */
struct siw_cep *siw_backlog_evict(struct siw_listener *listener);

/*
 * Called once the request of a connection is complete. Returns whether the request can be delivered
 * now. If not, earlier connections of the same host come first. The connection is then returned by
 * a later call of siw_backlog_expire(), siw_listener_end_request() or siw_listener_drop(). Each of
 * these three functions returns a connection whose turn has come, with a reference, or NULL; the
 * caller posts SIW_CEP_EV_DELIVER to the connection.
 */
bool siw_backlog_request(struct siw_listener *listener, struct siw_cep *cep);
/* Called by the listener's timer, repeatedly, until the function returns NULL. Any context. */
struct siw_cep *siw_backlog_expire(struct siw_listener *listener);

/*
 * A connection is half open until the first call of siw_backlog_evict(),
 * siw_listener_begin_request() or siw_listener_drop() for it. Each of the three is called at most
 * once for a connection.
 *
 * siw_listener_begin_request() starts the delivery of a connection's request. Returns the
 * listener's cm_id, which is valid until siw_listener_end_request() drops the connection's
 * reference to the listener. Returns NULL if the listener is dead, or if siw_backlog_evict() has
 * removed the connection; in both cases, siw_listener_drop() must follow.
 *
 * siw_listener_drop() removes a connection whose request is not delivered, and drops the
 * connection's reference to the listener.
 */
struct iw_cm_id *siw_listener_begin_request(struct siw_listener *listener, struct siw_cep *cep);
struct siw_cep *siw_listener_end_request(struct siw_listener *listener, struct siw_cep *cep);
struct siw_cep *siw_listener_drop(struct siw_listener *listener, struct siw_cep *cep);

#endif /* SIW_BACKLOG_H */
