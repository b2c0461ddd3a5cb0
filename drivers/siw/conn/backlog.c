// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A listener's backlog: the connections that are half open, from the TCP handshake until their
 * request is delivered to iw_cm; and the order of delivery.
 *
 * Applications tell their connections apart by the order of the requests, but endpoints run on
 * independent work items and can overtake each other. So the connections of a remote host queue up
 * in the order in which they were accepted, and only the request of the first one is delivered. A
 * connection leaves its host's queue when its request was delivered, when it closes, or when the
 * setting order_ms has passed since it was accepted. If a function takes the first connection out
 * of a queue, and the request of the next connection waits already, the function returns the next
 * connection, and the caller posts SIW_CEP_EV_DELIVER to that connection. No context waits for the
 * turn of a request.
 */
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/krdma_addr.h>

#include "drivers/siw/conn/backlog.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/conn/cep.h"
#include "drivers/siw/conn/handshake.h"

struct siw_listener *siw_listener_new(struct iw_cm_id *cm_id, unsigned int limit)
{
	struct siw_listener *l;
	int i;

	l = kzalloc(sizeof(*l), GFP_KERNEL_ACCOUNT);
	if (!l)
		return NULL;
	kref_init(&l->ref);
	l->dev = to_siw_dev(cm_id->device);
	l->cm_id = cm_id;
	l->limit = limit;
	l->hash_seed = get_random_u32();
	spin_lock_init(&l->lock);
	for (i = 0; i < SIW_HOST_BUCKETS; i++)
		INIT_LIST_HEAD(&l->half_open[i]);
	INIT_LIST_HEAD(&l->order);
	init_waitqueue_head(&l->idle_wait);
	return l;
}

static void free_listener(struct kref *ref)
{
	kfree(container_of(ref, struct siw_listener, ref));
}

void siw_listener_put(struct siw_listener *l)
{
	kref_put(&l->ref, free_listener);
}

/*
 * Stores the number of half-open connections. Keeps the listener in the device's list while the
 * number is not 0.
 */
static void set_half_open(struct siw_listener *l, unsigned int num)
{
	struct siw_device *dev = l->dev;

	lockdep_assert_held(&l->lock);
	if (!num || !l->num_half_open) {
		spin_lock(&dev->backlog_lock);
		if (num)
			list_add_tail(&l->dev_entry, &dev->backlogs);
		else
			list_del(&l->dev_entry);
		spin_unlock(&dev->backlog_lock);
	}
	WRITE_ONCE(l->num_half_open, num);
}

static void backlog_add(struct siw_listener *l, struct siw_cep *cep)
{
	lockdep_assert_held(&l->lock);
	list_add_tail(&cep->half_open_entry, &l->half_open[cep->bucket]);
	l->num_from[cep->bucket]++;
	set_half_open(l, l->num_half_open + 1);
}

/* Returns false if siw_backlog_evict() has removed the connection already. */
static bool backlog_del(struct siw_listener *l, struct siw_cep *cep)
{
	lockdep_assert_held(&l->lock);
	if (list_empty(&cep->half_open_entry))
		return false;
	list_del_init(&cep->half_open_entry);
	l->num_from[cep->bucket]--;
	set_half_open(l, l->num_half_open - 1);
	atomic_dec(&l->dev->num_half_open);
	return true;
}

static unsigned int host_bucket(const struct siw_listener *l, const struct sockaddr_storage *addr)
{
	u32 hash;

	if (addr->ss_family == AF_INET)
		hash = jhash_1word((__force u32)krdma_addr4(addr)->sin_addr.s_addr, l->hash_seed);
	else
		hash = __ipv6_addr_jhash(&krdma_addr6(addr)->sin6_addr, l->hash_seed);
	return hash % SIW_HOST_BUCKETS;
}

