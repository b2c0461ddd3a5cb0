// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Taps and their readers: how they begin and end. */
#include "drivers/sib/reader.h"

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>

void sib_record_put(struct sib_record *record)
{
	if (record && refcount_dec_and_test(&record->ref))
		kfree(record);
}

struct sib_tap *sib_tap_create(void)
{
	struct sib_tap *tap = kzalloc(sizeof(*tap), GFP_KERNEL);

	if (!tap)
		return NULL;
	kref_init(&tap->ref);
	mutex_init(&tap->lock);
	INIT_LIST_HEAD(&tap->readers);
	return tap;
}

static void release_tap(struct kref *ref)
{
	struct sib_tap *tap = container_of(ref, struct sib_tap, ref);

	mutex_destroy(&tap->lock);
	kfree(tap);
}

/* Takes a reader out of the list. Does nothing if it has ended. */
static void end(struct sib_reader *reader)
{
	lockdep_assert_held(&reader->tap->lock);
	if (reader->ended)
		return;
	list_del_rcu(&reader->entry);
	reader->tap->num_readers--;
	/* Pairs with the acquire of who waits: the last packet is in the queue by now. */
	smp_store_release(&reader->ended, true);
}

void sib_tap_end(struct sib_tap *tap)
{
	struct sib_reader *reader, *next;

	mutex_lock(&tap->lock);
	list_for_each_entry_safe(reader, next, &tap->readers, entry) {
		end(reader);
		wake_up_interruptible(&reader->wait);
	}
	mutex_unlock(&tap->lock);
	kref_put(&tap->ref, release_tap);
}

/* Adds a reader. Returns 0, or -EBUSY. */
static int begin(struct sib_reader *reader, struct sib_tap *tap)
{
	int ret = -EBUSY;

	mutex_lock(&tap->lock);
	if (tap->num_readers < SIB_READERS_MAX) {
		kref_get(&tap->ref);
		tap->num_readers++;
		reader->filter = tap->filter;
		list_add_tail_rcu(&reader->entry, &tap->readers);
		ret = 0;
	}
	mutex_unlock(&tap->lock);
	return ret;
}

struct sib_reader *sib_reader_create(struct sib_tap *tap)
{
	struct sib_reader *reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!reader)
		return ERR_PTR(-ENOMEM);
	reader->tap = tap;
	init_waitqueue_head(&reader->wait);
	spin_lock_init(&reader->lock);
	reader->queue = kvcalloc(SIB_READER_PACKETS, sizeof(*reader->queue), GFP_KERNEL);
	if (!reader->queue)
		goto free_reader;
	ret = begin(reader, tap);
	if (ret)
		goto free_queue;
	return reader;

free_queue:
	kvfree(reader->queue);
free_reader:
	kfree(reader);
	return ERR_PTR(ret);
}

bool sib_reader_take(struct sib_reader *reader, struct sib_waiting *waiting)
{
	bool found;

	spin_lock_irq(&reader->lock);
	found = reader->count;
	if (found) {
		*waiting = reader->queue[reader->first];
		reader->first = (reader->first + 1) % SIB_READER_PACKETS;
		WRITE_ONCE(reader->count, reader->count - 1);
		WRITE_ONCE(reader->bytes, reader->bytes - waiting->record->len);
	}
	spin_unlock_irq(&reader->lock);
	return found;
}

void sib_reader_free(struct sib_reader *reader)
{
	struct sib_tap *tap = reader->tap;
	struct sib_waiting waiting;

	mutex_lock(&tap->lock);
	end(reader);
	mutex_unlock(&tap->lock);
	/* A sender may still add a record. */
	synchronize_rcu();
	while (sib_reader_take(reader, &waiting))
		sib_record_put(waiting.record);
	kvfree(reader->queue);
	kfree(reader);
	kref_put(&tap->ref, release_tap);
}
