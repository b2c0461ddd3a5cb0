// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include "umad/queue.h"

#include <linux/poll.h>
#include <linux/slab.h>

void umad_mad_free(struct umad_mad *mad)
{
	if (mad->received)
		ib_free_recv_mad(mad->received);
	kfree(mad);
}

void umad_queue_init(struct umad_queue *queue)
{
	init_waitqueue_head(&queue->wait);
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->unread);
	INIT_LIST_HEAD(&queue->sent);
}

static size_t *memory_of(struct umad_queue *queue, const struct umad_mad *mad)
{
	lockdep_assert_held(&queue->lock);
	return mad->received ? &queue->received_memory : &queue->sent_memory;
}

/* Accounts for the memory of a MAD that comes to the queue. */
static void charge(struct umad_queue *queue, const struct umad_mad *mad)
{
	size_t *memory = memory_of(queue, mad);

	*memory += mad->memory;
}

static void uncharge(struct umad_queue *queue, const struct umad_mad *mad)
{
	size_t *memory = memory_of(queue, mad);

	*memory -= mad->memory;
}

static void wake_queue(struct umad_queue *queue)
{
	wake_up_interruptible_poll(&queue->wait, EPOLLIN | EPOLLRDNORM);
}

bool umad_queue_received(struct umad_queue *queue, struct umad_mad *mad)
{
	bool fits;

	spin_lock(&queue->lock);
	fits = !queue->ended && queue->received_memory < UMAD_QUEUE_MAX;
	if (fits) {
		charge(queue, mad);
		list_add_tail(&mad->entry, &queue->unread);
	}
	spin_unlock(&queue->lock);
	if (fits)
		wake_queue(queue);
	return fits;
}

static bool same_destination(const struct ib_user_mad_hdr *a, const struct ib_user_mad_hdr *b)
{
	if (!a->grh_present != !b->grh_present)
		return false;
	return a->grh_present ? !memcmp(a->gid, b->gid, sizeof(a->gid)) : a->lid == b->lid;
}

static bool is_duplicate(const struct umad_mad *a, const struct umad_mad *b)
{
	bool response = ib_response_mad(&a->mad);

	return a->mad.tid == b->mad.tid && a->mad.mgmt_class == b->mad.mgmt_class &&
	       response == ib_response_mad(&b->mad) &&
	       (!response || same_destination(&a->hdr, &b->hdr));
}

/* Returns why a send may not be posted, or 0. */
static int check_send(const struct umad_queue *queue, const struct umad_mad *mad, bool repeats)
{
	const struct umad_mad *other;

	lockdep_assert_held(&queue->lock);
	if (queue->sent_memory >= UMAD_QUEUE_MAX)
		return -ENOBUFS;
	if (repeats)
		return 0;
	list_for_each_entry(other, &queue->sent, entry)
		if (is_duplicate(mad, other))
			return -EINVAL;
	return 0;
}

int umad_queue_sent(struct umad_queue *queue, struct umad_mad *mad, bool repeats)
{
	int ret;

	spin_lock(&queue->lock);
	ret = check_send(queue, mad, repeats);
	if (!ret) {
		charge(queue, mad);
		list_add_tail(&mad->entry, &queue->sent);
	}
	spin_unlock(&queue->lock);
	return ret;
}

void umad_queue_unsent(struct umad_queue *queue, struct umad_mad *mad)
{
	spin_lock(&queue->lock);
	list_del(&mad->entry);
	uncharge(queue, mad);
	spin_unlock(&queue->lock);
}

bool umad_queue_unanswered(struct umad_queue *queue, struct umad_mad *mad)
{
	bool ended;

	spin_lock(&queue->lock);
	ended = queue->ended;
	if (ended) {
		list_del(&mad->entry);
		uncharge(queue, mad);
	} else {
		list_move_tail(&mad->entry, &queue->unread);
	}
	spin_unlock(&queue->lock);
	if (!ended)
		wake_queue(queue);
	return !ended;
}

struct umad_mad *umad_queue_take(struct umad_queue *queue)
{
	struct umad_mad *mad;

	spin_lock(&queue->lock);
	mad = list_first_entry_or_null(&queue->unread, struct umad_mad, entry);
	if (mad) {
		list_del(&mad->entry);
		uncharge(queue, mad);
	} else {
		mad = ERR_PTR(queue->ended ? -EIO : -EAGAIN);
	}
	spin_unlock(&queue->lock);
	return mad;
}

void umad_queue_put_back(struct umad_queue *queue, struct umad_mad *mad)
{
	bool ended;

	spin_lock(&queue->lock);
	ended = queue->ended;
	if (!ended) {
		charge(queue, mad);
		list_add(&mad->entry, &queue->unread);
	}
	spin_unlock(&queue->lock);
	if (ended)
		umad_mad_free(mad);
	else
		wake_queue(queue);
}

__poll_t umad_queue_poll(struct umad_queue *queue)
{
	__poll_t mask = EPOLLOUT | EPOLLWRNORM;

	spin_lock(&queue->lock);
	if (queue->ended)
		mask = EPOLLERR;
	else if (!list_empty(&queue->unread))
		mask |= EPOLLIN | EPOLLRDNORM;
	spin_unlock(&queue->lock);
	return mask;
}

void umad_queue_end(struct umad_queue *queue)
{
	struct umad_mad *mad, *next;
	LIST_HEAD(unread);

	spin_lock(&queue->lock);
	queue->ended = true;
	list_splice_init(&queue->unread, &unread);
	list_for_each_entry(mad, &unread, entry)
		uncharge(queue, mad);
	spin_unlock(&queue->lock);
	list_for_each_entry_safe(mad, next, &unread, entry)
		umad_mad_free(mad);
	wake_up_interruptible_poll(&queue->wait, EPOLLERR);
}