/* Appends the connection to the queue of its host. */
static void order_add(struct siw_listener *l, struct siw_cep *cep)
{
	struct hlist_head *bucket = &l->hosts[cep->bucket];
	struct siw_cep *first;

	lockdep_assert_held(&l->lock);
	list_add_tail(&cep->order_entry, &l->order);
	INIT_LIST_HEAD(&cep->host_entry);
	hlist_for_each_entry(first, bucket, host_node) {
		if (krdma_addr_same_host(&first->mpa->remote, &cep->mpa->remote)) {
			list_add_tail(&cep->host_entry, &first->host_entry);
			return;
		}
	}
	hlist_add_head(&cep->host_node, bucket);
}

/*
 * Removes @cep from the queue of its host, if it is in the queue. If this makes another connection
 * the first of the queue, and the request of that connection waits, returns that connection with a
 * reference; otherwise returns NULL.
 */
static struct siw_cep *order_del(struct siw_listener *l, struct siw_cep *cep)
{
	struct siw_cep *next = list_next_entry(cep, host_entry);
	bool was_first = !hlist_unhashed(&cep->host_node);

	lockdep_assert_held(&l->lock);
	if (list_empty(&cep->order_entry))
		return NULL;
	list_del_init(&cep->order_entry);
	l->num_waiting -= cep->waiting;
	cep->waiting = false;

	if (was_first && next != cep)
		hlist_add_behind(&next->host_node, &cep->host_node);
	hlist_del_init(&cep->host_node);
	list_del_init(&cep->host_entry);
	if (!was_first || next == cep || !next->waiting)
		return NULL;
	l->num_waiting--;
	next->waiting = false;
	siw_cep_get(next);
	return next;
}

/* Returns the time, in jiffies, at which later requests of the same host stop waiting for @cep. */
static unsigned long order_deadline(const struct siw_listener *l, const struct siw_cep *cep)
{
	return cep->accepted + msecs_to_jiffies(READ_ONCE(l->dev->settings.order_ms));
}

/* Returns the oldest connection of all queues if its order_deadline() has passed, else NULL. */
static struct siw_cep *order_expired(struct siw_listener *l)
{
	struct siw_cep *oldest;

	lockdep_assert_held(&l->lock);
	oldest = list_first_entry_or_null(&l->order, struct siw_cep, order_entry);
	return oldest && time_after_eq(jiffies, order_deadline(l, oldest)) ? oldest : NULL;
}

/* Sets @l->timer to fire at the order_deadline() of the oldest connection. */
static void order_set_timer(struct siw_listener *l)
{
	struct siw_cep *oldest = list_first_entry(&l->order, struct siw_cep, order_entry);

	lockdep_assert_held(&l->lock);
	if (!mod_timer(&l->timer, order_deadline(l, oldest)))
		kref_get(&l->ref);
}

struct siw_cep *siw_backlog_expire(struct siw_listener *l)
{
	struct siw_cep *oldest, *next = NULL;

	spin_lock_bh(&l->lock);
	while (!next && (oldest = order_expired(l)))
		next = order_del(l, oldest);
	if (!next && l->num_waiting && !l->dead)
		order_set_timer(l);
	spin_unlock_bh(&l->lock);
	return next;
}

bool siw_backlog_request(struct siw_listener *l, struct siw_cep *cep)
{
	struct siw_cep *oldest;
	bool may_deliver;

	spin_lock_bh(&l->lock);
	/*
	 * If no request waits, take expired connections out of their queues here. Otherwise the
	 * timer does so, and starts the delivery of the requests behind them.
	 */
	while (!l->num_waiting && (oldest = order_expired(l)))
		order_del(l, oldest);
	may_deliver = l->dead || list_empty(&cep->order_entry) ||
		      !hlist_unhashed(&cep->host_node);
	if (!may_deliver) {
		cep->waiting = true;
		if (!l->num_waiting++)
			order_set_timer(l);
	}
	spin_unlock_bh(&l->lock);
	return may_deliver;
}

struct iw_cm_id *siw_listener_begin_request(struct siw_listener *l, struct siw_cep *cep)
{
	bool valid;

