// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A listener's backlog: the connections that are half open, from the TCP handshake until their
 * request is delivered to iw_cm; and the order of delivery.
 */
#include <linux/slab.h>
#include <rdma/krdma_addr.h>

#include "drivers/siw/backlog.h"
#include "drivers/siw/cep.h"
#include "drivers/siw/handshake.h"
#include "drivers/siw/siw.h"

/*
 * Longest time in jiffies that a request waits for earlier connections from the same host.
 * Applications tell their connections apart by the order of the requests, but endpoints run on
 * independent work items and can overtake each other.
 */
#define REORDER_TIMEOUT	(HZ / 20)

struct siw_listener *siw_listener_new(struct iw_cm_id *cm_id, unsigned int limit)
{
	struct siw_listener *l;

	l = kzalloc(sizeof(*l), GFP_KERNEL_ACCOUNT);
	if (!l)
		return NULL;
	kref_init(&l->ref);
	l->dev = to_siw_dev(cm_id->device);
	l->cm_id = cm_id;
	l->limit = limit;
	spin_lock_init(&l->lock);
	INIT_LIST_HEAD(&l->half_open);
	INIT_LIST_HEAD(&l->undelivered);
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

/* Returns false if siw_backlog_del_oldest() has removed the connection already. */
static bool backlog_del(struct siw_listener *l, struct siw_cep *cep)
{
	lockdep_assert_held(&l->lock);
	if (list_empty(&cep->half_open_entry))
		return false;
	list_del_init(&cep->half_open_entry);
	l->num_half_open--;
	atomic_dec(&l->dev->num_half_open);
	return true;
}

/* Returns for how many jiffies later requests may still wait for the request of @earlier. */
static long order_timeout(const struct siw_cep *earlier)
{
	return max_t(long, earlier->accepted + REORDER_TIMEOUT - jiffies, 0);
}

/*
 * Returns the connection for which the request of @cep has to wait, with a reference; NULL if there
 * is none. The request waits for the latest undelivered connection before @cep from the same host,
 * until its order_timeout() is 0.
 */
static struct siw_cep *find_earlier(struct siw_listener *l, struct siw_cep *cep)
{
	struct siw_cep *found = NULL, *earlier = cep;

	spin_lock(&l->lock);
	list_for_each_entry_continue_reverse(earlier, &l->undelivered, undelivered_entry) {
		if (!order_timeout(earlier))
			break;
		if (krdma_addr_same_host(&earlier->hs->remote, &cep->hs->remote)) {
			found = earlier;
			siw_cep_get(found);
			break;
		}
	}
	spin_unlock(&l->lock);
	return found;
}

static void del_undelivered(struct siw_listener *l, struct siw_cep *cep)
{
	lockdep_assert_held(&l->lock);
	list_del(&cep->undelivered_entry);
	complete_all(&cep->delivered);
}

struct iw_cm_id *siw_listener_begin_request(struct siw_listener *l, struct siw_cep *cep)
{
	struct siw_cep *earlier;
	bool valid;

	might_sleep();
	/*
	 * Look again after each wait, because a connection that closes before delivery may itself
	 * have been waiting for another one.
	 */
	while ((earlier = find_earlier(l, cep))) {
		wait_for_completion_timeout(&earlier->delivered, order_timeout(earlier));
		siw_cep_put(earlier);
	}
	spin_lock(&l->lock);
	valid = backlog_del(l, cep) && !l->dead;
	if (valid)
		l->num_delivering++;
	spin_unlock(&l->lock);
	return valid ? l->cm_id : NULL;
}

void siw_listener_end_request(struct siw_listener *l, struct siw_cep *cep)
{
	spin_lock(&l->lock);
	del_undelivered(l, cep);
	if (!--l->num_delivering)
		wake_up_all(&l->idle_wait);
	spin_unlock(&l->lock);
	siw_listener_put(l);
}

void siw_listener_drop(struct siw_listener *l, struct siw_cep *cep)
{
	spin_lock(&l->lock);
	backlog_del(l, cep);
	del_undelivered(l, cep);
	spin_unlock(&l->lock);
	siw_listener_put(l);
}

int siw_backlog_add(struct siw_listener *l, struct siw_cep *cep)
{
	int err = 0;

	spin_lock(&l->lock);
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
		list_add_tail(&cep->half_open_entry, &l->half_open);
		l->num_half_open++;
		cep->accepted = jiffies;
		init_completion(&cep->delivered);
		list_add_tail(&cep->undelivered_entry, &l->undelivered);
		kref_get(&l->ref);
	}
	spin_unlock(&l->lock);
	return err;
}

struct siw_cep *siw_backlog_del_oldest(struct siw_listener *l)
{
	struct siw_cep *oldest;

	spin_lock(&l->lock);
	oldest = list_first_entry_or_null(&l->half_open, struct siw_cep, half_open_entry);
	if (oldest) {
		backlog_del(l, oldest);
		siw_cep_get(oldest);
	}
	spin_unlock(&l->lock);
	return oldest;
}
