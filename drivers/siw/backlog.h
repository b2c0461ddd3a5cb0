/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Listeners of iw_cm, and the backlog of each.
 */
#ifndef SIW_BACKLOG_H
#define SIW_BACKLOG_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

struct iw_cm_id;
struct lsock;
struct siw_cep;
struct siw_device;

/**
 * struct siw_listener - iw_cm listens on a device
 * @ref: one of iw_cm until siw_destroy_listen(), one of each connection that is half open or
 *	whose request is being delivered
 * @dev: our device
 * @cm_id: referenced until siw_destroy_listen()
 * @lsock: where connections come from; NULL when the namespace has gone
 * @lsock_entry: in its list
 * @limit: of @num_half_open
 * @lock: guards what follows; nests in the lsock's lock and an endpoint's lock
 * @half_open: endpoints whose request is not delivered to iw_cm yet, oldest first
 * @num_half_open: entries in @half_open
 * @undelivered: those, and others that will not be or are being delivered; in order, too
 * @dead: nobody listens any more
 * @num_delivering: requests that are being delivered
 * @idle_wait: woken when @num_delivering becomes 0
 */
struct siw_listener {
	struct kref ref;
	struct siw_device *dev;
	struct iw_cm_id *cm_id;
	struct lsock *lsock;
	struct list_head lsock_entry;
	unsigned int limit;

	spinlock_t lock; /* guards what follows */
	struct list_head half_open;
	unsigned int num_half_open;
	struct list_head undelivered;
	bool dead;
	unsigned int num_delivering;
	wait_queue_head_t idle_wait;
};

/* A listener that admits @limit half-open connections; NULL: no memory. */
struct siw_listener *siw_listener_new(struct iw_cm_id *cm_id, unsigned int limit);
void siw_listener_put(struct siw_listener *listener);
/* No request is being delivered. */
bool siw_listener_idle(struct siw_listener *listener);

/*
 * Adds a connection that is half open from now on, and has a reference to the listener: 0; -EAGAIN
 * there is no room for it, in the listener or in all of the device's; -ESHUTDOWN nobody listens.
 */
int siw_backlog_add(struct siw_listener *listener, struct siw_cep *cep);
/*
 * Makes room: removes the connection that has been half open for the longest, and returns it with a
 * reference to it; NULL: there is none.
 */
struct siw_cep *siw_backlog_del_oldest(struct siw_listener *listener);

/*
 * A connection of a listener is half open until its request is delivered to iw_cm.
 * siw_listener_begin_request() ends that: it returns the listener's cm_id, to be used until
 * siw_listener_end_request(), or NULL if the listener is gone. It may sleep for a moment, so that
 * requests of one host are delivered in order. siw_listener_drop() ends it without a request. Both
 * are called at most once for a connection, and give back its reference to the listener; for a
 * request, siw_listener_end_request() does.
 */
struct iw_cm_id *siw_listener_begin_request(struct siw_listener *listener, struct siw_cep *cep);
void siw_listener_end_request(struct siw_listener *listener, struct siw_cep *cep);
void siw_listener_drop(struct siw_listener *listener, struct siw_cep *cep);

#endif /* SIW_BACKLOG_H */