	spin_lock_bh(&l->lock);
	valid = backlog_del(l, cep) && !l->dead;
	if (valid)
		l->num_delivering++;
	spin_unlock_bh(&l->lock);
	return valid ? l->cm_id : NULL;
}

struct siw_cep *siw_listener_end_request(struct siw_listener *l, struct siw_cep *cep)
{
	struct siw_cep *next;

	spin_lock_bh(&l->lock);
	next = order_del(l, cep);
	if (!--l->num_delivering)
		wake_up_all(&l->idle_wait);
	spin_unlock_bh(&l->lock);
	siw_listener_put(l);
	return next;
}

struct siw_cep *siw_listener_drop(struct siw_listener *l, struct siw_cep *cep)
{
	struct siw_cep *next;

	spin_lock_bh(&l->lock);
	backlog_del(l, cep);
	next = order_del(l, cep);
	spin_unlock_bh(&l->lock);
	siw_listener_put(l);
	return next;
}

int siw_backlog_add(struct siw_listener *l, struct siw_cep *cep)
{
	int err = 0;

	spin_lock_bh(&l->lock);
	if (l->dead) {
		err = -ESHUTDOWN;
	} else if (l->num_half_open >= l->limit) {
		err = -EAGAIN;
	} else if (atomic_inc_return(&l->dev->num_half_open) >
		   READ_ONCE(l->dev->settings.half_open)) {
		atomic_dec(&l->dev->num_half_open);
		err = -EAGAIN;
	}
	if (!err) {
		cep->bucket = host_bucket(l, &cep->mpa->remote);
		cep->accepted = jiffies;
		backlog_add(l, cep);
		order_add(l, cep);
		kref_get(&l->ref);
	}
	spin_unlock_bh(&l->lock);
	return err;
}

/*
 * Returns the device's listener with the most half-open connections, and takes a reference to it;
 * returns NULL if the device has no half-open connections. A listener in the list cannot be freed
 * meanwhile, because each of its half-open connections holds a reference.
 */
static struct siw_listener *fullest_listener(struct siw_device *dev)
{
	struct siw_listener *l, *fullest = NULL;

	spin_lock_bh(&dev->backlog_lock);
	list_for_each_entry(l, &dev->backlogs, dev_entry)
		if (!fullest || READ_ONCE(l->num_half_open) > READ_ONCE(fullest->num_half_open))
			fullest = l;
	if (fullest)
		kref_get(&fullest->ref);
	spin_unlock_bh(&dev->backlog_lock);
	return fullest;
}

/*
 * Returns the oldest connection in the fullest bucket. If several buckets are equally full, returns
 * the oldest connection in all of them. Returns NULL if no connection is half open.
 */
static struct siw_cep *find_evictable(struct siw_listener *l)
{
	struct siw_cep *cep, *found = NULL;
	unsigned int most = 1;
	int i;

	lockdep_assert_held(&l->lock);
	for (i = 0; i < SIW_HOST_BUCKETS; i++) {
		if (l->num_from[i] < most)
			continue;
		cep = list_first_entry(&l->half_open[i], struct siw_cep, half_open_entry);
		if (l->num_from[i] > most || !found || time_before(cep->accepted, found->accepted))
			found = cep;
		most = l->num_from[i];
	}
	return found;
}

struct siw_cep *siw_backlog_evict(struct siw_listener *l)
{
	struct siw_device *dev = l->dev;
	struct siw_listener *from = NULL;
	struct siw_cep *cep;

	if (READ_ONCE(l->num_half_open) >= l->limit) {
		from = l;
		kref_get(&l->ref);
	} else if (atomic_read(&dev->num_half_open) >= READ_ONCE(dev->settings.half_open)) {
		from = fullest_listener(dev);
	}
	if (!from)
		return NULL;
	spin_lock_bh(&from->lock);
	cep = find_evictable(from);
	if (cep) {
		backlog_del(from, cep);
		siw_cep_get(cep);
	}
	spin_unlock_bh(&from->lock);
	siw_listener_put(from);
	return cep;
}
